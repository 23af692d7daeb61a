"""Training one model, in this process or in several."""

from wokflow.generate.decoding import Decoding, Family, Lang
from wokflow.job import Progress
from wokflow.train.launch import launch
from wokflow.train.process import train_here
from wokflow.train.settings import Fit, Task
from wokflow.train.stopping import Stop


def train_model(
    examples: str,
    out: str,
    checkpoints: str,
    *,
    run: str,
    family: Family,
    model: str,
    revision: str | None,
    seed: int,
    settings: Fit,
    decoding: Decoding,
    key: str,
    languages: tuple[Lang, Lang] | None = None,
    minutes: float | None = None,
    processes: int = 1,
    nodes: int = 1,
    threads: int | None = None,
    progress: Progress | None = None,
) -> None:
    """Train on the table `examples` (train/examples) and write the folder `out`: model, tokenizer, curve, run, card.

    `model` is `small` (random weights), a folder, or a name on the Hugging Face hub at `revision`. `languages` of
    source and target is what mBART50 and NLLB must be told. The folder `checkpoints` holds how far a training of
    this `key` is: one that was killed goes on from there and ends with the same model, and the folder goes in the
    end. SIGTERM, and the end of the `minutes` that the job has, save and raise UserError. `decoding` is how
    validation sources are decoded. `threads` of a process on CPUs; None: as PyTorch finds best.

    Raises UserError for examples that are missing or empty, a model that cannot be loaded, a loss that is no
    number, and memory that does not suffice.
    """
    task = Task(
        examples, out, checkpoints, run, family, model, revision, languages, seed, settings, decoding, key,
        minutes, threads,
    )  # fmt: skip
    if processes == nodes == 1:
        with Stop(minutes) as stop:
            train_here(task, stop, progress)
    else:
        launch(task, processes, nodes, progress)
