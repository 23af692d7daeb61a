"""A row of the table of runs runs alone, and prompt runs ask a real server, once."""

import re
import shutil
import sys
from pathlib import Path

import pytest
from wokflow.frame import tables

from tests.conftest import rules_run, snakemake
from tests.generate.servers import echo_key, endpoint, error, well
from tests.models import tiny
from tests.workflow.changes import append, replace, setting
from tests.workflow.conftest import LINES, copy_of, digests

KEY = "sk-this-is-a-secret-0123456789"
SENT = "results/generate/predictions/{}/part-00000.parquet"
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
    assert jobs_of_runs(output) == {
        ("generate_retrieval", "again"),
        ("evaluate_metrics", "again"),
        ("evaluate_outputs", "again"),
    }


def test_a_hyperparameter_of_a_row_trains_that_run_alone(house: Path) -> None:
    replace("data/runs.tsv", TINY, f"{TINY}model.epochs=2")(house)
    assert jobs_of_runs(snakemake(house, "--dry-run").stdout) == {
        (rule, "tiny")
        for rule in (
            "train_model",
            "generate_decode",
            "generate_predictions",
            "evaluate_metrics",
            "evaluate_outputs",
        )
    }


def test_a_setting_of_decoding_trains_nothing(house: Path) -> None:
    replace("data/runs.tsv", TINY, f"{TINY}decode.beams=2")(house)
    assert jobs_of_runs(snakemake(house, "--dry-run").stdout) == {
        (rule, "tiny")
        for rule in ("generate_decode", "generate_predictions", "evaluate_metrics", "evaluate_outputs")
    }


TRANSLATED = "plain\tnone\tseq2seq\ttiny-mt\tlines\t\tdecode.device=cpu\t\n"
ON_ITEMS = "named\tnone\tseq2seq\ttiny-mt\tlines\tappend\tdecode.device=cpu\t\n"


def test_rows_on_sentences_plan_their_instances_and_then_run_alone(house: Path) -> None:
    append("data/runs.tsv", TRANSLATED + ON_ITEMS)(house)
    output = snakemake(house, "--dry-run").stdout
    assert "checkpoint generate_items" in output and "enrich_items" not in output
    rules = ("generate_decode", "generate_predictions", "evaluate_metrics", "evaluate_outputs")
    assert jobs_of_runs(output) == {(rule, run) for rule in rules for run in ("plain", "named")}
    shutil.rmtree(house / "results" / "enrich")
    plan = snakemake(house, "--dry-run").stdout
    assert plan.index("enrich_assemble") < plan.index("generate_items") < plan.index("generate_decode")


def test_a_row_on_sentences_that_is_edited_runs_alone(house: Path) -> None:
    model_in(
        house / "tiny-mt",
        "Mapo tofu is a dish of Sichuan. They eat hot pot in winter, and mooncakes autumn:麻婆豆腐火锅月饼",
    )
    append("data/runs.tsv", TRANSLATED + ON_ITEMS)(house)
    snakemake(house, "--", *(SENT.format(run) for run in ("plain", "named")), cores=2)
    found = {run: tables.read(house / SENT.format(run)) for run in ("plain", "named")}
    assert (
        found["plain"]["instance_id"].to_list()
        == found["named"]["instance_id"].to_list()
        == ["lines:0", "lines:1"]
    )
    assert found["plain"]["prediction"].to_list() != found["named"]["prediction"].to_list()
    assert rules_run(snakemake(house, "--dry-run", "--", SENT.format("plain")).stdout) == set()
    replace("data/runs.tsv", ON_ITEMS, ON_ITEMS.replace("append", "replace"))(house)
    planned = snakemake(house, "--dry-run", "--", *(SENT.format(run) for run in ("plain", "named"))).stdout
    assert jobs_of_runs(planned) == {("generate_decode", "named"), ("generate_predictions", "named")}


def test_what_becomes_known_of_items_runs_those_again_that_read_it(house: Path) -> None:
    model_in(house / "tiny-mt", "".join(source + target for source, target in LINES) + ":辣")
    append("data/runs.tsv", TRANSLATED + ON_ITEMS)(house)
    wanted = [SENT.format(run) for run in ("plain", "named")]
    snakemake(house, "--", *wanted, cores=2)
    replace("data/entities.jsonl", "麻婆豆腐", "麻辣豆腐")(house)
    done = jobs_of_runs(snakemake(house, "--", *wanted, cores=2).stdout)
    assert done == {("generate_decode", "named")} | {
        ("generate_predictions", run) for run in ("plain", "named")
    }
    assert rules_run(snakemake(house, "--dry-run", "--", *wanted).stdout) == set()


def model_in(folder: Path, letters: str) -> None:
    """A random translation model with a token a character."""
    tokenizer = tiny.tokenizer("".join(sorted({*letters, *tiny.LETTERS})))
    for part in (tiny.model("marian", len(tokenizer)), tokenizer):
        part.save_pretrained(folder)


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
        setting("generate.prompt", {"endpoint": server.url, "key_variable": "MY_KEY"})(house)
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


def test_the_workflows_own_server_is_started_once_for_all_runs_of_a_model_and_ended(house: Path) -> None:
    """On two cores, and behind two checkpoints, each of which renews jobs of the group as it ends."""
    command = [sys.executable, str(house / "data" / "serve.py"), "{port}", "{model}"]
    shutil.copy(Path(__file__).parents[1] / "generate" / "servers.py", house / "data" / "servers.py")
    (house / "data" / "serve.py").write_text(
        "import sys\nfrom pathlib import Path\nfrom servers import Endpoint, well\n"
        "with Path('data/served').open('a') as file: file.write(sys.argv[2] + '\\n')\n"
        "Endpoint(well(), port=int(sys.argv[1]), models=sys.argv[2:]).run()\n",
        encoding="utf-8",
    )
    setting("generate.server", {"backend": "command", "command": command, "minutes": 1, "gpus": 0})(house)
    append("data/runs.tsv", "warm\tnone\tprompt\tgpt-9\tcounterfactual\trewrite\tprompt.temperature=1\t\n")(
        house
    )
    append("data/runs.tsv", "english\tnone\tprompt\tgpt-9\tzh-en\tadapt-zh-en\t\t\n")(house)
    append("data/runs.tsv", "asked\tnone\tprompt\tgpt-9\tcounterfactual\trewrite\t\t\n")(house)
    shutil.rmtree(house / "results/generate/instances")
    targets = [SENT.format(name) for name in ("asked", "warm", "english")]
    snakemake(house, "--", *targets, cores=2)
    assert (house / "data" / "served").read_text(encoding="utf-8") == "gpt-9\n"
    assert [tables.read(house / target).height for target in targets[:2]] == [2, 2]
    assert (house / targets[2]).exists()
    assert not list((house / "results/generate/server").glob("*.json"))
    (log,) = (house / "results/logs/generate_server").glob("*.log")
    assert "Traceback" not in log.read_text(encoding="utf-8")
    assert "generate_prompt" not in snakemake(house, "--dry-run", "--", *targets).stdout
    shutil.rmtree(house / "results/generate/predictions/warm")  # alone, it waits for no other
    snakemake(house, "--", SENT.format("warm"), cores=2)
    assert (house / "data" / "served").read_text(encoding="utf-8") == "gpt-9\n" * 2
