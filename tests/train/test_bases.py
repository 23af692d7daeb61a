"""Trainings that begin with models of several kinds: chat models, .bin weights, adapters on 4 bits, packed rows."""

import io
import json
import re
import signal
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import torch
from wokflow.frame import tables
from wokflow.frame.job import Job, UserError
from wokflow.generate import decode as decoding
from wokflow.generate import schemas
from wokflow.models import writers
from wokflow.train import process, trainers
from wokflow.train.examples import IGNORED, Encoder, asking_of, collator

from tests.generate.asking import decode_settings
from tests.models import tiny
from tests.models.weights import pickled
from tests.train.bases import base_model, few_examples
from tests.train.tiny import ALWAYS, DECODING, FIT, UNMOVED, Strike, apart, changed, contents, curve, train

pytestmark = pytest.mark.usefixtures("one_thread")
PROMPT = "Rewrite: {source}"


@pytest.fixture
def prompt(tmp_path: Path) -> str:
    path = tmp_path / "prompt.txt"
    path.write_text(PROMPT)
    return str(path)


def instances(folder: Path, sources: list[str]) -> str:
    columns = {"instance_id": sources, "source": sources, "title": sources, "source_id": sources}
    rows = pl.DataFrame(columns).with_columns(
        dataset=pl.lit("silver"),
        base=pl.lit(None, pl.String),
        reference=pl.lit(None, pl.String),
        reference_id=pl.lit(None, pl.String),
        retrieved=pl.lit(None, pl.String),
    )
    tables.write(folder / "instances.parquet", schemas.INSTANCES, rows, {})
    return str(folder / "instances.parquet")


def answers(folder: Path, model: Path, sources: list[str], prompt: str, **changed: Any) -> list[str]:
    """What generate_decode makes of a trained model's answers."""
    run: dict[str, Any] = {"family": "causal", "languages": ("en", "zh"), "prompt": prompt, **vars(DECODING)}
    decoding.generate_decode(
        instances=instances(folder, sources),
        exemplars=[],
        trained=str(model),
        predictions=str(folder / "predictions.parquet"),
        shard=0,
        shards=1,
        settings=decode_settings(**run | changed),
        job=Job({"key": "one"}),
    )
    found = tables.read(folder / "predictions.parquet")
    return [dict(zip(found["instance_id"], found["prediction"], strict=True))[source] for source in sources]


@pytest.mark.parametrize("chat", ["auto", "never"])
def test_the_prompt_that_is_learnt_is_the_prompt_that_is_asked(
    chat: Any, tmp_path: Path, prompt: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = base_model(tmp_path, "llama", chat=True)
    rows = tables.read(few_examples(tmp_path / "examples.parquet", 4, 2))
    _, tokenizer = tiny.loaded(str(base), "causal")
    settings = changed(FIT, family="causal", base=str(base), prompt=prompt, chat=chat)
    asking = asking_of(settings, tokenizer, 64)
    learnt = Encoder(asking, 64, 256, on_target=True, packing=False).encode(rows).data
    asked: list[list[int]] = []
    real = writers.decode_tokens

    def noted(model: Any, tokenizer: Any, tokens: list[list[int]], *rest: Any) -> list[str]:
        asked.extend(tokens)
        return real(model, tokenizer, tokens, *rest)

    monkeypatch.setattr(writers, "decode_tokens", noted)
    sources = sorted(set(rows["source"]))
    answers(tmp_path, base, sources, prompt, chat=chat)
    prompts = {
        tuple(token for token, label in zip(ids, labels, strict=True) if label == IGNORED)
        for ids, labels in zip(learnt["input_ids"], learnt["labels"], strict=True)
    }
    assert prompts == set(map(tuple, asked)) and len(prompts) == len(sources)
    said = tokenizer.decode(min(prompts))
    around = "<|user|>{}<|end|><|assistant|>" if chat == "auto" else "{}"
    assert said == around.format(PROMPT.replace("{source}", sources[0]))
    end = {labels[-1] for labels in learnt["labels"]}
    assert tokenizer.convert_ids_to_tokens(end) == ["<|end|>" if chat == "auto" else "</s>"]


def test_a_chat_model_learns_to_answer_and_to_end(tmp_path: Path, prompt: str) -> None:
    base = base_model(tmp_path, "llama", chat=True)
    few_examples(tmp_path / "examples.parquet", 8, 4)
    settings = changed(FIT, epochs=60, patience=60, learning_rate=1e-2)
    model = train(tmp_path, settings=settings, family="causal", base=str(base), prompt=prompt)
    assert curve(model)["valid_loss"].min() < 0.05  # of the answer alone: what is asked is not learnt
    assert answers(tmp_path, model, ["Title: dish 2\n", "Title: dish 3\n"], prompt) == ["22", "33"]
    network, tokenizer = tiny.loaded(str(model), "causal")
    assert tokenizer.chat_template
    assert tokenizer.convert_tokens_to_ids("<|end|>") in network.generation_config.eos_token_id


def test_a_model_of_few_positions_learns_of_a_target_what_its_source_leaves_room_for(tmp_path: Path) -> None:
    """Sources are cut as they are where it is asked: of 64 positions half, as `max_tokens` of a target fill them."""
    base, log = base_model(tmp_path, "gpt2"), io.StringIO()
    settings = changed(FIT, family="causal", base=str(base), loss_on="target", max_tokens=64, epochs=1)
    model = train(tmp_path, log, settings=settings)  # a source has 58 tokens
    assert 0 < curve(model)["train_loss"][0] < 20
    said = log.getvalue()
    assert "24 of 24 sources have more than 32 tokens and were cut" in said
    assert (
        "24 of 24 targets have more than 64 tokens, or than their source leaves room for, and were cut"
        in said
    )


def test_a_prompt_with_a_source_is_not_learnt_by_dishes(tmp_path: Path, prompt: str) -> None:
    with pytest.raises(UserError, match=r"has the place \{source\}, but a recipe that is learnt by its dish"):
        train(tmp_path, family="causal", prompt=prompt, languages=None)


def test_weights_as_bin_alone_are_trained_without_a_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    base = base_model(tmp_path, "bart")
    whole = train(tmp_path / "safetensors", base=str(base))
    pickled(base)
    assert not list(base.glob("*.safetensors"))
    model = train(tmp_path / "bin", base=str(base))
    assert contents(model)["model.safetensors"] == contents(whole)["model.safetensors"]
    run = json.loads((model / "run.json").read_text())
    assert list(run["base"]["weights"]) == ["pytorch_model.bin"]


@pytest.mark.parametrize("kind", ["llama", "bart"])
def test_adapters_learn_on_weights_of_4_bits(kind: str, tmp_path: Path) -> None:
    pytest.importorskip("bitsandbytes")
    base = base_model(tmp_path, kind, width=64)  # weights are quantized in blocks of 64
    lora = {"rank": 4, "alpha": 8, "base": "nf4"}
    family = "causal" if kind == "llama" else "seq2seq"
    few_examples(tmp_path / "examples.parquet", 8, 4)
    longer = {"epochs": 8, "patience": 8, "learning_rate": 2e-2}
    model = train(tmp_path, family=family, base=str(base), lora=lora, **longer)
    losses = curve(model)["valid_loss"]
    assert losses[-1] < losses[0] - 0.05
    network, _ = tiny.loaded(str(model), family)
    before, _ = tiny.loaded(str(base), family)
    old, new = (dict(one.named_parameters()) for one in (before, network))
    assert old.keys() == new.keys()  # a plain model of plain weights
    changed = {name for name in old if not torch.equal(old[name], new[name])}
    assert changed and all("proj" in name or "fc" in name for name in changed)
    assert any("layers.0." in name for name in changed)


def test_adapters_learn_on_weights_of_4_bits_as_if_never_killed(tmp_path: Path) -> None:
    pytest.importorskip("bitsandbytes")
    base = str(base_model(tmp_path, "llama", width=64))
    lora = {"rank": 4, "base": "nf4"}
    settings = changed(FIT, family="causal", base=base, lora=lora, save_minutes=ALWAYS)
    whole = train(tmp_path / "whole", settings=settings)
    folder = tmp_path / "killed"
    folder.mkdir()
    process = apart(train, folder, None, settings, strike=Strike(4, signal.SIGKILL))
    process.join()
    assert process.exitcode == -signal.SIGKILL
    assert contents(train(folder, settings=settings)) == contents(whole)


@pytest.mark.parametrize("kind", ["llama", None])
def test_texts_that_share_a_row_do_not_see_each_other(kind: str | None, tmp_path: Path) -> None:
    base = str(base_model(tmp_path, kind)) if kind else None  # GPT-2, from scratch
    still = changed(FIT, family="causal", base=base, epochs=1, learning_rate=UNMOVED, warmup=0.0, dropout=0.0)
    found = {
        packing: curve(train(tmp_path / str(packing), settings=still, packing=packing))
        for packing in (False, True)
    }
    assert found[True]["step"][0] < found[False]["step"][0]  # 24 texts in fewer rows
    for column in ("train_loss", "valid_loss"):
        assert found[True][column][0] == pytest.approx(found[False][column][0], rel=1e-4)


def test_a_model_whose_texts_would_see_each_other_is_not_trained_so(tmp_path: Path) -> None:
    """BLOOM has no positions as input, by which texts in a row are told apart."""
    base = base_model(tmp_path, "bloom")
    settings = changed(FIT, family="causal", base=str(base), epochs=1)
    assert train(tmp_path / "apart", settings=settings)
    with pytest.raises(UserError, match=r"packing: \S*bloom does not separate texts"):
        train(tmp_path / "together", settings=settings, packing=True)


def test_a_model_that_reads_no_more_than_its_positions_is_not_trained_on_packed_rows(tmp_path: Path) -> None:
    """The rows of a batch become one, which is longer than GPT-Neo's mask."""
    base = base_model(tmp_path, "gpt_neo")
    settings = changed(FIT, family="causal", base=str(base), epochs=1)
    with pytest.raises(UserError, match=r"packing: \S*gpt_neo cannot read texts that share a row \(The size"):
        train(tmp_path / "together", settings=settings, packing=True)
    assert train(tmp_path / "alone", settings=settings, packing=True, device_batch=1)


@pytest.mark.parametrize("kind", ["mbart", "m2m100", "marian", "t5"])
def test_no_examples_give_one_without_labels_whose_decoder_reads_what_it_would(kind: str) -> None:
    from transformers import DataCollatorForSeq2Seq
    from wokflow.generate.asking import Asking

    tokenizer = tiny.tokenizer()
    model = tiny.model(kind, len(tokenizer))
    rows = pl.DataFrame({"title": ["", ""], "source": ["ab", "c"], "target": ["d", "ef"]})
    encoded = Encoder(
        Asking(tokenizer, "seq2seq", None, 64), 64, None, on_target=False, packing=False
    ).encode(rows)
    collate = collator(encoded, DataCollatorForSeq2Seq(tokenizer, model=trainers.decoder_inputs(model)))
    whole, empty = collate([0]), collate([])
    assert whole["labels"].min() >= 0
    assert set(empty["labels"].flatten().tolist()) == {IGNORED}
    assert empty["decoder_input_ids"].tolist() == whole["decoder_input_ids"].tolist()
    loss = model(**{name: value for name, value in whole.items() if name != "decoder_input_ids"}).loss
    shifted = model(**{name: value for name, value in whole.items() if name != "labels"})
    assert float(trainers.sequence_loss(shifted, whole["labels"], 2)) == pytest.approx(float(loss), rel=1e-5)


@pytest.mark.parametrize("fits", [0, 4])
def test_the_size_of_a_device_batch_is_found_by_trial(
    fits: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Memory may be full from the beginning, or only later: the optimizer's state comes with the first step. Then
    training goes on from its last checkpoint, here that after an epoch of three steps.
    """
    tried: list[int] = []
    real = trainers.sequence_loss

    def full(outputs: Any, labels: Any, *rest: Any, **options: Any) -> Any:
        if torch.is_grad_enabled():
            tried.append(len(labels))
            if len(labels) > 3 and len(tried) > fits:
                raise RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB.")
        return real(outputs, labels, *rest, **options)

    still = changed(FIT, dropout=0.0)
    whole = train(tmp_path / "whole", settings=still, device_batch=2)
    monkeypatch.setattr(trainers, "sequence_loss", full)
    log = io.StringIO()
    found = train(tmp_path / "found", log, settings=still, device_batch="auto")
    assert tried[: fits + 1] == [8] * (fits + 1) and set(tried[fits + 2 :]) == {2}
    assert re.findall(r"suffice for (\d+)", log.getvalue()) == ["8", "4"]
    assert curve(found)["valid_loss"].to_list() == pytest.approx(
        curve(whole)["valid_loss"].to_list(), abs=1e-4
    )
    if not fits:
        assert contents(found)["model.safetensors"] == contents(whole)["model.safetensors"]
    with pytest.raises(UserError, match=r"does not suffice for device_batch 4 .* nf4"):
        train(tmp_path / "full", settings=still, device_batch=4)


def test_memory_that_no_smaller_part_would_save_is_not_tried_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A model that does not fit, and one example that does not."""
    tried: list[int] = []

    def full(outputs: Any, labels: Any, *rest: Any, **options: Any) -> Any:
        tried.append(len(labels))
        raise RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB.")

    monkeypatch.setattr(trainers, "sequence_loss", full)
    for place in ("example", "model"):
        if place == "model":
            monkeypatch.setattr(process, "_begin", lambda *given: full(None, "seven"))
        with pytest.raises(UserError, match=r"device_batch auto .* Fewer examples at a time would not help"):
            train(tmp_path / place, settings=FIT, device_batch="auto")
    assert tried == [8, 4, 2, 1, len("seven")]


def test_live_curves_lie_where_a_tracker_finds_them(tmp_path: Path) -> None:
    train(tmp_path, trackers=("tensorboard",))
    [events] = (tmp_path / "curves").glob("events.*")
    assert b"eval/loss" in events.read_bytes()


def test_a_tracker_that_is_not_here_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"trackers: nonsense cannot be used here. Available: .*tensorboard"):
        train(tmp_path, trackers=("tensorboard", "nonsense"))
