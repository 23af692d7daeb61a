"""A source file as a stream of bytes, compressed or not, in bounded memory."""

import bz2
import errno
import io
import lzma
import re
import shlex
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, Protocol

from wokflow.frame.job import UserError
from wokflow.ingest.foreign import DOCUMENT, DOCUMENTS, HEAD, PART, TAR, foreign

CHUNK = 1 << 20
PIECE = 1 << 16  # bytes of an archive that are read at once
LIKE = 10  # a file of an archive is no smaller than this part of the largest, if it may be meant too
WINDOW_LOG = 28  # of Zstandard: 256 MiB of what was unpacked are held; its own bound is 27, of zstd --long 31

_FORMATS = {".gz": "gzip", ".bz2": "bzip2", ".zst": "Zstandard", ".zip": "zip"}
_SKIPPABLE = tuple(bytes([number]) + b"\x2a\x4d\x18" for number in range(0x50, 0x60))
_MAGIC = {
    ".gz": (b"\x1f\x8b",),
    ".bz2": (b"BZh",),
    ".zst": (b"\x28\xb5\x2f\xfd", *_SKIPPABLE),
    ".zip": (b"PK\3\4", b"PK\5\6"),
}
# How members begin, longer than the magic that chance may write: gzip's only method, the first block of bzip2.
_MEMBER = {
    ".gz": re.compile(rb"\x1f\x8b\x08"),
    ".bz2": re.compile(b"BZh[1-9]1AY&SY"),
    ".zst": re.compile(rb"\x28\xb5\x2f\xfd"),
}
_OVERLAP = 16  # bytes, more than any of these
_TARS = {".tgz", ".tbz", ".tbz2", ".txz", ".tzst"}

BROKEN_ZIP = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, ValueError, OSError)
_UNREADABLE_ZIP = (RuntimeError,)  # encrypted, or compressed by a method that is not read
_METHODS = {
    9: "Deflate64, as Windows does above 2 GB",
    12: "bzip2",
    14: "LZMA",
    93: "Zstandard",
    95: "xz",
    98: "PPMd",
}
_ENCRYPTED = 1  # flag of a member that has a password
# Signature, flags, method, compressed and whole size, lengths of the name and of the extra field.
_ZIP_HEADER = struct.Struct("<4s2xHH8xIIHH")
_ZIP_END = struct.Struct("<4sH16x")  # signature, number of this part; the rest is not looked at
_SIZES_FOLLOW = 8  # flag of a member whose header does not hold its sizes


class Truncated(Exception):  # noqa: N818
    """The archive ends, or breaks, before its content does."""


class _Decompressor(Protocol):
    """Decompresses one member or frame; output beyond `max_length` bytes comes with the next call."""

    def decompress(self, data: bytes, max_length: int, /) -> bytes: ...

    @property
    def eof(self) -> bool: ...

    @property
    def needs_input(self) -> bool:
        """Whether nothing is held back."""
        ...

    @property
    def unused_data(self) -> bytes: ...


class _Inflate:
    """zlib's decompressor for gzip (`wbits` 31) or raw deflate (-15), as a _Decompressor."""

    def __init__(self, wbits: int) -> None:
        self._decoder = zlib.decompressobj(wbits=wbits)
        self.needs_input = True

    def decompress(self, data: bytes, max_length: int, /) -> bytes:
        out = self._decoder.decompress(self._decoder.unconsumed_tail + data, max_length)
        self.needs_input = len(out) < max_length and not self._decoder.unconsumed_tail
        return out

    @property
    def eof(self) -> bool:
        return self._decoder.eof

    @property
    def unused_data(self) -> bytes:
        return self._decoder.unused_data


def chunks(path: str | Path) -> Iterator[tuple[bytes, float]]:
    """Yield (at most CHUNK bytes, share of the file read so far); the ending of the name decides the compression.

    Reads plain files, .gz, .bz2, .zst and .zip (its largest member). Raises Truncated, after all that could be read,
    where an archive is cut off or damaged, and UserError where the file is no archive of the kind that its name says.
    """
    path = Path(path)
    size = max(path.stat().st_size, 1)
    ending = path.suffix.lower()
    with path.open("rb") as file:
        _check_begin(file, path)
        match ending:
            case ".gz":
                stream = _members(file, path, lambda: _Inflate(31), zlib.error)
            case ".bz2":
                stream = _members(file, path, bz2.BZ2Decompressor, OSError)
            case ".zst":
                stream = _zstd(file, path)
            case ".zip":
                stream = _zip(file, path)
            case _:
                stream = iter(lambda: file.read(CHUNK), b"")
        begun = ending not in _MAGIC
        for data in filter(None, stream):
            if not begun:
                _check_content(data, path)
            begun = True
            yield data, min(file.tell() / size, 1.0)


def _check_begin(file: BinaryIO, path: Path) -> None:
    """Raise UserError for a file of a kind that is never read, or whose beginning does not fit its name."""
    head = file.read(HEAD)
    file.seek(0)
    if kind := (foreign(head) or _in_zip(file, head)):
        raise UserError(f"{path} {kind}")
    ending = path.suffix.lower()
    if ending in _TARS:
        raise UserError(f"{path} {TAR}")
    if ending in _MAGIC:
        if head and not any(head.startswith(begin[: len(head)]) for begin in _MAGIC[ending]):
            raise UserError(
                f"{path} is named {ending}, but is no {_FORMATS[ending]} file: it begins with {head[:16]!r}. "
                "Give it the ending of what it holds, or compress it"
            )
        return
    if packed := _packed(head):
        raise UserError(f"{path} is a {_FORMATS[packed]} file: give its name the ending {packed}")


def _check_content(head: bytes, path: Path) -> None:
    """Raise UserError if the content of an archive is an archive itself, or of a kind that is never read."""
    if kind := foreign(head):
        raise UserError(f"What {path} holds {kind}")
    if packed := _packed(head):
        raise UserError(
            f"What {path} holds is itself a {_FORMATS[packed]} file: unpack {path}, and name what comes out"
        )


def _packed(head: bytes) -> str | None:
    """The ending of the names of archives that begin so."""
    return next((ending for ending, magic in _MAGIC.items() if head.startswith(magic)), None)


def _in_zip(file: BinaryIO, head: bytes) -> str | None:
    """What a zip archive is, and what to do, if it is a document or one part of several; None for other archives."""
    if not head.startswith(b"PK\3\4"):
        return PART if _ends_parts(file) else None
    if b"mimetypeapplication/vnd.oasis.opendocument" in head:
        return DOCUMENT
    try:
        with zipfile.ZipFile(file) as archive:
            names = archive.namelist()
    except (*BROKEN_ZIP, *_UNREADABLE_ZIP):
        return None
    finally:
        file.seek(0)
    return next(
        (kind for part, kind in DOCUMENTS.items() if any(name.startswith(part) for name in names)), None
    )


def _ends_parts(file: BinaryIO) -> bool:
    """Whether a file ends with the directory of a zip archive that begins in another file."""
    file.seek(max(file.seek(0, io.SEEK_END) - _ZIP_END.size, 0))
    end = file.read()
    file.seek(0)
    return len(end) == _ZIP_END.size and end.startswith(b"PK\5\6") and _ZIP_END.unpack(end)[1] > 0


def _zstd(file: BinaryIO, path: Path) -> Iterator[bytes]:
    """Decompress Zstandard. Raises UserError if that needs more memory, or a dictionary."""
    from backports import zstd

    options: dict[int, int] = {zstd.DecompressionParameter.window_log_max: WINDOW_LOG}
    try:
        yield from _members(file, path, lambda: zstd.ZstdDecompressor(options=options), zstd.ZstdError)
    except Truncated as error:
        cause, again = str(error.__cause__), f"{shlex.quote(str(path))} | zstd -o NEW.zst"
        if "too much memory" in cause:
            raise UserError(
                f"{path} was compressed with a window of more than {1 << WINDOW_LOG - 20} MiB (zstd --long), which "
                f"is not read. Compress it again: zstd -dc --long=31 {again}"
            ) from error
        if "Dictionary mismatch" in cause:
            raise UserError(
                f"{path} was compressed with a dictionary, which it does not hold. Compress it again: "
                f"zstd -dc -D DICTIONARY {again}"
            ) from error
        raise


def _members(
    file: BinaryIO, path: Path | None, new: Callable[[], _Decompressor], damage: type[Exception]
) -> Iterator[bytes]:
    """Decompress all members (.gz, .bz2) or frames (.zst) one after the other, as their tools do; without `path`, the
    first alone.

    `new` makes a decompressor; `damage` is the exception that it raises on damaged bytes. Raises Truncated where the
    archive ends early, is damaged, or goes on with something that is no member.
    """
    decoder: _Decompressor | None = None
    begin = done = 0  # where the member begins, and how much of its content was yielded
    data = b""
    while data or (data := file.read(PIECE)):
        if decoder is None:
            if not (data := data.lstrip(b"\0") if path else data):  # padding between members
                continue
            begin, done = file.tell() - len(data), 0
            if path and begin:
                data += file.read(HEAD)
                _check_member(file, data, path.suffix.lower(), begin)
            decoder = new()
        end = file.tell() - len(data)
        try:
            for out in _decompressed(decoder, data):
                done += len(out)
                yield out
        except damage as error:
            decoder = None  # which may hold much memory
            yield from _before_damage(file, new(), damage, begin, end, done)
            raise Truncated(f"damaged near byte {file.tell()}: {error}") from error
        data = b""
        if decoder.eof:
            data, decoder = decoder.unused_data, None
            if not path:
                return
    if decoder is not None:
        raise Truncated(f"the archive ends at byte {file.tell()}, before its content does")


def _check_member(file: BinaryIO, data: bytes, ending: str, begin: int) -> None:
    """Raise Truncated if `data`, what lies behind a member from byte `begin` on, is no member."""
    if data.startswith(_MAGIC[ending]):
        return
    around = f"behind the end of the {_FORMATS[ending]} archive, at byte {begin}, stands what is none: {data[:16]!r}"
    if (later := _next_member(file, begin, ending)) is not None:
        raise Truncated(f"{around}, and another begins at byte {later}: what stands there may be damaged")
    raise Truncated(f"{around}. If it was added, cut it off: head -c {begin} OLD > NEW")


def _next_member(file: BinaryIO, begin: int, ending: str) -> int | None:
    """Where the next member behind byte `begin` seems to begin; None: nowhere."""
    file.seek(begin)
    held = b""
    while piece := file.read(PIECE):
        held += piece
        if found := _MEMBER[ending].search(held):
            return file.tell() - len(held) + found.start()
        held = held[-_OVERLAP:]
    return None


def _decompressed(decoder: _Decompressor, data: bytes) -> Iterator[bytes]:
    """The output of a decompressor for `data`, at most CHUNK bytes at once."""
    while True:
        if out := decoder.decompress(data, CHUNK):
            yield out
        if decoder.eof or decoder.needs_input:
            return
        data = b""


def _before_damage(
    file: BinaryIO, decoder: _Decompressor, damage: type[Exception], begin: int, end: int, done: int
) -> Iterator[bytes]:
    """Decompress a damaged member again from `begin`; yield its content after the first `done` bytes.

    From `end` on, shortly before the damage, it is read byte by byte, so that nothing before the damage is lost.
    """
    file.seek(begin)
    try:
        while data := file.read(min(PIECE, end - file.tell()) if file.tell() < end else 1):
            for out in _decompressed(decoder, data):
                yield out[done:]
                done = max(done - len(out), 0)
    except damage:
        return


def check_readable(path: str | Path, member: zipfile.ZipInfo) -> None:
    """Raise UserError where a member of a zip archive has a password, or its method of compression is not read."""
    kind = None
    if member.flag_bits & _ENCRYPTED:
        kind = "with a password"
    # zipfile's reads of other methods have no bound, and not all are known to it.
    elif member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        method = _METHODS.get(member.compress_type, f"method {member.compress_type}")
        kind = f"compressed by {method}"
    if kind:
        raise UserError(
            f"{path} is a zip archive {kind}, which is not read ({member.filename}): unpack it, and name what it "
            "holds in its place"
        )


def _check_alone(path: Path, largest: zipfile.ZipInfo, members: Iterable[zipfile.ZipInfo]) -> None:
    """Raise UserError where a zip archive has more files like the largest one, which would be left out in silence."""
    ending = Path(largest.filename).suffix
    alike = [
        member.filename
        for member in members
        if Path(member.filename).suffix == ending and member.file_size * LIKE >= largest.file_size > 0
    ]
    if len(alike) > 1:
        raise UserError(
            f"{path} is a zip archive of several files ({', '.join(alike)}), of which only one would be read: unpack "
            "it, and name the right one, or all of them joined into one"
        )


def _zip(file: BinaryIO, path: Path) -> Iterator[bytes]:
    """The largest member as far as it can be decompressed, also of an archive that is cut off or damaged.

    Raises UserError where an intact one cannot be read.
    """
    begin, done = -1, 0  # where the member begins (-1: unknown yet), and how much of it was read
    try:
        with zipfile.ZipFile(file) as archive:
            members = [member for member in archive.infolist() if not member.filename.endswith("/")]
            if not members:
                return
            largest = max(members, key=lambda member: member.file_size)
            begin = largest.header_offset
            header = _zip_header(file, begin)
            if header and header[:2] == (
                largest.flag_bits,
                largest.compress_type,
            ):  # not where one is damaged
                check_readable(path, largest)
                _check_alone(path, largest, members)
            with archive.open(largest) as content:
                while chunk := content.read(CHUNK):
                    done += len(chunk)
                    yield chunk
    except (*BROKEN_ZIP, *_UNREADABLE_ZIP) as error:
        if isinstance(error, OSError) and error.errno not in (None, errno.EINVAL):
            raise
        begin = begin if _zip_header(file, begin) else _zip_largest(file)
        yield from _zip_before_damage(file, begin, done)
        raise Truncated(f"damaged zip archive: {error}") from error


def _zip_largest(file: BinaryIO) -> int:
    """Offset of the largest member, by the members' own headers: an archive that is cut off has no directory."""
    at = largest = best = 0
    while header := _zip_header(file, at):
        flags, _, packed, unpacked, *lengths = header
        if flags & _SIZES_FOLLOW:
            return at
        if unpacked > largest:
            largest, best = unpacked, at
        at += _ZIP_HEADER.size + sum(lengths) + packed
    return best


def _zip_header(file: BinaryIO, at: int) -> tuple[int, ...] | None:
    """Flags, method, sizes and lengths of the member header at `at` (see _ZIP_HEADER); None if there is none."""
    file.seek(max(at, 0))
    header = file.read(_ZIP_HEADER.size)
    if at < 0 or len(header) < _ZIP_HEADER.size or not header.startswith(b"PK\3\4"):
        return None
    return tuple(_ZIP_HEADER.unpack(header)[1:])


def _zip_before_damage(file: BinaryIO, begin: int, done: int) -> Iterator[bytes]:
    """The content of the member at `begin` after its first `done` bytes, as far as it can be decompressed."""
    header = _zip_header(file, begin)
    if not header or header[1] != zipfile.ZIP_DEFLATED:
        return
    file.seek(sum(header[-2:]), 1)
    try:
        for data in _members(file, None, lambda: _Inflate(-15), zlib.error):
            yield data[done:]
            done = max(done - len(data), 0)
    except Truncated:
        return
