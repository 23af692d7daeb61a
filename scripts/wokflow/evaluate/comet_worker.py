"""Scores by COMET, for another Python, which has unbabel-comet: python comet_worker.py [--model NAME] INPUT OUTPUT.

INPUT has JSON lines with src, mt and ref; OUTPUT gets a score a line. This file imports nothing of the package.
"""

import argparse
import importlib
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

MODEL = "Unbabel/wmt22-comet-da"


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description="Scores by COMET, one a line.")
    parser.add_argument(
        "--model", default=MODEL, help="name on the Hugging Face hub, or a checkpoint (.ckpt)"
    )
    parser.add_argument("--batch", type=int, default=8, help="texts at once")
    parser.add_argument("--gpus", type=int, default=None, help="0 or 1; by default 1 where there is one")
    parser.add_argument("input", type=Path)
    parser.add_argument("output", type=Path)
    options = parser.parse_args(arguments)
    with options.input.open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    scores = predict(rows, options.model, options.batch, options.gpus)
    options.output.write_text("".join(f"{score!r}\n" for score in scores), encoding="utf-8")


def predict(rows: Sequence[dict[str, str]], model: str, batch: int, gpus: int | None) -> list[float]:
    """Scores by the model, in the order of the rows."""
    comet = library()
    path = model if model.endswith(".ckpt") else comet.download_model(model)
    if gpus is None:
        import torch

        gpus = int(torch.cuda.is_available())
    predicted = comet.load_from_checkpoint(path).predict(rows, batch_size=batch, gpus=gpus)
    return [float(score) for score in predicted.scores]


def library() -> Any:
    """The library comet, and not comet.py beside this file, which Python would find first."""
    here = Path(__file__).resolve().parent
    sys.path[:] = [folder for folder in sys.path if Path(folder).resolve() != here]
    return importlib.import_module("comet")


if __name__ == "__main__":
    main(sys.argv[1:])
