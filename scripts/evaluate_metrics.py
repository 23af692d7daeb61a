from wokflow.evaluate.metrics import overlap_metrics
from wokflow.job import job
from wokflow.tables import provenance

files = snakemake.input
with job(snakemake.log[0]) as progress:
    overlap_metrics(
        files.instances,
        files.predictions,
        snakemake.output.parts,
        run=snakemake.wildcards.run,
        data=snakemake.params.data,
        metadata=provenance(snakemake.params.key, [files.instances]),
        progress=progress,
    )
