from pathlib import Path

from wokflow.evaluate.literal import literal_rates
from wokflow.job import job
from wokflow.tables import provenance

files, data_of = snakemake.input, snakemake.params.data_of
instances = {Path(path).parent.name: path for path in files.instances}
predictions = {data: [path for path in files.predictions if data_of[path] == data] for data in instances}
with job(snakemake.log[0]) as progress:
    literal_rates(
        instances,
        predictions,
        files.concepts,
        snakemake.output.literal,
        metadata=provenance(snakemake.params.key, files.predictions),
        progress=progress,
    )
