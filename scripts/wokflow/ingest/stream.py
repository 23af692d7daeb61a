"""A source file as a stream of bytes, whatever it is packed in, in bounded memory."""

import errno
import lzma
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, Protocol

CHUNK = 1 << 20
PIECE = 1 << 16  # bytes of an archive unpacked at once: few, as they may hold a thousand times as much

_BROKEN_ZIP = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, ValueError, OSError)
_UNREADABLE_ZIP = (RuntimeError,)  # encrypted, or packed in a way that Python does not know
# Signature, flags, method, sizes packed and unpacked, lengths of the name and of what follows it.
_ZIP_HEADER = struct.Struct("<4s2xHH8xIIHH")
_SIZES_FOLLOW = 8  # the flag of a member whose header was written before its sizes were known


class Truncated(Exception):  # noqa: N818
    """The archive ends, or breaks, before its content does."""


class _Decompressor(Protocol):
    def decompress(self, data: bytes, /) -> bytes: ...

    @property
    def eof(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...


def chunks(path: str | Path) -> Iterator[tuple[bytes, float]]:
    """Yield (at most CHUNK bytes, share of the file read so far); packing is known by the name's ending.

    Reads plain files, .gz, .zst and .zip (its largest member). Raises Truncated, after all that could be
    read, where an archive is cut off or damaged.
    """
    path = Path(path)
    size = max(path.stat().st_size, 1)
    with path.open("rb") as file:
        match path.suffix.lower():
            case ".gz":
                stream = _members(file, lambda: zlib.decompressobj(wbits=31), zlib.error)
            case ".zst":
                stream = _zstd(file)
            case ".zip":
                stream = _zip(file)
            case _:
                stream = iter(lambda: file.read(CHUNK), b"")
        for data in stream:
            for begin in range(0, len(data), CHUNK):
                yield data[begin : begin + CHUNK], min(file.tell() / size, 1.0)


def _zstd(file: BinaryIO) -> Iterator[bytes]:
    import zstandard

    return _members(file, lambda: zstandard.ZstdDecompressor().decompressobj(), zstandard.ZstdError)


def _members(
    file: BinaryIO, new: Callable[[], _Decompressor], damage: type[Exception], *, first: bool = False
) -> Iterator[bytes]:
    """All members (.gz) or frames (.zst) one after the other, as their tools do; or the first alone.

    `damage` is what the decompressors that `new` makes raise on damaged bytes.
    """
    decoder: _Decompressor | None = None
    begin = 0
    data = b""
    while data or (data := file.read(PIECE)):
        if decoder is None:
            if not (data := data if first else data.lstrip(b"\0")):  # padding, which no member begins with
                continue
            decoder, begin = new(), file.tell() - len(data)
        end = file.tell() - len(data)
        try:
            out = decoder.decompress(data)
        except damage as error:
            yield from _before_damage(file, new(), damage, begin, end)
            raise Truncated(f"damaged near byte {file.tell()}: {error}") from error
        data = b""
        if out:
            yield out
        if decoder.eof:
            data, decoder = decoder.unused_data, None
            if first:
                return
    if decoder is not None:
        raise Truncated(f"the archive ends at byte {file.tell()}, before its content does")


def _before_damage(
    file: BinaryIO, decoder: _Decompressor, damage: type[Exception], begin: int, end: int
) -> Iterator[bytes]:
    """Unpack a damaged member again from `begin`; yield what it holds behind `end`, byte by byte."""
    file.seek(begin)
    while (left := end - file.tell()) > 0:
        decoder.decompress(file.read(min(PIECE, left)))
    while byte := file.read(1):
        try:
            out = decoder.decompress(byte)
        except damage:
            return
        yield out


def _zip(file: BinaryIO) -> Iterator[bytes]:
    """The largest member, as far as it can be unpacked, also of an archive that was cut or damaged."""
    begin, done = -1, 0  # no member is known yet
    try:
        with zipfile.ZipFile(file) as archive:
            members = [member for member in archive.infolist() if not member.filename.endswith("/")]
            if not members:
                return
            largest = max(members, key=lambda member: member.file_size)
            begin = largest.header_offset
            with archive.open(largest) as content:
                while chunk := content.read(CHUNK):
                    done += len(chunk)
                    yield chunk
    except (*_BROKEN_ZIP, *_UNREADABLE_ZIP) as error:
        if isinstance(error, OSError) and error.errno not in (None, errno.EINVAL):
            raise
        begin = begin if _zip_header(file, begin) else _zip_largest(file)
        yield from _zip_before_damage(file, begin, done)
        raise Truncated(f"damaged zip archive: {error}") from error


def _zip_largest(file: BinaryIO) -> int:
    """Where the largest member begins, from the members' own headers: a cut archive has no directory."""
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
    """Flags, method, sizes and lengths, as _ZIP_HEADER has them, from the header at `at` if one is there."""
    file.seek(max(at, 0))
    header = file.read(_ZIP_HEADER.size)
    if at < 0 or len(header) < _ZIP_HEADER.size or not header.startswith(b"PK\3\4"):
        return None
    return tuple(_ZIP_HEADER.unpack(header)[1:])


def _zip_before_damage(file: BinaryIO, begin: int, done: int) -> Iterator[bytes]:
    """What the member at `begin` holds behind the first `done` bytes, as far as it can be unpacked."""
    header = _zip_header(file, begin)
    if not header or header[1] != zipfile.ZIP_DEFLATED:
        return
    file.seek(sum(header[-2:]), 1)
    try:
        for data in _members(file, lambda: zlib.decompressobj(wbits=-15), zlib.error, first=True):
            yield data[done:]
            done = max(done - len(data), 0)
    except Truncated:
        return
