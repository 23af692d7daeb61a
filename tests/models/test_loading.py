import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from wokflow.frame.job import UserError
from wokflow.models.loading import at_revision, commit_of
from wokflow.train.scratch import make_small

from tests.conftest import ROOT
from tests.models.tiny import loaded
from tests.models.weights import Evil, pickled
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
    model, tokenizer = loaded(str(folder), "seq2seq")
    again, _ = make_small(TEXTS, "seq2seq", SMALL, max_tokens=32, seed=1)
    assert not model.training
    assert all(torch.equal(a, b) for a, b in zip(model.parameters(), again.parameters(), strict=True))
    assert tokenizer.decode(tokenizer(TEXTS[0])["input_ids"], skip_special_tokens=True) == TEXTS[0]
    half, _ = loaded(str(folder), "seq2seq", precision="bfloat16")
    assert half.dtype == torch.bfloat16


def test_weights_in_pytorch_s_own_format_are_read(folder: Path) -> None:
    before, _ = loaded(str(folder), "seq2seq")
    pickled(folder)
    after, _ = loaded(str(folder), "seq2seq")
    assert all(torch.equal(a, b) for a, b in zip(before.parameters(), after.parameters(), strict=True))


@pytest.mark.parametrize("zipped", [True, False])
def test_a_pickle_that_would_run_code_is_refused_before_it_does(
    folder: Path, zipped: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD", "1")  # for callers that do not say weights_only
    ran = folder / "ran"
    pickled(folder, {"evil": Evil(ran)}, _use_new_zipfile_serialization=zipped)
    with pytest.raises(
        UserError, match=r"the table of runs, column model: .* hold more than tensors.*save_pretrained"
    ):
        loaded(str(folder), "seq2seq")
    assert not ran.exists()
    torch.load(folder / "pytorch_model.bin", weights_only=False)
    assert ran.exists()  # the pickle is a real one


def test_a_model_of_the_hub_is_known_by_its_commit(
    folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """In a process of its own: where the cache is, is read once."""
    commit = "1234567890abcdef1234567890abcdef12345678"
    home = tmp_path_factory.mktemp("hub")
    cached = home / "hub" / "models--nobody--tiny"
    (cached / "refs").mkdir(parents=True)
    (cached / "refs" / "main").write_text(commit)
    shutil.copytree(folder, cached / "snapshots" / commit)
    program = """if True:
        from wokflow.models.loading import at_revision, commit_of, load, origin
        load("nobody/tiny", "seq2seq", revision=None, precision="float32", device="cpu", remote_code=False)
        print(commit_of("nobody/tiny", None), commit_of("nobody/tiny", "main"), commit_of("nobody/none", None))
        print(origin("nobody/tiny", None))
        print(at_revision("nobody/tiny", "1234567890abcdef1234567890abcdef12345678"))
    """
    out = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"HF_HOME": str(home), "HF_HUB_OFFLINE": "1", "PYTHONPATH": str(ROOT / "scripts")},
        capture_output=True,
        text=True,
    )
    place = str(cached / "snapshots" / commit)
    said = [f"{commit} {commit} None", f"nobody/tiny at commit {commit}", place]
    assert out.stdout.splitlines() == said, out.stderr
    assert (
        at_revision(str(folder), commit) == str(folder) and at_revision("nobody/tiny", None) == "nobody/tiny"
    )
    assert commit_of(str(folder), None) is None


def test_code_of_a_model_is_not_run_unless_config_says_so(folder: Path) -> None:
    ran = folder / "ran"
    (folder / "own.py").write_text(f"open({str(ran)!r}, 'w')\n")
    config = json.loads((folder / "config.json").read_text())
    config |= {"model_type": "own", "auto_map": {"AutoConfig": "own.Own", "AutoModelForSeq2SeqLM": "own.Own"}}
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(UserError, match=r"code of its own, which is not run.*remote_code: true"):
        loaded(str(folder), "seq2seq")
    assert not ran.exists()


def test_a_model_that_is_not_there_or_of_another_family_is_said(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(
        UserError, match=r"the table of runs, column model: nobody/nothing cannot[^$]*Give a folder"
    ):
        loaded("nobody/nothing", "causal")
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "model_type": "bert"}))
    with pytest.raises(UserError, match="cannot be loaded as seq2seq"):
        loaded(str(folder), "seq2seq")
