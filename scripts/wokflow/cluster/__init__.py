"""What runs on a Slurm cluster need besides Snakemake's executor."""
