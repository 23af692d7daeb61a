"""Bytes become blocks, lines and fields in the same way wherever the cuts fall."""

import re
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wokflow.ingest import raw_records
from wokflow.ingest.raw_records import MAX_LINE, Reject, blocks, lines, parse, strings, text
from wokflow.ingest.recipes import READERS

SIZES = [1, 7, 100, 5000, 1 << 20]
START = re.compile(rb"(?m)^[0-9]+,[^\n]*\n")


def cut(path: Path, data: bytes, size: int, start: re.Pattern[bytes] = START) -> list[bytes]:
    path.write_bytes(data)
    return [block.data for block in blocks(path, start, size)]


@pytest.mark.parametrize("size", SIZES)
def test_blocks_are_the_file_and_begin_with_records(
    size: int, corpus: Any, dirty: bytes, tmp_path: Path
) -> None:
    start = READERS[corpus.name].START
    found = cut(tmp_path / "raw", dirty, size, start)
    assert b"".join(found) == dirty
    assert all(start.match(block) for block in found[1:-1])
    assert len(found) > 10 or size > 1000


def test_blocks_are_about_as_large_as_asked(tmp_path: Path) -> None:
    found = cut(tmp_path / "raw", b"".join(b"%d,rice\n" % number for number in range(100_000)), 10_000)
    assert all(9_000 < len(block) < 20_000 for block in found[:-1])


def test_positions_rise_evenly_through_the_file(tmp_path: Path) -> None:
    (tmp_path / "raw").write_bytes(b"".join(b"%d,rice\n" % (number + 10_000) for number in range(20_000)))
    positions = [block.position for block in blocks(tmp_path / "raw", START, 20_000)]
    assert positions[0] == 0 and 0.85 < positions[-1] <= 1
    assert all(0.05 < after - before < 0.15 for before, after in pairwise(positions))


@pytest.mark.parametrize("garbage", [b"no record\n", b"\n", b"long" * 100 + b"\n"])
def test_cuts_in_endless_garbage_do_not_depend_on_size(
    garbage: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(raw_records, "LIMIT", 5000)
    data = b"1,rice\n" * 300 + garbage * (30_000 // len(garbage)) + b"2,rice\n" * 300
    starts = []
    for size in SIZES:
        found = cut(tmp_path / "raw", data, size)
        assert b"".join(found) == data and max(map(len, found)) <= max(size, 5000) + 5000
        starts.append({found_at for found_at in accumulated(found) if data[found_at : found_at + 2] != b"1,"})
    assert len(starts[0]) > 1 and all(start <= starts[0] for start in starts)


def accumulated(found: list[bytes]) -> list[int]:
    return [0, *accumulate(map(len, found[:-1]))]


def test_an_endless_line_does_not_fill_the_memory(tmp_path: Path) -> None:
    with (tmp_path / "raw").open("wb") as file:
        file.write(b"1,rice\n")
        for _ in range(40):
            file.write(b"x" * (1 << 20))
        file.write(b"\n2,rice\n" + b"y" * (MAX_LINE + 5))
    found = b"".join(block.data for block in blocks(tmp_path / "raw", START, 1 << 20))
    assert [line[:6] for line in found.split(b"\n")] == [b"1,rice", b"xxxxxx", b"2,rice", b"yyyyyy"]
    assert {len(line) for line in found.split(b"\n")} == {6, MAX_LINE + 1}


def test_lines_end_at_newlines_alone() -> None:
    strange = "a\rb\n\x0bc\x0c\x85d\u2028e\n\ufefff\r\n\r\n  \ng"
    found = lines(strange.encode()).text.to_list()
    assert found == ["a\rb", "\x0bc\x0c\x85d\u2028e", "\ufefff", "", "  ", "g"]


BYTES = ["a", "b,", "\n", "\r", "\0", "\ufeff", "\x85", "\u2028", "飯", b"\xff", b"\xe9", b"\x80"]
PIECES = st.sampled_from([piece.encode() if isinstance(piece, str) else piece for piece in BYTES])


@given(st.lists(PIECES, min_size=1).map(b"".join), st.integers(1, 8))
@settings(deadline=None)
def test_lines_are_what_python_reads_one_by_one(data: bytes, window: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(raw_records, "WINDOW", window)
        found = lines(data)
    apart = data.removesuffix(b"\n").split(b"\n")
    texts = [line.decode(errors="backslashreplace").removesuffix("\r") for line in apart]
    assert found.text.to_list() == texts
    whole = "\n".join(texts)
    assert found.joined().decode() in (whole, whole + "\n")
    damage = {}
    for number, line in enumerate(apart):
        if b"\0" in line:
            damage[number] = "nul_byte"
        if line.decode(errors="ignore").encode() != line:
            damage[number] = "invalid_utf8"
    assert {line: reject.reason for line, reject in found.damage.items()} == damage


def test_damage_is_known_by_its_line() -> None:
    bad = b"bad \xff\xfe\nnul\0nul\0\n\xe9\x85\0\ngood \xe9\xa3\xaf\n" + b"x" * (MAX_LINE + 1)
    found = lines(b"good\n" + bad + b"\ngood")
    assert found.text.to_list() == [
        "good", "bad \\xff\\xfe", "nul\0nul\0", "\\xe9\\x85\0", "good 飯", "x" * 1000, "good",
    ]  # fmt: skip
    assert {line: reject.reason for line, reject in found.damage.items()} == {
        1: "invalid_utf8",
        2: "nul_byte",
        3: "invalid_utf8",
        5: "oversized_row",
    }


def test_a_line_of_the_greatest_length_is_whole() -> None:
    assert lines(b"a\n" + b"x" * MAX_LINE + b"\n").damage == {}


DEEP = ["[" * 100_000, '{"a":' * 100_000]


@pytest.mark.parametrize("bad", ["", "[", "1" * 5000, *DEEP, "\ufeff{}", "{'a': 1}"])
def test_what_is_no_json_is_a_value_error(bad: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        parse(bad)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("text", "bad_list"),
        (None, "bad_list"),
        ({"a": 1}, "bad_list"),
        ([1], "bad_list"),
        ([["a"]], "bad_list"),
        (["a", {"b": "c"}], "bad_list"),
        (["a", "\ud83d"], "invalid_utf8"),
    ],
)
def test_a_list_of_other_things_than_text_is_rejected(value: object, reason: str) -> None:
    with pytest.raises(Reject) as caught:
        strings(value, "steps")
    assert caught.value.reason == reason and "steps" in caught.value.detail


def test_null_in_a_list_is_left_out() -> None:
    assert strings(["a", None, "", "\U0001f600"], "steps") == ["a", "", "\U0001f600"]


@pytest.mark.parametrize(
    ("value", "reason"), [(None, "wrong_type"), (float("inf"), "wrong_type"), ("a\udc00", "invalid_utf8")]
)
def test_a_field_of_another_type_is_rejected(value: object, reason: str) -> None:
    with pytest.raises(Reject) as caught:
        text(value, "name")
    assert caught.value.reason == reason and "name" in caught.value.detail
