from wokflow.evaluate.counterfactual import evaluate_counterfactual
from wokflow.evaluate.intervals import Bootstrap
from wokflow.evaluate.surface import BertModel
from wokflow.job import job
from wokflow.parse.glossary import read_glossary
from wokflow.parse.texts import extractor
from wokflow.tables import provenance

settings, parse = snakemake.config["evaluate"]["counterfactual"], snakemake.config["parse"]
files = snakemake.input
glossary, how = read_glossary(parse["glossary"]["path"]), parse["actions"]
parser = {key: parse["dependencies"][key] for key in ("backend", "model", "batch", "device")}
parser |= {"model": files.model[0]} if files.model else {}
with job(snakemake.log[0]) as progress:
    evaluate_counterfactual(
        files.instances,
        files.pivots,
        files.orders,
        list(files.predictions),
        snakemake.output.scores,
        glossary=glossary,
        extract=extractor(glossary, method=how["method"], style=how["style"], dependencies=parser),
        candidates=files.candidates,
        vectors=files.vectors,
        tau=settings["tau"],
        bertscore=BertModel(**settings["bertscore"]),
        bootstrap=Bootstrap(**settings["bootstrap"]),
        metadata=provenance(snakemake.params.key, [files.instances]),
        progress=progress,
    )
