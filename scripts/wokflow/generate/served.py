"""The workflow's own server as its users see it: where it is, whether it is ready, and which model it serves."""

import hashlib
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import httpx

from wokflow.frame import tables
from wokflow.frame.digests import command_digest, path_digest
from wokflow.frame.job import UserError
from wokflow.frame.owned import read_own
from wokflow.frame.web import ENCODING, Body
from wokflow.generate.endpoints import Key
from wokflow.generate.settings import PromptSettings, ServerSettings

LOOK = 0.5  # seconds between looks at a server that starts
PATIENCE = 10  # seconds that an answer may take
MOST = 1 << 20  # bytes of an answer, after decompression
COMMANDS = {  # of each backend of generate.server
    "vllm": ("vllm", "serve", "{model}", "--uds", "{socket}"),
    "ollama": ("env", "OLLAMA_HOST={host}:{port}", "ollama", "serve"),
    "transformers": ("transformers", "serve", "{model}", "--host", "{host}", "--port", "{port}"),
}
GRACE = 60  # seconds that a server has, after its time to start, to say why it did not start


@dataclass(frozen=True)
class Server:
    """What the file of the workflow's own server holds, from its start on; only its owner may read the file.

    `url` is the base URL, `secret` the key that the server was given, and `socket` the Unix socket that it listens on
    ("": it listens on a TCP port). `minutes` is how long starting may take. It is `ready` once it has been seen to
    serve the model; `error` says why it did not start or has ended. `commit` is that of a loaded model of the hub
    ("": unknown, or its revision says it).
    """

    url: str
    minutes: float
    secret: str
    socket: str = ""
    ready: bool = False
    error: str = ""
    commit: str = ""

    @property
    def key(self) -> Key:
        return Key(None, self.secret)

    def write(self, file: str | Path) -> None:
        with tables.atomic(file) as temporary:
            temporary.touch(0o600, exist_ok=False)  # whatever the umask, nobody else reads a byte
            temporary.write_text(
                json.dumps(asdict(self), ensure_ascii=False, indent=1) + "\n", encoding="utf-8"
            )

    @staticmethod
    def read(file: str | Path) -> "Server":
        """Raises UserError if it belongs to another user, who could answer in the server's place."""
        return Server(**json.loads(read_own(file)))

    def models(self) -> list[str] | None:
        """The names of the models that it says it serves; None if it does not answer, or not as such servers do."""
        try:
            return [str(model["id"]) for model in json.loads(self._get(f"{self.url}/models"))["data"]]
        except (httpx.HTTPError, ValueError, KeyError, TypeError, RecursionError):
            return None

    def healthy(self) -> bool:
        """Whether its health check succeeds; for servers that do not list the model that they serve."""
        try:
            self._get(f"{self.url.removesuffix('/v1')}/health")
        except httpx.HTTPError:
            return False
        return True

    def _get(self, url: str) -> bytes:
        """The body of an answer. Raises httpx.HTTPError for an error, for a body that is too large or too slow."""
        headers = self.key.headers() | {"Accept-Encoding": ENCODING}
        with (
            httpx.Client(transport=transport(self.socket), trust_env=False, timeout=PATIENCE) as client,
            client.stream("GET", url, headers=headers) as response,
        ):
            body = Body(response.raise_for_status(), MOST)
            return body.read(response.iter_raw(), time.monotonic() + PATIENCE)


def transport(socket: str) -> httpx.HTTPTransport | None:
    """How httpx reaches a Unix socket; None, its own way, without one."""
    return httpx.HTTPTransport(uds=socket) if socket else None


def serves(names: Sequence[str], model: str) -> bool:
    """Whether a model is among those of a server; Ollama adds a tag to names that have none."""
    return model in names or f"{model}:latest" in names


def await_server(file: str | Path) -> Server:
    """Wait until the server of a file is ready. Raises UserError if the file holds an error, or if it never is."""
    start = time.monotonic()
    while True:
        server = Server.read(file)
        if server.error:
            raise UserError(server.error)
        if server.ready:
            return server
        if time.monotonic() - start > 60 * server.minutes + GRACE:
            raise UserError(
                f"The model's server at {server.url} was not ready in {server.minutes:g} minutes."
            )
        time.sleep(LOOK)


def server_command(settings: ServerSettings | PromptSettings) -> list[str]:
    """The command of the workflow's own server, with places for the model and for where it listens.

    It says all that answers depend on. What places the model on GPUs is added when it is started
    (wokflow.generate.server.placement).
    """
    if settings.backend is None or settings.backend == "command":
        return list(settings.command or ())
    command = list(COMMANDS[settings.backend])
    if settings.backend != "vllm":
        return command
    precision = None if settings.precision == "auto" else settings.precision
    chosen = {"--dtype": precision, "--max-model-len": settings.max_length, "--revision": settings.revision}
    return [*command, *flags(chosen), *(["--trust-remote-code"] if settings.remote_code else [])]


def flags(values: Mapping[str, Any]) -> list[str]:
    """Options of a command, each followed by its value; those of value None or 0 are left out."""
    return [word for flag, value in values.items() if value for word in (flag, str(value))]


def folder_digest(model: str) -> str | None:
    """The digest of a model in a folder; None for a name."""
    return path_digest(model) if Path(model).exists() else None


def server_identity(command: Sequence[str], model: str, weights: str | None) -> str:
    """The name under which the cache keeps answers of the workflow's own server: a digest of its command, its model
    and what is known of its weights.

    These are the content of a folder or the commit of a model of the hub, so that a model that takes the place of
    another under the same name is asked anew. So do the files that the command names.
    """
    files = command_digest(command)
    known = [list(command), model, weights, *([files] if files else [])]
    return hashlib.sha256(json.dumps(known).encode()).hexdigest()
