"""Cross-cultural recipes, from raw corpora to models and releases: a package for each stage of the workflow."""
