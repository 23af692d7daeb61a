"""All words of jieba's come from its package: no cache is read or left, and nothing else imports jieba."""

import ast
import marshal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import wokflow
from wokflow.frame import jieba_dictionary

from tests.conftest import ROOT

# Counts words of a line for Table 1 and for the metrics, and cuts it as items and as verbs are looked for.
CUT = """
import polars as pl
from wokflow.enrich.surroundings import segmenter
from wokflow.evaluate.overlap import overlap
from wokflow.match.statistics import _count
from wokflow.parse.glossary import Glossary
from wokflow.parse.segment import Segmenter
line = "把豆腐切成小块，倒入锅中翻炒"
words = [metric for metric in overlap([line], [line], "zh") if metric.name == "bleu_jieba"][0].texts[0]
segmented = Segmenter(Glossary({}, {}, {}))(line)
print(_count(pl.Series([line]), "zh")[0], words, sorted(segmenter()(line)), segmented)
"""


def test_a_planted_cache_has_no_effect_and_none_is_left(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lie = marshal.dumps((dict.fromkeys(["豆", "腐", "切", "把", "翻", "炒"], 1), 6))
    (tmp_path / "jieba.cache").write_bytes(lie)
    environment = {
        "PYTHONPATH": str(ROOT / "scripts"),
        "TMPDIR": str(tmp_path),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    command = [sys.executable, "-c", CUT]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, cwd=tmp_path)
    exec(CUT, {})  # here, where no cache is planted
    assert (done.stdout, done.stderr) == (capsys.readouterr().out, "")
    assert [path.name for path in tmp_path.iterdir()] == ["jieba.cache"]
    assert (tmp_path / "jieba.cache").read_bytes() == lie


def imports(path: Path) -> Iterator[str]:
    """The packages that a module imports anywhere."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield (node.module or "").split(".")[0]


def test_one_module_alone_imports_jieba() -> None:
    folder = Path(wokflow.__file__).parent
    found = [path.relative_to(folder) for path in sorted(folder.rglob("*.py")) if "jieba" in imports(path)]
    assert found == [Path("frame/jieba_dictionary.py")]


def test_the_dictionary_tells_parts_of_speech() -> None:
    tags = jieba_dictionary.tags()
    assert (tags["豆腐"], tags["翻炒"]) == ("n", "v")
    assert set(tags) <= set(jieba_dictionary.frequencies()[0])
