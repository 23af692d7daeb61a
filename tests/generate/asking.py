"""Prompt runs in a folder, with the defaults of the config."""

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import yaml
from wokflow.frame import tables
from wokflow.frame.config import fill
from wokflow.frame.job import Progress, job
from wokflow.generate import schemas
from wokflow.generate.arguments import CLIENT
from wokflow.generate.prompt import generate_prompt
from wokflow.generate.request import Settings

from tests.conftest import ROOT
from tests.generate.servers import Endpoint

SECRET = "sk-test-8f3a6c1d9b"
SCHEMA: dict[str, Any] = yaml.safe_load((ROOT / "config" / "config.schema.yaml").read_text(encoding="utf-8"))
TABLES = {"predictions": "out", "calls": "calls", "rejects": "rejects"}


def block(**own: Any) -> dict[str, Any]:
    """The block generate.prompt, but for the shots, which go by another way."""
    config: dict[str, Any] = {"generate": {"prompt": own}}
    fill(config["generate"], SCHEMA["properties"]["generate"])
    return {name: value for name, value in config["generate"]["prompt"].items() if name != "shots"}


def settings(**own: Any) -> Settings:
    return Settings(**block(**own))


def asks(folder: Path, own: Mapping[str, Any], progress: Progress | None = None, **arguments: Any) -> None:
    """A prompt run on the instances in a folder, with its `own` settings; `arguments` are those that differ."""
    chosen = block(**own)
    common: dict[str, Any] = {
        "instances": str(folder / "instances.parquet"),
        "exemplars": [],
        "server": [],
        **{name: str(folder / f"{file}.parquet") for name, file in TABLES.items()},
        "run": "gpt",
        "model": "m",
        "lang": "en",
        "languages": None,
        "shots": 0,
        "seed": 13,
        "request_settings": {name: value for name, value in chosen.items() if name not in CLIENT},
        "client_settings": {name: value for name, value in chosen.items() if name in CLIENT},
        "command": None,
        "cache": str(folder / "cache"),
        "ledger": str(folder / "ledger.jsonl"),
        "metadata": {"key": "k"},
        "progress": progress or Progress(io.StringIO()),
    }
    generate_prompt(**common | arguments)


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
    schema = pl.DataFrame(schemas.INSTANCES.empty_table()).schema
    tables.write(path, schemas.INSTANCES, pl.DataFrame(rows[::-1], schema=schema), {})
    return str(path)


class Run:
    """A prompt run in a folder, whose settings are small."""

    def __init__(self, folder: Path, sources: Sequence[str], prompt: str = "{source}") -> None:
        self.folder = folder
        self.instances = written(folder, sources)
        self.prompt = folder / "prompt.txt"
        self.prompt.write_text(prompt, encoding="utf-8")

    def __call__(self, server: Endpoint | None, *, seed: int = 13, **own: Any) -> pl.DataFrame:
        """Run it as a job does; gives calls with their predictions."""
        small = {"timeout_s": 5, "tries": 2, "key_variable": "TEST_KEY", "endpoint": server and server.url}
        with job(str(self.folder / "log.txt")) as progress:
            asks(self.folder, small | own, progress, prompt=str(self.prompt), seed=seed)
        return self.table("calls").join(self.table("out"), on=["instance_id", "run"], how="left")

    def table(self, name: str) -> pl.DataFrame:
        return tables.read(self.folder / f"{name}.parquet")

    def log(self) -> str:
        return (self.folder / "log.txt").read_text(encoding="utf-8")

    def kept(self) -> int:
        """Answers in the cache."""
        return len(list((self.folder / "cache").rglob("*.json")))

    def bytes(self) -> list[bytes]:
        return [(self.folder / f"{name}.parquet").read_bytes() for name in TABLES.values()]
