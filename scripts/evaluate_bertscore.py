from wokflow.evaluate.bertscore import bertscore
from wokflow.job import job
from wokflow.tables import provenance

files = snakemake.input
with job(snakemake.log[0]) as progress:
    bertscore(
        files.instances,
        files.predictions,
        snakemake.output.parts,
        run=snakemake.wildcards.run,
        data=snakemake.params.data,
        metadata=provenance(snakemake.params.key, [files.instances]),
        progress=progress,
        **snakemake.config["evaluate"]["bertscore"],
    )
