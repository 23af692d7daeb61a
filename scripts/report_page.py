from wokflow.job import job
from wokflow.report.page import report_page

config, files = snakemake.config, snakemake.input
counted = (files.statistics, files.histogram, files.leaks, files.parser)
with job(snakemake.log[0]):
    report_page(
        *counted,
        [path for path in files if path.endswith(".parquet")],
        list(files.models),
        snakemake.output.page,
        threshold=config["match"]["pair"]["threshold"],
        method=config["parse"]["actions"]["method"],
        level=config["evaluate"]["counterfactual"]["bootstrap"]["level"],
        adaptation_level=config["evaluate"]["summary"]["bootstrap"]["level"],
        glossary=config["parse"]["glossary"]["path"],
        pivot=config["pivot"],
        results=config["results"],
        **config["report"]["page"],
    )
