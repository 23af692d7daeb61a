"""What jobs get of the environment, and how keys come to them."""

import os
import subprocess
from pathlib import Path

import pytest
from wokflow.cluster.environment import VARIABLE, keys_file, load_keys, remove_keys, written_apart
from wokflow.frame.job import UserError

PLAIN = {
    "PATH": "/bin",
    "HOME": "/home/me",
    "LC_ALL": "C.UTF-8",
    "VIRTUAL_ENV": "/venv",
    "HF_HOME": "/models",
    "TOKENIZERS_PARALLELISM": "false",
    "SLURM_CONF": "/etc/slurm.conf",
    "https_proxy": "http://proxy:3128",
}
KEYLIKE = {
    "OPENAI_API_KEY": "sk-1",
    "HF_TOKEN": "hf-2",
    "https_proxy": "http://me:word@proxy:3128",
    "LAB_PASSWORD": "word",
    "SLURM_JWT": "abc",
    "HF_ENDPOINT": "https://a-token@mirror.example",
    "NCCL_LABEL": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJtZSJ9.c2ln",
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(VARIABLE, str(keys_file()))


def test_what_is_named_stays_and_all_else_goes() -> None:
    others = {
        "AWS_SECRET_ACCESS_KEY": "x",
        "SECRET_SAUCE": "sk-3",
        "SSH_AUTH_SOCK": "/tmp/s",
        "WHATEVER": "1",
        "OPENAI_API_KEY": "sk-1",
    }
    assert sorted(written_apart(PLAIN | others, ["OTHER_API_KEY"])) == sorted(others)
    assert not keys_file().exists()


def test_a_user_can_name_more() -> None:
    more = {"WOKFLOW_EXPORT": "WHATEVER,ABSENT", "WHATEVER": "1"}
    assert written_apart(PLAIN | more | {"OTHER": "1"}, []) == ["OTHER"]


def test_keys_go_by_a_file_that_others_cannot_read(monkeypatch: pytest.MonkeyPatch) -> None:
    environment = PLAIN | KEYLIKE | {"WOKFLOW_EXPORT": "LAB_PASSWORD"}
    before = os.umask(0)
    try:
        assert set(written_apart(environment, ["OPENAI_API_KEY", "UNSET_KEY"])) == set(KEYLIKE)
    finally:
        os.umask(before)
    assert keys_file().stat().st_mode & 0o777 == 0o600
    for name in KEYLIKE:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HF_TOKEN", "the job's own")
    load_keys()
    assert {name: os.environ[name] for name in KEYLIKE} == KEYLIKE | {"HF_TOKEN": "the job's own"}
    for name in KEYLIKE:
        del os.environ[name]


def test_keys_of_a_run_that_was_killed_are_removed_and_those_of_one_that_lives_are_not() -> None:
    written_apart(KEYLIKE, ["OPENAI_API_KEY"])
    own = keys_file()
    ended = subprocess.Popen(["true"])
    ended.wait()
    dead, live = (
        own.with_name(own.name.replace(str(os.getpid()), str(number))) for number in (ended.pid, os.getppid())
    )
    for path in (dead, live):
        path.write_text("{}")
    written_apart(PLAIN, [])
    assert [path.exists() for path in (own, dead, live)] == [False, False, True]
    remove_keys()
    load_keys()


def test_keys_that_others_may_read_are_refused() -> None:
    written_apart(KEYLIKE, ["OPENAI_API_KEY"])
    keys_file().chmod(0o640)
    with pytest.raises(UserError, match="others may read it: remove it"):
        load_keys()
    assert "OPENAI_API_KEY" not in os.environ


def test_keys_are_not_kept_where_the_file_system_shows_them_to_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = os.open

    def shared(path: Path, flags: int, mode: int) -> int:
        descriptor = real(path, flags, mode)
        os.fchmod(descriptor, 0o644)
        return descriptor

    monkeypatch.setattr(os, "open", shared)
    with pytest.raises(UserError, match=r"OPENAI_API_KEY, .*\.snakemake keeps no file from others"):
        written_apart(KEYLIKE, ["OPENAI_API_KEY"])
    assert not keys_file().exists()


def test_keys_that_cannot_be_written_are_refused(tmp_path: Path) -> None:
    keys_file().parent.write_text("no folder")
    with pytest.raises(UserError, match="cannot be handed over"):
        written_apart(KEYLIKE, ["OPENAI_API_KEY"])
