import json
from pathlib import Path

from wokflow.ingest.clean import Cleaning
from wokflow.ingest.recipes import ingest_recipes
from wokflow.job import job
from wokflow.tables import provenance

corpus = snakemake.wildcards.corpus
settings = snakemake.config["ingest"]["recipes"]
with job(snakemake.log[0]) as progress:
    checksum = json.loads(Path(snakemake.input.source).read_text(encoding="utf-8"))["sha256"]
    ingest_recipes(
        snakemake.input.raw,
        snakemake.output.recipes,
        snakemake.output.rejects,
        corpus=corpus,
        cleaning=Cleaning(**{step: on for step, on in settings.items() if step != "parts"}),
        threads=snakemake.threads,
        metadata=provenance(snakemake.params.key, **{corpus: checksum}),
        progress=progress,
    )
