from wokflow.job import job
from wokflow.match.statistics import match_statistics

directions = [path.split("/")[-2] for path in snakemake.input.pairs]
corpora = sorted({path.split("/")[-2] for path in snakemake.input.recipes})
with job(snakemake.log[0]):
    match_statistics(
        dict(zip(directions, snakemake.input.pairs, strict=True)),
        dict(zip(directions, snakemake.input.neighbours, strict=True)),
        {corpus: [part for part in snakemake.input.recipes if f"/{corpus}/" in part] for corpus in corpora},
        snakemake.output.statistics,
        snakemake.output.histogram,
    )
