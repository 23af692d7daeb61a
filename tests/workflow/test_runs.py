"""A row of the table of runs runs alone, and prompt runs ask a real server, once."""

import re
import shutil
import sys
from pathlib import Path

import pytest

from tests.conftest import snakemake
from tests.generate.servers import echo_key, endpoint, error, well
from tests.workflow.changes import append, replace, setting
from tests.workflow.conftest import copy_of, digests

KEY = "sk-this-is-a-secret-0123456789"
ASKED = "results/generate/predictions/asked/part-00000.parquet"
TINY = "tiny\ttrain\tseq2seq\tsmall\tzh-en\t\t"


def jobs_of_runs(output: str) -> set[tuple[str, str]]:
    """Rule and run of each job of a run that Snakemake's output shows."""
    shown = re.findall(r"^(?:local)?rule (\w+):\n((?: +.*\n)+)", output, re.M)
    return {(rule, run[1]) for rule, said in shown if (run := re.search(r"wildcards:.*\brun=(\w+)", said))}


@pytest.fixture
def house(built: Path, tmp_path: Path) -> Path:
    return copy_of(built, tmp_path / "house")


def test_a_row_that_is_added_runs_alone(house: Path) -> None:
    append("data/runs.tsv", "again\tnone\tretrieval\t\tzh-en\t\t\t\n")(house)
    output = snakemake(house, "--dry-run").stdout
    assert jobs_of_runs(output) == {("generate_retrieval", "again"), ("evaluate_metrics", "again")}


def test_a_hyperparameter_of_a_row_trains_that_run_alone(house: Path) -> None:
    replace("data/runs.tsv", TINY, f"{TINY}model.epochs=2")(house)
    assert jobs_of_runs(snakemake(house, "--dry-run").stdout) == {
        (rule, "tiny")
        for rule in ("train_model", "generate_decode", "generate_predictions", "evaluate_metrics")
    }


def test_a_setting_of_decoding_trains_nothing(house: Path) -> None:
    replace("data/runs.tsv", TINY, f"{TINY}decode.beams=2")(house)
    assert jobs_of_runs(snakemake(house, "--dry-run").stdout) == {
        (rule, "tiny") for rule in ("generate_decode", "generate_predictions", "evaluate_metrics")
    }


def ask(house: Path, *, settings: str = "", check: bool = True) -> str:
    """Run the prompt run of a house; give the output."""
    runs = house / "data" / "runs.tsv"
    rows = [line for line in runs.read_text(encoding="utf-8").splitlines() if not line.startswith("asked")]
    rows.append(f"asked\tnone\tprompt\tgpt-9\tcounterfactual\trewrite\t{settings}\t")
    runs.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return snakemake(house, "--", ASKED, cores=2, check=check).stdout


def test_a_prompt_run_asks_once_and_its_key_is_nowhere(house: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    with endpoint(error(429, Retry_After="0"), echo_key(500), well(text="炒饭。")) as server:
        setting("generate.prompt", {"endpoint": server.url, "key_variable": "MY_KEY", "backoff_s": 0})(house)
        output = ask(house)
        asked = len(server.asked)
        assert asked > 2
        assert all(KEY in request.headers["Authorization"] for request in server.asked)
        before = digests(house)
        shutil.rmtree(house / "results/generate/predictions/asked")
        output += ask(house)
        assert len(server.asked) == asked
    assert digests(house) == before
    assert KEY not in output
    for path in house.rglob("*"):
        assert not path.is_file() or KEY.encode() not in path.read_bytes(), path


def test_without_its_key_a_prompt_run_says_what_to_do(house: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MY_KEY", raising=False)
    with endpoint(error(401)) as server:
        setting("generate.prompt", {"endpoint": server.url, "key_variable": "MY_KEY"})(house)
        assert "MY_KEY is not set" in ask(house, check=False)


def test_a_budget_stops_a_run_and_a_larger_one_goes_on(house: Path) -> None:
    with endpoint() as server:
        setting("generate.prompt", {"endpoint": server.url, "concurrency": 1})(house)
        assert "budget" in ask(house, settings="prompt.budget_tokens=10", check=False)
        assert server.asked == []
        ask(house, settings="prompt.budget_tokens=1000000")
        assert server.asked


def test_the_workflows_own_server_is_started_for_a_run_and_ended(house: Path) -> None:
    command = [sys.executable, str(house / "data" / "serve.py"), "{port}", "{model}"]
    shutil.copy(Path(__file__).parents[1] / "generate" / "servers.py", house / "data" / "servers.py")
    (house / "data" / "serve.py").write_text(
        "import sys\nfrom pathlib import Path\nfrom servers import Endpoint, well\n"
        "Path('data/served').write_text(sys.argv[2])\n"
        "Endpoint(well(), port=int(sys.argv[1]), models=sys.argv[2:]).run()\n",
        encoding="utf-8",
    )
    setting("generate.server", {"backend": "command", "command": command, "minutes": 1, "gpus": 0})(house)
    shutil.rmtree(house / "results/generate/instances")  # a checkpoint renews jobs of the group as it ends
    ask(house)
    assert (house / "data" / "served").read_text(encoding="utf-8") == "gpt-9"
    assert not (house / "results/generate/server/asked.json").exists()
    log = (house / "results/logs/generate_server/asked.log").read_text(encoding="utf-8")
    assert "Traceback" not in log
    assert "generate_prompt" not in snakemake(house, "--dry-run", "--", ASKED).stdout
