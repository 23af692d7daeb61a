"""The key of a prompt run is in no file and no output, and goes to the host that it was named for alone."""

from pathlib import Path
from typing import Any

import pytest
from wokflow.frame.runs import Run as Row
from wokflow.generate.arguments import prompt_overrides

from tests.generate.asking import PATIENCE, SECRET, Run, asks
from tests.generate.servers import Endpoint, echo_key, endpoint, says

pytestmark = pytest.mark.usefixtures("keyed")


def leaks(server: Endpoint, run: Run, capsys: pytest.CaptureFixture[str], **settings: Any) -> list[str]:
    """Where the key is found after a run, which may fail: files, what was printed, the error."""
    try:
        run(server, **settings)
        said = ""
    except (SystemExit, Exception) as error:
        said = f"{error!r} {error} {error.__cause__!r} {error.__context__!r}"
    printed = capsys.readouterr()
    texts = {"error": said, "out": printed.out, "err": printed.err}
    found = [name for name, text in texts.items() if SECRET in text]
    files = [path for path in run.folder.rglob("*") if path.is_file()]
    assert any(path.name == "log.txt" for path in files)
    return found + [
        str(path) for path in files if SECRET.encode() in path.read_bytes() or SECRET in path.name
    ]


@pytest.mark.parametrize("status", [200, 302, 400, 401, 403, 429, 500])
def test_the_key_is_in_no_file_and_in_no_output(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], status: int
) -> None:
    run = Run(tmp_path, ["a", "b"])
    with endpoint(echo_key(status)) as server:
        assert not leaks(server, run, capsys)
        assert not leaks(server, run, capsys, failures=9)
    assert SECRET in server.asked[0].headers["Authorization"]
    if status == 200:  # tables are compressed: what they hold is looked at as well
        assert "[key]" in run.table("out")["prediction"][0]
    for name in ("out", "calls", "rejects"):
        if (tmp_path / f"{name}.parquet").exists():
            assert SECRET not in run.table(name).write_json()


def test_the_key_is_not_told_where_a_bug_ends_the_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = Run(tmp_path, ["a"])
    (tmp_path / "cache").write_text("in the way", encoding="utf-8")
    with endpoint() as server:
        assert not leaks(server, run, capsys)
    assert "Traceback" in run.log()


def test_of_two_hosts_the_one_that_the_key_was_named_for_gets_it(tmp_path: Path) -> None:
    """A row of the table of runs asks another host than the config, which names the key."""
    run = Run(tmp_path, ["a", "b"])
    with endpoint() as own, endpoint() as other:
        block = {"endpoint": own.url, "key_variable": "TEST_KEY", "prompt": str(run.prompt)}
        for server in (own, other):
            row = Row("a", "none", "prompt", "m", "zh-en", "x", {"prompt": {"endpoint": server.url}})
            asks(tmp_path, block | prompt_overrides({"generate": {"prompt": block}}, row))
    assert {asked.headers.get("Authorization") for asked in own.asked} == {f"Bearer {SECRET}"}
    assert len(own.asked) == len(other.asked) == 2
    assert not any(SECRET in str(asked.headers) for asked in other.asked)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_takes_neither_key_nor_prompt_to_another_host(tmp_path: Path, status: int) -> None:
    run = Run(tmp_path, ["a"])
    with endpoint() as other, endpoint(says(status, b"", Location=f"{other.url}/chat/completions")) as server:
        with pytest.raises(SystemExit, match="which is not followed"):
            run(server)
        assert len(server.asked) == 1
    assert other.asked == []


@pytest.mark.parametrize("status", [200, 401])
def test_what_the_environment_holds_for_the_sdk_is_not_sent_and_its_log_has_no_key(
    tmp_path: Path, status: int
) -> None:
    """The SDK takes keys, organisation, project and headers from the environment, whatever the host."""
    foreign = {
        "OPENAI_API_KEY": "sk-foreign-1",
        "OPENAI_ADMIN_KEY": "sk-foreign-2",
        "OPENAI_ORG_ID": "org-foreign",
        "OPENAI_PROJECT_ID": "project-foreign",
        "OPENAI_BASE_URL": "http://127.0.0.1:9/v1",
        "OPENAI_CUSTOM_HEADERS": "X-Team: foreign\nAuthorization: Bearer sk-foreign-3",
    }
    with endpoint(echo_key(status)) as server:
        process = Run(tmp_path, ["a"]).apart(server, foreign | {"OPENAI_LOG": "debug"})
        said, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == (status != 200)
    (asked,) = server.asked
    assert asked.headers["Authorization"] == f"Bearer {SECRET}"
    assert "foreign" not in str(asked.headers)
    assert "openai" in said  # its log is on
    assert SECRET not in said and SECRET not in (tmp_path / "log.txt").read_text(encoding="utf-8")
