from wokflow.job import job
from wokflow.pivot.questions import questions
from wokflow.tables import provenance

with job(snakemake.log[0]):
    questions(
        snakemake.input.candidates,
        snakemake.output.questions,
        snakemake.output.sheet,
        metadata=provenance(snakemake.params.key, [snakemake.input.candidates]),
        **snakemake.config["pivot"]["questions"],
    )
