from wokflow.job import job
from wokflow.parse.dependencies import parse_dependencies
from wokflow.tables import provenance

config, files = snakemake.config["parse"], snakemake.input
settings = {key: value for key, value in config["dependencies"].items() if key != "shards"}
with job(snakemake.log[0]) as progress:
    parse_dependencies(
        files.clauses,
        snakemake.output.dependencies,
        glossary=config["glossary"]["path"],
        shard=int(snakemake.wildcards.shard),
        shards=int(snakemake.wildcards.shards),
        threads=snakemake.threads,
        metadata=provenance(snakemake.params.key, [files.clauses]),
        progress=progress,
        **settings | ({"model": files.model[0]} if files.model else {}),
    )
