"""How results were made, as they say themselves; settings, prompts and costs of runs."""

import json
from pathlib import Path
from typing import Any

import polars as pl
from wokflow.frame import tables
from wokflow.frame.digests import file_digest
from wokflow.frame.records import keep_inputs, keep_keys
from wokflow.generate import schemas as generate
from wokflow.report import provenance, run_predictions
from wokflow.report.provenance import Job, history
from wokflow.report.render import Table

from tests.report.parts import shown, table, texts


def made(path: Path, step: str, inputs: list[Path], **key: Any) -> Path:
    """A file that a job wrote, with the key and the inputs that are kept beside it."""
    keep_inputs(map(str, inputs), [str(path)])
    tables.write_text(path, json.dumps({"bytes": 7, "sha256": "ab" * 32}))
    keep_keys(json.dumps({"step": step, "settings": {}, **key}), [str(path)])
    return path


def test_jobs_are_found_through_their_inputs(tmp_path: Path) -> None:
    raw = tmp_path / "corpus.csv"
    tables.write_text(raw, "rows")
    source = made(tmp_path / "r/ingest/source/recipenlg.json", "ingest.source", [raw])
    recipes = made(
        tmp_path / "r/recipes",
        "ingest.recipes",
        [source],
        settings={"emoji": False},
        packages={"polars": "2"},
    )
    jobs = history([str(recipes), str(tmp_path / "nothing"), str(raw)], str(tmp_path / "r"))
    assert [job.step for job in jobs] == ["ingest.source", "ingest.recipes"]
    assert texts(provenance.sources(jobs))[0][:3] == ["recipenlg corpus.csv", "7", "ab" * 32]
    assert texts(provenance.steps(jobs))[0][:3] == ["ingest.recipes", "emoji false", "1"]
    html = shown("provenance", provenance.section(jobs, Table([], []), []))
    assert "ab" * 32 in html and "polars" in html and "No run times were found." in html


def test_a_further_output_has_the_inputs_of_its_own_corpus(tmp_path: Path) -> None:
    """Jobs of two corpora may have one key; results of one that has left the config are still there."""
    results, tables_of = tmp_path / "r", dict[str, Path]()
    for corpus in ("xiachufang", "counterfactual"):
        source = made(results / f"ingest/source/{corpus}.json", "ingest.source", [tmp_path / "raw"])
        first, second = (
            results / f"parse/{table}/{corpus}/part-00000.parquet" for table in ("actions", "rejects")
        )
        for path in (first, second):
            path.parent.mkdir(parents=True)
            pl.DataFrame({"x": [corpus]}).write_parquet(path, metadata={"key": '{"step": "parse.actions"}'})
        keep_inputs([str(source)], [str(first)])
        tables_of[corpus] = second
    jobs = history([str(tables_of["xiachufang"])], str(results))
    assert [Path(job.path).stem for job in jobs if job.step == "ingest.source"] == ["xiachufang"]


def test_steps_with_other_settings_or_code_stand_apart() -> None:
    def job(path: str, **parts: Any) -> Job:
        return Job(path, [], "match.embed", *({**parts}.get(name, []) for name in Job._fields[3:]))

    jobs = [job("a"), job("b"), job("c", settings={"batch": 2}), job("d", code={"x": "1"})]
    assert sorted(row[2] for row in texts(provenance.steps(jobs))) == ["1", "1", "2"]


def test_settings_and_prompts_of_runs(tmp_path: Path) -> None:
    tables.write_text(tmp_path / "adapt.txt", "Adapt {source} <b>")
    resources = {"prompt": file_digest(tmp_path / "adapt.txt")}
    path = "results/generate/predictions/gpt/part-00000.parquet"
    job = Job(path, [], "generate.prompt", {"request_settings": {"temperature": 0.7}}, resources, {}, [])
    html = shown("generate", run_predictions.section({}, {}, [job], [str(tmp_path / "adapt.txt")], []))
    assert (
        "request_settings (temperature 0.7)" in html
        and "Prompt of gpt" in html
        and "Adapt {source} &lt;b&gt;" in html
    )


def test_costs_and_failures_of_runs_that_ask(tmp_path: Path) -> None:
    empty: dict[str, Any] = dict.fromkeys(generate.CALLS.names)
    empty |= {"run": "gpt", "turn": 1, "instance_id": "a", "request": "x", "prompt": "x", "answer": ""}
    rows = [
        empty
        | {"status": "ok", "prompt_tokens": 10, "completion_tokens": 5, "cost": 0.25, "in_language": False},
        empty
        | {"status": "ok", "prompt_tokens": 10, "completion_tokens": 5, "cost": 0.5, "in_language": True}
        | {"request": "y"},
        empty | {"status": "refused", "reason": "<filter>", "request": "z"},
        empty | {"status": "ok", "prompt_tokens": 10, "completion_tokens": 5, "cost": 0},  # asked as "x"
    ]
    parts = {"generate_calls": table(tmp_path, "generate/calls", generate.CALLS, rows)}
    found = run_predictions.section(parts, {}, [], [], [])
    row = ["gpt", "4", "3", "0", "1", "0", "0", "0", "1", "0", "30", "0.7500"]
    assert texts(found["calls"]) == [row]
    assert "&lt;filter&gt;" in shown("generate", found)
    assert run_predictions.costs(pl.DataFrame()).rows == []
