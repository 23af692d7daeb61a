from wokflow.job import job
from wokflow.match.embed import match_embed

settings = {key: value for key, value in snakemake.config["match"]["embed"].items() if key != "shards"}
with job(snakemake.log[0]) as progress:
    match_embed(
        snakemake.input.texts,
        snakemake.output.vectors,
        shard=int(snakemake.wildcards.shard),
        shards=int(snakemake.wildcards.shards),
        threads=snakemake.threads,
        progress=progress,
        **settings,
    )
