"""How busy training keeps the processor, beside the rate of its matrix products in the same run."""

import io
import random
import re
from dataclasses import replace
from pathlib import Path

import polars as pl

from tests.bench import measure
from tests.bench.measure import Call, Clock, Measured, at_most

PAIRS = {"tiny": 64, "small": 1_024, "full": 16_384}
ROUNDS = {"tiny": 1, "small": 2, "full": 3}
WIDTH, LAYERS, HEADS, VOCABULARY, WORDS = 256, 3, 4, 4_000, 2_000
SHORTEST, LONGEST = 20, 200  # words of a text
SIDE, PRODUCTS = 1_024, 40  # of the matrices that are multiplied for comparison
MOST_WAITING = 5.0  # per cent
TRAINING, MATRICES = "training (Wokflow)", "matrix products alone"


def test_training_keeps_the_processor_busy(data: Path) -> None:
    count = PAIRS[measure.scale()]
    write_pairs(data / "examples.parquet", count)
    contenders = {
        TRAINING: Call(learn, {"folder": str(data), "count": count}),
        MATRICES: Call(multiply, {}),
    }
    print(f"\n{count} pairs", flush=True)
    measured = measure.in_turn(contenders, ROUNDS[measure.scale()])
    publish(count, measured)


def publish(count: int, measured: dict[str, list[Measured]]) -> None:
    trained = measured[TRAINING][0].outcome
    learnt = [result.outcome["operations"] / result.outcome["seconds"] for result in measured[TRAINING]]
    peak = [result.outcome["operations"] / result.wall for result in measured[MATRICES]]
    rates = {TRAINING: sum(learnt) / len(learnt), MATRICES: sum(peak) / len(peak)}
    rows = [[name, f"{rate / 1e9:.0f}", f"{rate / rates[MATRICES]:.2f}"] for name, rate in rates.items()]
    waiting = max(result.outcome["waiting"] for result in measured[TRAINING])
    measure.publish(
        "train",
        "Training on a CPU",
        f"""An epoch over {count:,} pairs of {SHORTEST} to {LONGEST} words, by an encoder and decoder of {LAYERS}
        layers each and width {WIDTH} ({trained["weights"]:,.0f} weights), 16 pairs a step, in float32:
        {trained["rate"]:,.0f} tokens a second, of sources and targets. At most {waiting:.1f} % of the time went by
        waiting for data ({at_most(waiting, MOST_WAITING)} %). Operations are 6 for each weight and token, which
        counts an encoder's weights for targets too, and leaves attention out; the matrices for comparison have
        {SIDE:,} rows and columns. No GPU was there.
        {measure.repeat("test_train.py")}""",
        measure.machine("torch", "transformers", "accelerate"),
        measure.table(["contender", "10^9 operations/s", "share of the matrix rate"], rows),
        targets=[at_most(waiting, MOST_WAITING)],
    )


def learn(clock: Clock, folder: str, count: int) -> dict[str, float]:
    """Train for an epoch; what the log says of it."""
    from wokflow.frame.job import Progress
    from wokflow.train.model import train

    from tests.train.tiny import task_of

    log = io.StringIO()
    small = {"width": WIDTH, "layers": LAYERS, "heads": HEADS, "vocabulary": VOCABULARY}
    once = {"batch": 16, "device_batch": 16, "epochs": 1, "max_tokens": 512, "learning_rate": 1e-4}
    task = task_of(Path(folder), languages=None, small=small, **once)
    task = replace(task, run="bench", key=str(count), threads=measure.THREADS)
    with clock:
        train(task, progress=Progress(log))
    said = re.search(
        r"([\d,]+) tokens/s, ([\d.]+) % waiting.* 6 x ([\d,]+) weights .* = (\S+) operations in ([\d.]+) s",
        log.getvalue(),
    )
    assert said, log.getvalue()
    rate, waiting, weights, operations, seconds = (float(value.replace(",", "")) for value in said.groups())
    return {
        "rate": rate,
        "waiting": waiting,
        "weights": weights,
        "operations": operations,
        "seconds": seconds,
    }


def multiply(clock: Clock) -> dict[str, float]:
    """Multiply square matrices."""
    import torch

    torch.set_num_threads(measure.THREADS)
    left, right = torch.rand(SIDE, SIDE), torch.rand(SIDE, SIDE)
    left @ right
    with clock:
        for _ in range(PRODUCTS):
            left @ right
    return {"operations": 2.0 * SIDE**3 * PRODUCTS}


def write_pairs(path: Path, count: int) -> None:
    """Pairs of made texts."""
    draw = random.Random(5)

    def text() -> str:
        return " ".join(f"w{draw.randrange(WORDS)}" for _ in range(draw.randint(SHORTEST, LONGEST)))

    rows = [(f"{number}", "train" if number % 32 else "valid", "", text(), text()) for number in range(count)]
    columns = ["instance_id", "split", "title", "source", "target"]
    pl.DataFrame(rows, columns, orient="row").write_parquet(path)
