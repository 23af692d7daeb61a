import json
import pickle
from pathlib import Path

import pytest
import torch
from wokflow.job import UserError
from wokflow.train.models import find_device, load
from wokflow.train.scratch import make_small, train_tokenizer

from tests.train.tiny import SMALL

TEXTS = ["Title: 蛋炒饭\nIngredients: 鸡蛋，米饭\n", "Title: Egg fried rice\nIngredients: egg, rice\n"] * 2


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A model's folder."""
    model, tokenizer = make_small(TEXTS, "seq2seq", SMALL, max_tokens=32, seed=1)
    model.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    return tmp_path


def test_a_saved_model_comes_back(folder: Path) -> None:
    model, tokenizer = load(str(folder), "seq2seq", device="cpu")
    again, _ = make_small(TEXTS, "seq2seq", SMALL, max_tokens=32, seed=1)
    assert not model.training
    assert all(torch.equal(a, b) for a, b in zip(model.parameters(), again.parameters(), strict=True))
    assert tokenizer.decode(tokenizer(TEXTS[0])["input_ids"], skip_special_tokens=True) == TEXTS[0]
    half, _ = load(str(folder), "seq2seq", device="cpu", precision="bfloat16")
    assert half.dtype == torch.bfloat16


def test_weights_that_may_run_code_are_not_read(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps({}))
    with pytest.raises(UserError, match=r"holds no \.safetensors file.*save_pretrained"):
        load(str(folder), "seq2seq")


def test_code_of_a_model_is_not_run_unless_config_says_so(folder: Path) -> None:
    ran = folder / "ran"
    (folder / "own.py").write_text(f"open({str(ran)!r}, 'w')\n")
    config = json.loads((folder / "config.json").read_text())
    config |= {"model_type": "own", "auto_map": {"AutoConfig": "own.Own", "AutoModelForSeq2SeqLM": "own.Own"}}
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(UserError, match=r"code of its own, which is not run.*remote_code: true"):
        load(str(folder), "seq2seq")
    assert not ran.exists()


def test_a_model_that_is_not_there_or_of_another_family_is_said(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(UserError, match=r"nobody/nothing \(runs.tsv, column model\)[^$]*Give a folder"):
        load("nobody/nothing", "causal")
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "model_type": "bert"}))
    with pytest.raises(UserError, match="cannot be loaded as seq2seq"):
        load(str(folder), "seq2seq")


def test_devices() -> None:
    assert find_device("cpu").type == "cpu"
    assert find_device("auto").type == ("cuda" if torch.cuda.is_available() else "cpu")
    with pytest.raises(UserError, match="no device abacus"):
        find_device("abacus")


def test_the_small_tokenizer_gives_back_any_text() -> None:
    tokenizer = train_tokenizer(TEXTS, "seq2seq", 400, 32)
    for text in ["Xyz 🍅 饕餮  two\n\nlines\t", *TEXTS]:
        ids = tokenizer(text)["input_ids"]
        assert ids[-1] == tokenizer.eos_token_id
        assert tokenizer.decode(ids, skip_special_tokens=True) == text
    assert tokenizer("Title: 蛋炒饭").tokens()[:2] == ["Title", ":"]


def test_the_small_tokenizer_of_a_causal_model_leaves_a_text_open() -> None:
    tokenizer = train_tokenizer(TEXTS, "causal", 400, 32)
    assert tokenizer("rice").tokens() == ["ri", "ce"]
