from wokflow.generate.baselines import RUNS, baselines
from wokflow.job import job
from wokflow.parse.glossary import read_glossary
from wokflow.tables import provenance

config, files = snakemake.config, snakemake.input
with job(snakemake.log[0]) as progress:
    baselines(
        files.instances,
        list(files.recipes),
        [files.dishes],
        dict(zip(RUNS, snakemake.output.predictions, strict=True)),
        glossary=read_glossary(config["parse"]["glossary"]["path"]),
        metadata=provenance(snakemake.params.key, [files.instances]),
        progress=progress,
        **config["generate"]["baselines"],
    )
