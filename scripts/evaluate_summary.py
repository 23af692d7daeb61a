from wokflow.evaluate.summary import summarise
from wokflow.job import job
from wokflow.tables import provenance

files = snakemake.input
with job(snakemake.log[0]) as progress:
    summarise(
        list(files.parts),
        **dict(snakemake.output.items()),
        published=files.published,
        metadata=provenance(snakemake.params.key, files.parts),
        progress=progress,
        **snakemake.config["evaluate"]["summary"],
    )
