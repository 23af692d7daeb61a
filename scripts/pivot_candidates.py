from wokflow.job import job
from wokflow.pivot.candidates import candidates
from wokflow.tables import provenance

config, files = snakemake.config["pivot"], snakemake.input
with job(snakemake.log[0]) as progress:
    candidates(
        list(files.proto),
        list(files.actions),
        [files.dishes],
        config["pairs"]["path"],
        snakemake.output.candidates,
        metadata=provenance(snakemake.params.key, files.proto),
        progress=progress,
        **config["candidates"],
    )
