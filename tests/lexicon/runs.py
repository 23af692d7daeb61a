"""The steps of the stage, called one after the other."""

import sys
from pathlib import Path
from typing import Any

from wokflow.frame.job import Job, Progress
from wokflow.lexicon.align import lexicon_align
from wokflow.lexicon.neighbours import lexicon_neighbours
from wokflow.lexicon.precision import lexicon_precision
from wokflow.lexicon.settings import AlignSettings, NeighboursSettings, PrecisionSettings, VectorsSettings
from wokflow.lexicon.vectors import lexicon_vectors

from tests.conftest import ROOT


def align(folder: Path, seeds: Path, threads: int = 2, to: str = "aligned", **own: Any) -> Path:
    """The alignment of the vectors in folder/zh and folder/en."""
    lexicon_align(
        source=str(folder / "zh"),
        target=str(folder / "en"),
        aligned=str(folder / to),
        settings=AlignSettings(seed_dictionary=str(seeds), **own),
        job=Job(threads=threads),
    )
    return folder / to


def train(recipes: Path, to: Path, **own: Any) -> None:
    lexicon_vectors(recipes=[str(recipes)], vectors=str(to), settings=VectorsSettings(**own), job=Job())


def look_up(folder: Path, seeds: Path, dictionary: Path | None, **own: Any) -> None:
    """The tables of the alignment in folder/aligned, beside it, with no other dictionary than the given one."""
    empty = folder / "no_dictionary"
    empty.mkdir(exist_ok=True)
    for kind in ("verbs", "ingredients", "tools"):
        (empty / f"{kind}.tsv").write_text("surface\tclass\n", encoding="utf-8")
    (folder / "no_lexicon").mkdir(exist_ok=True)
    (folder / "no_lexicon" / "none.tsv").write_text("zh\ten\tkind\n", encoding="utf-8")
    none = {"lexicon": str(folder / "no_lexicon"), "glossary": str(empty)}
    shared = none | {"dictionary": None if dictionary is None else str(dictionary)}
    light = str(ROOT / "resources" / "bilingual" / "light_words.txt")
    known = {"seed_dictionary": str(seeds), "neighbourhood": 10, "light": light} | shared
    paths = {name: str(folder / f"{name}.parquet") for name in ("neighbours", "picture")}
    settings = NeighboursSettings(**known | own)
    aligned, sheet = str(folder / "aligned"), str(folder / "sheet.tsv")
    lexicon_neighbours(aligned=aligned, **paths, sheet=sheet, settings=settings, job=Job())
    judge(folder, shared, count=settings.count)


def judge(folder: Path, shared: dict[str, Any], **own: Any) -> None:
    paths = {name: str(folder / f"{name}.parquet") for name in ("neighbours", "marks", "words", "precision")}
    lexicon_precision(
        aligned=str(folder / "aligned"),
        **paths,
        concepts=str(folder / "concepts.tsv"),
        settings=PrecisionSettings(**shared | own),
        job=Job(progress=Progress(sys.stdout)),
    )
