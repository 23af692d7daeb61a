"""Smatch of one run: overlap of AMR graphs (Cultural Adaptation of Recipes, section 5.2; Cai and Knight 2013)."""

import random
import re
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version

import numpy as np

from wokflow.evaluate.contributions import Texts, write_parts
from wokflow.evaluate.score_intervals import Metric, f1_of_sums, skipped
from wokflow.evaluate.settings import SmatchSettings
from wokflow.frame.command import run_command
from wokflow.frame.job import Job, Progress, UserError
from wokflow.frame.languages import target_lang

KEY = "evaluate.smatch.parsers"
SEED = 13
NODE = "(n / node)"  # the smallest graph
CONCEPT = re.compile(r"\(\s*[^\s()]+\s*/\s*[^\s()]")
Count = Callable[[str, str], list[float]]


def evaluate_smatch(
    *, instances: str, predictions: str, parts: str, run: str, settings: SmatchSettings, job: Job
) -> None:
    """Write schema evaluate/parts with metric smatch; see contributions.write_parts.

    The command runs an AMR parser for the language that the run writes, with the words {input}, a file with a text a
    line, and {output}, where it writes their graphs in Penman notation, in order, with blank lines between them.
    Without a command the metric is skipped. Graphs are aligned by a solver of smatchpp: `ilp` finds the best
    alignment, or the best within 240 s; `hillclimber`, as in the original Smatch, finds a good one quickly, also of
    large graphs. Raises UserError if the parser fails or does not write a graph for each text.
    """
    key = f"{KEY}.{target_lang(settings.data)}"

    def score(texts: Texts) -> list[Metric]:
        if not settings.command:
            return [skipped("smatch", len(texts.texts), f"No AMR parser is given ({key}).")]
        both, gpu = [*texts.texts, *texts.references], settings.device != "cpu"
        graphs = parsed(both, settings.command, key, settings.seconds, gpu=gpu)
        return [compare(texts, graphs, settings.solver, job.progress)]

    write_parts(instances, predictions, parts, run, settings.data, score, job)


def parsed(
    texts: Sequence[str], command: Sequence[str], key: str, seconds: float | None, *, gpu: bool = True
) -> dict[str, str]:
    """The graph of each text that is not blank; without `gpu` the command sees none."""
    lines = sorted({text for text in texts if text.strip()})
    if not lines:
        return {}
    graphs = split_graphs(
        run_command(command, "".join(f"{line}\n" for line in lines), key=key, seconds=seconds, gpu=gpu)
    )
    if len(graphs) != len(lines):
        raise UserError(
            f"{key}: the parser was given {len(lines)} texts and wrote {len(graphs)} graphs. It must write one for "
            "each line, with blank lines between them, also for a text that it cannot parse."
        )
    return dict(zip(lines, graphs, strict=True))


def split_graphs(text: str) -> list[str]:
    """The graphs of a text, which blank lines separate, without the comment lines (#) that parsers add."""
    blocks = re.split(r"\n\s*\n", text)
    graphs = ("\n".join(line for line in block.splitlines() if not line.startswith("#")) for block in blocks)
    return [graph for graph in graphs if graph.strip()]


def compare(texts: Texts, graphs: Mapping[str, str], solver: str, progress: Progress) -> Metric:
    """Micro F1 of triples; parts are (texts, 4), as intervals.f1_of_sums takes them.

    The graph of an empty text is empty. A graph that cannot be read counts as empty; the log has their number.
    """
    count = _counter(solver)
    sizes = {text: _size(graph, count) for text, graph in graphs.items()}
    if left := sum(not size for size in sizes.values()):
        progress.say(f"{left} of {len(graphs)} graphs cannot be read and count as empty")
    parts = []
    for number, pair in enumerate(zip(texts.texts, texts.references, strict=True), start=1):
        alone = [0.0, 0.0, *(sizes.get(text, 0.0) for text in pair)]
        parts.append(count(*(graphs[text] for text in pair)) if all(alone[2:]) else alone)
        progress(number, f"{number} of {len(texts.texts)} pairs of graphs aligned", of=len(texts.texts))
    signature = f"score:micro F1|graphs:amr|solver:{solver}|smatchpp:{version('smatchpp')}"
    sums = np.array(parts, np.float64).reshape(-1, 4)
    return Metric("smatch", f1_of_sums(sums), sums, "f1", signature=signature)


def _counter(solver: str) -> Count:
    """A function that counts the triples of two graphs: matches in both, and the sizes of both."""
    from smatchpp import Smatchpp, solvers
    from smatchpp.formalism.amr.tools import AMRStandardizer

    measure = Smatchpp(alignmentsolver=solvers.get_solver(solver), graph_standardizer=AMRStandardizer())

    def count(left: str, right: str) -> list[float]:
        random.seed(SEED)  # hill climbing draws from here
        return [float(number) for number in measure.process_pair(left, right)[0]["main"]]

    return count


def _size(graph: str, count: Count) -> float:
    """The number of a graph's triples; 0 if it cannot be read."""
    try:
        return count(graph, NODE)[2] if CONCEPT.search(graph) else 0.0
    except Exception:  # the reader has no exception class of its own
        return 0.0
