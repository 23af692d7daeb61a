from wokflow.job import job
from wokflow.report.page import report_page

MATCHING = ("recipes", "rejects", "eligible", "titles", "texts", "pairs", "audit")
tables = (*MATCHING, "actions", "proto", "dishes", "candidates", "pivots", "orders", "effects", "scores")
config, files = snakemake.config, snakemake.input
with job(snakemake.log[0]):
    report_page(
        files.statistics,
        files.histogram,
        files.leaks,
        files.parser,
        [path for name in tables for path in files[name]],
        snakemake.output.page,
        threshold=config["match"]["pair"]["threshold"],
        method=config["parse"]["actions"]["method"],
        level=config["evaluate"]["counterfactual"]["bootstrap"]["level"],
        orders=config["pivot"]["orders"],
        annotators=config["pivot"]["pivots"]["annotators"],
        answers=list(files.answers),
        glossary=config["parse"]["glossary"]["path"],
        dish_pairs=config["pivot"]["pairs"]["path"],
        results=config["results"],
        **config["report"]["page"],
    )
