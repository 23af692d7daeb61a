from wokflow.generate.rewrites import rewrites
from wokflow.job import job
from wokflow.tables import provenance

files = snakemake.input
with job(snakemake.log[0]):
    metadata = provenance(snakemake.params.key, [files.instances])
    rewrites(files.instances, snakemake.output.instances, snakemake.output.digest, metadata=metadata)
