from wokflow.generate.server import BACKENDS, serve
from wokflow.job import job

settings, log = snakemake.config["generate"]["server"], snakemake.log[0]
command = settings["command"] if settings["backend"] == "command" else BACKENDS[settings["backend"]]
with job(log) as progress:
    serve(
        command,
        snakemake.params.run["model"],
        snakemake.output.endpoint,
        minutes=settings["minutes"],
        output=f"{log}.server",
        progress=progress,
    )
