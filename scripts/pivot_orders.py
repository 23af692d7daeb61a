from wokflow.job import job
from wokflow.pivot.effects import Limits
from wokflow.pivot.orders import orders
from wokflow.tables import provenance

files = snakemake.input
with job(snakemake.log[0]) as progress:
    orders(
        files.pivots,
        list(files.proto),
        [files.dishes],
        snakemake.output.effects,
        snakemake.output.orders,
        limits=Limits(**snakemake.config["pivot"]["orders"]),
        metadata=provenance(snakemake.params.key, [files.pivots]),
        progress=progress,
    )
