"""Measuring: each contender in a process of its own, contenders in turn; results in docs/performance.md.

A contender is a function of a benchmark's module whose first parameter is a Clock. It enters the clock when
its imports are done, leaves it when its work is, and returns what it found out, as JSON, so that a benchmark
can assert that all contenders did the same work.
"""

import importlib
import json
import os
import platform
import re
import resource
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple, Self

from tests.bench import ages
from tests.quick_python import quick_python

ROOT = Path(__file__).resolve().parent.parent.parent
DOCUMENT = ROOT / "docs" / "performance.md"
THREADS = 2  # of every contender
SAMPLE = 0.01  # seconds between two looks at the memory in use
LIMITS = (
    "POLARS_MAX_THREADS",
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "ARROW_NUM_THREADS",
)
FLAGS = ("avx512f", "avx512_vnni", "avx512_bf16", "amx_bf16")  # what the speed of matrix products hangs on
SCALES = (
    "tiny",
    "small",
    "full",
)  # tiny shows that the benchmarks work: written nowhere


@dataclass(frozen=True)
class Measured:
    """Seconds; seconds of all threads; MiB at most, with and without mapped files; the outcome."""

    wall: float
    cpu: float
    peak: float
    anonymous: float
    outcome: Any


@dataclass(frozen=True)
class Target:
    """A figure and what was promised of it."""

    value: float
    limit: float
    least: bool = False  # whether the figure must be at least the limit, and not at most

    def __str__(self) -> str:
        met = self.value >= self.limit if self.least else self.value <= self.limit
        limit = f"at {'least' if self.least else 'most'} {self.limit:,g}"
        return f"{self.value:,.2f} (target: {limit}): {'met' if met else 'MISSED'}"


def at_most(value: float, limit: float) -> Target:
    return Target(value, limit)


def at_least(value: float, limit: float) -> Target:
    return Target(value, limit, least=True)


class Clock:
    """Measures what runs inside of `with clock:`, in this process."""

    def __init__(self) -> None:
        self.wall = self.cpu = self.peak = self.anonymous = 0.0
        self._over = threading.Event()
        self._sampler = threading.Thread(target=self._sample, daemon=True)

    def __enter__(self) -> Self:
        self._sampler.start()
        self._start = time.perf_counter(), time.process_time()
        return self

    def __exit__(self, *error: object) -> None:
        self.wall = time.perf_counter() - self._start[0]
        self.cpu = time.process_time() - self._start[1]
        self.peak = _status("VmHWM")
        self._over.set()
        self._sampler.join()

    def _sample(self) -> None:
        while not self._over.wait(SAMPLE):
            self.anonymous = max(self.anonymous, _status("RssAnon"))


def _status(name: str) -> float:
    """A number of /proc/self/status, in MiB."""
    found = re.search(rf"^{name}:\s+(\d+) kB$", Path("/proc/self/status").read_text(), re.M)
    return int(found[1]) / 1024 if found else 0.0


class Call(NamedTuple):
    """A contender and what it is given besides the clock."""

    contender: Callable[..., Any]
    arguments: dict[str, Any]


def isolated(call: Call) -> Measured:
    """Run a contender in a new process, on THREADS threads; at tiny in one whose libraries are imported already."""
    name = f"{call.contender.__module__}:{call.contender.__name__}"
    path = os.pathsep.join(filter(None, (str(ROOT / "scripts"), os.environ.get("PYTHONPATH"))))
    environment = os.environ | dict.fromkeys(LIMITS, str(THREADS)) | {"PYTHONPATH": path}
    with tempfile.NamedTemporaryFile(suffix=".json") as answer:
        python = quick_python() if scale() == "tiny" else sys.executable
        command = [python, "-m", __name__, name, json.dumps(call.arguments), answer.name]
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{name}: {done.stderr}"
        return Measured(**json.load(answer))


def in_turn(contenders: Mapping[str, Call], rounds: int) -> dict[str, list[Measured]]:
    """Measure contenders A, B, B, A, A, B, ...: what slows the machine down for a while slows down both.

    Nor does it always follow the same one: what ran before leaves memory warm, or cold.
    """
    measured: dict[str, list[Measured]] = {name: [] for name in contenders}
    for turn in range(rounds):
        for name, call in list(contenders.items())[:: -1 if turn % 2 else 1]:
            measured[name].append(isolated(call))
            print(f"  {name}: {measured[name][-1].wall:.2f} s", flush=True)
    return measured


def cached(path: str | Path) -> None:
    """Read a file, so that the next to read it finds it in the page cache."""
    with Path(path).open("rb") as file:
        while file.read(1 << 20):
            pass


def ratio(measured: Sequence[Measured], against: Sequence[Measured]) -> float:
    """How many times as long as `against`: the median over the rounds."""
    return median(one.wall / other.wall for one, other in zip(measured, against, strict=True))


def middle(measured: Iterable[Measured], name: str) -> float:
    return float(median(getattr(one, name) for one in measured))


def timed(run: Callable[[], Any]) -> Measured:
    """Measure a function whose work is done by processes that it starts and waits for."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    outcome = run()
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Measured(wall, cpu, after.ru_maxrss / 1024, 0.0, outcome)


def scale() -> str:
    wanted = os.environ.get("WOKFLOW_BENCH", "small")
    if wanted not in SCALES:
        raise ValueError(f"WOKFLOW_BENCH is {wanted}: it may be {', '.join(SCALES)}")
    return wanted


def processor() -> frozenset[str]:
    """Words of the system about the processor, its flags among them."""
    cpuinfo = Path("/proc/cpuinfo")
    return frozenset(cpuinfo.read_text().split()) if cpuinfo.exists() else frozenset()


def machine(*packages: str) -> str:
    """What kind of machine this is, and the versions of packages."""
    known = processor()
    flags = ", ".join(flag if flag in known else f"no {flag}" for flag in FLAGS)
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    versions = "".join(f", {package} {version(package)}" for package in packages)
    return (
        f"Machine: {platform.machine()}, {os.cpu_count()} cores ({flags}), {memory:.0f} GiB of memory. "
        f"Versions: Python {platform.python_version()}{versions}."
    )


def repeat(name: str) -> str:
    """How to repeat the benchmark in a file of this folder."""
    setting = "" if scale() == "small" else f"WOKFLOW_BENCH={scale()} "
    return f"Repeat: `{setting}make bench`, or `{setting}python -m pytest -m bench -s tests/bench/{name}`."


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; all columns but the first are numbers, flush right."""
    lines = [list(header), *(list(row) for row in rows)]
    widths = [max(3, *(len(line[column]) for line in lines)) for column in range(len(header))]
    lines.insert(
        1, ["-" * width if not column else "-" * (width - 1) + ":" for column, width in enumerate(widths)]
    )
    padded = (
        [cell.rjust(width) if column else cell.ljust(width) for column, (cell, width) in enumerate(cells)]
        for cells in (list(zip(line, widths, strict=True)) for line in lines)
    )
    return "\n".join(f"| {' | '.join(cells)} |" for cells in padded)


def publish(name: str, title: str, *paragraphs: str, targets: Iterable[Target] = ()) -> None:
    """Print a benchmark's result and put it in the place of its section of docs/performance.md.

    Paragraphs that are no tables are filled to lines of even length. $WOKFLOW_BENCH_NOTE says of the circumstances
    what the benchmark cannot know. Targets are printed beside their figures, for people to judge: other work on the
    machine can make any figure miss its target.
    """
    measured = f"Measured at {commit()}. {os.environ.get('WOKFLOW_BENCH_NOTE', '')}"
    section = "\n\n".join([f"## {title}", *map(filled, (measured, *paragraphs))])
    print(f"\n{section}\n", flush=True)
    for target in targets:
        print(f"  {target}", flush=True)
    if scale() != "tiny":
        DOCUMENT.parent.mkdir(exist_ok=True)
        text = DOCUMENT.read_text(encoding="utf-8") if DOCUMENT.exists() else ""
        DOCUMENT.write_text(replaced(text, name, section, benchmark()), encoding="utf-8")


def rows_of(name: str) -> dict[str, list[str]]:
    """Cells of the tables in a section of docs/performance.md, by the first cell of each row."""
    text = DOCUMENT.read_text(encoding="utf-8")
    section = next((found[4] for found in ages.SECTION.finditer(text) if found[1] == name), "")
    assert section, f"docs/performance.md has no section {name}: run its benchmark first"
    lines = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in re.findall(r"^\|.*", section, re.M)
    ]
    return {cells[0]: cells[1:] for cells in lines}


def figure(cell: str) -> float:
    """The number in a cell, as it is written there."""
    return float(cell.replace(",", ""))


def commit() -> str:
    """The commit that is checked out, and whether files differ from it; a copy without git is told its commit."""

    def git(*arguments: str) -> str:
        done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
        return done.stdout.strip()

    name = git("rev-parse", "--short=7", "HEAD")
    if not name:
        told = os.environ.get("WOKFLOW_BENCH_COMMIT")
        return f"commit {told}" if told else "no known commit"
    changed = git("status", "--porcelain", "--untracked-files=no", "--", ".", ":!docs/performance.md")
    return f"commit {name}" + (" with changes" if changed else "")


def filled(paragraph: str) -> str:
    if paragraph.startswith("|"):
        return paragraph
    words = " ".join(paragraph.split())
    return textwrap.fill(words, 110, break_long_words=False, break_on_hyphens=False)


def benchmark() -> str:
    """The file of the benchmark that runs, relative to the project."""
    return os.environ["PYTEST_CURRENT_TEST"].partition("::")[0]


def replaced(text: str, name: str, section: str, benchmark: str) -> str:
    """`text` with a new section in the place of the old one, or at its end."""
    begin = f"<!-- bench:{name} {benchmark} {ages.code_digest(benchmark)} -->"
    block = f"{begin}\n{section}\n<!-- /bench:{name} -->\n"
    for found in ages.SECTION.finditer(text):
        if found[1] == name:
            return text[: found.start()] + block + text[found.end() :]
    return f"{text.rstrip()}\n\n{block}".lstrip()


def _main(name: str, arguments: str, answer: str) -> None:
    module, _, function = name.partition(":")
    clock = Clock()
    outcome = getattr(importlib.import_module(module), function)(clock, **json.loads(arguments))
    measured = Measured(clock.wall, clock.cpu, clock.peak, clock.anonymous, outcome)
    Path(answer).write_text(json.dumps(vars(measured)), encoding="utf-8")


if __name__ == "__main__":
    _main(*sys.argv[1:])
