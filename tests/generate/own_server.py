"""The workflow's own server as a process, with small programs in the place of models."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from wokflow.generate.served import Server, await_server

from tests.conftest import ROOT

SERVE = """
import json, sys
from pathlib import Path
from wokflow.generate import served
from wokflow.generate.server import generate_server
from wokflow.generate.settings import ServerSettings
from wokflow.frame.job import Job, job
folder, command, model, minutes, backend = Path(sys.argv[1]), json.loads(sys.argv[2]), *sys.argv[3:6]
served.COMMANDS[backend] = command
settings = ServerSettings(model=model, backend=backend, command=command, minutes=minutes)
with job(str(folder / "log.txt")) as progress:
    generate_server(
        endpoint=str(folder / "server.json"),
        settings=settings,
        log=str(folder / "log.txt"),
        job=Job(progress=progress),
    )
"""
# It serves the models that it is told to, for the key that it finds in its environment, and has a child.
SMALL = """
import http.server, json, os, subprocess, sys
from pathlib import Path
port, folder, host, *models = sys.argv[1:]
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
Path(folder, "pids").write_text(f"{os.getpid()} {child.pid}")
print("loading", flush=True)
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        known = self.headers["Authorization"] == "Bearer " + os.environ["WOKFLOW_SERVER_KEY"]
        body = json.dumps({"data": [{"id": name} for name in models]}).encode()
        self.send_response(200 if known else 401)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
http.server.HTTPServer((host, int(port)), Handler).serve_forever()
"""
# The same by uvicorn, which vLLM serves by.
ASGI = """
import json, os
async def app(scope, receive, send):
    if scope["type"] != "http":
        return
    known = dict(scope["headers"]).get(b"authorization") == b"Bearer " + os.environb[b"VLLM_API_KEY"]
    message = {"role": "assistant", "content": "Fry."}
    body = {"data": [{"id": "m"}], "choices": [{"message": message, "finish_reason": "stop"}]}
    await send({"type": "http.response.start", "status": 200 if known else 401, "headers": []})
    await send({"type": "http.response.body", "body": json.dumps(body).encode()})
"""


def small(folder: Path, *models: str) -> list[str]:
    """A server that answers and has a child; it writes both their pids."""
    return [sys.executable, "-c", SMALL, "{port}", str(folder), "{host}", *(models or ["{model}"])]


@contextmanager
def serving(
    folder: Path, command: list[str], model: str = "m", minutes: float = 2, *, backend: str = "command"
) -> Iterator[subprocess.Popen[bytes]]:
    """The step as a process of its own."""
    arguments = [str(folder), json.dumps(command), model, str(minutes), backend]
    process = subprocess.Popen(
        [sys.executable, "-c", SERVE, *arguments],
        env=os.environ | {"PYTHONPATH": str(ROOT / "scripts")},
        stderr=subprocess.PIPE,
    )
    try:
        yield process
    finally:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(20)
        process.kill()
        process.wait()


PATIENCE = 300  # seconds, against hanging


def until(what: Callable[[], bool]) -> None:
    """Wait for something to come true."""
    end = time.monotonic() + PATIENCE
    while not what():
        assert time.monotonic() < end, f"not after {PATIENCE} s"
        time.sleep(0.02)


def answering(folder: Path) -> Server:
    until((folder / "server.json").exists)
    return await_server(folder / "server.json")


def alive(pid: int) -> bool:
    """Whether a process runs; one that is dead and not yet waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def pids(folder: Path) -> list[int]:
    return [int(pid) for pid in (folder / "pids").read_text().split()]
