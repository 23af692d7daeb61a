from wokflow.job import job
from wokflow.match.titles import match_titles
from wokflow.tables import provenance

with job(snakemake.log[0]):
    match_titles(
        snakemake.input.eligible,
        snakemake.output.titles,
        snakemake.output.digest,
        metadata=provenance(snakemake.params.key, [snakemake.input.eligible]),
    )
