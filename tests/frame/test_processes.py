"""What programs print is text whatever bytes it holds, of which no more is told than their errors."""

import ast
import io
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from wokflow.frame.printed import TAIL, end_of, errors_in
from wokflow.frame.processes import ask_program

from tests.conftest import ROOT

READ_AS_TEXT = {
    "text",
    "universal_newlines",
    "encoding",
    "errors",
}  # arguments of subprocess, from TEXT alone
STRICT = {"check_output", "getoutput", "getstatusoutput", "call", "check_call", "popen", "system"}
STARTS = {"run", "Popen", "program", "create_subprocess_exec"}


def calls(path: Path) -> Iterator[tuple[str, ast.Call]]:
    """The calls of a file, by the last part of what is called; of `run` only subprocess's."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            called = node.func
            name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
            of = getattr(called.value, "id", "") if isinstance(called, ast.Attribute) else ""
            if name not in {"run", *STRICT} or of in ("subprocess", "os"):
                yield name, node


def test_no_code_reads_what_programs_print_in_a_way_of_its_own() -> None:
    """As text, a byte that is no UTF-8 would end the process that reads it."""
    started = 0
    for path in sorted((ROOT / "scripts").rglob("*.py")):
        for name, call in calls(path):
            where = f"{path}, line {call.lineno}"
            assert name not in STRICT, where
            if name in STARTS:
                started += 1
                assert not READ_AS_TEXT & {keyword.arg for keyword in call.keywords}, f"{where}: take TEXT"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Dict):
                keys = {key.value for key in node.keys if isinstance(key, ast.Constant)}
                assert not keys & {"encoding", "universal_newlines"} or "errors" in keys, (
                    f"{path}, {node.lineno}"
                )
    assert started > 8
    for path in (*(ROOT / "rules").glob("*.smk"), ROOT / "Snakefile"):
        assert "subprocess" not in path.read_text(encoding="utf-8"), path


def test_any_bytes_of_a_program_are_text() -> None:
    code = "import sys; sys.stdout.buffer.write(sys.stdin.buffer.read() + b'\\xff\\n'); sys.exit(3)"
    done = ask_program([sys.executable, "-c", code], text="粥 \udcff")
    assert (done.returncode, done.stdout) == (3, "粥 ?\ufffd\n")
    with pytest.raises(subprocess.TimeoutExpired):
        ask_program(["sleep", "60"], patience=0.01)


def test_of_what_a_program_printed_only_errors_are_told_and_no_secret(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LAB_API_KEY", "a-key-of-the-lab")
    said = (
        "麻婆豆腐\nValueError: a-key-of-the-lab, given-for-this\x1b[2J\nthe recipe\n(Engine pid=1) Error: two"
    )
    errors = errors_in(io.BytesIO(said.encode() + b" \xff"), ("given-for-this",))
    assert errors == ["ValueError: [secret], [secret]?[2J", "(Engine pid=1) Error: two \ufffd"]
    assert errors_in(io.BytesIO(b"fine\n")) == []


def test_of_a_long_output_the_end_alone_is_read() -> None:
    printed = io.BytesIO(b"a" * 3 * TAIL + b"the end")
    assert len(end_of(printed)) == TAIL and end_of(printed).endswith("athe end")
    assert end_of(io.BytesIO(b"all")) == "all"
