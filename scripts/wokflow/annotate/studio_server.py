"""Projects in a running Label Studio: made from a study's tasks through its REST API, and their answers fetched."""

import html
import json
import os
import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wokflow.annotate.studio import labels, of_raters, write_files
from wokflow.frame import tables
from wokflow.frame.job import UserError
from wokflow.frame.secrets import SAID, masked, printable
from wokflow.frame.text_files import read_text
from wokflow.frame.usage import UsageError, refuse_absent

if TYPE_CHECKING:
    import httpx

VARIABLE = "LABEL_STUDIO_TOKEN"
PAGE = 100  # projects asked for at a time
SECONDS = 120


class Studio:
    """A server and who speaks to it. `token` is a personal access token, or a legacy one where these are allowed."""

    def __init__(self, url: str, token: str) -> None:
        import httpx

        self._token, self._access = token, ""
        self._client = httpx.Client(base_url=url.rstrip("/"), timeout=SECONDS, follow_redirects=False)

    def ask(self, method: str, path: str, **given: Any) -> Any:
        """The answer as JSON. Raises UserError with what the server says, without the token."""
        answer = self._send(method, path, **given)
        if answer.status_code == 401 and self._access:  # access ends after some minutes
            self._access = ""
            answer = self._send(method, path, **given)
        if not answer.is_success:
            where = f"{self._client.base_url}{path}"
            said = printable(masked(answer.text[: 2 * SAID], [self._token, self._access]))
            hint = " Is the token one of this server?" if answer.status_code in (401, 403) else ""
            raise UserError(f"{where} answered {answer.status_code}: {said}{hint}")
        return _json(answer)

    def _send(self, method: str, path: str, **given: Any) -> Any:
        import httpx

        try:
            return self._client.request(method, path, headers=self._headers(), **given)
        except httpx.HTTPError as error:
            raise UserError(
                f"Label Studio at {self._client.base_url} cannot be reached ({type(error).__name__}). Start it, or "
                "give its address: --url"
            ) from error

    def _headers(self) -> Mapping[str, str]:
        if not self._token.startswith("eyJ"):
            return {"Authorization": f"Token {self._token}"}
        if not self._access:
            answer = self._client.post("/api/token/refresh", json={"refresh": self._token})
            if not answer.is_success:
                raise UserError(
                    f"{self._client.base_url} refuses the token ({answer.status_code}). Make a new one: Account & "
                    "Settings, Personal Access Token."
                )
            self._access = str(_json(answer)["access"])
        return {"Authorization": f"Bearer {self._access}"}

    def projects(self, titles: Collection[str]) -> dict[str, Mapping[str, Any]]:
        """What the server says of the projects of these titles. Raises UserError if two have the same."""
        by_title: dict[str, Mapping[str, Any]] = {}
        page = 1
        while True:
            answer = self.ask("GET", "/api/projects/", params={"page": page, "page_size": PAGE})
            for one in answer["results"]:
                if one["title"] in by_title:
                    raise UserError(
                        f"Label Studio has two projects {one['title']}: give one of them another title, or delete it."
                    )
                if one["title"] in titles:
                    by_title[one["title"]] = one
            if not answer.get("next"):
                return by_title
            page += 1


def _json(answer: "httpx.Response") -> Any:
    try:
        return answer.json()
    except ValueError as error:
        raise UserError(f"The server at {answer.url} is not Label Studio. Give its address: --url") from error


def token(path: str | None, known: str = "") -> str:
    """The token of a file, else of the environment, else the known one. Raises UsageError if there is none."""
    if path:
        refuse_absent(path)
    held = read_text(path).strip() if path else os.environ.get(VARIABLE, "").strip() or known
    if not held:
        where = f"{path} is empty" if path else f"the variable {VARIABLE} is not set"
        raise UsageError(
            f"Label Studio asks for a token, and {where}: Account & Settings, Personal Access Token."
        )
    if not held.isascii() or not held.isprintable() or " " in held:
        raise UsageError(
            f"{path or VARIABLE} holds no token: it has blanks, or characters that no token has."
        )
    return held


class Tasks:
    """What a study hands out, as its results have it: tasks of each rater who has a sheet, labels, instructions."""

    def __init__(self, results: str, study: str) -> None:
        """Raises UsageError if the study has no sheets, UserError if none is of a rater."""
        sheets = Path(results) / "annotate" / "sheets" / study
        assigned = Path(results) / "annotate" / "assigned" / study / "part-00000.parquet"
        if not sheets.is_dir() or not assigned.is_file():
            raise UsageError(
                f"{sheets} is not there. Make the study's sheets first (snakemake annotate --configfile ...), and "
                "name the folder of results: --results"
            )
        rows = tables.read(assigned).to_dicts()
        self.study = study
        self.raters = sorted(path.stem for path in sheets.glob("*.tsv"))
        if not self.raters:
            raise UserError(f"{sheets} holds no sheet: nobody in the table of raters takes part.")
        self.tasks = of_raters(rows, self.raters)
        self.labels = labels(rows[0])
        self.instructions = read_text(str(sheets / "instructions.md"))

    def title(self, rater: str) -> str:
        return f"{self.study} {rater}"

    def write(self, folder: str) -> Sequence[str]:
        write_files(Path(folder), self.labels, self.tasks, self.instructions)
        return [f"{folder}: labels.xml, instructions.md, and the tasks of {', '.join(self.raters)}"]

    def set_up(self, studio: Studio) -> Sequence[str]:
        """Make a project for each rater, as nobody else may see a rater's tasks.

        One that is there stays as it is, unless it has no tasks: an import that failed is done again.
        """
        known = studio.projects([*map(self.title, self.tasks)])
        said = []
        for rater, tasks in self.tasks.items():
            title = self.title(rater)
            project = known[title]["id"] if title in known else self._project(studio, title)
            if title in known and known[title].get("task_number") != 0:
                said.append(f"{title}: project {project} is there already, and stays as it is")
                continue
            studio.ask("POST", f"/api/projects/{project}/import", json=tasks)
            said.append(f"{title}: project {project} with {len(tasks)} tasks")
        return said

    def _project(self, studio: Studio, title: str) -> int:
        """The id of a new project, without tasks."""
        given = {
            "title": title,
            "label_config": self.labels,
            "expert_instruction": _page(self.instructions),
            "show_instruction": True,
            "show_skip_button": True,
            "sampling": "Sequential sampling",
            "maximum_annotations": 1,
        }
        return int(studio.ask("POST", "/api/projects/", json=given)["id"])

    def fetch(self, studio: Studio, folder: str) -> Sequence[str]:
        """Write the export of each rater's project as a file of answers.

        Raises UserError if there is no project, and if a file that is there has more tasks done than its project.
        """
        known, said = studio.projects([*map(self.title, self.raters)]), []
        for rater in self.raters:
            path = Path(folder) / f"{rater}.json"
            if (title := self.title(rater)) not in known:
                said.append(f"{path} is not written: Label Studio has no project {title}")
                continue
            wanted = {"exportType": "JSON", "download_all_tasks": "true"}
            exported = studio.ask("GET", f"/api/projects/{known[title]['id']}/export", params=wanted)
            done, before = _done(exported), _done(_fetched(path)) if path.exists() else 0
            if done < before:
                raise UserError(
                    f"{path} has {before} tasks that are done, and Label Studio's project {title} {done}: it stays "
                    "as it is. Is this the right server? If so, move the file away."
                )
            tables.write_text(path, _plain(exported))
            said.append(f"{path}: {done} of {len(exported)} tasks are done")
        if not known:
            raise UserError(f"Label Studio has no project of study {self.study}: set them up first.")
        return said


def _done(exported: Sequence[Mapping[str, Any]]) -> int:
    """Tasks with an annotation; tasks to import have none."""
    return sum(bool(one.get("annotations")) for one in exported)


def _fetched(path: Path) -> list[Mapping[str, Any]]:
    try:
        held = json.loads(read_text(str(path)))
    except json.JSONDecodeError:
        held = None
    if not isinstance(held, list) or not all(isinstance(one, dict) for one in held):
        raise UserError(f"{path} is no export of Label Studio, and is not overwritten: move it away.")
    return held


def _page(instructions: str) -> str:
    """Markdown as simple HTML: headings in bold, code; entries of lists begin lines, other line breaks are blanks."""
    lines = re.sub(r"\n(?![\n#-]|$)", " ", instructions).splitlines()
    page = "<br>".join(
        f"<b>{html.escape(line.lstrip('# '))}</b>" if line.startswith("#") else html.escape(line)
        for line in lines
    )
    return re.sub("`([^`]+)`", r"<code>\1</code>", page)


def _plain(exported: Sequence[Mapping[str, Any]]) -> str:
    """An export without who did it and when: a task names its rater's pseudonym."""
    kept = [
        {
            "id": one["id"],
            "data": one["data"],
            "annotations": [
                {name: each.get(name) for name in ("id", "was_cancelled", "result")}
                for each in one["annotations"]
            ],
        }
        for one in exported
    ]
    return json.dumps(kept, ensure_ascii=False, indent=1) + "\n"
