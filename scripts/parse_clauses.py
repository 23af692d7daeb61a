from wokflow.job import job
from wokflow.parse.clauses import parse_clauses
from wokflow.tables import provenance

with job(snakemake.log[0]):
    parse_clauses(
        list(snakemake.input.recipes),
        snakemake.output.clauses,
        snakemake.output.digest,
        metadata=provenance(snakemake.params.key, snakemake.input.recipes),
    )
