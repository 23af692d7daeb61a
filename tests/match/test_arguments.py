"""Translating and pairing are given what they read of the config, and nothing that does not concern them."""

import copy
from pathlib import Path
from typing import Any

import pytest
from wokflow.frame.arguments import Arguments
from wokflow.match.arguments import (
    embed_gpus,
    gold_arguments,
    match_pair,
    match_translate,
    translate_backend,
    translate_gpus,
)
from wokflow.match.bundled import BUNDLED

CONFIG: dict[str, Any] = {
    "match": {
        "translate": {
            "backend": "hub",
            "lexicon": "resources/lexicon",
            "model": "someone/zh-en",
            "revision": "v1",
            "device": "auto",
            "beams": 4,
            "batch": 64,
            "shards": 8,
        },
        "search": {"k": 10, "backend": "auto"},
        "pair": {"threshold": 0.85},
    }
}


def with_(**changes: Any) -> dict[str, Any]:
    config = copy.deepcopy(CONFIG)
    config["match"]["translate"] |= changes
    return config


def test_a_model_of_the_hub_counts_by_name_with_its_settings() -> None:
    settings = {"backend": "hub", "model": "someone/zh-en", "revision": "v1", "beams": 4, "batch": 64}
    assert match_translate(CONFIG, "zh") == Arguments(settings, options={"device": "auto"})


def test_a_model_in_a_folder_counts_by_content(tmp_path: Path) -> None:
    found = match_translate(with_(model=str(tmp_path)), "zh")
    assert found.resources == {"model": str(tmp_path)} and "model" not in found.settings


def test_the_lexicon_counts_by_content_and_the_model_does_not_count_with_it() -> None:
    found = match_translate(with_(backend="lexicon"), "zh")
    assert found == Arguments({"backend": "lexicon"}, {"lexicon": "resources/lexicon"})
    assert found == match_translate(with_(backend="lexicon", model="other", beams=1, shards=2), "zh")


def test_without_a_translator_nothing_else_counts() -> None:
    assert match_translate(with_(backend="none"), "zh") == Arguments({"backend": "none"})


@pytest.mark.parametrize("backend", ["hub", "lexicon", "none"])
def test_english_titles_are_not_translated_whatever_the_backend(backend: str) -> None:
    assert match_translate(with_(backend=backend), "en") == Arguments({"backend": "none"})
    assert translate_backend(with_(backend=backend), "zh") == backend


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
    found = match_pair(with_(backend=backend), direction)
    sides = dict(zip(("source_translated", "target_translated"), translated, strict=True))
    assert found == Arguments({"k": 10, "threshold": 0.85, **sides})


def test_a_job_asks_for_a_gpu_where_it_may_use_one() -> None:
    assert translate_gpus(CONFIG, "zh") == 1
    assert translate_gpus(with_(device="cuda"), "zh") == 1
    assert translate_gpus(with_(device="cpu"), "zh") == 0
    assert translate_gpus(CONFIG, "en") == translate_gpus(with_(backend="lexicon", device="cuda"), "zh") == 0
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


def test_a_gold_set_counts_by_content() -> None:
    config = {
        "train": {"gold": {"zh-en": "gold.tsv", "en-zh": None}},
        "ingest": {"recipes": {"simplified": False}},
    }
    assert gold_arguments(config, "zh-en") == Arguments({"simplified": False}, {"gold": "gold.tsv"})
    assert gold_arguments(config, "en-zh") == Arguments({"simplified": False}, {"gold": None})
