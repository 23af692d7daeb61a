from wokflow.job import job
from wokflow.parse.proto import parse_proto
from wokflow.tables import provenance

with job(snakemake.log[0]):
    parse_proto(
        list(snakemake.input.actions),
        list(snakemake.output.proto),
        metadata=provenance(snakemake.params.key, snakemake.input.actions),
    )
