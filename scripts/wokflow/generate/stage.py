"""What stage generate asks of a config."""

from collections.abc import Iterator, Mapping
from typing import Any

from wokflow.frame.runs import Run

WITHOUT_GPU = {
    "generate_decode": "generate.decode.device: cpu",
    "generate_server": "generate.server.gpus: 0",
}


def run_problems(config: Mapping[str, Any], runs: Mapping[str, Run]) -> Iterator[str]:
    """Runs on sentences that the rest of the config does not allow."""
    generate = config["generate"]
    for run in runs.values():
        if not run.pair:
            continue
        if not config["enrich"]["entities"]["path"]:
            yield f"run {run.name}: sentences of {run.data} need enrich.entities.path, the table of entities."
        step = "prompt" if run.family == "prompt" else "decode"
        shots, most = run.over(step, generate[step])["shots"], generate["items"]["exemplars"]
        if run.family != "seq2seq" and shots > most:
            yield (
                f"run {run.name}: {step}.shots is {shots}, but {most} sentences of each source are held out as "
                "exemplars. Raise generate.items.exemplars."
            )


def packages(config: Mapping[str, Any], runs: Mapping[str, Run]) -> dict[str, str]:
    asked = [run.name for run in runs.values() if run.family in ("seq2seq", "causal") and not run.trained]
    return {"transformers": f"run {asked[0]} in {config['runs']}"} if asked else {}
