"""Servers on loopback that speak OpenAI's protocol, well or badly."""

import json
import os
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

RECIPE = "Title: Egg rice\nIngredients: rice, egg\nSteps: Fry the egg. Add the rice.\n"
USAGE = {"prompt_tokens": 100, "completion_tokens": 50}


@dataclass
class Asked:
    """A request as it came."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]
    at: float = field(default_factory=time.monotonic)

    @property
    def text(self) -> str:
        """What the user said, or the prompt."""
        return str(self.body["messages"][-1]["content"] if "messages" in self.body else self.body["prompt"])


Behaviour = Callable[[BaseHTTPRequestHandler, Asked], None]


def response(
    text: str | None = RECIPE, *, usage: Any = USAGE, reason: str = "stop", **message: Any
) -> dict[str, Any]:
    """A response of /chat/completions."""
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": text, **message},
        "finish_reason": reason,
    }
    return {"id": "1", "object": "chat.completion", "choices": [choice], "usage": usage}


def send(handler: BaseHTTPRequestHandler, status: int, body: bytes, **headers: str) -> None:
    handler.send_response(status)
    for name, value in ({"Content-Length": str(len(body))} | headers).items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()
    handler.wfile.write(body)


def says(status: int, body: Any, **headers: str) -> Behaviour:
    """Answer with a status and a body: bytes, or what becomes JSON."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return lambda handler, asked: send(handler, status, content, **headers)


def error(status: int, message: str = "no", *, code: str | None = None, **headers: str) -> Behaviour:
    return says(status, {"error": {"message": message, "code": code}}, **headers)


def well(**answer: Any) -> Behaviour:
    return says(200, response(**answer))


def of_text(make: Callable[[str], str]) -> Behaviour:
    """Answer with what `make` makes of the prompt."""
    return lambda handler, asked: says(200, response(make(asked.text)))(handler, asked)


def echo_key(status: int) -> Behaviour:
    """Give back all headers, as some proxies do, in an error or as the answer."""

    def behave(handler: BaseHTTPRequestHandler, asked: Asked) -> None:
        told = f"{RECIPE} you sent {dict(asked.headers)}"
        body = response(told) if status == 200 else {"error": {"message": told}}
        send(handler, status, json.dumps(body).encode())

    return behave


def hang(seconds: float) -> Behaviour:
    def behave(handler: BaseHTTPRequestHandler, asked: Asked) -> None:
        time.sleep(seconds)
        well()(handler, asked)

    return behave


def trickle(seconds: float) -> Behaviour:
    """Send the body byte by byte, for some seconds in all: no single read is slow."""

    def behave(handler: BaseHTTPRequestHandler, asked: Asked) -> None:
        content = json.dumps(response()).encode()
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(content)))
        handler.end_headers()
        for byte in content:
            handler.wfile.write(bytes([byte]))
            time.sleep(seconds / len(content))

    return behave


def cut_body(handler: BaseHTTPRequestHandler, asked: Asked) -> None:
    """Promise more than is sent, and hang up."""
    content = json.dumps(response()).encode()
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(content)))
    handler.end_headers()
    handler.wfile.write(content[: len(content) // 2])
    handler.close_connection = True


def cut_chunks(handler: BaseHTTPRequestHandler, asked: Asked) -> None:
    """Hang up between two chunks."""
    content = json.dumps(response()).encode()[:40]
    handler.send_response(200)
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    handler.wfile.write(f"{len(content):x}\r\n".encode() + content + b"\r\n")
    handler.close_connection = True


def hang_up(handler: BaseHTTPRequestHandler, asked: Asked) -> None:
    """Close the connection without a word."""
    handler.close_connection = True


def abort(handler: BaseHTTPRequestHandler) -> None:
    """Reset the connection (TCP's RST). The server itself would first say that it has ended, as after an answer."""
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    os.close(handler.connection.detach())
    handler.close_connection = True


def reset(handler: BaseHTTPRequestHandler, asked: Asked) -> None:
    """Break the connection off (TCP's RST) in the middle of the body."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"choices": [')
    abort(handler)


class Endpoint:
    """A server whose n-th request meets the n-th behaviour, and all further ones the last.

    Asked for its models, it always names `models`.
    """

    def __init__(self, *behaviours: Behaviour, port: int = 0, models: Sequence[str] = ()) -> None:
        self.asked: list[Asked] = []
        self.most_at_once = 0
        self._at_once = 0
        self._behaviours = behaviours
        self._lock = threading.Lock()
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                endpoint.meet(self, Asked(self.path, dict(self.headers), body))

            def do_GET(self) -> None:
                if self.path == "/v1/models":
                    return says(200, {"data": [{"id": name} for name in models]})(self, Asked("", {}, {}))
                return endpoint.meet(self, Asked(self.path, dict(self.headers), {}))

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def meet(self, handler: BaseHTTPRequestHandler, asked: Asked) -> None:
        with self._lock:
            behaviour = self._behaviours[min(len(self.asked), len(self._behaviours) - 1)]
            self.asked.append(asked)
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            behaviour(handler, asked)
        except OSError:
            handler.close_connection = True  # the client has hung up
        finally:
            with self._lock:
                self._at_once -= 1

    def run(self) -> None:
        self._server.serve_forever(poll_interval=0.02)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@contextmanager
def endpoint(*behaviours: Behaviour) -> Iterator[Endpoint]:
    """A server that runs as long as the block; without behaviours it always answers well."""
    server = Endpoint(*(behaviours or (well(),)))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.close()
        thread.join()
