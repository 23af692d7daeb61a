"""A Label Studio that one command opens: what it is asked, who may read its account, and how it ends."""

import socket
import sys
from pathlib import Path

import pytest
from wokflow import cli
from wokflow.annotate.studio_program import Account, open_studio
from wokflow.frame.usage import UsageError

from tests.annotate.test_studio import handed_out

# Answers as Label Studio does to whoever logs in, and ends after the import of the tasks of two raters.
FAKE = """\
import json, os, sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qs

options = dict(zip(sys.argv[3::2], sys.argv[4::2]))
folder = options["--data-dir"]
if os.path.exists(folder + "/broken"):
    sys.exit("no such database, says " + os.environ["LABEL_STUDIO_PASSWORD"])
tokens = folder + "/tokens"


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *_): pass
    def say(self, status, body, *cookies):
        self.send_response(status)
        for cookie in cookies: self.send_header("Set-Cookie", cookie)
        self.send_header("Content-Length", str(len(json.dumps(body))))
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())
    def do_GET(self):
        if self.path.startswith("/api/projects"):
            return self.say(200, {"results": made, "next": None})
        self.say(200, {}, "csrftoken=one; Path=/")
    def do_POST(self):
        given = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        cookies = self.headers.get("Cookie", "")
        if self.path == "/user/login/":
            form = {name: values[0] for name, values in parse_qs(given.decode()).items()}
            owner = (os.environ["LABEL_STUDIO_USERNAME"], os.environ["LABEL_STUDIO_PASSWORD"])
            known = form["csrfmiddlewaretoken"] == "one" and (form["email"], form["password"]) == owner
            return self.say(200, {}, *(["sessionid=mine; Path=/", "csrftoken=two; Path=/"] if known else []))
        if self.path == "/api/token/":
            known = "sessionid=mine" in cookies and self.headers["X-CSRFToken"] == "two"
            if known: open(tokens, "a").write("eyJtoken\\n")
            return self.say(201 if known else 403, {"token": "eyJtoken"})
        if self.path == "/api/token/refresh":
            return self.say(200, {"access": "access"})
        assert self.headers["Authorization"] == "Bearer access"
        if self.path == "/api/projects/":
            made.append(json.loads(given) | {"id": len(made) + 1, "task_number": 0})
            return self.say(201, made[-1])
        self.say(201, {})
        self.server.imports += 1


made = []
server = HTTPServer(("127.0.0.1", int(options["--port"])), Handler)
server.imports = 0
while server.imports < 2:
    server.handle_request()
"""


def test_one_command_opens_a_label_studio_with_a_study_and_knows_its_account_afterwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    handed_out(tmp_path)
    monkeypatch.chdir(tmp_path)
    program = tmp_path / "label-studio.py"
    program.write_text(f"#!{sys.executable}\n{FAKE}")
    program.chmod(0o755)
    monkeypatch.setattr(open_studio, "__defaults__", (program,))
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{one.getsockname()[1]}"
    command = ["studio", "open", "s", "--url", url]
    for _ in range(2):  # the second start knows its account and its token
        assert cli.main(command) == 0
        said = capsys.readouterr().out
        assert "s r1: project 1 with 3 tasks" in said and "s r2: project 2 with 3 tasks" in said
    account = Account.read(tmp_path / "label-studio")
    assert account and account.url == url and account.token == "eyJtoken"
    assert account.password and account.password not in said and account.token not in said
    assert (tmp_path / "label-studio/tokens").read_text() == "eyJtoken\n", "a token is asked for once"
    assert (tmp_path / "label-studio/account.json").stat().st_mode & 0o777 == 0o600
    (tmp_path / "label-studio/broken").touch()
    assert cli.main(command) == 1
    said = capsys.readouterr().err
    assert "Label Studio ended with status 1" in said and "no such database" in said
    assert account.password not in said
    assert cli.main(["studio", "fetch", "s", "--to", "answers"]) == 1
    assert f"Label Studio at {url}" in capsys.readouterr().err, "where it was opened, with its token"


@pytest.mark.parametrize("url", ["https://127.0.0.1:1", "http://example.org:8080"])
def test_a_label_studio_opens_on_this_machine_alone(url: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is not of this machine"):
        open_studio(tmp_path / "studio", url, [], print)
    assert not (tmp_path / "studio").exists()
