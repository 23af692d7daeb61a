from wokflow.job import job
from wokflow.match.vectors import match_vectors

with job(snakemake.log[0]):
    match_vectors(list(snakemake.input.vectors), snakemake.output.vectors, snakemake.output.digest)
