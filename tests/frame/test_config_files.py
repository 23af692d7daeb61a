"""What is wrong with a config file is said with file and line."""

import importlib
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest
import yaml
from wokflow.frame.config_files import behind_configfile, check_configs, check_readable, read_yaml
from wokflow.frame.job import UserError

from tests.conftest import ROOT


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "match: {pair: {threshold: 0.5}}\nresults: x\nmatch:\n  search: {k: 3}\n",
            "my.yaml has the same key twice, and only one of them would count:\n"
            "  - match: line 1 and line 3. Put both into one.",
        ),
        ("a:\n  b: {c: 1}\n  d: 2\n  b: {c: 2}\n", "  - a.b: line 2 and line 4."),
        ('a:\n  - {x: 1, "x": 2}\n', "  - a.x: line 2 and line 2."),
        ("a: 1\nb: [1, 2\nc: 3\n", "my.yaml, line 3, column 2: this is not YAML: 'c: 3'."),
        (
            "a:\n\tb: 1\n",
            "line 2, column 1: this is not YAML: 'b: 1'. Indent with blanks: YAML takes no tabs.",
        ),
        ("a: &a {k: 1}\nb: &b {k: 2}\nc:\n  <<: *a\n  <<: *b\n", "c.<<: line 4 and line 5. Write <<: [*one,"),
        ("a: b: c\n", "line 1, column 5: this is not YAML: 'a: b: c'. mapping values are not allowed"),
        ("a: 'x\n", "line 2, column 1: this is not YAML: ''."),
        (
            "a: !include b.yaml\n",
            "line 1, column 4: this is not YAML: 'a: !include b.yaml'. could not determine",
        ),
        ("? [a, b]\n: 1\n", "line 1, column 3: this is not YAML: '? [a, b]'. found unhashable key."),
        ("a: 2020-13-45\n", "my.yaml is not YAML: month must be in 1..12"),
        ("a: {b: 010}\n", "has values that are not read as they look:\n  - a.b: line 1: 010 is 8 to YAML"),
        ("a:\n  - 1:30\n", "a: line 2: 1:30 is 90 to YAML, which takes colons for minutes"),
        ("a: .nan\n", "a: line 1: .nan is no number."),
        ("a: “out”\n", "a: line 1: “out” has typographic quotation marks"),
        ("a: &a\n  b: *a\n", "a.b: line 1: this block holds itself."),
        ("a：\n  b: 1\n", "Behind a key, write the colon of Latin text (:) and a blank."),
        ("just text\n", "my.yaml holds no keys."),
        ("", "my.yaml holds no keys."),
        ("a: \ud83d\n", "my.yaml is not UTF-8"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "my.yaml"
    path.write_text(text, encoding="utf-8", errors="surrogatepass")
    with pytest.raises(UserError) as error:
        read_yaml(path)
    assert said in str(error.value)


@pytest.mark.parametrize(
    "text",
    [
        "a: &x {b: 1}\nc: *x\nd: {<<: *x, <<: *x, b: 2}\n",
        '{\n\t"a": 1\n}\n',
        "1: x\n'1': y\n",
        "a: 1  # a: 2\n",
        "a: ['010', 0, 0.5, -0, 1.0e-3, .inf, 0x10, 2026-05-06, “a” and b]\n",
        "a: [“x” and “y”, 「红烧肉」, «x», “it’s”]\n",
    ],
)
def test_what_is_right_is_taken(text: str, tmp_path: Path) -> None:
    (tmp_path / "my.yaml").write_text(text, encoding="utf-8")
    assert read_yaml(tmp_path / "my.yaml") == yaml.safe_load(text.replace("\t", ""))


def test_what_aliases_repeat_is_said_once(tmp_path: Path) -> None:
    """Nine aliases on each of 30 levels could not be visited one by one."""
    blocks = [f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 9)}]\n" for level in range(1, 30)]
    (tmp_path / "my.yaml").write_text("a0: &a0 {x: 010}\n" + "".join(blocks))
    with pytest.raises(UserError) as error:
        read_yaml(tmp_path / "my.yaml")
    assert str(error.value).count("010 is 8") == 1


def test_a_file_that_is_not_there_and_a_folder_are_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"There is no file .*none\.yaml with config\."):
        read_yaml(tmp_path / "none.yaml")
    with pytest.raises(UserError, match="is a folder, not a config file"):
        read_yaml(tmp_path)


def test_a_stage_that_is_taken_for_a_config_file_is_told_where_it_stands(tmp_path: Path) -> None:
    (tmp_path / "my.yaml").write_text("results: x\n")
    check_configs([tmp_path / "my.yaml"])
    with pytest.raises(UserError, match=r"no config file match.*snakemake --cores 8 match --configfile"):
        check_configs([tmp_path / "my.yaml", "match"])
    with pytest.raises(UserError, match=r"There is no file .*none\.yaml with config\."):
        check_configs([tmp_path / "none.yaml"])


def test_a_key_twice_can_be_read_but_not_used(tmp_path: Path) -> None:
    (tmp_path / "my.yaml").write_text("a: 1\na: 2\n")
    check_readable([tmp_path / "my.yaml"])
    with pytest.raises(UserError, match="has the same key twice"):
        check_configs([tmp_path / "my.yaml"])


@pytest.mark.parametrize("own", [True, False])
def test_only_runs_of_this_workflow_are_ended_by_its_plugin_over_a_config_file(
    own: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Snakemake imports the plugin in every run of an environment, whichever workflow, or clone, that is of."""
    monkeypatch.chdir(ROOT if own else tmp_path)
    monkeypatch.setattr(sys, "path", ["/first", *sys.path])
    monkeypatch.setattr(sys, "argv", ["snakemake", "--configfile", str(tmp_path / "absent.yaml")])
    monkeypatch.delitem(sys.modules, "snakemake_logger_plugin_wokflow", raising=False)
    with pytest.raises(SystemExit, match="There is no file") if own else nullcontext():
        importlib.import_module("snakemake_logger_plugin_wokflow")
    assert sys.path[0] == (str(ROOT / "scripts") if own else "/first")


@pytest.mark.parametrize(
    ("arguments", "files"),
    [
        ("--cores 8 --configfile a b -n match", ["a", "b"]),
        ("match --configfiles=a --config x=y", ["a"]),
        ("--configfile a -- match", ["a"]),
        ("--config x=y -- --configfile", []),
        ("--configfile -n", []),
    ],
)
def test_files_behind_configfile_are_those_that_snakemake_takes(arguments: str, files: list[str]) -> None:
    assert behind_configfile(arguments.split()) == files
