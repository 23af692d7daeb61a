"""The parts of a training by themselves: rates, stops, BLEU, the command that starts several processes."""

import io
import json
import os
import signal
import sys
from pathlib import Path
from types import SimpleNamespace

import polars as pl
import pytest
from wokflow.frame.job import Progress, UserError
from wokflow.train import stopping, trainer_arguments
from wokflow.train.checkpoints import Evaluation
from wokflow.train.launch import PORTS, _run, command
from wokflow.train.record import curve, recorded
from wokflow.train.stopping import SPARE, Stop
from wokflow.train.task import Task
from wokflow.train.trainer_arguments import checkpoint_key
from wokflow.train.validation import bleu, choose_metric, choose_sources

from tests.train.tiny import FIT, changed, task_of


def test_processes_are_told_all_of_a_task(tmp_path: Path) -> None:
    lora, small = {"rank": 2, "targets": ["q_proj"]}, {"width": 8}
    task = task_of(tmp_path, minutes=2.5, lora=lora, small=small, prompt="p")
    assert Task.from_plain(json.loads(json.dumps(task.plain()))) == task


def test_what_learnt_in_another_precision_or_form_is_not_gone_on_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """precision: auto is not the same on a GPU as on a CPU, though the training has one key."""
    keys = [checkpoint_key(task_of(tmp_path, shard=shard)) for shard in (False, True)]
    monkeypatch.setattr(trainer_arguments, "use_bfloat16", lambda precision, place: True)
    keys += [checkpoint_key(task_of(tmp_path, shard=shard)) for shard in (False, True)]
    assert len({*keys}) == len(keys)


def test_numbers_of_the_record_stand_as_one_writes_them() -> None:
    given = {"clip": 1, "warmup": 0.0, "learning_rate": 1e16, "lora": {"dropout": 0.25}, "processes": 2}
    found = recorded(changed(FIT, **given))
    assert json.dumps([found["clip"], found["warmup"], found["learning_rate"]]) == "[1, 0, 1e+16]"
    assert found["lora"]["dropout"] == 0.25
    assert not {"processes", "seed"} & found.keys()


def test_bleu_of_few_texts_decides_nothing_unless_it_is_asked_for() -> None:
    found = {
        (metric, sources, sharded): choose_metric(metric, sources, adapts=True, sharded=sharded)
        for metric in ("auto", "bleu", "loss")
        for sources in (199, 200)
        for sharded in (False, True)
    }
    assert {how for how, metric in found.items() if metric == "bleu"} == {
        ("auto", 200, False),
        *(("bleu", sources, sharded) for sources in (199, 200) for sharded in (False, True)),
    }
    assert choose_metric("bleu", 999, adapts=False, sharded=False) == "loss"


def test_a_stop_comes_by_signal() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with Stop() as stop:
        assert not stop.now
        os.kill(os.getpid(), signal.SIGTERM)
        assert stop.now
    assert signal.getsignal(signal.SIGTERM) is before


def test_a_stop_comes_when_time_is_left_for_two_more_steps_and_saves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stopping, "time", SimpleNamespace(monotonic=lambda: 9 * 60.001))
    with Stop(10, began=0) as stop:
        assert not stop.now
        stop.took("step", 5.0)
        stop.took("save", (60 - SPARE) / 2 - 5)
        assert stop.now


def test_bytes_that_are_no_utf_8_in_what_processes_print_end_nothing() -> None:
    """As a library's message in another encoding, or a name of a node."""
    log = io.StringIO()
    printing = "import sys; sys.stdout.buffer.write(b'caf\\xe9\\nstep 1\\n')"
    assert _run([sys.executable, "-c", printing], Progress(log).say) == 0
    assert [line.split(" ", 1)[1] for line in log.getvalue().splitlines()] == ["caf\ufffd", "step 1"]


def test_a_stop_comes_by_file_and_when_the_launcher_is_gone(tmp_path: Path) -> None:
    with Stop(file=tmp_path / "stop", launcher=os.getpid()) as stop:
        assert not stop.now
        (tmp_path / "stop").touch()
        assert stop.now
    gone = os.posix_spawn("/bin/true", ["true"], {})
    os.waitpid(gone, 0)
    with Stop(launcher=gone) as stop:
        assert stop.now


def test_bleu_is_without_headings_and_by_the_targets_language() -> None:
    assert bleu(["Title: 甲\nSteps: 切菜，炒菜。"], [["甲\n切菜，炒菜。"]], "zh") == 100
    english = ["chop the green onion finely"]
    assert bleu(english, [["something else altogether here", "chop the green onion finely"]], "en") == 100
    assert bleu([*english, "a b c d"], [["chop the green onion finely"], ["a b c d", "e"]], "en") == 100
    assert bleu(["切菜炒菜蒸鱼煮饭"], [["切菜炒菜蒸鱼煮面"]], "zh") == pytest.approx(
        100 * (7 / 8 * 6 / 7 * 5 / 6 * 4 / 5) ** 0.25  # characters: of each order one of the n-grams is wrong
    )
    assert bleu(["ABCDEFGHI切菜炒鱼"], [["ABCDEFGHI切菜炒面"]], "zh") > 0  # whatever else it has


def test_sources_are_taken_once_with_all_their_targets() -> None:
    rows = pl.DataFrame(
        {"source": ["a", "b", "a", "c"], "title": ["A", "B", "A", "C"], "target": list("1234")}
    )
    found = choose_sources(rows, 9)
    assert dict(found.select("source", "targets").iter_rows()) == {"a": ["1", "3"], "b": ["2"], "c": ["4"]}
    assert choose_sources(rows, 2).equals(found.head(2))


def test_the_curve_as_a_table() -> None:
    rows = [Evaluation(1, 3, 2.5, 2.25, None, 0.1), Evaluation(2, 6, 1.5, 1.25, None, 0.05)]
    assert curve(rows, "loss") == (
        "epoch\tstep\ttrain_loss\tvalid_loss\tvalid_bleu\tlearning_rate\tbest\n"
        "1\t3\t2.5\t2.25\t\t0.1\t0\n"
        "2\t6\t1.5\t1.25\t\t0.05\t1\n"
    )


def test_the_command_for_several_nodes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    with pytest.raises(UserError, match="no job of Slurm"):
        command(tmp_path, 4, 2)
    answers = {
        "squeue": '[ "$*" = "--noheader --jobs 40007 --format %N" ] && echo "n[3-4]"',
        "scontrol": 'case "$*" in "show hostnames n[3-4]") printf "n3\\nn4\\n";; '
        '"show node n3") echo "NodeAddr=10.0.0.3 NodeHostName=n3";; esac',
    }
    for name, answer in answers.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{answer}\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setenv("SLURM_JOB_ID", "40007")
    monkeypatch.setenv("SLURM_CPUS_PER_TASK", "8")
    found = command(tmp_path, 4, 2)
    assert {"srun", "--nodes=2", "--ntasks=2", "SLURM_JOB_NODELIST=n[3-4]"} <= set(found)
    assert "--cpus-per-task=8" in found
    *_, module, folder, processes, address, port = found
    assert (module, folder, processes, address) == (
        "wokflow.train.node_processes",
        str(tmp_path),
        "4",
        "10.0.0.3",
    )
    assert int(port) in PORTS
    assert command(tmp_path / "other", 4, 2)[-1] != port  # another training in the same job meets elsewhere
