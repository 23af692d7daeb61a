"""The plan before a run: what changed, what follows, what waits for a cutoff, what stays."""

import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from wokflow.frame.plan import Job, Plan, _current, difference, main, plan, render
from wokflow.frame.records import UNFINISHED


def job(
    rule: str,
    reason: str = "",
    *,
    inputs: tuple[int, ...] = (),
    cutoffs: tuple[int, ...] = (),
    key: str = "1",
) -> Job:
    return Job(rule, reason, '{"settings": {"a": 1}}', f'{{"settings": {{"a": {key}}}}}', inputs, cutoffs)


def test_a_setting_is_shown_with_both_values_and_code_by_module() -> None:
    before = {"settings": {"k": 10, "gone": True}, "code": {"wokflow.match.pair": "aa"}}
    now = {"settings": {"k": 5}, "code": {"wokflow.match.pair": "bb"}}
    assert difference(before, now) == [
        "gone: true -> (nothing)",
        "k: 10 -> 5",
        "code wokflow.match.pair changed",
    ]


def test_behind_a_cutoff_rules_only_may_run() -> None:
    jobs = [
        job("match_titles", "Params have changed since last execution: before: x now: y", key="2"),
        job("match_embed", cutoffs=(0,)),
        job("match_vectors", inputs=(1,)),
        job("match_search", cutoffs=(2,)),
        job("match_elsewhere"),
        job("all", "Input files updated by another job: x", inputs=(3,)),
    ]
    found = plan(jobs)
    assert dict(found.runs) == {"match_titles": 1}
    assert found.changes == {"match_titles": ["a: 1 -> 2"]}
    assert found.maybe == {
        "match_embed": {"match_titles"},
        "match_vectors": {"match_embed"},
        "match_search": {"match_vectors"},
    }
    assert found.stays == ["match_elsewhere"]


def test_a_changed_key_behind_a_cutoff_surely_runs() -> None:
    found = plan([job("match_titles", "Missing output files: x"), job("match_embed", cutoffs=(0,), key="2")])
    assert dict(found.runs) == {"match_titles": 1, "match_embed": 1}
    assert found.why == {"match_titles": {"output is missing"}, "match_embed": {"its key changed"}}


def test_an_output_whose_key_is_lost_has_no_settings_to_compare() -> None:
    lost = Job(
        "match_pair", "Params have changed since last execution", UNFINISHED, '{"settings": {"a": 1}}', (), ()
    )
    found = plan([lost])
    assert (found.changes, found.why) == ({}, {"match_pair": {"its key is lost"}})


def test_nothing_to_do_is_said_in_one_line() -> None:
    assert render(Plan()) == "Nothing to do: all results are up to date."


def test_the_text_names_rules_with_their_reasons() -> None:
    text = render(plan([job("match_pair", "Input files updated by another job: x"), job("match_embed")]))
    assert "match_pair                 1  follows" in text
    assert text.endswith("Stays\n  match_embed")


def test_a_key_that_snakemake_cannot_know_yet_is_none() -> None:
    def given(params: object) -> SimpleNamespace:
        return SimpleNamespace(params=params)

    assert _current(given(SimpleNamespace(key='{"step": "match.pair"}'))) == '{"step": "match.pair"}'
    assert _current(given(SimpleNamespace(key="<TBD>"))) is None
    assert _current(given(None)) is None


def test_a_config_file_that_is_not_there_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    absent = f"{tmp_path}/nope.yaml"
    assert main(["--configfile", absent]) == 1
    assert capsys.readouterr().out == f"There is no file {absent} with config.\n"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "holds no keys"),
        (b"# nothing yet\n", "holds no keys"),
        (b"results\n", "holds no keys"),
        (b"sources:\n\trecipenlg: {path: x}\n", ", line 2, column 1: this is not YAML"),
        ("results: /tmp/x\n".encode("utf-16"), "is not UTF-8"),
    ],
)
def test_a_config_file_that_cannot_be_read_is_named(
    data: bytes, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "mine.yaml"
    path.write_bytes(data)
    assert main(["--configfile", str(path)]) == 1
    assert re.match(f"{re.escape(str(path))} ?{message}", capsys.readouterr().out, re.DOTALL)


def test_a_folder_in_place_of_a_config_file_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--configfile", str(tmp_path)]) == 1
    assert capsys.readouterr().out == f"{tmp_path} is a folder, not a config file.\n"
