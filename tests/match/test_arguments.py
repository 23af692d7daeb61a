"""Translating and pairing are given what they read of the config, and nothing that does not concern them."""

from pathlib import Path
from typing import Any

import pytest
from wokflow.frame.arguments import Arguments, block_arguments
from wokflow.frame.config import fill, read_schema
from wokflow.match.arguments import (
    embed_gpus,
    pair_given,
    search_overrides,
    translate_gpus,
    translate_overrides,
)
from wokflow.match.bundled import BUNDLED

from tests.conftest import ROOT

SCHEMA = read_schema(ROOT)


def with_(**changes: Any) -> dict[str, Any]:
    config: dict[str, Any] = {"match": {"translate": {"backend": "hub", "model": "org/zh-en"} | changes}}
    fill(config, SCHEMA)
    return config


def translating(lang: str = "zh", **changes: Any) -> Arguments:
    config = with_(**changes)
    return block_arguments(config, SCHEMA, "match.translate", over=translate_overrides(config, lang))


def test_a_model_of_the_hub_counts_by_name_with_its_settings() -> None:
    settings = {"backend": "hub", "model": "org/zh-en", "revision": "v1", "beams": 4, "batch": 64}
    assert translating(revision="v1") == Arguments(settings, options={"device": "auto"})


def test_a_model_in_a_folder_counts_by_content(tmp_path: Path) -> None:
    found = translating(model=str(tmp_path))
    assert found.resources == {"model": str(tmp_path)} and "model" not in found.settings


def test_the_lexicon_counts_by_content_and_the_model_does_not_count_with_it() -> None:
    found = translating(backend="lexicon")
    assert found == Arguments({"backend": "lexicon"}, {"lexicon": "resources/lexicon"})
    assert found == translating(backend="lexicon", model="other", beams=1, shards=2)


def test_without_a_translator_nothing_else_counts() -> None:
    assert translating(backend="none") == Arguments({"backend": "none"})


@pytest.mark.parametrize("backend", ["hub", "lexicon", "none"])
def test_english_titles_are_not_translated_whatever_the_backend(backend: str) -> None:
    assert translating("en", backend=backend) == Arguments({"backend": "none"})


@pytest.mark.parametrize(
    ("direction", "backend", "translated"),
    [
        ("zh-en", "hub", (True, False)),
        ("en-zh", "lexicon", (False, True)),
        ("zh-en", "none", (False, False)),
    ],
)
def test_pairing_is_told_which_titles_are_translated(
    direction: str, backend: str, translated: tuple[bool, bool]
) -> None:
    config = with_(backend=backend)
    given = pair_given(config, direction)
    assert given == dict(zip(("source_translated", "target_translated"), translated, strict=True))
    found = block_arguments(config, SCHEMA, "match.pair", given=given)
    assert found == Arguments({"k": 10, "threshold": 0.85, **given})


def test_a_job_asks_for_a_gpu_where_it_may_use_one() -> None:
    assert translate_gpus(with_(), "zh") == 1
    assert translate_gpus(with_(device="cuda"), "zh") == 1
    assert translate_gpus(with_(device="cpu"), "zh") == 0
    assert translate_gpus(with_(), "en") == translate_gpus(with_(backend="lexicon", device="cuda"), "zh") == 0
    gpus = {
        (model, device): embed_gpus({"match": {"embed": {"model": model, "device": device}}})
        for model in (BUNDLED, "someone/encoder")
        for device in ("auto", "cpu", "cuda")
    }
    assert [device for (model, device), count in gpus.items() if model == BUNDLED and count] == ["cuda"]
    assert [device for (model, device), count in gpus.items() if model != BUNDLED and count] == [
        "auto",
        "cuda",
    ]


@pytest.mark.parametrize("step", ["match.split", "match.statistics"])
def test_gold_sets_count_by_content(step: str) -> None:
    config = with_() | {"train": {"gold": {"zh-en": "gold.tsv"}}}
    fill(config, SCHEMA)
    found = block_arguments(config, SCHEMA, step)
    assert found.resources == {"gold_zh_en": "gold.tsv", "gold_en_zh": None}
    assert found.settings["simplified"] is False


@pytest.mark.parametrize(
    ("by", "titles", "kept"), [("titles", 12, 10), ("recipes", 12, 12), ("recipes", 3, 10)]
)
def test_the_search_keeps_what_pairs_and_candidates_need(by: str, titles: int, kept: int) -> None:
    config: dict[str, Any] = {"match": {"rerank": {"by": by}, "compare": {"titles": titles}}}
    fill(config, SCHEMA)
    assert search_overrides(config) == {"k": kept}
