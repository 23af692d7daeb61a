from wokflow.ingest.source import source
from wokflow.job import job

with job(snakemake.log[0]) as progress:
    source(snakemake.input.raw, snakemake.output.source, progress=progress)
