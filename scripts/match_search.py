from wokflow.job import job
from wokflow.match.search import match_search
from wokflow.tables import provenance

settings = {key: value for key, value in snakemake.config["match"]["search"].items() if key != "shards"}
with job(snakemake.log[0]) as progress:
    match_search(
        snakemake.input.sources,
        snakemake.input.targets,
        snakemake.output.neighbours,
        shard=int(snakemake.wildcards.shard),
        shards=int(snakemake.wildcards.shards),
        threads=snakemake.threads,
        metadata=provenance(snakemake.params.key),
        progress=progress,
        **settings,
    )
