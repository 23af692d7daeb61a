"""Jobs have a temporary folder of their own, so that no library believes what others left in the shared one."""

import errno
import os
import stat
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from wokflow.frame.leftovers import writer
from wokflow.frame.temporary import COMPILED, WRITER, temporary_folder


@pytest.fixture(autouse=True)
def shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A temporary folder that others may write, and a home."""
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(0o1777)
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv(COMPILED, "")
    monkeypatch.delenv(COMPILED)  # as it was before, it will be after the test, whatever torch sets
    return folder


def test_a_job_and_its_children_have_a_temporary_folder_that_goes_with_them(shared: Path) -> None:
    code = "import tempfile; print(tempfile.gettempdir())"
    with temporary_folder() as folder:
        assert folder.parent == shared and stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert tempfile.gettempdir() == str(folder)
        assert subprocess.check_output([sys.executable, "-c", code], text=True) == f"{folder}\n"
        (folder / "left").mkdir()
    assert not folder.exists() and tempfile.gettempdir() == os.environ["TMPDIR"] == str(shared)
    assert COMPILED not in os.environ


def test_what_others_planted_for_libraries_in_the_shared_folder_is_not_looked_at(shared: Path) -> None:
    from torch._inductor.runtime.cache_dir_utils import cache_dir, default_cache_dir

    os.environ.pop(COMPILED, None)  # the first import sets it
    planted = {Path(default_cache_dir()), shared / "jieba.cache"}
    assert {path.parent for path in planted} == {shared}
    with temporary_folder():
        assert Path(default_cache_dir()) not in planted
        assert cache_dir() == str(Path(os.environ["XDG_CACHE_HOME"], "wokflow", "compiled"))


def test_a_cache_that_others_may_write_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from torch._inductor.runtime.cache_dir_utils import cache_dir

    compiled = tmp_path / "cache" / "wokflow" / "compiled"
    compiled.mkdir(parents=True)
    compiled.chmod(0o770)
    with temporary_folder() as folder:
        assert cache_dir().startswith(f"{folder}/")
    monkeypatch.setenv(COMPILED, "/named")
    with temporary_folder():
        assert os.environ[COMPILED] == "/named"
    assert os.environ[COMPILED] == "/named"


def test_folders_of_killed_processes_go_and_others_stay(shared: Path) -> None:
    ended = subprocess.Popen(["true"])
    ended.wait()
    gone = writer().removesuffix(str(os.getpid())) + str(ended.pid)
    parent = writer().removesuffix(str(os.getpid())) + str(os.getppid())
    for name, said in {"gone": gone, "lives": parent, "other": "elsewhere.0.1", "none": ""}.items():
        (shared / f"wokflow-{name}").mkdir()
        (shared / f"wokflow-{name}" / WRITER).write_text(said)
    (shared / "wokflow-link").symlink_to(shared / "wokflow-lives")
    with temporary_folder() as folder:
        left = {path.name for path in shared.iterdir() if path != folder}
    assert left == {"wokflow-lives", "wokflow-other", "wokflow-none", "wokflow-link"}


def test_a_job_runs_where_the_temporary_folder_is_full(
    shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = Path.write_text

    def written(path: Path, *text: Any, **how: Any) -> int:
        if shared in path.parents:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(path, *text, **how)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Path, "write_text", written)
    with temporary_folder() as folder:
        assert folder.parent == tmp_path / ".snakemake" and (folder / WRITER).read_text() == writer()
    assert not [*shared.iterdir()]
