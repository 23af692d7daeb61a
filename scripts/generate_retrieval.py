from wokflow.generate.retrieval import retrieve
from wokflow.job import job
from wokflow.tables import provenance

files = snakemake.input
with job(snakemake.log[0]) as progress:
    retrieve(
        files.instances,
        snakemake.output.predictions,
        run=snakemake.wildcards.run,
        metadata=provenance(snakemake.params.key, [files.instances]),
        progress=progress,
    )
