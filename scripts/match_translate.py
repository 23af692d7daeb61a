from wokflow.job import job
from wokflow.match.translate import match_translate
from wokflow.tables import provenance

settings = {key: value for key, value in snakemake.config["match"]["translate"].items() if key != "shards"}
settings["backend"] = snakemake.params.backend
with job(snakemake.log[0]) as progress:
    match_translate(
        snakemake.input.titles,
        snakemake.output.translated,
        shard=int(snakemake.wildcards.shard),
        shards=int(snakemake.wildcards.shards),
        metadata=provenance(snakemake.params.key),
        progress=progress,
        **settings,
    )
