"""Answers kept on disk by request, so that nothing is asked and paid for twice."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from wokflow.frame import tables
from wokflow.frame.job import UserError
from wokflow.frame.owned import read_own
from wokflow.generate.answers import Answer, read_answer
from wokflow.generate.request import Request


class Cache:
    """A folder with a file for each answer.

    Several jobs on several hosts may read and write it at once, and so may threads of a job if they write different
    answers. Files are complete or missing; the last writer of an answer wins. Each answer belongs to a `round`. In a
    later round, refused and empty answers count as missing until they are written again.
    """

    def __init__(self, folder: str | Path, say: Callable[[str], None], round: int = 0) -> None:
        self._folder, self._say, self._round = Path(folder), say, round

    def get(self, request: Request) -> Answer | None:
        """The answer to a request; None if there is none.

        A file that is damaged, holds another request or belongs to another user counts as none, and is logged.
        """
        path = self._path(request)
        try:
            stored = json.loads(read_own(path))
            if stored["request"] != request.as_json():
                raise ValueError("it holds another request")
            answer = read_answer(stored["response"])
            again = answer.status in ("refused", "empty") and stored["round"] < self._round
            return None if again else answer
        except FileNotFoundError:
            return None
        except UserError as error:
            self._say(f"{error} It is not believed, and asked for again.")
            return None
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            self._say(f"{path} is broken and is asked for again: {type(error).__name__}: {error}")
            return None

    def put(self, request: Request, response: Any) -> None:
        """Keep a response, as parsed from JSON."""
        path = self._path(request)
        stored = {"request": request.as_json(), "round": self._round, "response": response}
        with tables.atomic(path) as temporary:
            temporary.write_text(json.dumps(stored, ensure_ascii=False, indent=1), encoding="utf-8")

    def _path(self, request: Request) -> Path:
        name = request.digest
        return self._folder / name[:2] / f"{name}.json"
