from wokflow.evaluate.correlations import correlate
from wokflow.job import job
from wokflow.tables import provenance

files = snakemake.input
with job(snakemake.log[0]) as progress:
    correlate(
        list(files.parts),
        list(files.ratings),
        snakemake.output.correlations,
        level=snakemake.config["evaluate"]["correlations"]["level"],
        metadata=provenance(snakemake.params.key, files.parts),
        progress=progress,
    )
