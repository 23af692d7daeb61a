"""A private temporary folder for a process, and caches of libraries where nobody else may write.

Libraries keep caches under fixed names in the temporary folder that all users of a machine share, and trust files
there, whoever wrote them: jieba its dictionary, PyTorch's compiler the code that it runs.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from wokflow.frame.job import OTHERS
from wokflow.frame.leftovers import process_is_over, writer

PREFIX, WRITER = "wokflow-", ".writer"  # of the folder's name; the file in it that names the process
ELSEWHERE = Path(".snakemake")  # where the folder is made if the temporary folder is full, or there is none
COMPILED = "TORCHINDUCTOR_CACHE_DIR"  # the variable with the folder of what torch.compile made


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """During the block, this process and its children use a temporary folder that nobody else may enter.

    torch.compile's cache is the user's own, unless the environment names another one. Folders of killed processes are
    removed first.
    """
    named, known = {name: os.environ.get(name) for name in ("TMPDIR", COMPILED)}, tempfile.tempdir
    folder = _made()
    os.environ["TMPDIR"] = tempfile.tempdir = str(folder)
    if cache := _own_cache():
        os.environ.setdefault(COMPILED, str(cache))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        tempfile.tempdir = known
        for name, value in named.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _made() -> Path:
    try:
        return _made_in(Path(tempfile.gettempdir()))
    except OSError:
        ELSEWHERE.mkdir(exist_ok=True)
        return _made_in(ELSEWHERE.absolute())


def _made_in(place: Path) -> Path:
    _remove_leftovers(place)
    folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=place))
    try:
        (folder / WRITER).write_text(writer(), encoding="utf-8")
    except OSError:  # a full disk takes folders, and no text
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return folder


def _remove_leftovers(place: Path) -> None:
    for folder in place.glob(f"{PREFIX}*"):
        with suppress(OSError, ValueError):
            about = folder.lstat()
            if about.st_uid == os.geteuid() and process_is_over(
                (folder / WRITER).read_text(encoding="utf-8")
            ):
                shutil.rmtree(folder, ignore_errors=True)


def _own_cache() -> Path | None:
    """The user's cache of compiled models; None if there can be none that only the user may write."""
    try:
        cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "wokflow", "compiled")
        cache.mkdir(mode=0o700, parents=True, exist_ok=True)
        about = cache.lstat()
    except (OSError, RuntimeError):  # the latter without a home
        return None
    return cache if about.st_uid == os.geteuid() and not about.st_mode & OTHERS else None
