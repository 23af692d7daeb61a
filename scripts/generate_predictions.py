from wokflow.generate.predictions import merge
from wokflow.job import job
from wokflow.tables import provenance

files = snakemake.input
with job(snakemake.log[0]):
    metadata = provenance(snakemake.params.key, [files.instances])
    run = snakemake.wildcards.run
    merge(list(files.shards), files.instances, snakemake.output.predictions, run=run, metadata=metadata)
