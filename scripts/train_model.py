from wokflow.generate.decoding import Decoding
from wokflow.job import job
from wokflow.train.model import train_model
from wokflow.train.settings import fit_settings

told, resources = dict(snakemake.params.run), snakemake.resources
beams, settings = told.pop("valid_beams"), told.pop("settings")
longest = settings["max_tokens"]
with job(snakemake.log[0]) as progress:
    train_model(
        snakemake.input.examples,
        snakemake.output.model,
        f"{snakemake.output.model}.checkpoints",
        settings=fit_settings(settings),
        decoding=Decoding(beams, max_source_tokens=longest, max_tokens=longest),
        key=snakemake.params.key,
        minutes=resources.runtime,
        threads=snakemake.threads,
        progress=progress,
        **told,
    )
