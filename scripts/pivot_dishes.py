from wokflow.job import job
from wokflow.pivot.dishes import dishes
from wokflow.tables import provenance

config = snakemake.config["pivot"]
with job(snakemake.log[0]) as progress:
    dishes(
        list(snakemake.input.recipes),
        config["pairs"]["path"],
        snakemake.output.dishes,
        least=config["dishes"]["least"],
        metadata=provenance(snakemake.params.key, snakemake.input.recipes),
        progress=progress,
    )
