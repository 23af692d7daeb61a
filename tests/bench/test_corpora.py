"""The made-up corpora have the promised shape, dirt and concepts."""

import csv
import json
import random
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from wokflow.frame.job import Job
from wokflow.ingest.recipes import ingest_recipes
from wokflow.ingest.settings import RecipesSettings
from wokflow.parse.clauses import clauses

from tests.bench import accounts, corpora
from tests.bench.corpora import EN, KINDS, ZH, Ints

ROWS = 3000
KEYS = {"name", "dish", "description", "recipeIngredient", "recipeInstructions", "author", "keywords"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("corpora")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(corpora, "_Texts", cache(corpora._Texts))  # render the texts once
        for name, dirt in (("clean", 0), ("dirty", 0.2)):
            corpora.recipenlg(path / f"{name}.csv", ROWS, dirt=dirt)
            corpora.xiachufang(path / f"{name}.json", ROWS, dirt=dirt)
    return path


def texts(value: object) -> list[str]:
    assert isinstance(value, list) and value and all(isinstance(x, str) and x for x in value)
    return value


def test_recipenlg_clean(folder: Path) -> None:
    with (folder / "clean.csv").open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file, strict=True)
    assert ",".join(header) == ",title,ingredients,directions,link,source,NER"
    assert [row[0] for row in rows] == [str(k) for k in range(ROWS)]
    _, concepts = corpora.draws(EN, ROWS, dirt=0)
    lengths = []
    for (_, title, ingredients, steps, link, source, ner), concept in zip(rows, concepts, strict=True):
        assert corpora.titles(int(concept))[1].casefold() in title.casefold()
        names, lines = texts(json.loads(ner)), texts(json.loads(ingredients))
        assert all(name in line for name, line in zip(names, lines, strict=True))
        assert link.isascii() and source in ("Gathered", "Recipes1M")
        lengths.append((len(lines), len(texts(json.loads(steps)))))
    assert np.allclose(np.mean(lengths, axis=0), (9, 7), atol=0.3)
    assert 900 < (folder / "clean.csv").stat().st_size / ROWS < 1100


def test_xiachufang_clean(folder: Path) -> None:
    lines = (folder / "clean.json").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    lengths = [(len(texts(row["recipeIngredient"])), len(texts(row["recipeInstructions"]))) for row in rows]
    _, concepts = corpora.draws(ZH, ROWS, dirt=0)
    for row, concept in zip(rows, concepts, strict=True):
        zh = corpora.titles(int(concept))[0]
        assert zh in row["name"] and row["dish"] in (zh, "Unknown") and row["keywords"][0].startswith(zh)
        assert set(row) == KEYS
    assert abs(np.mean([row["dish"] == "Unknown" for row in rows]) - 0.4) < 0.05
    assert np.allclose(np.mean(lengths, axis=0), (7, 7), atol=0.3)
    assert 1050 < (folder / "clean.json").stat().st_size / ROWS < 1300


@pytest.mark.parametrize(("language", "name"), [(EN, "dirty.csv"), (ZH, "dirty.json")])
def test_dirt(folder: Path, language: int, name: str) -> None:
    kinds, _ = corpora.draws(language, ROWS, dirt=0.2)
    assert abs(np.mean(kinds > 0) - 0.2) < 0.03 and set(kinds) == set(range(len(KINDS))) and kinds[0] == 0
    raw = (folder / name).read_bytes().replace(b"\n(part 2)", b"<newline>")  # one line a row
    rows = raw.split(b"\n")[1 - language : -1]
    assert len(rows) == ROWS
    clean = (folder / ("clean.csv" if language == EN else "clean.json")).read_bytes()
    clean_rows = clean.split(b"\n")[1 - language : -1]
    marks = {
        "nul": b"\0",
        "bad_utf8": b"\xff\xc3",
        "emoji_title": "😋🍲❤️".encode(),
        "crlf": b"\r",
        "newline": b"<newline>" if language == EN else b"\\n(2)",
        "empty_steps": b"[]",
        "empty_ingredients": b"[]",
        "wrong_type": b"[1, 2.5, 3]",
    }
    for k, (row, kind) in enumerate(zip(rows, kinds, strict=True)):
        assert (row == clean_rows[k]) == (kind == 0)
        assert marks.get(KINDS[kind], b"") in row
        assert KINDS[kind] != "duplicate" or row == rows[k - 1]


@pytest.mark.parametrize("corpus", accounts.CORPORA)
def test_ingest_makes_of_each_row_what_it_was_written_as(tmp_path: Path, corpus: str) -> None:
    rows = 6000  # of which nearly half are spoilt, so that kinds meet
    getattr(corpora, corpus)(tmp_path / "raw", rows, dirt=0.45)
    (tmp_path / "source.json").write_text('{"sha256": "1a"}', encoding="utf-8")
    good, bad = (str(tmp_path / f"{name}.parquet") for name in ("good", "bad"))
    ingest_recipes(
        source=str(tmp_path / "source.json"),
        recipes=[good],
        rejects=[bad],
        corpus=corpus,
        settings=RecipesSettings(raw=str(tmp_path / "raw"), parts=1),
        job=Job(),
    )
    recipes, rejects = pl.read_parquet(good)["source_row"].to_numpy(), pl.read_parquet(bad)
    accounts.same_rows(corpus, np.arange(rows), recipes, rejects["source_row"].to_numpy())
    truth = accounts.Truth(*corpora.draws(accounts.CORPORA[corpus], rows, dirt=0.45))
    accounts.check_rejects(corpus, rejects, truth)


def test_same_bytes_and_beginning(folder: Path, tmp_path: Path) -> None:
    for write, name in ((corpora.recipenlg, "dirty.csv"), (corpora.xiachufang, "dirty.json")):
        write(tmp_path / name, 1000, dirt=0.2)
        assert (folder / name).read_bytes().startswith((tmp_path / name).read_bytes())
    corpora.recipenlg(tmp_path / "other.csv", 1000, seed=1, dirt=0.2)
    assert not (folder / "dirty.csv").read_bytes().startswith((tmp_path / "other.csv").read_bytes())


def test_renamed_dishes_have_other_titles_and_namesakes_other_foods(tmp_path: Path) -> None:
    corpora.xiachufang(tmp_path / "zh.json", 400, dirt=0, crossed=0.5)
    corpora.recipenlg(tmp_path / "en.csv", 400, dirt=0, crossed=0.5)
    kept = [corpora.crossing(ZH, n, 0.5) == (n, n) for n in range(2000)]
    assert abs(np.mean(kept) - 0.5) < 0.05
    for n in range(400):
        (zh_title, zh_made), (en_title, en_made) = (corpora.crossing(lang, n, 0.5) for lang in (ZH, EN))
        assert (zh_title == en_title) != (zh_made == en_made) or kept[n]
    concepts = corpora.draws(ZH, 400, dirt=0)[1]
    foods: dict[int, list[str]] = {}
    for line, concept in zip((tmp_path / "zh.json").open(encoding="utf-8"), concepts.tolist(), strict=True):
        title, made = corpora.crossing(ZH, concept, 0.5)
        recipe = json.loads(line)
        assert corpora.titles(title)[0] in recipe["name"]
        assert foods.setdefault(made, recipe["recipeIngredient"][-3:]) == recipe["recipeIngredient"][-3:]
    assert len(set(map(tuple, foods.values()))) == len(foods) < 400  # some dishes come twice


def test_distinct() -> None:
    sample: Ints = np.arange(0, corpora.CONCEPTS, 37)
    zh, en = zip(*(corpora.titles(int(c)) for c in sample), strict=True)
    assert len(set(zh)) == len({title.casefold() for title in en}) == len(sample) > 30_000
    made = corpora._Texts(ZH, 0)
    assert min(len(set(made.ingredients)), len(set(made.notes))) > 20_000


def different(recipes: Sequence[Sequence[str]], counts: Sequence[int]) -> list[float]:
    """The share of different clauses among the first ones, by how many these are."""
    found: list[str] = []
    for steps in recipes:
        found += [step[start:end] for step in steps for start, end in clauses(step)]
    assert len(found) >= counts[-1]
    return [len(set(found[:count])) / count for count in counts]


def test_clauses_repeat_as_those_of_real_recipes_do(folder: Path, shared: Path) -> None:
    real = shared / "real"
    rows = (real / "counterfactual" / "base_recipes.tsv").read_text(encoding="utf-8").splitlines()
    zh = [[row.split("\t")[-1]] for row in rows]
    with (real / "recipes" / "full_dataset.csv").open(encoding="utf-8", newline="") as file:
        en = [json.loads(row["directions"]) for row in csv.DictReader(file)]
    with (folder / "clean.csv").open(encoding="utf-8", newline="") as file:
        made_en = [json.loads(row["directions"]) for row in csv.DictReader(file)]
    lines = (folder / "clean.json").read_text(encoding="utf-8").splitlines()
    made_zh = [json.loads(line)["recipeInstructions"] for line in lines]
    for recipes, made, counts in (
        (zh, made_zh, (1_000, 4_000, 16_000, 45_000)),
        (en, made_en, (1_000, 2_000, 5_000)),
    ):
        random.Random(0).shuffle(recipes)  # they come dish by dish
        assert np.allclose(different(made, counts), different(recipes, counts), atol=0.03)
