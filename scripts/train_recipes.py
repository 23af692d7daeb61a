from wokflow.job import job
from wokflow.tables import provenance
from wokflow.train.recipes import recipe_examples

files = snakemake.input
with job(snakemake.log[0]):
    recipe_examples(
        list(files.recipes),
        files.corpus,
        files.dishes,
        snakemake.output.examples,
        snakemake.output.digest,
        metadata=provenance(snakemake.params.key, files.recipes),
        **snakemake.config["train"]["recipes"],
    )
