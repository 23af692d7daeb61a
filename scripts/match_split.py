from wokflow.job import job
from wokflow.match.split import match_split
from wokflow.tables import provenance

directions = [path.split("/")[-2] for path in snakemake.input.accepted]
with job(snakemake.log[0]):
    match_split(
        dict(zip(directions, snakemake.input.accepted, strict=True)),
        dict(zip(directions, snakemake.output.pairs, strict=True)),
        snakemake.output.leaks,
        metadata=provenance(snakemake.params.key, snakemake.input.accepted),
        **snakemake.config["match"]["split"],
    )
