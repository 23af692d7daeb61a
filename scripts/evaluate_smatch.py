from wokflow.evaluate.smatch import smatch
from wokflow.job import job
from wokflow.tables import provenance

files, settings, data = snakemake.input, dict(snakemake.config["evaluate"]["smatch"]), snakemake.params.data
command = settings.pop("parsers")[data.split("-")[1]]
with job(snakemake.log[0]) as progress:
    smatch(
        files.instances,
        files.predictions,
        snakemake.output.parts,
        run=snakemake.wildcards.run,
        data=data,
        command=command,
        metadata=provenance(snakemake.params.key, [files.instances]),
        progress=progress,
        **settings,
    )
