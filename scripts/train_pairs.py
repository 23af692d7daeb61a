from wokflow.job import job
from wokflow.tables import provenance
from wokflow.train.pairs import pair_examples

files = snakemake.input
with job(snakemake.log[0]) as progress:
    pair_examples(
        files.pairs,
        list(files.recipes),
        files.gold or None,
        snakemake.output.examples,
        snakemake.output.digest,
        metadata=provenance(snakemake.params.key, [files.pairs]),
        progress=progress,
    )
