"""Shared by all stages that use language models: devices, loading, decoding, and recipes as texts."""
