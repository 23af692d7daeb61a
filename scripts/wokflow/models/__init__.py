"""What stages that use language models share: devices, loading, decoding, and recipes as texts."""
