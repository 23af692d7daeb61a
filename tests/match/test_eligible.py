"""Recipes are measured in tokens; those that are too long, or have no title, are rejected with the reason."""

import io
import unicodedata
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wokflow.frame import tables
from wokflow.frame.job import Job, Progress, UserError
from wokflow.ingest.schemas import RECIPES
from wokflow.match.eligible import match_eligible
from wokflow.match.schemas import REASONS
from wokflow.match.settings import EligibleSettings

Recipe = tuple[str, list[str], list[str]]


def measured(
    folder: Path,
    parts: list[list[Recipe]],
    *,
    max_tokens: int = 512,
    tokenizer: str = "estimate",
    revision: str | None = None,
    progress: Progress | None = None,
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Eligible recipes and rejects, by way of files; row numbers count by tens."""
    paths, row = [], 0
    for number, recipes in enumerate(parts):
        rows = []
        for title, ingredients, steps in recipes:
            rows.append([f"xiachufang:{row}", "xiachufang", "zh", title, ingredients, steps, None, None, row])
            row += 10
        path = folder / f"part-{number:05}.parquet"
        frame = tables.frame(RECIPES, rows)
        tables.write(path, RECIPES, frame, {})
        paths.append(str(path))
    good, bad = str(folder / "good.parquet"), str(folder / "bad.parquet")
    match_eligible(
        recipes=paths,
        eligible=good,
        rejects=bad,
        corpus="xiachufang",
        settings=EligibleSettings(max_tokens=max_tokens, tokenizer=tokenizer, revision=revision),
        job=Job(progress=progress or Progress()),
    )
    return tables.read(good), tables.read(bad)


@pytest.mark.parametrize(
    ("recipe", "tokens"),
    [
        (("红烧肉", ["猪肉500克"], []), 3 + 4),
        (("Soup", ["2 eggs"], ["Cook it 1234 times!"]), 1 + 2 + (1 + 1 + 2 + 2 + 1)),
        (("炒a饭", [], []), 3),
        (("汤，。！", ["½", "1/2"], []), 4 + 1 + 3),
        (("naïve", ["nai\u0308ve"], ["крем"]), 2 + 2 + 1),
        (("abcd", ["abcde"], ["abcdefghi"]), 1 + 2 + 3),
        (("a\t b\n", [], ["  "]), 2),
        (("人々〇", [], []), 3),
    ],
)
def test_tokens_by_hand(recipe: Recipe, tokens: int, tmp_path: Path) -> None:
    good, _ = measured(tmp_path, [[recipe]])
    assert good.rows() == [("xiachufang:0", recipe[0], tokens)]


def counted(text: str) -> int:
    """The estimate once more, letter by letter: runs of letters are cut by fours, of digits by threes."""
    total, run, kind = 0, 0, ""
    for char in text:
        now = "han" if "\u4e00" <= char <= "\u9fff" else unicodedata.category(char)[0]
        now = {"M": "L"}.get(now, now)
        run = run + 1 if now == kind else 1
        kind = now
        if char.isspace():
            kind = ""
        elif now == "L":
            total += run % 4 == 1
        elif now == "N":
            total += run % 3 == 1
        else:
            total += 1
    return total


texts = st.text("红肉abcé123½ ,，!\n\u0301", max_size=15)


@given(
    st.lists(
        st.lists(st.tuples(texts, st.lists(texts, max_size=3), st.lists(texts, max_size=3)), max_size=4),
        min_size=1,
        max_size=3,
    ),
    st.integers(1, 30),
)
def test_each_recipe_is_eligible_or_rejected_with_its_reason(
    tmp_path_factory: pytest.TempPathFactory, parts: list[list[Recipe]], max_tokens: int
) -> None:
    good, bad = measured(tmp_path_factory.mktemp("eligible"), parts, max_tokens=max_tokens)
    expected_good, expected_bad = [], []
    for number, (title, ingredients, steps) in enumerate(recipe for part in parts for recipe in part):
        tokens = counted("\n".join([title, *ingredients, *steps]))
        name = f"xiachufang:{number * 10}"
        if title and tokens <= max_tokens:
            expected_good.append((name, title, tokens))
        else:
            reason = "too_long" if title else "empty_title"
            expected_bad.append(("xiachufang", number * 10, reason, f"{tokens} tokens", name))
    assert good.rows() == expected_good
    assert bad.rows() == expected_bad
    assert set(bad["reason"]) <= set(REASONS)


def test_exactly_the_limit_is_not_too_long(tmp_path: Path) -> None:
    good, bad = measured(tmp_path, [[("汤" * 5, [], []), ("汤" * 6, [], [])]], max_tokens=5)
    assert good["tokens"].to_list() == [5] and bad["detail"].to_list() == ["6 tokens"]


def test_no_recipes_are_measured_too(tmp_path: Path) -> None:
    good, bad = measured(tmp_path, [[], []])
    assert good.columns == ["recipe_id", "title", "tokens"] and good.height == bad.height == 0


def test_a_log_tells_how_far_it_is(tmp_path: Path) -> None:
    log = io.StringIO()
    measured(tmp_path, [[("汤", [], [])] * 2, [("饭", [], [])]], progress=Progress(log, seconds=0))
    assert "2 of 3 recipes measured" in log.getvalue() and "3 of 3 recipes measured (100 %" in log.getvalue()


def test_a_tokenizer_in_a_folder_counts_exactly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    transformers = pytest.importorskip("transformers")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "soup", "egg", "##s", "cook"]
    vocab = {word: number for number, word in enumerate(words)}
    transformers.BertTokenizer(vocab=vocab).save_pretrained(tmp_path / "tokenizer")
    recipes = [("Soup", ["eggs"], ["cook eggs", "cook"]), ("Egg", [], [])]
    good, bad = measured(tmp_path, [recipes, []], max_tokens=6, tokenizer=str(tmp_path / "tokenizer"))
    assert good.rows() == [("xiachufang:10", "Egg", 1)]
    assert bad["detail"].to_list() == ["7 tokens"]


@pytest.mark.parametrize("name", ["nobody/no-such-tokenizer", "./no/such/folder"])
def test_a_tokenizer_that_does_not_exist_is_named(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("transformers")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(UserError, match=rf"match\.eligible\.tokenizer: {name} cannot be loaded: ."):
        measured(tmp_path, [[("汤", [], [])]], tokenizer=name)
