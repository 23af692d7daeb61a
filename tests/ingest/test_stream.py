"""Archives give the bytes that were compressed, and damaged ones what can still be read."""

import bz2
import functools
import gzip
import io
import lzma
import random
import tarfile
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from backports import zstd
from wokflow.frame.job import UserError
from wokflow.ingest.stream import CHUNK, Truncated, chunks

LETTERS = random.Random(1)
TEXT = b"".join(b"%d,%d\n" % (number, LETTERS.getrandbits(64)) for number in range(20_000))


def zipped(*members: tuple[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in members:
            archive.writestr(zipfile.ZipInfo(name), data, method)
    return file.getvalue()


def zstd_packed(data: bytes) -> bytes:
    return zstd.compress(data, options={zstd.CompressionParameter.checksum_flag: 1})


PACK: dict[str, Callable[[bytes], bytes]] = {
    ".gz": lambda data: gzip.compress(data, mtime=0),
    ".bz2": lambda data: bz2.compress(data, 1),  # blocks of 100 kB, of which the damaged one is lost
    ".zst": zstd_packed,
    ".zip": lambda data: zipped(("recipes.csv", data)),
}
PACK = {ending: functools.cache(pack) for ending, pack in PACK.items()}  # few texts are compressed, often
packed = pytest.mark.parametrize("ending", list(PACK))


def read(path: Path, data: bytes) -> tuple[bytes, str]:
    """What `chunks` gives of a file that holds `data`, and what it says of damage."""
    path.write_bytes(data)
    out = bytearray()
    try:
        for chunk, _ in chunks(path):
            out += chunk
    except Truncated as error:
        return bytes(out), str(error)
    return bytes(out), ""


@packed
def test_packed_is_read_as_plain(ending: str, tmp_path: Path) -> None:
    assert read(tmp_path / "raw.csv", TEXT) == (TEXT, "")
    assert read(tmp_path / f"raw.csv{ending}", PACK[ending](TEXT)) == (TEXT, "")
    assert read(tmp_path / f"RAW.CSV{ending.upper()}", PACK[ending](TEXT)) == (TEXT, "")


@pytest.mark.parametrize("ending", [".gz", ".zst"])
def test_members_are_read_one_after_the_other(ending: str, tmp_path: Path) -> None:
    pieces = [TEXT[:10], b"", TEXT[10:100_000], TEXT[100_000:]]
    assert read(tmp_path / f"raw{ending}", b"".join(map(PACK[ending], pieces))) == (TEXT, "")


def test_what_tools_skip_is_skipped(tmp_path: Path) -> None:
    skippable = b"\x50\x2a\x4d\x18\x04\x00\x00\x00abcd"
    frames = skippable + PACK[".zst"](b"a\n") + skippable + PACK[".zst"](b"b\n") + skippable
    assert read(tmp_path / "raw.zst", frames) == (b"a\nb\n", "")
    assert read(tmp_path / "raw.gz", PACK[".gz"](TEXT) + b"\0" * 100_000) == (TEXT, "")


def test_the_largest_member_of_a_zip_is_read(tmp_path: Path) -> None:
    data = zipped(("folder/", b""), ("folder/README", b"read me"), ("folder/recipes.csv", TEXT), ("z", b"z"))
    assert read(tmp_path / "raw.zip", data) == (TEXT, "")
    assert read(tmp_path / "raw.zip", zipped(("folder/", b""))) == (b"", "")


def with_window(log: int) -> bytes:
    """TEXT as zstd --long=LOG compresses it from a pipe: byte 5 of the frame says how large the window is."""
    compressor = zstd.ZstdCompressor()
    frame = bytearray(compressor.compress(TEXT, zstd.ZstdCompressor.FLUSH_BLOCK) + compressor.flush())
    frame[5] = log - 10 << 3
    return bytes(frame)


def test_zstandard_with_a_large_window_is_read_or_its_cause_is_named(tmp_path: Path) -> None:
    for log in (27, 28):
        assert read(tmp_path / "raw.zst", with_window(log)) == (TEXT, "")
    for log in (29, 31):
        with pytest.raises(
            UserError, match=r"window of more than 256 MiB .*: zstd -dc --long=31 .*raw\.zst' \|"
        ):
            read(tmp_path / "my raw.zst", with_window(log))


def test_zstandard_with_a_dictionary_is_not_called_damaged(tmp_path: Path) -> None:
    samples = [b"salt %d soy sauce" % number for number in range(1000)]
    frame = zstd.compress(TEXT, zstd_dict=zstd.train_dict(samples, 1000))
    with pytest.raises(UserError, match=r"with a dictionary, .*: zstd -dc -D DICTIONARY .*raw\.zst \|"):
        read(tmp_path / "raw.zst", frame)


@pytest.mark.parametrize("ending", ["", ".gz", ".zst"])
def test_an_empty_file_holds_nothing(ending: str, tmp_path: Path) -> None:
    assert read(tmp_path / f"raw{ending}", b"") == (b"", "")


@packed
def test_chunks_stay_small_and_shares_rise(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"raw{ending}"
    data = bytes(CHUNK + 1) + random.Random(2).randbytes(2 * CHUNK)
    path.write_bytes(PACK[ending](data))
    sizes, shares = zip(*((len(chunk), share) for chunk, share in chunks(path)), strict=True)
    assert sum(sizes) == len(data) and max(sizes) <= CHUNK
    assert list(shares) == sorted(shares) and 0 <= shares[0] < shares[-1] <= 1


@packed
@pytest.mark.parametrize("damaged", [False, True])
def test_an_archive_that_expands_hundredfold_takes_little_memory(
    ending: str, damaged: bool, tmp_path: Path
) -> None:
    path = tmp_path / f"raw{ending}"
    size = 20 * CHUNK
    data = bytearray(PACK[ending](bytes(size)))
    if damaged:
        data[len(data) // 2] ^= 0xFF
    path.write_bytes(data)
    assert len(data) < size / 500
    read = largest = 0
    tracemalloc.start()
    try:
        for chunk, _ in chunks(path):
            read, largest = read + len(chunk), max(largest, len(chunk))
    except Truncated:
        assert damaged
    finally:
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert largest <= CHUNK and peak < 8 * CHUNK
    assert damaged or read == size


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_zip_whose_methods_give_pieces_of_any_size_is_not_read(method: int, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"raw.zip is a zip archive compressed by (bzip2|LZMA), .* unpack it"):
        read(tmp_path / "raw.zip", zipped(("recipes.csv", TEXT), method=method))
    assert read(tmp_path / "raw.zip", zipped(("recipes.csv", TEXT), method=zipfile.ZIP_STORED)) == (TEXT, "")


@packed
@pytest.mark.parametrize("share", [0.001, 0.1, 0.5, 0.9, 1])
def test_a_cut_archive_gives_what_lies_before_the_cut(ending: str, share: float, tmp_path: Path) -> None:
    data = PACK[ending](TEXT)
    cut = min(int(len(data) * share), len(data) - 1)
    out, error = read(tmp_path / f"raw{ending}", data[:cut])
    assert error and TEXT.startswith(out)
    assert len(out) > len(TEXT) * share - 150_000  # zstd packs 128 KiB at a time


@packed
def test_a_damaged_archive_gives_what_lies_before_the_damage(ending: str, tmp_path: Path) -> None:
    data = bytearray(PACK[ending](TEXT))
    middle = len(data) // 2
    data[middle : middle + 2000] = b"\xff" * 2000
    out, error = read(tmp_path / f"raw{ending}", bytes(data))
    same = next(
        (place for place, pair in enumerate(zip(out, TEXT, strict=False)) if len(set(pair)) > 1), len(out)
    )
    assert error and same > len(TEXT) // 2 - 150_000


@packed
def test_a_wrong_checksum_costs_no_row(ending: str, tmp_path: Path) -> None:
    data = bytearray(PACK[ending](TEXT))
    place = (
        data.rindex(b"PK\1\2") + 16
        if ending == ".zip"
        else len(data) - 6
        if ending == ".gz"
        else len(data) - 2
    )
    data[place] ^= 0xFF
    out, error = read(tmp_path / f"raw{ending}", bytes(data))
    assert out == TEXT and error


def test_good_members_before_a_damaged_one_survive(tmp_path: Path) -> None:
    for ending in (".gz", ".zst"):
        damaged = bytearray(PACK[ending](TEXT))
        damaged[20:24] = b"oops"
        out, error = read(tmp_path / f"raw{ending}", PACK[ending](b"good\n") + bytes(damaged))
        assert out.startswith(b"good\n") and error


@pytest.mark.parametrize("ending", [".gz", ".bz2", ".zst"])
@pytest.mark.parametrize("words", [b"x", b"\0\0fetched today\n", b"<!-- served in 2 s -->" * 9])
def test_words_behind_an_archive_are_named_and_not_called_damage(
    ending: str, words: bytes, tmp_path: Path
) -> None:
    data = PACK[ending](TEXT) + PACK[ending](b"good\n")
    out, error = read(tmp_path / f"raw{ending}", data + words)
    assert out == TEXT + b"good\n"
    kept = len(data + words) - len(words.lstrip(b"\0"))
    assert f"at byte {kept}, stands what is none: {words.lstrip(bytes(1))[:16]!r}" in error
    assert f"If it was added, cut it off: head -c {kept} OLD > NEW" in error
    assert read(tmp_path / f"raw{ending}", (data + words)[:kept]) == (TEXT + b"good\n", "")


@pytest.mark.parametrize("ending", [".gz", ".bz2", ".zst"])
@pytest.mark.parametrize("between", [0, CHUNK // 16 - 4])
def test_a_damaged_header_with_members_behind_it_is_not_to_be_cut_off(
    ending: str, between: int, tmp_path: Path
) -> None:
    good, damaged = PACK[ending](b"good\n"), bytearray(PACK[ending](b"lost\n") + b"x" * between)
    damaged[0] ^= 1
    out, error = read(tmp_path / f"raw{ending}", good + damaged + good)
    assert out == b"good\n" and "head -c" not in error
    later = len(good) + len(damaged)
    assert f"at byte {len(good)}, stands what is none" in error and f"begins at byte {later}" in error


@packed
@pytest.mark.parametrize("data", [b",title,ingredients\n", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", b"\0" * 100])
def test_what_is_no_archive_is_said_to_be_none(ending: str, data: bytes, tmp_path: Path) -> None:
    kind = {".gz": "gzip", ".bz2": "bzip2", ".zst": "Zstandard", ".zip": "zip"}[ending]
    with pytest.raises(
        UserError, match=rf"raw{ending} is named {ending}, but is no {kind} file: it begins with b"
    ):
        read(tmp_path / f"raw{ending}", data)


@packed
def test_an_archive_without_its_ending_is_named(ending: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=rf"raw\.csv is a \w+ file: give its name the ending {ending}$"):
        read(tmp_path / "raw.csv", PACK[ending](TEXT))


@pytest.mark.parametrize(
    ("ending", "data"), [(".gz", b"\x1f"), (".gz", b"\x1f\x8b"), (".zst", b"\x28"), (".zip", b"PK\3\4")]
)
def test_the_mere_beginning_of_an_archive_is_truncated(ending: str, data: bytes, tmp_path: Path) -> None:
    out, error = read(tmp_path / f"raw{ending}", data)
    assert out == b"" and error


@pytest.mark.parametrize(
    ("place", "value", "kind"),
    [(6, 1, "with a password"), (8, 9, "compressed by Deflate64"), (8, 99, "compressed by method 99")],
)
def test_a_zip_that_cannot_be_unpacked_is_named(place: int, value: int, kind: str, tmp_path: Path) -> None:
    data = bytearray(PACK[".zip"](TEXT))
    data[place] = value
    assert read(tmp_path / "raw.zip", bytes(data)) == (TEXT, ""), "the member's header alone is damaged"
    data[data.rindex(b"PK\1\2") + place + 2] = value
    with pytest.raises(UserError, match=kind):
        read(tmp_path / "raw.zip", bytes(data))


@pytest.mark.parametrize(
    ("place", "value"), [(28, 0), (42, 255), (45, 255)], ids=["no name", "offset", "far offset"]
)
def test_a_zip_with_a_damaged_directory_gives_its_member(place: int, value: int, tmp_path: Path) -> None:
    data = bytearray(zipped(("first", b"first"), ("recipes.csv", TEXT)))
    data[data.rindex(b"PK\1\2") + place] = value
    out, error = read(tmp_path / "raw.zip", bytes(data))
    assert out == TEXT and error


def in_tar(data: bytes) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        member = tarfile.TarInfo("recipes/recipes.csv")
        member.size = len(data)
        archive.addfile(member, io.BytesIO(data))
    return file.getvalue()


def of_old(tar: bytes) -> bytes:
    """A tar archive as it was before its header got a name and, behind that, users: only the sum of it is left."""
    header = tar[:148] + b" " * 8 + tar[156:257].ljust(512 - 156, b"\0")
    return header[:148] + b"%06o\0 " % sum(header) + header[156:] + tar[512:]


def last_part(data: bytes) -> bytes:
    """The second of two parts of a zip archive: its directory says so."""
    whole = bytearray(zipped(("recipes.csv", data)))
    whole[-18:-16] = b"\1\0"
    return bytes(whole[len(whole) // 2 :])


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        *[
            (f"raw.tar{ending}", pack(in_tar(TEXT)), rf"What .*raw.tar{ending} holds is a tar archive")
            for ending, pack in PACK.items()
        ],
        ("raw.tar", in_tar(TEXT), "raw.tar is a tar archive, .* unpack it"),
        ("raw.csv.gz", PACK[".gz"](of_old(in_tar(TEXT))), "What .* holds is a tar archive"),
        ("raw.tgz", PACK[".gz"](in_tar(TEXT)), "raw.tgz is a tar archive"),
        ("raw.csv.gz", PACK[".gz"](PACK[".gz"](TEXT)), "What .* holds is itself a gzip file: unpack"),
        ("raw.zip", zipped(("recipes.csv.zst", PACK[".zst"](TEXT))), "What .* holds is itself a Zstandard file"),
        ("raw.zip", zipped(("recipes.rar", b"Rar!\x1a\7\0")), "What .* holds is a RAR archive"),
        ("raw.zip", last_part(TEXT), "is one part of a zip archive in several"),
        ("raw.z01", b"PK\7\x08" + PACK[".zip"](TEXT), "is one part of a zip archive in several"),
        ("raw.csv.lzma", lzma.compress(TEXT, lzma.FORMAT_ALONE), "is an lzma archive"),
        ("raw.ods", zipped(("mimetype", b"application/vnd.oasis.opendocument.spreadsheet"), method=0), "LibreOffice"),
        ("raw.docx", zipped(("word/document.xml", b"x")), "is a document of Word"),
        ("raw.numbers", zipped(("Index/Document.iwa", b"x")), "is a document of Numbers"),
        ("raw.xlsb", zipped(("xl/workbook.bin", b"x")), "is an Excel workbook"),
    ],
)  # fmt: skip
def test_what_must_be_unpacked_otherwise_is_named_and_not_called_damaged(
    name: str, data: bytes, said: str, tmp_path: Path
) -> None:
    with pytest.raises(UserError, match=said):
        read(tmp_path / name, data)


def test_a_zip_is_no_workbook_for_the_name_of_a_folder(tmp_path: Path) -> None:
    out, damaged = read(tmp_path / "raw.zip", zipped(("xl/recipes.csv", TEXT)))
    assert out == TEXT and not damaged


def test_a_zip_of_several_files_alike_is_refused_and_what_lies_beside_one_is_passed_over(
    tmp_path: Path,
) -> None:
    beside = (("__MACOSX/._a.csv", b"x"), ("notes.txt", TEXT), ("sample.csv", TEXT[: len(TEXT) // 20]))
    assert read(tmp_path / "raw.zip", zipped(("a.csv", TEXT), *beside)) == (TEXT, "")
    with pytest.raises(UserError, match=r"several files \(a\.csv, b\.csv\), of which only one would be read"):
        read(tmp_path / "raw.zip", zipped(("a.csv", TEXT), ("b.csv", TEXT[: len(TEXT) // 2])))


def test_a_pointer_of_git_lfs_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="a pointer of Git LFS"):
        read(tmp_path / "raw.csv", b"version https://git-lfs.github.com/spec/v1\noid sha256:1a\nsize 9\n")
