"""Slurm's commands for tests, without its daemons: what each says and does is written down beforehand.

Called with the name of a command (sbatch, say) and its arguments. A plan has an entry for each submission in turn
(the last holds for all further ones), with these keys:

- `run`: the job really runs; otherwise it never starts
- `leaves`: files that the job writes before it dies, for one that does not run
- `listed`: states that squeue gives, question by question, the last for all further ones; null: the job is not
  listed; "true": its true state
- `fails`: sbatch takes the job and fails all the same
- `refused`: what sbatch says as it refuses the job
- `sleep`: seconds before the job begins its work
- `node`: the job's node, for scontrol

and, for all together, `slow`: seconds that squeue takes, and
`one_by_one`: no two jobs run at once.
`accounts`: those that sacctmgr lists; `config`: what `scontrol show config` says.
The options of each submission are kept in `sent.<number>`.
"""

import fcntl
import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

HOME = Path(os.environ["FAKE_SLURM"])
ENDED = ("COMPLETED", "FAILED", "CANCELLED", "PREEMPTED")


def load(path: Path) -> dict[str, Any]:
    return dict(json.loads(path.read_text()))


def note(text: str) -> None:
    with (HOME / "calls").open("a") as calls:
        calls.write(text + "\n")


def calls() -> list[str]:
    """What has been noted."""
    return (HOME / "calls").read_text().splitlines() if (HOME / "calls").exists() else []


def option(arguments: list[str], name: str) -> str:
    """The value of an option, as `name value` or `name=value`; empty without it."""
    for number, word in enumerate(arguments):
        if word == name:
            return arguments[number + 1]
        if word.startswith(f"{name}="):
            return word.partition("=")[2]
    return ""


def jobs() -> list[dict[str, Any]]:
    return [load(path) for path in sorted(HOME.glob("job.*"), key=lambda path: int(path.suffix[1:]))]


def truth(job: dict[str, Any]) -> str:
    """The true state of a job."""
    if (HOME / f"cancelled.{job['id']}").exists():
        return "CANCELLED"
    if not job["plan"].get("run"):
        return "RUNNING" if job["plan"].get("lives") else "FAILED"
    with suppress(OSError):
        return "COMPLETED" if (HOME / f"code.{job['id']}").read_text() == "0\n" else "FAILED"
    return "RUNNING"


def said(job: dict[str, Any]) -> str | None:
    """What the plan has squeue say of a job now, to this question."""
    says = job["plan"].get("listed", ["true"])
    asked = HOME / f"listed.{job['id']}"
    count = len(asked.read_text()) if asked.exists() else 0
    asked.write_text("." * (count + 1))
    now = says[min(count, len(says) - 1)]
    return truth(job) if now == "true" else now


def sbatch(arguments: list[str]) -> int:
    with (HOME / "submitting").open("w") as lock:  # the executor submits two jobs at once
        fcntl.flock(lock, fcntl.LOCK_EX)
        return take(arguments)


def take(arguments: list[str]) -> int:
    """Take or refuse a job, as the plan of this submission says."""
    plans = load(HOME / "plan")["jobs"]
    number = 1 + sum(call.startswith("sbatch ") for call in calls())
    (HOME / f"sent.{number}").write_text(json.dumps(arguments))
    plan = plans[min(number, len(plans)) - 1]
    comment = option(arguments, "--comment")
    live = [job["id"] for job in jobs() if job["comment"] == comment and truth(job) not in ENDED]
    note(f"sbatch {number} {comment}" + "".join(f" BESIDE {job}" for job in live))
    if "refused" in plan:
        print(f"sbatch: error: {plan['refused']}", file=sys.stderr)
        return 1
    script = HOME / f"script.{number}"
    script.write_text(Path(arguments[-1]).read_text())
    job = {"id": number, "name": option(arguments, "--job-name"), "comment": comment, "plan": plan}
    for file, text in plan.get("leaves", {}).items():
        Path(file).parent.mkdir(parents=True, exist_ok=True)
        Path(file).write_text(text)
    if plan.get("run"):
        wait = f"exec 9> {HOME}/lock; flock 9; " if load(HOME / "plan").get("one_by_one") else ""
        wait += f"sleep {plan.get('sleep', 0)}"
        wrapped = f"{wait}; sh {script}; echo $? > {HOME}/code.{number}"
        environment = os.environ | {"SLURM_JOB_ID": str(number)}
        with Path(option(arguments, "--output").replace("%j", str(number))).open("w") as log:
            job["pid"] = subprocess.Popen(
                ["sh", "-c", wrapped], stdout=log, stderr=log, env=environment, start_new_session=True
            ).pid
    (HOME / f"job.{number}").write_text(json.dumps(job))
    if plan.get("fails"):
        print("sbatch: error: Batch job submission failed: Socket timed out", file=sys.stderr)
        return 1
    print(number)
    return 0


def squeue(arguments: list[str]) -> int:
    plan = load(HOME / "plan")
    if plan.get("slow") and jobs():  # no answer before a test lets it answer
        (HOME / "asked").touch()
        end = time.monotonic() + 300  # against hanging
        while not (HOME / "answer").exists() and time.monotonic() < end:
            time.sleep(0.02)
    name = option(arguments, "--name")
    for job in jobs():
        if name and job["name"] == name:
            if "%k" in option(arguments, "--format"):
                if truth(job) not in ENDED:
                    print(f"{job['id']}|{job['comment']}")
            elif state := said(job):
                print(f"{job['id']}|{state}|None")
    return 0


def sacctmgr(arguments: list[str]) -> int:
    accounts = load(HOME / "plan").get("accounts", [])
    print("\n".join(accounts))
    return 0 if accounts else 1


def scancel(arguments: list[str]) -> int:
    note(f"scancel {' '.join(arguments)}")
    for job in jobs():
        if str(job["id"]) in arguments and truth(job) not in ENDED:
            (HOME / f"cancelled.{job['id']}").touch()
            if "pid" in job:
                with suppress(ProcessLookupError):
                    os.killpg(job["pid"], signal.SIGKILL)
    return 0


def scontrol(arguments: list[str]) -> int:
    if arguments == ["show", "config"]:
        print(load(HOME / "plan").get("config", ""))
    for job in jobs():
        if str(job["id"]) in arguments:
            print(f"JobId={job['id']} NodeList={job['plan'].get('node', '(null)')}")
    return 0


def srun(arguments: list[str]) -> int:
    first = next(number for number, word in enumerate(arguments) if not word.startswith("-"))
    os.execvp(arguments[first], arguments[first:])


def sinfo(arguments: list[str]) -> int:
    print("PARTITION\ncpu*")
    return 0


def nothing(arguments: list[str]) -> int:
    return 1


if __name__ == "__main__":
    commands = {"sbatch": sbatch, "squeue": squeue, "scancel": scancel}
    commands |= {"srun": srun, "sinfo": sinfo, "sacctmgr": sacctmgr, "scontrol": scontrol}
    sys.exit(commands.get(sys.argv[1], nothing)(sys.argv[2:]))
