from wokflow.evaluate.counterfactual import evaluate_counterfactual
from wokflow.job import job
from wokflow.parse.glossary import read_glossary
from wokflow.parse.texts import extractor
from wokflow.tables import provenance

config, files = snakemake.config, snakemake.input
parse = config["parse"]
names = ("instances", "pivots", "orders", "candidates", "predictions", "vectors")
with job(snakemake.log[0]) as progress:
    glossary = read_glossary(parse["glossary"]["path"])
    evaluate_counterfactual(
        out=snakemake.output.scores,
        glossary=glossary,
        extract=extractor(glossary, parse["actions"], parse["dependencies"], *files.model),
        metadata=provenance(snakemake.params.key, [files.instances]),
        progress=progress,
        **config["evaluate"]["counterfactual"] | {name: files[name] for name in names},
    )
