"""Files and folders are known by content; large files are read again only if they changed."""

import json
import os
import shutil
from pathlib import Path

import pytest
from wokflow.frame import digests
from wokflow.frame.digests import command_digest, file_digest, identity, named_by, path_digest


def folder_digest(folder: Path, files: dict[str, str]) -> str:
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    path_digest.cache_clear()
    return path_digest(str(folder))


def test_a_folder_is_known_by_contents_and_names(tmp_path: Path) -> None:
    files = {"a.tsv": "1", "below/b.tsv": "2"}
    variants = [
        {"a.tsv": "1", "below/b.tsv": "3"},
        {"a.tsv": "1", "below/c.tsv": "2"},
        {"a.tsv": "1", "b.tsv": "2"},
        {"a.tsv": "2", "below/b.tsv": "1"},
        {"a.tsv": "1"},
        {**files, "empty.tsv": ""},
        {},
    ]
    found = [folder_digest(tmp_path / str(number), some) for number, some in enumerate([files, *variants])]
    assert len(set(found)) == len(found)
    assert folder_digest(tmp_path / "elsewhere", files) == found[0]


def test_what_other_programs_keep_in_a_folder_does_not_count(tmp_path: Path) -> None:
    own = folder_digest(tmp_path / "one", {"a.tsv": "1", "b/c.tsv": "2"})
    for number, name in enumerate(
        [".~lock.a.tsv#", "b/.c.tsv.swp", "~$a.xlsx", "a.tsv~", ".cache/hub/a.metadata"]
    ):
        assert folder_digest(tmp_path / str(number), {"a.tsv": "1", "b/c.tsv": "2", name: "3"}) == own, name


def test_files_that_a_command_names_count_by_content(tmp_path: Path) -> None:
    script, model = tmp_path / "link.py", tmp_path / "model.ckpt"
    words = ["python", str(script), f"--model={model}", "{input}", str(tmp_path)]
    absent = command_digest(words)
    found = [absent]
    for text in ("1", "2"):
        for file in (script, model):
            file.write_text(text)
            path_digest.cache_clear()
            found.append(command_digest(words))
    assert len(set(found)) == 5
    program = [str(script), *words[2:]]
    digests = set[str]()
    for text in ("no script", "#!/bin/sh", "#!/bin/bash"):
        script.write_text(text)
        path_digest.cache_clear()
        digests.add(command_digest(program))
    assert len(digests) == 3, "a program counts if it is a script"
    script.write_text("2")
    path_digest.cache_clear()
    (tmp_path / "log").write_text("")  # a folder counts by its name
    assert command_digest(words) == found[-1]


def test_a_name_that_reads_like_two_files_is_one(tmp_path: Path) -> None:
    one = folder_digest(tmp_path / "one", {"a": "1", "b": "2"})
    first = file_digest(tmp_path / "one" / "a")
    assert folder_digest(tmp_path / "two", {f"a {first}\nb": "2"}) != one
    assert folder_digest(tmp_path / "three", {os.fsdecode(b"caf\xe9"): "1"}) != one


def test_a_file_is_known_by_its_content_alone(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).write_text("粥", encoding="utf-8")
    os.utime(tmp_path / "two", (0, 0))
    assert path_digest(str(tmp_path / "one")) == path_digest(str(tmp_path / "two"))
    assert identity(tmp_path / "one") == identity(tmp_path / "two")


def test_nothing_at_a_path_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        path_digest(str(tmp_path / "none"))


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which every file of more than a byte counts as large, with a count of what is read."""
    monkeypatch.setattr(digests, "SMALL", 1)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_large_file_is_read_once_and_again_when_it_changed(
    small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    monkeypatch.setattr(digests, "_sha256", lambda path: read.append(path.name) or path.read_text())
    (small / "model").write_text("weights")
    assert file_digest("model") == file_digest("model") == "weights"
    assert read == ["model"]
    (small / "model").write_text("WEIGHTS")
    os.utime(small / "model", (0, 0))
    assert file_digest("model") == "WEIGHTS"
    assert read == ["model", "model"]


def test_a_large_file_replaced_by_an_older_one_of_its_size_has_another_identity(small: Path) -> None:
    (small / "old.csv").write_text("old rows")
    os.utime(small / "old.csv", (1_000_000, 1_000_000))
    (small / "source.csv").write_text("new rows")
    before = identity("source.csv")
    shutil.copy2(small / "old.csv", small / "source.csv")
    assert identity("source.csv") != before
    moved = identity("source.csv")
    (small / "old.csv").replace(small / "source.csv")
    assert identity("source.csv") != moved


def test_a_memory_that_is_damaged_or_cannot_be_written_is_done_without(small: Path) -> None:
    (small / "model").write_text("weights")
    expected = file_digest("model")
    digests.MEMORY.write_text("{", encoding="utf-8")
    assert file_digest("model") == expected
    shutil.rmtree(small / ".snakemake")
    (small / ".snakemake").write_text("a file where the folder should be")
    assert file_digest("model") == expected


def test_files_below_a_link_to_a_folder_count(tmp_path: Path) -> None:
    model, pooling = tmp_path / "model", tmp_path / "pooling"
    model.mkdir()
    pooling.mkdir()
    (pooling / "config.json").write_text("mean")
    (model / "1_Pooling").symlink_to(pooling)
    (pooling / "again").symlink_to(model)  # a circle comes to an end
    before = path_digest.__wrapped__(str(model))
    (pooling / "config.json").write_text("max")
    assert path_digest.__wrapped__(str(model)) != before


def test_a_model_counts_by_what_it_names_elsewhere(tmp_path: Path) -> None:
    """And not by where it, or what it names, lies, nor by where it once was."""
    base, adapter = tmp_path / "base", tmp_path / "adapter"
    for folder in (base, adapter):
        folder.mkdir()
        (folder / "model.safetensors").write_text(folder.name)
    (tmp_path / "vocab.txt").write_text("a")
    (base / "tokenizer_config.json").write_text(json.dumps({"vocab_file": str(tmp_path / "vocab.txt")}))
    (base / "config.json").write_text(json.dumps({"_name_or_path": str(adapter), "architectures": ["x/y"]}))
    (adapter / "adapter_config.json").write_text(json.dumps({"base_model_name_or_path": str(base)}))
    assert named_by(str(adapter)) == [str(base), str(tmp_path / "vocab.txt")]

    def digest() -> str:
        path_digest.cache_clear()
        return path_digest(str(adapter))

    found = [digest()]
    for changed in (base / "model.safetensors", tmp_path / "vocab.txt", adapter / "model.safetensors"):
        changed.write_text("another")
        found.append(digest())
    assert len(set(found)) == 4
    (adapter / "adapter_config.json").write_text(json.dumps({"base_model_name_or_path": "org/on-the-hub"}))
    assert named_by(str(adapter)) == []


def test_a_model_in_a_block_or_a_list_counts_too(tmp_path: Path) -> None:
    for name in ("model", "draft", "one", "two"):
        (tmp_path / name).mkdir()
    draft = {"draft": str(tmp_path / "draft"), "_name_or_path": str(tmp_path)}
    held = {"speculative": draft, "adapters": [str(tmp_path / "one"), {"path": str(tmp_path / "two")}]}
    (tmp_path / "model" / "config.json").write_text(json.dumps(held))
    assert named_by(str(tmp_path / "model")) == [str(tmp_path / name) for name in ("draft", "one", "two")]


def test_texts_of_a_model_that_are_no_paths_are_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tokens, labels and templates, nor what holds the model or the working folder, nor devices."""
    model, other = tmp_path / "models" / "model", str(tmp_path / "other")
    for folder in (model, Path(other), tmp_path / "work"):
        folder.mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "work")
    template = "{# a/b #}" + "x" * 300
    held = {
        "added_tokens_decoder": {"5": {"content": other, "file": other}},
        "id2label": {"0": other, "model": other},
        "chat_template": [{"name": other, "template": template}, template],
        "pad_token": other,
        "vocab_file": ["/", str(tmp_path), str(model.parent), ".", "..", "/dev/zero"],
        "model": [template, "a/" * 3000, f"{other}\n", "a/\0", "a/\ud800", ""],
    }
    (model / "tokenizer_config.json").write_text(json.dumps(held))
    assert named_by(str(model)) == []
    (model / "config.json").write_text(json.dumps({"adapters": {"one": other}}))
    assert named_by(str(model)) == [other]


def test_models_that_name_each_other_have_an_end(tmp_path: Path) -> None:
    for name, other in (("a", "b"), ("b", "a")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").write_text(json.dumps({"model": str(tmp_path / other)}))
    assert named_by(str(tmp_path / "a")) == [str(tmp_path / "b")]
