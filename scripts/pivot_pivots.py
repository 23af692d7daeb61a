from wokflow.job import job
from wokflow.pivot.pivots import pivots
from wokflow.tables import provenance

settings = snakemake.config["pivot"]["pivots"]
with job(snakemake.log[0]) as progress:
    pivots(
        snakemake.input.candidates,
        out=snakemake.output.pivots,
        metadata=provenance(snakemake.params.key, [snakemake.input.candidates]),
        progress=progress,
        **settings,
    )
