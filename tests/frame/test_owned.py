"""What another user of a group plants in results and caches is refused, or has no effect."""

import fcntl
import json
import os
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from wokflow.frame import alone, owned
from wokflow.frame.job import HELD, UserError, job, keep_others_from_writing
from wokflow.frame.leftovers import temporary_name
from wokflow.frame.owned import ForeignError, read_own, take_for_own, take_records
from wokflow.frame.polite import Answers
from wokflow.frame.tables import atomic
from wokflow.generate.cache import Cache
from wokflow.generate.costs import NOTHING
from wokflow.generate.request import Request
from wokflow.generate.served import Server

from tests.conftest import ROOT

OTHER = 54_321  # a user that has no name here
pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="takes root, who may make files of other users")


def planted(path: Path, text: str, mode: int = 0o644) -> Path:
    """A file of the other user."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(mode)
    os.chown(path, OTHER, OTHER)
    return path


@pytest.fixture(autouse=True)
def released(monkeypatch: pytest.MonkeyPatch) -> None:
    held: list[int] = []
    monkeypatch.setattr(alone, "_held", held)


@pytest.fixture(autouse=True)
def umask() -> Iterator[None]:
    before = os.umask(0o002)
    yield
    os.umask(before)


def test_only_files_of_one_s_own_that_nobody_else_may_write_are_read(tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.write_text("mine")
    own.chmod(0o644)
    assert read_own(own) == b"mine"
    own.chmod(0o664)
    with pytest.raises(ForeignError, match=r"others may write .*own"):
        read_own(own)
    (tmp_path / "link").symlink_to(own)
    with pytest.raises(ForeignError, match="is a link, and not followed"):
        read_own(tmp_path / "link")
    with pytest.raises(ForeignError, match=f"belongs to user {OTHER}"):
        read_own(planted(tmp_path / "theirs", ""))
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ForeignError, match="is not a file"):
        read_own(tmp_path / "pipe")
    with pytest.raises(FileNotFoundError):
        read_own(tmp_path / "absent")


def test_where_a_file_system_shows_all_files_as_one_user_s_that_user_is_oneself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = planted(tmp_path / "a", "text", 0o666)
    monkeypatch.setattr(owned, "_of_device", {(path.stat().st_dev, 0): (OTHER, False)})
    assert read_own(path) == b"text"
    assert take_for_own(tmp_path) == 0


def test_the_right_to_write_is_taken_from_others_once(tmp_path: Path) -> None:
    (tmp_path / "results" / "match").mkdir(parents=True)
    (tmp_path / "results" / "match" / "table").touch()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.touch()
    (tmp_path / "results" / "link").symlink_to(elsewhere)
    assert take_for_own(tmp_path / "results") == 3
    assert take_for_own(tmp_path / "results") == 0
    assert not (tmp_path / "results" / "match").stat().st_mode & stat.S_IWGRP
    assert elsewhere.stat().st_mode & stat.S_IWGRP


@pytest.mark.parametrize("kind", ["table", "link", "folder", "results"])
def test_a_run_does_not_begin_in_results_that_hold_what_is_another_user_s(kind: str, tmp_path: Path) -> None:
    results = tmp_path / "results"
    place = {"results": results}.get(kind, results / "match" / kind)
    place.parent.mkdir(parents=True, exist_ok=True)
    if kind in ("folder", "results"):
        place.mkdir()
    elif kind == "link":
        place.symlink_to("/etc/passwd")
    else:
        place.touch()
    os.chown(place, OTHER, OTHER, follow_symlinks=False)
    with pytest.raises(UserError, match=rf"holds what belongs to others: {place} \(user {OTHER}\)"):
        alone.take_folder(str(results))


def test_what_a_run_makes_nobody_else_may_write_whatever_the_umask(tmp_path: Path) -> None:
    os.umask(0)
    alone.take_folder(str(tmp_path / "results"))
    with job(str(tmp_path / "results" / "logs" / "a" / "b.log")), atomic(tmp_path / "results" / "c") as file:
        file.touch()
    modes = [
        path.stat().st_mode & (stat.S_IWGRP | stat.S_IWOTH) for path in (tmp_path / "results").rglob("*")
    ]
    assert modes and not any(modes)


def test_a_link_in_the_place_of_a_log_a_lock_or_a_temporary_file_is_not_written_through(
    tmp_path: Path,
) -> None:
    precious = tmp_path / "precious"
    precious.write_text("work of years")
    log = tmp_path / "logs" / "a.log"
    log.parent.mkdir()
    log.symlink_to(precious)
    with job(str(log)):
        pass
    assert not log.is_symlink()
    temporary_name(tmp_path / "out").symlink_to(precious)
    with atomic(tmp_path / "out") as file:
        file.write_text("new")
    assert (tmp_path / "out").read_text() == "new"
    (tmp_path / "logs" / ".run.lock").symlink_to(precious)
    with pytest.raises(UserError, match="is a link, and not followed: remove it"):
        alone.take_folder(str(tmp_path))
    assert precious.read_text() == "work of years"


TAKE = """
import os, sys
os.umask(int(sys.argv[2], 8))
from wokflow.frame.alone import take_folder
take_folder(sys.argv[1])
print("taken", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def reachable() -> Iterator[Path]:
    """A folder that other users can enter, unlike those of pytest."""
    with TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.mark.parametrize("umask", ["002", "022", "077"])
def test_the_second_person_of_a_group_is_refused_with_the_first_one_s_name(
    umask: str, reachable: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = reachable / "shared" / "results"
    results.mkdir(parents=True)
    results.chmod(0o777)
    monkeypatch.chdir(reachable)
    with subprocess.Popen(
        [sys.executable, "-c", TAKE, str(results), umask],
        env=os.environ | {"PYTHONPATH": str(ROOT / "scripts")},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=reachable,
    ) as first:
        assert first.stdout and "taken\n" in iter(first.stdout.readline, "")
        named = {"077": ""}.get(umask, r".* The last run there: \(process \d+ on .*, since .*\)")
        refused = rf"holds what belongs to others: .*results \(root\){named}"
        os.seteuid(OTHER)
        try:
            with pytest.raises(UserError, match=refused):
                alone.take_folder(str(results))
        finally:
            os.seteuid(0)
        first.kill()


def test_answers_and_a_server_s_file_that_somebody_else_has_planted_are_not_believed(tmp_path: Path) -> None:
    said: list[str] = []
    cache = Cache(tmp_path / "cache", said.append)
    request = Request("http://localhost/v1", "chat/completions", {"messages": []}, 1, NOTHING)
    cache.put(request, {"choices": [{"message": {"content": "ours"}, "finish_reason": "stop"}]})
    [file] = (tmp_path / "cache").rglob("*.json")
    file.chmod(0o644)
    assert cache.get(request) is not None
    os.chown(file, OTHER, OTHER)
    assert cache.get(request) is None
    assert "It is not believed, and asked for again" in said[0]
    answers = Answers(tmp_path / "answers", {})
    answers.put("Q1", [1])
    answers.path("Q1").chmod(0o644)
    assert answers.get("Q1") == [1]
    os.chown(answers.path("Q1"), OTHER, OTHER)
    assert answers.get("Q1") is None
    server = json.dumps({"url": "http://localhost:1/v1", "minutes": 1, "secret": "s", "ready": True})
    with pytest.raises(UserError, match=f"belongs to user {OTHER}"):
        Server.read(planted(tmp_path / "server", server, 0o600))


def test_the_umask_only_loses_rights() -> None:
    os.umask(0o077)
    keep_others_from_writing()
    assert os.umask(0) == 0o077


def test_nobody_else_can_keep_the_lock_of_a_folder(tmp_path: Path) -> None:
    """A lock needs no right to write, but one to open."""
    alone.take_folder(str(tmp_path / "results"))
    assert (tmp_path / "results" / alone.LOCK).stat().st_mode & 0o077 == 0
    assert (tmp_path / "results" / alone.RUN).stat().st_mode & 0o777 == 0o644


def test_a_lock_on_a_log_of_a_job_that_has_ended_does_not_stop_a_run(tmp_path: Path) -> None:
    ended = subprocess.Popen(["true"])
    ended.wait()
    log = tmp_path / "logs" / "a" / "b.log"
    log.parent.mkdir(parents=True)
    log.write_text(f"12:00:00 start {HELD.format(process=ended.pid, host=socket.gethostname())}\n")
    with log.open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        alone.refuse_beside_jobs(str(tmp_path))
        log.write_text(f"12:00:00 start {HELD.format(process=os.getpid(), host=socket.gethostname())}\n")
        with pytest.raises(UserError, match="1 jobs of an earlier run still write"):
            alone.refuse_beside_jobs(str(tmp_path))


def test_snakemake_s_folder_is_closed_to_others_and_refused_where_it_is_theirs(tmp_path: Path) -> None:
    take_records(tmp_path / "absent")
    folder = tmp_path / ".snakemake"
    folder.mkdir(mode=0o775)
    take_records(folder)
    assert folder.stat().st_mode & 0o777 == 0o700
    os.chown(folder, OTHER, OTHER)
    with pytest.raises(ForeignError, match="a clone has one user at a time"):
        take_records(folder)


def test_links_where_snakemake_itself_writes_are_refused(tmp_path: Path) -> None:
    for name in ("logs", "benchmarks"):
        (tmp_path / name / name).mkdir(parents=True)
        (tmp_path / name / name / "a.tsv").symlink_to("/etc/passwd")
        with pytest.raises(ForeignError, match=rf"{name}/a\.tsv is a link, and not followed: remove it"):
            take_for_own(tmp_path)
        (tmp_path / name / name / "a.tsv").unlink()
    (tmp_path / "match").symlink_to(tmp_path / "elsewhere")
    take_for_own(tmp_path)


@pytest.mark.parametrize("folder", ["cache", "generate/predictions/cache", "a/generate/cache"])
def test_only_the_cache_of_answers_is_left_out(folder: str, tmp_path: Path) -> None:
    planted(tmp_path / "generate" / "cache" / "ab" / "abc.json", "")
    take_for_own(tmp_path)
    planted(tmp_path / folder / "planted", "")
    with pytest.raises(ForeignError, match=f"{folder}/planted"):
        take_for_own(tmp_path)
