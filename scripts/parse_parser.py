from wokflow.job import job
from wokflow.parse.parser import train_parser

config = snakemake.config["parse"]
with job(snakemake.log[0]) as progress:
    train_parser(
        glossary=config["glossary"]["path"],
        model=snakemake.output.model,
        scores=snakemake.output.scores,
        progress=progress,
        **config["parser"],
    )
