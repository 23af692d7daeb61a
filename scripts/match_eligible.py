from wokflow.job import job
from wokflow.match.eligible import match_eligible
from wokflow.tables import provenance

with job(snakemake.log[0]) as progress:
    match_eligible(
        snakemake.input.recipes,
        snakemake.output.eligible,
        snakemake.output.rejects,
        corpus=snakemake.wildcards.corpus,
        metadata=provenance(snakemake.params.key, snakemake.input.recipes),
        progress=progress,
        **snakemake.config["match"]["eligible"],
    )
