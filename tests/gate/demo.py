"""What the demo's tables hold: the rows of each, and a digest of those that no floating point touches.

`make demo-record` runs the demo and writes tests/gate/demo.tsv anew: after a change that means to change a table. The
diff is read in review.
"""

import hashlib
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

import polars as pl

from tests.conftest import copy_house, snakemake

DEMO = ("--configfile", "config/demo.yaml")
RECORDED = Path(__file__).with_name("demo.tsv")
HEAD = "table\trows\tSHA-256 of names, types and rows, floating point aside; - where floating point decides on rows"
# Cosines, gradients and regressions differ between processors in their last bits, and so may what they decide.
FLOATING = (
    "match/neighbours",
    "match/search",
    "match/accepted",
    "match/audit",
    "match/pairs",
    "pivot/effects",
    "pivot/orders",
    "train/examples/zh-en",
    "train/examples/en-zh",
    "generate/instances/zh-en",
    "generate/instances/en-zh",
    "generate/decode",
    "generate/predictions",
    "lexicon",
    "evaluate",
    "export/dataset/pairs",
    "export/dataset/orders",
    "export/dataset/predictions",
    "export/dataset/scores",
    "export/gates",
    "export/release",
)


def lines_of(results: Path) -> list[str]:
    """One line a table below a folder of results: its name, its rows, their digest."""
    parts: dict[str, list[Path]] = {}
    for path in sorted(results.rglob("*.parquet")):
        parts.setdefault(path.parent.relative_to(results).as_posix(), []).append(path)
    return [f"{table}\t{_rows(paths, table)}" for table, paths in sorted(parts.items())]


def _rows(parts: Iterable[Path], table: str) -> str:
    rows, digest = 0, hashlib.sha256()
    for part in parts:
        frame = pl.read_parquet(part)
        rows += frame.height
        exact = {name: str(kind) for name, kind in frame.schema.items() if "Float" not in str(kind)}
        digest.update(str(exact).encode() + frame.select(list(exact)).write_ndjson().encode())
    floating = any(table == name or table.startswith((f"{name}/", f"{name}-")) for name in FLOATING)
    return f"{rows}\t{'-' if floating else digest.hexdigest()[:16]}"


def recorded() -> list[str]:
    """The lines of demo.tsv."""
    return RECORDED.read_text(encoding="utf-8").splitlines()[1:]


def main() -> None:
    """Run the demo in a new folder, and record what its tables hold."""
    with tempfile.TemporaryDirectory() as folder:
        house = copy_house(Path(folder) / "house")
        snakemake(house, *DEMO, cores=2)
        lines = lines_of(house / "results")
    before = recorded() if RECORDED.exists() else []
    RECORDED.write_text("\n".join([HEAD, *lines]) + "\n", encoding="utf-8")
    sys.stdout.write(f"{RECORDED}: {len(lines)} tables, {len(set(lines) - set(before))} lines are new\n")


if __name__ == "__main__":
    main()
