from wokflow.job import job
from wokflow.parse.actions import parse_actions
from wokflow.tables import provenance

config = snakemake.config["parse"]
with job(snakemake.log[0]) as progress:
    parse_actions(
        snakemake.input.recipes,
        list(snakemake.input.dependencies),
        snakemake.output.actions,
        snakemake.output.rejects,
        glossary=config["glossary"]["path"],
        metadata=provenance(snakemake.params.key, [snakemake.input.recipes]),
        progress=progress,
        **config["actions"],
    )
