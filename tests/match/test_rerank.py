"""From contents and titles to pairs by what is cooked: candidates, model, pairs, sheet."""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from wokflow.frame import buckets, tables
from wokflow.frame.buckets import Buckets
from wokflow.frame.job import Job, UserError
from wokflow.match import compare, judgement, rerank, schemas, stage
from wokflow.match.compare import match_compare
from wokflow.match.contents import match_contents
from wokflow.match.foods import Foods
from wokflow.match.labels import read_labels
from wokflow.match.rerank import match_rerank
from wokflow.match.settings import CompareSettings, ContentsSettings, RerankSettings

from tests.conftest import ROOT

WORDS = {"lexicon": str(ROOT / "resources/lexicon"), "glossary": str(ROOT / "resources/glossary")}
# The title of the first dish is nearest to another; those of the last two are alike, and the dishes are not.
ZH = [
    ("小米粥", ["100克小米", "6颗红枣"], ["煮"]),
    ("提拉米苏", ["250克马斯卡彭", "1包手指饼干", "咖啡"], ["冷藏"]),
    ("夏日之恋", ["2个土豆", "1个苹果"], ["煮"]),
]
EN = [
    ("Millet Supper", ["1/2 c. millet", "6 red dates"], ["Boil."]),
    ("Tiramisu", ["8 oz. mascarpone", "ladyfingers", "coffee"], ["Chill."]),
    ("Summer Love", ["1 lb. lamb", "1 c. yogurt"], ["Roast."]),
]
SCORES = [[0.5, 0.0, 0.6], [0.1, 1.0, 0.2], [0.2, 0.1, 0.9]]
HEADER = ["zh_id", "zh_title", "en_id", "en_title", "grade", *schemas.FEATURES]
NOTHING = [""] * len(schemas.FEATURES)


def known(title: float, foods: float) -> list[str]:
    """The cells of a sheet with what two recipes have in common, by titles and by foods."""
    return [str({"title": title, "foods": foods}.get(name, foods)) for name in schemas.FEATURES]


def write_labels(path: Path, rows: list[list[str]]) -> str:
    """Write a sheet with graded pairs: those given, and some of other dishes, by whose grades foods tell."""
    made = [
        [f"x{n}", f"{kind}{n}", f"y{n}", f"{kind} {n}", str(grade), *known(0.5, 0.1 + 0.4 * grade + n / 100)]
        for kind, grade in (("菜", 0), ("肉", 2))
        for n in range(20)
    ]
    path.write_text("\n".join("\t".join(row) for row in [HEADER, *made, *rows]) + "\n", encoding="utf-8")
    return str(path)


class House:
    """What the steps before have written, in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for lang, corpus, recipes in (("zh", "xiachufang", ZH), ("en", "recipenlg", EN)):
            rows = pl.DataFrame(
                {
                    "recipe_id": [f"{corpus}:{row}" for row in range(len(recipes))],
                    "lang": lang,
                    "title": [title for title, _, _ in recipes],
                    "ingredients": [lines for _, lines, _ in recipes],
                    "steps": [steps for _, _, steps in recipes],
                }
            )
            rows.write_parquet(folder / f"recipes_{lang}")
            rows.select("recipe_id", "title", tokens=pl.lit(9, pl.Int32)).write_parquet(
                folder / f"eligible_{lang}"
            )
            rows.select(
                "title", text="title", text_index=pl.int_range(pl.len(), dtype=pl.Int32)
            ).write_parquet(folder / f"translations_{lang}")
            match_contents(
                recipes=[self.path("recipes", lang)],
                eligible=self.path("eligible", lang),
                contents=self.path("contents", lang),
                shard=0,
                shards=1,
                settings=ContentsSettings.model_validate(WORDS),
                job=Job(),
            )
        self._vectors()

    def path(self, table: str, lang: str) -> str:
        return str(self.folder / f"{table}_{lang}")

    def _vectors(self) -> None:
        """Titles whose similarities are SCORES: unit vectors for Chinese ones, their rows for English ones."""
        for lang, matrix in (("zh", np.eye(3)), ("en", np.array(SCORES).T)):
            (self.folder / f"vectors_{lang}").mkdir()
            np.save(
                self.folder / f"vectors_{lang}" / "00000-of-00001.npy", matrix.astype(np.float32, order="C")
            )
        for name, scores in (("zh_en", np.array(SCORES)), ("en_zh", np.array(SCORES).T)):
            best = scores.argmax(axis=1)
            pl.DataFrame(
                {"source_index": range(3), "target_index": best, "score": scores.max(axis=1)},
                schema={"source_index": pl.Int32, "target_index": pl.Int32, "score": pl.Float32},
            ).write_parquet(self.folder / f"searched_{name}")

    def compare(self, shards: int = 1) -> list[str]:
        paths = [str(self.folder / f"compared-{shard}-{shards}") for shard in range(shards)]
        for shard, path in enumerate(paths):
            match_compare(
                **{  # type: ignore[arg-type]
                    f"{table}_{pair}": [self.path(table, pair)]
                    for table, pairs in (("searched", ("zh_en", "en_zh")), ("contents", ("zh", "en")))
                    for pair in pairs
                },
                eligible=[self.path("eligible", lang) for lang in ("zh", "en")],
                translations=[self.path("translations", lang) for lang in ("zh", "en")],
                vectors=[self.path("vectors", lang) for lang in ("zh", "en")],
                compared=path,
                shard=shard,
                shards=shards,
                settings=CompareSettings.model_validate({"titles": 1, "contents": 1, "postings": 9, **WORDS}),
                job=Job(),
            )
        return paths

    def rerank(
        self, compared: list[str], labels: str, **settings: object
    ) -> tuple[pl.DataFrame, dict[str, object]]:
        given = {"labels": labels, "graded": None, "precision": 0.8, "threshold": 0.8, "k": 2, "unsure": 3}
        given["least_by"] = "labels"
        reranked = [self.path("reranked", direction) for direction in ("zh-en", "en-zh")]
        match_rerank(
            compared=compared,
            eligible=[self.path("eligible", lang) for lang in ("zh", "en")],
            translations=[self.path("translations", lang) for lang in ("zh", "en")],
            reranked=reranked,
            rejects=str(self.folder / "rejects"),
            model=str(self.folder / "model.json"),
            unsure=str(self.folder / "unsure.tsv"),
            settings=RerankSettings.model_validate(
                given | {"source_translated": False, "target_translated": False} | settings
            ),
            job=Job(),
        )
        return tables.read(reranked[0]), json.loads((self.folder / "model.json").read_text("utf-8"))


@pytest.fixture(scope="module", autouse=True)
def shortly() -> Iterator[None]:
    """Foods are loaded once for all tests, and figures are those of one way to divide dishes, not of five."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Foods, "load", cache(Foods.load))
        patch.setattr(judgement, "ROUNDS", 1)
        yield


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


def pairs(compared: list[str]) -> list[tuple[object, ...]]:
    return tables.read(compared).select("zh", "en", "title", "foods").unique().sort("zh", "en").rows()


def test_candidates_are_those_of_titles_and_of_contents_in_both_directions(house: House) -> None:
    found = {row[:2]: row[2] for row in pairs(house.compare())}
    assert found.keys() == {(0, 0), (0, 2), (1, 1), (2, 2)}
    assert found[0, 0] == pytest.approx(0.5), (
        "the titles of what contents alone have found are compared as well"
    )


def test_a_dish_whose_titles_never_meet_is_found_and_one_whose_titles_mislead_is_not(
    house: House, tmp_path: Path
) -> None:
    labels = write_labels(tmp_path / "labels.tsv", [])
    accepted, model = house.rerank(house.compare(), labels)
    found = dict(zip(accepted["source_title"], accepted["target_title"], strict=True))
    assert found == {"小米粥": "Millet Supper", "提拉米苏": "Tiramisu"}
    parts = accepted.select(pl.sum_horizontal(f"by_{name}" for name in schemas.FEATURES)).to_series()
    odds = (accepted["probability"] / (1 - accepted["probability"])).log()
    assert isinstance(model["model"], dict) and isinstance(model["examples"], dict)
    assert (parts + model["model"]["intercept"]).to_list() == pytest.approx(odds.to_list(), abs=1e-3)
    examples = {name: row["target_title"] for name, row in model["examples"].items()}
    assert examples == {"missed": "Millet Supper", "wrong": "Summer Love"}


def test_candidates_and_pairs_do_not_depend_on_the_number_of_shards(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of five shards of three recipes, some have nothing to do."""
    labels, compared = write_labels(tmp_path / "labels.tsv", []), house.compare()
    whole, model = house.rerank(compared, labels)
    sheet = (tmp_path / "unsure.tsv").read_bytes()
    assert whole.height
    monkeypatch.setattr(compare, "BLOCK", 1)
    monkeypatch.setattr(rerank, "ROWS", 1)
    monkeypatch.setattr(buckets, "LEAST", 1)
    shards = house.compare(5)
    assert pairs(shards) == pairs(compared)
    again, same = house.rerank(shards, labels)
    assert again.equals(whole) and same == model and (tmp_path / "unsure.tsv").read_bytes() == sheet


def test_a_graded_pair_counts_with_what_its_recipes_have_in_common_here(house: House, tmp_path: Path) -> None:
    """And else with what its row says; a row that says nothing, or has no grade, is left out."""
    rows = [
        ["xiachufang:0", "小米粥", "recipenlg:0", "Millet Supper", "2", *NOTHING],
        ["xiachufang:2", "夏日之恋", "recipenlg:2", "Summer Love", "0", *NOTHING],
        ["xiachufang:0", "别的", "recipenlg:9", "Other", "2", *known(1, 0.9)],
        ["xiachufang:0", "别的", "recipenlg:8", "Others", "0", *NOTHING],
        ["xiachufang:0", "别的", "recipenlg:7", "More", "3", *NOTHING],
    ]
    house.rerank(house.compare(), write_labels(tmp_path / "labels.tsv", rows))
    rejects = tables.read(str(tmp_path / "rejects")).select("source_row", "reason").rows()
    assert rejects == [(46, "no_grade"), (45, "no_features")]


def test_a_feature_that_is_no_number_and_a_pair_that_comes_twice_are_rejects(tmp_path: Path) -> None:
    rows = [
        ["x:1", "茶", "r:1", "Tea", "", *known(1, 0.9)],
        ["x:1", "茶", "r:1", "Tea", "2", *known(1, 0.9)],
        ["x:1", "茶", "r:1", "Tea", "2", *known(1, 0.9)],
        ["x:3", "饼", "r:1", "Tea", "2", *known(1, 0.9)],
        ["x:3", "饼", "r:1", "Tea", "0", *known(1, 0.9)],
        ["x:2", "粥", "r:2", "Congee", "2", "0,85", *known(1, 0.9)[1:]],
    ]
    read, unusable = read_labels(write_labels(tmp_path / "labels.tsv", rows))
    assert read.filter(pl.col("zh_id").is_in(["x:1", "x:3"]))["grade"].to_list() == [2]
    found = unusable.select("reason", "detail").rows()
    assert [reason for reason, _ in found] == ["no_grade", "repeated", "several", "several", "no_number"]
    assert "0,85" in found[-1][1]


def test_the_sheet_of_unsure_pairs_is_graded_and_read_again(house: House, tmp_path: Path) -> None:
    labels = write_labels(tmp_path / "labels.tsv", [])
    compared = house.compare()
    _, before = house.rerank(compared, labels)
    lines = (tmp_path / "unsure.tsv").read_text("utf-8-sig").splitlines()
    header, *rows = [line.split("\t") for line in lines]
    assert len(rows) == 3
    graded = [[*row[:1], "0", *row[2:]] for row in rows[:2]] + rows[2:]
    mine = tmp_path / "mine.tsv"
    mine.write_text("\n".join("\t".join(row) for row in [header, *graded]) + "\n", encoding="utf-8")
    read, unusable = read_labels(str(mine))
    assert read["grade"].to_list() == [0, 0]
    assert unusable["reason"].to_list() == ["no_grade"]
    _, after = house.rerank(compared, labels, graded=str(mine))
    assert before["model"] != after["model"]


def test_the_sheet_has_each_pair_of_titles_once_from_all_over_a_band() -> None:
    """Of 40 pairs of recipes each of ten probabilities, four have different titles; the first is far away."""
    away = [0.9, *(round(n / 20 - 0.2, 2) for n in range(9))]
    rows = [(n * 40 + m, m, value, n, m % 4) for n, value in enumerate(away) for m in range(40)]
    pairs = pl.DataFrame(rows, ["zh", "en", "away", "zh_named", "en_named"], orient="row")

    def drawn(parts: list[pl.DataFrame], most: int) -> list[tuple[int, int]]:
        kept = pl.concat([rerank._nearest(part, most) for part in parts])
        return rerank._spread(rerank._nearest(kept, most), most).select("zh", "en").rows()

    found = [(place // 40, en) for place, en in drawn([pairs], 18)]
    assert sorted(found) == [(n, m) for n in range(1, 10) for m in (0, 1)]
    assert drawn([pairs[::2], pairs[1::2]], 18) == drawn([pairs], 18)
    assert [place // 40 for place, _ in drawn([pairs], 50)].count(0) == 4, "where others are too few"


def test_pairs_drawn_where_the_model_is_unsure_train_it_but_do_not_measure_it(
    house: House, tmp_path: Path
) -> None:
    """Half of them are wrong, at any probability; a pair of the labels among them is still one of the sample."""
    labels, compared = write_labels(tmp_path / "labels.tsv", []), house.compare()
    _, before = house.rerank(compared, labels)
    rows = [[f"u{n}", f"疑{n}", f"v{n}", f"doubt {n}", str(n % 2), *known(0.5, 0.6)] for n in range(120)]
    rows.append(["x0", "肉0", "y0", "肉 0", "1", *known(0.5, 0.9)])
    mine = tmp_path / "mine.tsv"
    mine.write_text("\n".join("\t".join(row) for row in [HEADER, *rows]) + "\n", encoding="utf-8")
    accepted, after = house.rerank(compared, labels, graded=str(mine))
    assert accepted.height and after["model"] != before["model"]
    measured = [model["measured"]["all"]["own"] for model in (before, after)]  # type: ignore[index]
    assert [(each["pairs"], each["same"]) for each in measured] == [(40, 20), (40, 19)]


def test_a_precision_that_no_probability_keeps_accepts_nothing(house: House, tmp_path: Path) -> None:
    rows = [[f"x{n}", f"汤{n}", f"y{n}", f"soup {n}", "0", *known(0.5, 9)] for n in range(9)]
    accepted, model = house.rerank(
        house.compare(), write_labels(tmp_path / "labels.tsv", rows), precision=0.99
    )
    assert (accepted.height, model["least"]) == (0, None)


@pytest.mark.parametrize(("by", "refused"), [("recipes", 1), ("titles", 0)])
def test_a_floor_of_the_search_is_refused_where_recipes_make_pairs(by: str, refused: int) -> None:
    config = {
        "search": {"floor": 0.5},
        "pair": {"threshold": 0.85},
        "split": {"test": 0.1},
        "rerank": {"by": by, "least_by": "labels", "graded": None},
    }
    found = list(stage.problems({"match": config}))
    assert [problem.split(":")[0] for problem in found] == ["match.search.floor"] * refused


@pytest.mark.parametrize(("graded", "refused"), [(None, 1), ("mine.tsv", 0)])
def test_probabilities_do_not_set_the_least_before_pairs_here_are_graded(
    graded: str | None, refused: int
) -> None:
    config = {
        "search": {"floor": None},
        "pair": {"threshold": 0.85},
        "split": {"test": 0.1},
        "rerank": {"by": "recipes", "least_by": "probabilities", "graded": graded},
    }
    found = list(stage.problems({"match": config}))
    assert [problem.split(":")[0] for problem in found] == ["match.rerank.least_by"] * refused


def test_the_least_probability_by_the_mean_of_all_is_that_of_a_walk_from_the_top(tmp_path: Path) -> None:
    """By titles alone, whose log odds they are here; pairs that come twice, in one shard or two, count once."""
    draw = np.random.default_rng(5)
    probability = draw.beta(0.5, 2, 500).clip(1e-6, 1 - 1e-6)
    odds = np.log(probability / (1 - probability))
    none = dict.fromkeys(schemas.FEATURES[1:], 0.0)
    rows = pl.DataFrame({"zh": range(500), "en": 7, "title": odds, **none})
    frame = tables.frame(schemas.COMPARED, rows)
    paths = [str(tmp_path / name) for name in ("a", "b")]
    for path, some in zip(paths, (pl.concat([frame[:300], frame[:50]]), frame[250:]), strict=True):
        tables.write(path, schemas.COMPARED, some, {})
    zero = dict.fromkeys(schemas.FEATURES, 0.0)
    model = judgement.Model(zero, dict.fromkeys(schemas.FEATURES, 1.0), zero | {"title": 1.0}, 0.0)

    def rows_of(name: str) -> Buckets:
        return Buckets(tmp_path / name, "zh", 500)

    for precision in (0.6, 0.8):
        top = np.sort(model.probability(frame))[::-1]
        mean = top.cumsum() / np.arange(1, 501)
        expected = top[: np.nonzero(mean >= precision)[0][-1] + 1].min()
        found = rerank.expected_least(paths, model, precision, rows_of(f"{precision}"))
        assert found == pytest.approx(expected, abs=2e-3)
    assert rerank.expected_least(paths, model, 0.999, rows_of("none")) is None
    assert rerank.expected_least(paths, model, 0.15, rows_of("most")) >= rerank.LOWEST


def test_labels_of_one_kind_are_refused(house: House, tmp_path: Path) -> None:
    sheet = tmp_path / "labels.tsv"
    row = ["x", "菜", "y", "dish", "2", *known(0.5, 0.5)]
    sheet.write_text("\n".join("\t".join(each) for each in [HEADER, row]) + "\n", encoding="utf-8")
    with pytest.raises(UserError, match="Grade pairs of the same dish, and pairs of others"):
        house.rerank(house.compare(), str(sheet))
