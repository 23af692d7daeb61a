from wokflow.generate.instances import instances
from wokflow.job import job
from wokflow.tables import provenance

files = snakemake.input
with job(snakemake.log[0]) as progress:
    instances(
        files.pairs,
        list(files.recipes),
        files.gold or None,
        snakemake.output.instances,
        snakemake.output.digest,
        data=snakemake.wildcards.direction,
        metadata=provenance(snakemake.params.key, [files.pairs]),
        progress=progress,
    )
