from wokflow.job import job
from wokflow.pivot.instances import corpus, instances
from wokflow.tables import provenance

config, files = snakemake.config["pivot"], snakemake.input
pairs, metadata = config["pairs"]["path"], provenance(snakemake.params.key, files.recipes)
with job(snakemake.log[0]) as progress:
    instances(
        list(files.recipes),
        [files.dishes],
        pairs,
        snakemake.output.instances,
        metadata=metadata,
        progress=progress,
        **config["instances"],
    )
    corpus(list(files.recipes), [files.dishes], pairs, snakemake.output.corpus, metadata=metadata)
