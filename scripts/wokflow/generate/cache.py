"""Answers kept on disk by request, so that nothing is asked and paid for twice."""

import json
import os
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

from wokflow.generate.answers import Answer, read_answer
from wokflow.generate.request import Request


class Cache:
    """A folder with a file for each answer. Several jobs, on several hosts, may read and write it at once.

    Files are whole or not there. Of two that write the same answer the last one stands.
    """

    def __init__(self, folder: str | Path, say: Callable[[str], None]) -> None:
        self._folder = Path(folder)
        self._say = say

    def get(self, request: Request) -> Answer | None:
        """The answer to a request; None if there is none, or if its file is broken, which is logged."""
        path = self._path(request)
        try:
            stored = json.loads(path.read_bytes())
            if stored["request"] != request.as_json():
                raise ValueError("it holds another request")
            return read_answer(stored["response"])
        except FileNotFoundError:
            return None
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            self._say(f"{path} is broken and is asked for again: {type(error).__name__}: {error}")
            return None

    def put(self, request: Request, response: Any) -> None:
        """Keep a response, as parsed from JSON."""
        path = self._path(request)
        stored = {"request": request.as_json(), "response": response}
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex}.part")
        try:
            with temporary.open("x", encoding="utf-8") as file:
                json.dump(stored, file, ensure_ascii=False, indent=1)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise

    def _path(self, request: Request) -> Path:
        name = request.digest
        return self._folder / name[:2] / f"{name}.json"
