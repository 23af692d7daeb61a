"""Runs on a Slurm cluster: what they need beside Snakemake's executor."""
