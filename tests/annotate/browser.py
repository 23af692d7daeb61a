"""Chromium, driven by its DevTools protocol through two pipes: no package, no port."""

import base64
import json
import os
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

PROGRAM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
PAUSE = 0.2  # seconds


class Browser:
    def __init__(self, folder: Path) -> None:
        (read, self._to), (self._from, write) = os.pipe(), os.pipe()
        options = f"--headless --no-sandbox --disable-gpu --window-size=1280,1000 --user-data-dir='{folder}'"
        command = f"exec {PROGRAM} {options} --remote-debugging-pipe about:blank 3<&{read} 4>&{write}"
        self._program = subprocess.Popen(
            ["bash", "-c", command], pass_fds=(read, write), stderr=subprocess.DEVNULL
        )
        os.close(read)
        os.close(write)
        self._answers = os.fdopen(self._from, "rb")
        self._asked, self._session = 0, ""
        pages = [one for one in self._ask("Target.getTargets")["targetInfos"] if one["type"] == "page"]
        attached = self._ask("Target.attachToTarget", targetId=pages[0]["targetId"], flatten=True)
        self._session = attached["sessionId"]

    def _ask(self, method: str, **params: Any) -> Any:
        self._asked += 1
        session = {"sessionId": self._session} if self._session else {}
        message = {"id": self._asked, "method": method, "params": params} | session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            text = bytearray()
            while (one := self._answers.read(1)) != b"\0":
                assert one, "the browser has ended"
                text += one
            answer = json.loads(text)
            if answer.get("id") == self._asked:
                assert "error" not in answer, answer
                return answer["result"]

    def run(self, script: str) -> Any:
        answer = self._ask("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def wait(self, condition: str, seconds: float = 120) -> None:
        end = time.monotonic() + seconds
        while not self.run(f"Boolean({condition})"):
            assert time.monotonic() < end, (condition, self.run("document.body.innerText.slice(0, 800)"))
            time.sleep(PAUSE)

    def open(self, url: str) -> None:
        self._ask("Page.navigate", url=url)
        self.wait(f"location.href.startsWith({json.dumps(url)}) && document.readyState == 'complete'")

    def escape(self) -> None:
        """Press the key Esc."""
        for kind in ("keyDown", "keyUp"):
            self._ask(
                "Input.dispatchKeyEvent", type=kind, key="Escape", code="Escape", windowsVirtualKeyCode=27
            )

    def picture(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self._ask("Page.captureScreenshot", format="png")["data"]))

    def close(self) -> None:
        self._ask("Browser.close")
        self._program.wait(30)
        self._answers.close()
        os.close(self._to)
