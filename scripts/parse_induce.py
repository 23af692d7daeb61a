from wokflow.job import job
from wokflow.parse.induce import induce_glossary

config = snakemake.config["parse"]
with job(snakemake.log[0]) as progress:
    induce_glossary(
        snakemake.input.vectors,
        list(snakemake.input.recipes),
        config["glossary"]["path"],
        snakemake.output.glossary,
        progress=progress,
        **config["induce"],
    )
