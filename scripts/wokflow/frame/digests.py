"""Digests of files by content, and a file's identity without reading it."""

import hashlib
import json
import os
import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from wokflow.frame.job import UserError
from wokflow.frame.leftovers import writer
from wokflow.frame.owned import read_own

SMALL = 16 << 20  # bytes; larger files are read again only if their identity changed
# Files of a model that may name other files; keys that only record where the model once lay.
NAMING = ("adapter_config.json", "config.json", "generation_config.json", "tokenizer_config.json")
OF_OLD = frozenset({"_name_or_path", "name_or_path"})
# Keys, and those of the blocks that they stand in, whose texts may name a model or a file; blocks of other texts.
_OF_PATHS = re.compile(
    r"(?:^|[._])(?:path|file|dir|folder|model|adapter|draft|checkpoint|encoder|decoder|tokenizer|processor"
    r"|extractor|backbone|vocab|spm|teacher)s?(?:_name|_id)?$|(?:path|file|model|adapter)s\.[^.]+$"
)
_OF_WORDS = re.compile(r"^(?:chat_template|added_tokens|id2label|label2id)")
_LONGEST = 4096  # bytes of a path, on Linux
MEMORY = Path(".snakemake") / "wokflow" / "digests.json"


def identity(path: str | Path) -> str:
    """Changes whenever a file is replaced or written: size, mtime, ctime and inode; for small files, the content.

    An older file that replaces a newer one has another ctime, which nothing can set.
    """
    stat = Path(path).stat()
    if stat.st_size <= SMALL:
        return _sha256(Path(path))
    return f"{stat.st_size} {stat.st_mtime_ns} {stat.st_ctime_ns} {stat.st_ino}"


@cache
def path_digest(path: str) -> str:
    """Digest of a file's content, or of the names and contents of all files below a folder (16 hexadecimal digits).

    Files of a folder that other programs keep for themselves do not count; see `_files`.
    A model counts with the files and folders elsewhere that it names: an adapter's base, a tokenizer's vocabulary.
    Digests of large files are remembered in MEMORY beside their identity, so that a model of many gigabytes is not
    read at each start. Raises FileNotFoundError if there is nothing at `path`.
    """
    if not Path(path).is_dir():
        return file_digest(path)
    digest = hashlib.sha256()
    for place in [path, *named_by(path)]:
        files = sorted(_files(place)) if Path(place).is_dir() else [Path(place)]
        held = [(file.relative_to(place).as_posix(), file_digest(file)) for file in files]
        digest.update(json.dumps(held).encode())  # a name may hold any character but a slash
    return digest.hexdigest()[:16]


def command_digest(words: Sequence[str]) -> str:
    """Digest of the files that a command names: scripts, checkpoints. Of its first word, the program, it is that of a
    script (#!).

    A file may stand behind a sign of equality, as in --model=/models/x.ckpt. Folders count by their names alone,
    since some hold what changes at each call.
    """
    named = (next(filter(os.path.isfile, (word, word.partition("=")[2])), None) for word in words[1:])
    paths = [*filter(_is_script, words[:1]), *filter(None, named)]
    return " ".join(map(path_digest, paths))


def _is_script(path: str) -> bool:
    if not Path(path).is_file():
        return False
    with Path(path).open("rb") as file:
        return file.read(2) == b"#!"


def named_by(folder: str) -> list[str]:
    """Files and folders elsewhere that a model's folder names in its JSON files, and what these name in turn."""
    elsewhere: list[str] = []
    queue, seen = [folder], {os.path.realpath(folder)}
    while queue:
        for name in _named(Path(queue.pop(0))):
            if (real := os.path.realpath(name)) not in seen:
                seen.add(real)
                elsewhere.append(name)
                queue += [name] if Path(name).is_dir() else []
    return elsewhere


def _named(folder: Path) -> Iterator[str]:
    """Existing paths outside a model's folder that its JSON files (NAMING) name."""
    for file in (folder / name for name in NAMING):
        try:
            held = json.loads(file.read_bytes())
        except (OSError, ValueError, RecursionError):
            continue  # absent, or invalid: loading the model will report it
        for key, name in _texts(held):
            last = key.rpartition(".")[2]
            path = last.endswith(("_path", "_file")) or (os.sep in name and _OF_PATHS.search(key))
            if path and last not in OF_OLD and _elsewhere(name, folder):
                yield name


def _texts(held: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """The texts in JSON, each with its keys joined by dots, in lists and blocks, too (a draft model's, say)."""
    if isinstance(held, dict):
        for name, value in held.items():
            if not _OF_WORDS.match(name):
                yield from _texts(value, f"{key}.{name}")
    elif isinstance(held, list):
        for value in held:
            yield from _texts(value, key)
    elif isinstance(held, str):
        yield key, held


def _elsewhere(name: str, folder: Path) -> bool:
    """Whether a text names a file or folder outside a model's folder that holds neither it nor the working folder."""
    try:
        if len(os.fsencode(name)) > _LONGEST or len(name.splitlines()) != 1:
            return False
        held = _inside(name, folder) or _inside(str(folder), Path(name)) or _inside(".", Path(name))
        return not held and (Path(name).is_file() or Path(name).is_dir())
    except (OSError, ValueError):  # no path at all: a part too long, a NUL
        return False


def _inside(path: str, folder: Path) -> bool:
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


def _files(folder: str) -> Iterator[Path]:
    """All files below a folder, those below links to folders included, but those that other programs keep for
    themselves: hidden ones (locks of editors, caches of downloads), Office's locks, and backups.
    """
    seen: set[str] = set()  # real paths, since links may lead in a circle
    for below, folders, names in os.walk(folder, followlinks=True):
        folders[:] = [
            name
            for name in folders
            if not name.startswith(".") and os.path.realpath(f"{below}/{name}") not in seen
        ]
        seen.update(os.path.realpath(f"{below}/{name}") for name in folders)
        own = (name for name in names if not name.startswith((".", "~$")) and not name.endswith("~"))
        yield from (path for name in own if (path := Path(below, name)).is_file())


def file_digest(path: str | Path) -> str:
    """The first 16 hexadecimal digits of a file's SHA-256."""
    path = Path(path)
    if path.stat().st_size <= SMALL:
        return _sha256(path)
    name, now = str(path.resolve()), identity(path)
    known = _remembered()
    if known.get(name, ("", ""))[0] != now:
        known[name] = (now, _sha256(path))
        _remember(known)
    return known[name][1]


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:16]


def _remembered() -> dict[str, tuple[str, str]]:
    try:
        return {name: (at, digest) for name, (at, digest) in json.loads(read_own(MEMORY)).items()}
    except (OSError, UserError, ValueError, TypeError, AttributeError):
        return {}


def _remember(known: dict[str, tuple[str, str]]) -> None:
    """Keep digests for the next start; where nothing can be written, they are computed again then."""
    temporary = MEMORY.with_name(f".{MEMORY.name}.{writer()}")
    try:
        MEMORY.parent.mkdir(parents=True, exist_ok=True)
        temporary.unlink(missing_ok=True)
        with temporary.open("x", encoding="utf-8") as file:
            file.write(json.dumps(known))
        temporary.replace(MEMORY)
    except OSError:
        return
