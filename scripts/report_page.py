from wokflow.job import job
from wokflow.report.page import report_page

tables = ("recipes", "rejects", "eligible", "titles", "texts", "pairs", "audit")
files = snakemake.input
with job(snakemake.log[0]):
    report_page(
        files.statistics,
        files.histogram,
        files.leaks,
        *(list(files[name]) for name in tables),
        snakemake.output.page,
        threshold=snakemake.config["match"]["pair"]["threshold"],
        results=snakemake.config["results"],
        **snakemake.config["report"]["page"],
    )
