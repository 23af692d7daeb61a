from wokflow.job import job
from wokflow.match.texts import match_texts
from wokflow.tables import provenance

with job(snakemake.log[0]):
    match_texts(
        list(snakemake.input.translated),
        snakemake.output.texts,
        snakemake.output.translations,
        snakemake.output.digest,
        snakemake.output.translations_digest,
        metadata=provenance(snakemake.params.key),
    )
