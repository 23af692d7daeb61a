from wokflow.export.pairs import export_pairs
from wokflow.job import job
from wokflow.tables import provenance

with job(snakemake.log[0]):
    export_pairs(
        snakemake.input.pairs,
        list(snakemake.input.source_recipes),
        list(snakemake.input.target_recipes),
        snakemake.input.statistics,
        snakemake.output.release,
        direction=snakemake.wildcards.direction,
        metadata=provenance(snakemake.params.key, [snakemake.input.pairs]),
        **snakemake.config["export"]["pairs"],
    )
