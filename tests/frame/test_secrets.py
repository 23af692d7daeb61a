"""What counts as a secret, and texts without any."""

import io

import pytest
from wokflow.frame.job import Progress, UserError, job
from wokflow.frame.secrets import is_secret, masked, without_secrets

JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJtZSJ9.c2lnbmF0dXJl"


@pytest.mark.parametrize(
    ("name", "value", "secret"),
    [
        ("OPENAI_API_KEY", "x", True),
        ("MYAPIKEY", "x", True),
        ("SLURM_JWT", "x", True),
        ("GITHUB_PAT", "x", True),
        ("http_proxy", "http://me:word@proxy:3128", True),
        ("PIP_INDEX_URL", "https://token@mirror.example/simple", True),
        ("ANY_NAME", JWT, True),
        ("ANY_NAME", "hf_abcdefghijklmnopqrst", True),
        ("HTTP_PROXY", "me:word@proxy:3128", True),
        ("MYSQL_PWD", "x", True),
        ("ANY_NAME", "github_pat_abcdefghijklmnop", True),
        ("OLDPWD", "/home/me", False),
        ("PWD", "/home/me", False),
        ("http_proxy", "http://proxy:3128", False),
        ("HF_ENDPOINT", "https://mirror.example/@scope/x", False),
        ("TOKENIZERS_PARALLELISM", "false", False),
        ("PATH", "/usr/bin:/home/me/keys", False),
        ("PASSED", "1", False),
    ],
)
def test_a_variable_is_secret_by_its_name_or_by_its_value(name: str, value: str, secret: bool) -> None:
    assert is_secret(name, value) is secret


def test_texts_lose_secrets_of_the_environment_of_urls_and_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAB_API_KEY", "a-key-of-the-lab")
    monkeypatch.setenv("SHORT_KEY", "EMPTY")
    text = f"a-key-of-the-lab at https://me:word@host/a and ftp://tok@b, {JWT}. EMPTY, x@y.z and own"
    shown = "[secret] at https://[secret]@host/a and ftp://[secret]@b, [secret]. EMPTY, x@y.z and own"
    assert masked(text) == shown
    assert masked("given-for-this", ("given-for-this",)) == "[secret]"


def test_logs_and_screens_have_no_secret(
    tmp_path: object, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LAB_API_KEY", "a-key-of-the-lab")
    out = io.StringIO()
    progress = Progress(out)
    progress.warn("a-key-of-the-lab was sent \x1b[2J\x9b31m, and this\nstays")
    for error in (UserError("bad a-key-of-the-lab"), ValueError("bad a-key-of-the-lab")):
        with pytest.raises(SystemExit) as ended, job(f"{tmp_path}/log"):
            raise error
        out.write(str(ended.value) + open(f"{tmp_path}/log").read())  # noqa: PTH123, SIM115
    said = out.getvalue() + capsys.readouterr().err
    assert "\x1b" not in said and "\x9b" not in said and "this\nstays" in said
    assert "a-key-of" not in said and said.count("bad [secret]") >= 4


def test_names_that_are_no_utf_8_end_no_job(tmp_path: object, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match=r"no file a\?"), job(f"{tmp_path}/log"):
        raise UserError("no file a\udcff")
    with open(f"{tmp_path}/log", encoding="utf-8") as log:  # noqa: PTH123
        assert "stopped: no file a?\n" in log.read()


def test_a_program_gets_no_secrets_but_those_that_fetch_a_model() -> None:
    given = {"HF_TOKEN": "hf", "https_proxy": "http://a:b@c", "OPENAI_API_KEY": "sk", "HOME": "/home/me"}
    assert without_secrets(given, hub=False) == {"HOME": "/home/me"}
    assert without_secrets(given, hub=True).keys() == {"HOME", "HF_TOKEN", "https_proxy"}
