from wokflow.job import job
from wokflow.parse.vectors import train_vectors

config = snakemake.config["parse"]
settings = {key: value for key, value in config["vectors"].items() if key != "corpus"}
with job(snakemake.log[0]) as progress:
    train_vectors(
        list(snakemake.input.recipes),
        config["glossary"]["path"],
        snakemake.output.vectors,
        snakemake.output.digest,
        progress=progress,
        **settings,
    )
