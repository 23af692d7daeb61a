"""Runs in a folder, with the defaults of the config."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl
from wokflow.frame import tables
from wokflow.frame.job import Job, Progress, job
from wokflow.generate import schemas
from wokflow.generate.prompt import generate_prompt
from wokflow.generate.settings import DecodeSettings, PromptSettings

from tests.conftest import ROOT
from tests.generate.servers import Endpoint

SECRET = "sk-test-8f3a6c1d9b"
PATIENCE = 600  # seconds, against hanging: for the end of a process that `apart` started
TABLES = {"predictions": "out", "calls": "calls", "rejects": "rejects"}


def decode_settings(**own: Any) -> DecodeSettings:
    """The defaults of generate.decode, on a CPU, for a run without a prompt."""
    here = {"device": "cpu", "precision": "float32"}
    given = {"run": "r", "family": "seq2seq", "model": "", "languages": None, "prompt": None, "seed": 1}
    return DecodeSettings(**here | given | own)


def prompt_settings(**own: Any) -> PromptSettings:
    """The defaults of generate.prompt for a run on recipes, which keeps nothing."""
    given = {"run": "gpt", "model": "m", "lang": "en", "languages": None, "prompt": "none", "draw": 13}
    return PromptSettings(**given | {"cache": "none", "ledger": "none", "released": None} | own)


def asks(folder: Path, own: Mapping[str, Any], progress: Progress | None = None, **paths: Any) -> None:
    """A prompt run on the instances in a folder, with its `own` settings; `paths` are those that differ."""
    kept = {"cache": str(folder / "cache"), "ledger": str(folder / "ledger.jsonl")}
    common: dict[str, Any] = {
        "instances": str(folder / "instances.parquet"),
        "exemplars": [],
        "server": [],
        **{name: str(folder / f"{file}.parquet") for name, file in TABLES.items()},
    }
    run = Job({"key": "k"}, progress or Progress())
    generate_prompt(**common | paths, settings=prompt_settings(**kept | own), job=run)


def written(folder: Path, sources: Sequence[str]) -> str:
    """Instances with these sources, in reverse order."""
    path = folder / "instances.parquet"
    rows = [
        {
            "instance_id": f"silver:x:{n}",
            "dataset": "silver",
            "source_id": f"x:{n}",
            "title": "炒饭",
            "source": source,
        }
        for n, source in enumerate(sources)
    ]
    schema = tables.columns(schemas.INSTANCES)
    tables.write(path, schemas.INSTANCES, pl.DataFrame(rows[::-1], schema=schema), {})
    return str(path)


def apart(code: str, *arguments: str, **variables: str) -> subprocess.Popen[str]:
    """A process of its own that runs a program with these `variables` in its environment; its output is kept."""
    environment = os.environ | {"PYTHONPATH": f"{ROOT}:{ROOT / 'scripts'}"} | variables
    words, output = [sys.executable, "-c", code, *arguments], subprocess.PIPE
    return subprocess.Popen(
        words, cwd=ROOT, env=environment, stdout=output, stderr=subprocess.STDOUT, text=True
    )


APART = """
import json, sys
from pathlib import Path
from types import SimpleNamespace
from tests.generate.asking import Run
folder, url, sources, own = sys.argv[1:]
Run(Path(folder), json.loads(sources))(SimpleNamespace(url=url), **json.loads(own))
"""


class Run:
    """A prompt run in a folder, whose settings are small."""

    def __init__(self, folder: Path, sources: Sequence[str], prompt: str = "{source}") -> None:
        self.folder, self.sources = folder, sources
        self.instances = written(folder, sources)
        self.prompt = folder / "prompt.txt"
        self.prompt.write_text(prompt, encoding="utf-8")

    def __call__(self, server: Endpoint | None, **own: Any) -> pl.DataFrame:
        """Run it as a job does; gives calls with their predictions."""
        small = {"timeout_s": 5, "tries": 2, "key_variable": "TEST_KEY", "endpoint": server and server.url}
        small |= {"prompt": str(self.prompt)}
        with job(str(self.folder / "log.txt")) as progress:
            asks(self.folder, small | own, progress)
        return self.table("calls").join(self.table("out"), on=["instance_id", "run"], how="left")

    def apart(
        self, server: Endpoint, variables: Mapping[str, str] | None = None, **own: Any
    ) -> subprocess.Popen[str]:
        """Start it in a process of its own, which may be killed; its prompt is the source."""
        texts = json.dumps(list(self.sources)), json.dumps(own)
        return apart(APART, str(self.folder), server.url, *texts, **variables or {})

    def table(self, name: str) -> pl.DataFrame:
        return tables.read(self.folder / f"{name}.parquet")

    def log(self) -> str:
        return (self.folder / "log.txt").read_text(encoding="utf-8")

    def kept(self) -> int:
        """Answers in the cache."""
        return len(list((self.folder / "cache").rglob("*.json")))

    def bytes(self) -> list[bytes]:
        return [(self.folder / f"{name}.parquet").read_bytes() for name in TABLES.values()]
