"""Scores by BLEURT, for another Python, which has bleurt: python bleurt_worker.py --model FOLDER INPUT OUTPUT.

INPUT has JSON lines with mt and ref; OUTPUT gets a score a line. This file imports nothing of the package.
"""

import argparse
import importlib
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description="Scores by BLEURT, one a line.")
    parser.add_argument("--model", required=True, help="folder of a checkpoint, such as BLEURT-20")
    parser.add_argument("--batch", type=int, default=16, help="texts at once")
    parser.add_argument("input", type=Path)
    parser.add_argument("output", type=Path)
    options = parser.parse_args(arguments)
    with options.input.open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    scorer = library().BleurtScorer(options.model)
    texts, references = [row["mt"] for row in rows], [row["ref"] for row in rows]
    scores = scorer.score(references=references, candidates=texts, batch_size=options.batch)
    options.output.write_text("".join(f"{float(score)!r}\n" for score in scores), encoding="utf-8")


def library() -> Any:
    """The module bleurt.score, and not bleurt.py beside this file, which Python would find first."""
    here = Path(__file__).resolve().parent
    sys.path[:] = [folder for folder in sys.path if Path(folder).resolve() != here]
    return importlib.import_module("bleurt.score")


if __name__ == "__main__":
    main(sys.argv[1:])
