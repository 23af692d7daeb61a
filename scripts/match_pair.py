from wokflow.job import job
from wokflow.match.pair import match_pair
from wokflow.tables import provenance

config, files = snakemake.config["match"], snakemake.input
source_lang, target_lang = snakemake.wildcards.direction.split("-")
by_machine = config["translate"]["backend"] != "none"
with job(snakemake.log[0]):
    match_pair(
        list(files.neighbours),
        (files.source, files.source_translations, by_machine and source_lang == "zh"),
        (files.target, files.target_translations, by_machine and target_lang == "zh"),
        snakemake.output.neighbours,
        snakemake.output.accepted,
        snakemake.output.audit,
        k=config["search"]["k"],
        metadata=provenance(snakemake.params.key, [files.source, files.target]),
        **config["pair"],
    )
