from wokflow.generate.decode import decode_shard
from wokflow.generate.decoding import Decoding
from wokflow.generate.prompts import Prompt
from wokflow.job import job
from wokflow.tables import provenance

files, out, told = snakemake.input, snakemake.output.predictions, dict(snakemake.params.run)
told["decoding"] = Decoding(**told["decoding"])
told["prompt"] = told["prompt"] and Prompt.read(told["prompt"])
with job(snakemake.log[0]) as progress:
    decode_shard(
        files.instances,
        out,
        shard=int(snakemake.wildcards.shard),
        shards=int(snakemake.wildcards.shards),
        resume=f"{out}.blocks",
        metadata=provenance(snakemake.params.key, [files.instances]),
        progress=progress,
        **told,
    )
