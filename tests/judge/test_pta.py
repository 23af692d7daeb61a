"""Translations of items are compared with the reference, in both orders, by models on a real server."""

from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from wokflow.frame import tables
from wokflow.frame.job import UserError
from wokflow.judge.schemas import ANSWERS

from tests.generate.servers import endpoint, of_text
from tests.judge.pairs import FIGURES, PTA, Compared, Sentence, chooses, drawn

pytestmark = pytest.mark.usefixtures("keyed")
TOFU: Sentence = (
    "Mapo tofu, or tofu of Mapo tofu.",
    "麻婆豆腐。",
    [("Q1", "Mapo tofu"), ("Q1", "tofu"), ("Q2", "Mapo")],
)


def test_an_item_is_compared_once_in_a_sentence_and_in_both_orders(tmp_path: Path) -> None:
    compared = Compared(tmp_path, [TOFU], {"mt": {0: "豆腐。"}, "llm": {0: "麻辣。"}}, untranslated=["Q2"])
    pairs, tasks = compared.table("pairs"), compared.table("tasks")
    assert pairs.select("pair_id", "mention", "translated", "empty", "seed").rows() == [
        ("pta:lines:0:Q1:llm", "Mapo tofu", True, False, 13),
        ("pta:lines:0:Q1:mt", "Mapo tofu", True, False, 13),
        ("pta:lines:0:Q2:llm", "Mapo", False, False, 13),
        ("pta:lines:0:Q2:mt", "Mapo", False, False, 13),
    ]
    shown = {
        row["task_id"]: {one["name"]: one["text"] for one in row["shown"]}
        for row in tasks.iter_rows(named=True)
    }
    for pair in pairs.iter_rows(named=True):
        first, second = (shown[f"{pair['pair_id']}:{order}"] for order in (1, 2))
        own = {"mt": "豆腐。", "llm": "麻辣。"}[pair["run"]]
        assert (first["a"], first["b"]) == (
            (own, "麻婆豆腐。") if pair["a"] == "system" else ("麻婆豆腐。", own)
        )
        assert (second["a"], second["b"]) == (first["b"], first["a"])
        assert (first["item"], first["language"], first["source"]) == (pair["mention"], "Chinese", TOFU[0])


def test_the_prompt_is_the_papers_with_its_places_filled(tmp_path: Path) -> None:
    compared = Compared(
        tmp_path, [("Goubuli {a}", "狗不理", [("Q1", "Goubuli")])], {"mt": {0: "包子 {b}"}}, orders=1
    )
    with endpoint(of_text(chooses(lambda a, b: "A"))) as server:
        compared.ask("judge", server.url)
    text = server.asked[0].text
    assert text.startswith(
        "Assuming you're a Chinese native speaker, which of the following translations has a more understandable "
        'translation in Chinese of following culture-specific item: "Goubuli"? Please only compare'
    )
    a = compared.table("pairs")["a"][0]
    sides = ("包子 {b}", "狗不理") if a == "system" else ("狗不理", "包子 {b}")
    assert f"\n\nGoubuli {{a}}\n\nTranslation A: {sides[0]}\n\nTranslation B: {sides[1]}\n\nFIRST, " in text
    assert text.endswith('Preferred: <"A" or "B" or "C">')


def test_which_side_is_first_depends_on_seed_and_pair_alone(tmp_path: Path) -> None:
    sentences: list[Sentence] = [(f"Dish {n}", f"菜{n}", [(f"Q{n}", "Dish")]) for n in range(200)]
    texts: dict[int, str | None] = {n: f"菜 {n}" for n in range(200)}
    sides = {}
    for name, runs, seed in (
        ("one", {"mt": texts}, 13),
        ("more", {"mt": texts, "a": texts}, 13),
        ("other", {"mt": texts}, 14),
    ):
        pairs = Compared(tmp_path / name, sentences, runs, seed=seed).table("pairs")
        sides[name] = pairs.filter(run="mt")["a"].to_list()
    assert sides["one"] == sides["more"] != sides["other"]
    assert 80 <= sides["one"].count("system") <= 120


def test_a_run_that_wrote_nothing_loses_and_one_without_a_prediction_is_a_reject(tmp_path: Path) -> None:
    three: list[Sentence] = [(f"Dish {n}", f"菜{n}", [(f"Q{n}", "Dish")]) for n in range(3)]
    compared = Compared(tmp_path, three, {"mt": {0: "好菜", 1: " "}})
    assert compared.table("rejects").rows() == [("pta:lines:2:Q2:mt", "no_prediction", "Dish", "Dish 2")]
    assert compared.table("pairs")["empty"].to_list() == [False, True]
    with endpoint(of_text(chooses(lambda a, b: "A" if a == "好菜" else "B"))) as server:
        compared.ask("judge", server.url)
    assert len(server.asked) == 2
    row = compared.measure("judge")["pta"].row(0, named=True)
    assert (row["pairs"], row["choices"], row["pta"], row["lost"]) == (2, 2, 50, 50)


def test_a_table_of_other_dimensions_is_refused(tmp_path: Path) -> None:
    (tmp_path / "d.tsv").write_text("name\tscale\tvalues\tquestion\nx\tnominal\tA B\t?\n", encoding="utf-8")
    with pytest.raises(UserError, match="one dimension, with the values A B C"):
        Compared(tmp_path, [TOFU], {"mt": {0: "x"}}, dimensions=str(tmp_path / "d.tsv"))


MANY = 150


def planted(folder: Path, many: int = MANY) -> Compared:
    """One sentence each; the system is better (好) in 6 of 10, and longer in half of them whatever it is."""
    sentences: list[Sentence] = [(f"Dish {n}", "中" * 10 + str(n), [(f"Q{n}", "Dish")]) for n in range(many)]
    texts: dict[int, str | None] = {
        n: ("好" if n % 10 < 6 else "坏") + "译" * (20 if n // 10 % 2 else 2) + str(n) for n in range(many)
    }
    return Compared(folder, sentences, {"mt": texts})


def by_merit(a: str, b: str) -> str:
    own, is_a = (a, True) if a[0] in "好坏" else (b, False)
    return "A" if (own[0] == "好") == is_a else "B"


def by_order(a: str, b: str) -> str:
    """Takes A in 4 of 10, whatever it is, and in half of the others: in 70 %."""
    return "A" if drawn(*sorted((a, b))) < 0.4 else by_merit(a, b)


def by_length(a: str, b: str) -> str:
    """Takes the longer one in 4 of 10: the system gets these too where it is longer, beside what it merits."""
    longer = "A" if len(a) > len(b) else "B"
    return longer if drawn(*sorted((a, b))) < 0.4 else by_merit(a, b)


@pytest.mark.parametrize(
    ("judge", "position", "length"),
    [(by_merit, 50, 50), (by_order, 70, 50), (by_length, 50, 70)],
)
def test_a_planted_bias_is_measured_within_its_interval_and_an_unbiased_judge_shows_none(
    tmp_path: Path, judge: Callable[[str, str], str], position: int, length: int
) -> None:
    compared = planted(tmp_path)
    with endpoint(of_text(chooses(judge))) as server:
        compared.ask("judge", server.url, concurrency=8)
    found = compared.measure("judge")
    biases = {(row["bias"], row["run"]): row for row in found["biases"].iter_rows(named=True)}
    assert {*biases} == {("position", None), ("position", "mt"), ("length", "mt")}
    for bias, expected in (("position", position), ("length", length)):
        row = biases[bias, "mt"]
        assert row["low"] < expected < row["high"] and row["units"] == MANY
        assert (row["low"] < 50 < row["high"]) == (expected == 50)
    (score,) = found["pta"].filter(items="all").iter_rows(named=True)
    if judge is by_merit:
        assert (score["pta"], score["same_in_both_orders"]) == (60, 100)
        assert score["low"] < 60 < score["high"]
    if judge is by_order:
        assert 50 < score["same_in_both_orders"] < 70


def test_repetitions_and_a_replay_without_a_server_give_the_same_tables(tmp_path: Path) -> None:
    asked, replayed = planted(tmp_path / "asked", 20), planted(tmp_path / "replayed", 20)
    with endpoint(of_text(chooses(by_order))) as server:
        asked.ask("judge", server.url, repetitions=2, concurrency=8)
    assert len(server.asked) == 20 * 2 * 2
    tables.write(tmp_path / "released.parquet", ANSWERS, asked.table("judge"), {})
    replayed.ask("judge", None, repetitions=2, released=str(tmp_path / "released.parquet"))
    figures = [one.measure("judge") for one in (asked, replayed)]
    names = ("judge", "judge_ratings", "judge_rejects", *FIGURES)
    assert asked.bytes(*names) == replayed.bytes(*names)
    assert figures[0]["pta"].filter(items="all")["same_when_repeated"].to_list() == [100]


def test_what_cannot_be_read_is_counted_as_unrated(tmp_path: Path) -> None:
    sentences: list[Sentence] = [(f"Dish {n}", f"菜{n}", [(f"Q{n}", "Dish")]) for n in range(2)]
    compared = Compared(tmp_path, sentences, {"mt": {0: "甲0", 1: "甲1"}})
    with endpoint(of_text(lambda text: "Both." if "Dish 0" in text else "Preferred: C")) as server:
        compared.ask("judge", server.url)
    assert compared.table("judge_rejects")["reason"].to_list() == ["missing", "missing"]
    score = compared.measure("judge")["pta"].row(0, named=True)
    assert (score["pairs"], score["unrated"], score["pta"], score["tied"]) == (1, 1, 0, 100)


def test_the_dimension_is_that_of_the_prompt() -> None:
    rows = pl.read_csv(PTA / "dimensions.tsv", separator="\t")
    assert rows.select("name", "scale", "values").rows() == [("preferred", "nominal", "A B C")]
