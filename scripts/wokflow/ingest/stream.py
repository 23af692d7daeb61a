"""A source file as a stream of bytes, whatever it is packed in, in bounded memory."""

import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, Protocol

CHUNK = 1 << 20


class Truncated(Exception):
    """The archive ends, or breaks, before its content does."""


class _Decompressor(Protocol):
    def decompress(self, data: bytes, /) -> bytes: ...

    @property
    def eof(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...


def chunks(path: str | Path) -> Iterator[tuple[bytes, float]]:
    """Yield (bytes, share of the file read so far, 0 to 1); packing is known by the name's ending.

    Reads plain files, .gz, .zst and .zip (its largest member). Raises Truncated, after all that could be
    read, where an archive is cut off or damaged.
    """
    path = Path(path)
    size = max(path.stat().st_size, 1)
    with path.open("rb") as file:
        match path.suffix:
            case ".gz":
                stream = _members(file, lambda: zlib.decompressobj(wbits=31))
            case ".zst":
                stream = _members(file, _zstd)
            case ".zip":
                stream = _zip(file)
            case _:
                stream = iter(lambda: file.read(CHUNK), b"")
        for chunk in stream:
            yield chunk, min(file.tell() / size, 1.0)


def _zstd() -> _Decompressor:
    import zstandard

    return zstandard.ZstdDecompressor().decompressobj()


def _members(file: BinaryIO, new: Callable[[], _Decompressor]) -> Iterator[bytes]:
    """All members (.gz) or frames (.zst) one after the other, as their tools do."""
    decoder: _Decompressor | None = None
    data = b""
    while data or (data := file.read(CHUNK)):
        decoder = decoder or new()
        try:
            out = decoder.decompress(data)
        except Exception as error:  # zlib.error, zstandard.ZstdError: both mean damaged bytes
            raise Truncated(f"damaged near byte {file.tell()}: {error}") from error
        data = b""
        if decoder.eof:
            data, decoder = decoder.unused_data, None
        if out:
            yield out
    if decoder is not None:
        raise Truncated(f"the archive ends at byte {file.tell()}, before its content does")


def _zip(file: BinaryIO) -> Iterator[bytes]:
    try:
        with zipfile.ZipFile(file) as archive:
            names = [member for member in archive.infolist() if not member.is_dir()]
            if not names:
                return
            with archive.open(max(names, key=lambda member: member.file_size)) as member:
                while chunk := member.read(CHUNK):
                    yield chunk
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise Truncated(f"damaged zip archive: {error}") from error
