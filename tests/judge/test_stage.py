"""The stage in the workflow: all of it with a table of models, and from released answers."""

import json
import sys
from pathlib import Path

import polars as pl
import pytest
from wokflow.annotate.arguments import COLUMNS
from wokflow.evaluate.stage import RATING_TABLES
from wokflow.frame import tables
from wokflow.frame.tsv_sheets import write_sheet
from wokflow.frame.workbooks import read_filled
from wokflow.judge.schemas import ANSWERS

from tests.conftest import ROOT, copy_house, rules_run, snakemake
from tests.generate.servers import endpoint, of_text
from tests.judge.models import answers_by_rule
from tests.judge.pairs import chooses
from tests.workflow.conftest import new_house

pytestmark = pytest.mark.usefixtures("keyed")
HEADER = "name\trole\tmodel\tprompt\tsettings\trepetitions\tseed\tanswers\n"
MODELS = ("w", "generator", 1), ("v", "generator", 1), ("j", "evaluator", 2), ("k", "evaluator", 2)


def write_models(house: Path, answers: str = "") -> None:
    rows = [f"{name}\t{role}\t{name}\t\t\t{many}\t\t{answers}\n" for name, role, many in MODELS]
    (house / "models.tsv").write_text(HEADER + "".join(rows), encoding="utf-8")


def write_config(house: Path, url: str | None, results: str) -> str:
    (house / "dishes.tsv").write_text("id\tname\npizza\tPizza\n", encoding="utf-8")
    (house / "cuisines.tsv").write_text(
        "id\tname\tgroup\nkosher\tKosher\tr\naztec\tAztec\th\n", encoding="utf-8"
    )
    lines = [
        f"results: {results}",
        "judge: {models: models.tsv, instructions: {dishes: dishes.tsv, cuisines: cuisines.tsv}}",
        *([f"generate: {{prompt: {{endpoint: '{url}'}}}}"] if url else []),
    ]
    (house / "my.yaml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(house / "my.yaml")


def test_models_write_and_rate_and_their_answers_replay(tmp_path: Path) -> None:
    house = copy_house(tmp_path / "house")
    write_models(house)
    wanted = [f"{{}}/evaluate/ratings/{table}/part-00000.parquet" for table in RATING_TABLES]
    with endpoint(of_text(answers_by_rule)) as server:
        config = write_config(house, server.url, "asked")
        ran = snakemake(house, *(path.format("asked") for path in wanted), "--configfile", config, cores=2)
        asked = len(server.asked)
    assert rules_run(ran.stdout) == {
        *("judge_instructions", "judge_prompt", "judge_tasks", "judge_ratings", "evaluate_ratings")
    }
    assert asked == 2 * 2 + 2 * 2 * 2  # both generators write the same, which is asked once
    answers = [tables.read(house / f"asked/judge/answers/{name}/part-00000.parquet") for name, *_ in MODELS]
    tables.write(house / "released.parquet", ANSWERS, pl.concat(answers), {})
    write_models(house, "released.parquet")
    config = write_config(house, None, "replayed")
    snakemake(house, *(path.format("replayed") for path in wanted), "--configfile", config, cores=2)
    for path in wanted:
        first, again = (tables.read(house / path.format(folder)) for folder in ("asked", "replayed"))
        assert first.height and first.equals(again), path
    means = tables.read(house / wanted[0].format("asked"))
    kosher = means.filter(pl.col("by") == "cuisine", pl.col("cuisine") == "Kosher")
    assert kosher["mean"].to_list() == [5.0, 5.0, 5.0] and kosher["ratings"].to_list() == [8, 8, 8]


def test_models_without_an_endpoint_are_served_as_long_as_they_are_asked(tmp_path: Path) -> None:
    """On two cores: a server for the generator, then one for both evaluators of that model."""
    house = copy_house(tmp_path / "house")
    names = ("w", "generator"), ("j", "evaluator"), ("k", "evaluator")
    rows = [f"{name}\t{role}\tm\t\t\t\t{9 * place}\t\n" for place, (name, role) in enumerate(names)]
    (house / "models.tsv").write_text(HEADER + "".join(rows), encoding="utf-8")
    config = write_config(house, None, "asked")
    serve = (
        "import sys\nfrom pathlib import Path\n"
        f"sys.path[:0] = [{str(ROOT)!r}, {str(ROOT / 'scripts')!r}]\n"
        "from tests.generate.servers import Endpoint, of_text\nfrom tests.judge.models import answers_by_rule\n"
        "with Path('served').open('a') as file: file.write(sys.argv[2] + '\\n')\n"
        "Endpoint(of_text(answers_by_rule), port=int(sys.argv[1]), models=sys.argv[2:]).run()\n"
    )
    (house / "serve.py").write_text(serve, encoding="utf-8")
    command = [sys.executable, str(house / "serve.py"), "{port}", "{model}"]
    server = {"backend": "command", "command": command, "minutes": 2, "gpus": 0}
    with Path(config).open("a", encoding="utf-8") as file:
        file.write(f"generate: {{server: {json.dumps(server)}}}\n")
    target = "asked/evaluate/ratings/means/part-00000.parquet"
    snakemake(house, target, "--configfile", config, cores=2)
    assert (house / "served").read_text(encoding="utf-8") == "m\nm\n"
    means = tables.read(house / target).filter(pl.col("by") == "rater")
    assert means["ratings"].to_list() == [6] * 6  # three dimensions, two raters: two recipes, three times
    assert not list((house / "asked/judge/server").glob("*.json"))


def test_models_and_people_choose_between_translations_and_the_reference(tmp_path: Path) -> None:
    """A model prefers the run; then a person, whose sheet comes back, the reference."""
    house = new_house(tmp_path / "house")
    runs = (
        "name\tstage\tfamily\tmodel\tdata\tprompt\tsettings\tseed\nmt\tnone\tprompt\tm\tlines\tcsi_bi\t\t\n"
    )
    (house / "data" / "runs.tsv").write_text(runs, encoding="utf-8")
    (house / "models.tsv").write_text(HEADER + "j\tcomparer\tm\t\t\t\t\t\n", encoding="utf-8")
    write_study(house, "")
    choose = chooses(lambda a, b: "A" if a == "译文" else "B")

    def answer(text: str) -> str:
        return choose(text) if text.startswith("Assuming") else "译文"

    with endpoint(of_text(answer)) as server:
        config = {
            "judge": {"models": "models.tsv"},
            "annotate": {"studies": "studies.tsv"},
            "generate": {"prompt": {"endpoint": server.url}, "items": {"exemplars": 0}},
        }
        (house / "my.yaml").write_text(json.dumps(config), encoding="utf-8")
        target = "results/evaluate/pta/scores/part-00000.parquet"
        ran = snakemake(house, target, "annotate", "--configfile", str(house / "my.yaml"), cores=2)
    assert {"judge_pta", "judge_prompt", "judge_ratings", "evaluate_pta"} <= rules_run(ran.stdout)
    scores = tables.read(house / target)
    assert scores.select("rater", "run", "corpus", "items", "pairs", "pta", "same_in_both_orders").rows() == [
        ("j", "mt", "lines", name, 3, 100, 100) for name in ("all", "translated")
    ]
    rows = [row for _, row in read_filled(house / "results/annotate/sheets/people/r1.xlsx", ("id",))]
    filled = [row | {"preferred": "B" if row["A"] == "译文" else "A"} for row in rows]
    write_sheet(house / "r1.tsv", list(rows[0]), [[*row.values()] for row in filled])
    write_study(house, "r1.tsv")
    ran = snakemake(house, target, "--configfile", str(house / "my.yaml"), cores=2)
    assert rules_run(ran.stdout) == {"annotate_ratings", "evaluate_pta"}
    scores = tables.read(house / target).filter(items="all")
    assert scores.select("kind", "rater", "pairs", "pta").rows() == [
        ("model", "j", 3, 100),
        ("people", "people", 3, 0),
        ("person", "r1", 3, 0),
    ]


def write_study(house: Path, answers: str) -> None:
    (house / "raters.tsv").write_text("rater\tconsent\tstate\treplaces\nr1\tyes\t\t\n", encoding="utf-8")
    row = {"name": "people", "kind": "rating", "data": "pta", "raters": "raters.tsv", "answers": answers}
    cells = (dict.fromkeys(COLUMNS, "") | row).values()
    text = "\t".join(COLUMNS) + "\n" + "\t".join(cells) + "\n"
    (house / "studies.tsv").write_text(text, encoding="utf-8")
