"""A Label Studio on this machine: its program, an account of its own, and what that account may do from outside."""

import json
import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

from wokflow.annotate.studio_server import SECONDS, Studio, Tasks
from wokflow.frame.job import UserError
from wokflow.frame.secrets import masked, shown
from wokflow.frame.usage import UsageError

PROGRAM = Path(sys.prefix) / "studio" / "bin" / "label-studio"  # where make studio installs it
OWNER = "owner@example.org"  # Label Studio asks for an address; no mail reaches this one
LOOPBACK = ("127.0.0.1", "localhost")
LONGEST = 1200  # seconds that it may take to make its database
TAIL = 2000  # characters of its log that are shown where it ends too early
SILENT = {"COLLECT_ANALYTICS": "False", "SENTRY_DSN": "", "LATEST_VERSION_CHECK": "False"}


@dataclass(frozen=True)
class Account:
    """Who owns the projects of a folder's Label Studio, where it answers, and a personal access token."""

    url: str
    email: str = OWNER
    password: str = ""
    token: str = ""

    @classmethod
    def read(cls, folder: Path) -> "Account | None":
        """The account of a folder; None if it has none."""
        try:
            return cls(**json.loads((folder / "account.json").read_text(encoding="utf-8")))
        except FileNotFoundError:
            return None
        except (ValueError, TypeError) as error:
            raise UserError(f"{folder}/account.json is not what `wokflow studio open` wrote.") from error

    def write(self, folder: Path) -> None:
        """Only its owner may read the file."""
        new = folder / "account.json.part"
        new.unlink(missing_ok=True)
        with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            json.dump(asdict(self), file)
        new.replace(folder / "account.json")


def open_studio(
    folder: Path, url: str, studies: Sequence[Tasks], say: Callable[[str], None], program: Path = PROGRAM
) -> None:
    """Start Label Studio with its data in a folder, make the projects of studies, and stay until it ends.

    Ctrl-C or SIGTERM ends it. The account is made the first time. Raises UsageError if the program is not installed,
    if the address is not one of this machine or something answers there already, UserError if the program fails.
    """
    place = urlsplit(url)
    if place.scheme != "http" or place.hostname not in LOOPBACK:
        raise UsageError(f"--url: {url} is not of this machine: give http://127.0.0.1 and a port.")
    if not program.exists():
        raise UsageError(f"{program} is not there: `make studio` installs and starts it.")
    if _answers(url):
        raise UsageError(f"Something answers at {url} already: end it, or give another port: --url")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    old = Account.read(folder) or Account(url, password=secrets.token_urlsafe(12))
    account = replace(old, url=url)
    account.write(folder)
    at = ["--internal-host", place.hostname, "--port", str(place.port or 80), "--data-dir", str(folder)]
    # In the environment, since everybody on the machine sees the arguments of programs.
    owner = {"LABEL_STUDIO_USERNAME": account.email, "LABEL_STUDIO_PASSWORD": account.password}
    with (folder / "log").open("ab") as log:
        process = subprocess.Popen(
            [str(program), "start", "--no-browser", *at],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env=os.environ | SILENT | owner,
        )
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        say(f"Label Studio starts; {folder}/log tells how. The first time, this takes some minutes.")
        _wait(process, account, folder)
        account = replace(account, token=_token(account))
        account.write(folder)
        studio = Studio(url, account.token)
        for tasks in studies:
            for line in tasks.set_up(studio):
                say(line)
        say(
            f"It is open at {url}, for {account.email}; {folder}/account.json has the password. Ctrl-C ends it."
        )
        if process.wait():
            raise _ended(process, account, folder)
    except KeyboardInterrupt:
        say("Label Studio ends; its data stay.")
    finally:
        signal.signal(signal.SIGTERM, before)
        process.terminate()
        process.wait()


def _answers(url: str) -> bool:
    import httpx

    try:
        return bool(httpx.get(f"{url}/health", timeout=SECONDS).is_success)
    except httpx.HTTPError:
        return False


def _wait(process: "subprocess.Popen[bytes]", account: Account, folder: Path) -> None:
    end = time.monotonic() + LONGEST
    while not _answers(account.url):
        if process.poll() is not None:
            raise _ended(process, account, folder)
        if time.monotonic() > end:
            raise UserError(
                f"Label Studio does not answer at {account.url} after {LONGEST} s: see {folder}/log"
            )
        time.sleep(0.5)


def _ended(process: "subprocess.Popen[bytes]", account: Account, folder: Path) -> UserError:
    log = (folder / "log").read_text(encoding="utf-8", errors="replace")
    said = shown(masked(log[-TAIL:], [account.password, account.token]))
    return UserError(f"Label Studio ended with status {process.returncode}; {folder}/log ends:\n{said}")


def _token(account: Account) -> str:
    """The account's token, or a new one where the server does not take that."""
    import httpx

    with httpx.Client(base_url=account.url, follow_redirects=True, timeout=SECONDS) as client:
        if account.token:
            answer = client.post("/api/token/refresh", json={"refresh": account.token})
            if answer.is_success:
                return account.token
        page = "/user/login/"
        client.get(page)
        who = {"email": account.email, "password": account.password}
        referer = {"Referer": account.url + page}
        client.post(
            page, data={**who, "csrfmiddlewaretoken": client.cookies.get("csrftoken") or ""}, headers=referer
        )
        signed = referer | {"X-CSRFToken": client.cookies.get("csrftoken") or ""}
        answer = client.post("/api/token/", headers=signed)
    if not answer.is_success:
        raise UserError(
            f"Label Studio at {account.url} does not let {account.email} in ({answer.status_code}). Are its data of "
            "another account? Give another folder: --folder"
        )
    return str(answer.json()["token"])
