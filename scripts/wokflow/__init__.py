"""Cross-cultural recipes, from raw corpora to models and releases: a package for each stage of the workflow."""

__version__ = "0.1.0"
