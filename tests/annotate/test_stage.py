"""The stage in the workflow: recipes that models wrote go out to people, and what comes back is measured."""

import re
from pathlib import Path

import polars as pl
import pytest
from wokflow.annotate.arguments import COLUMNS
from wokflow.frame import tables
from wokflow.frame.workbooks import read_filled

from tests.conftest import copy_house, rules_run, snakemake
from tests.generate.servers import endpoint, of_text
from tests.judge.models import answers_by_rule
from tests.judge.test_stage import write_config, write_models

pytestmark = pytest.mark.usefixtures("keyed")
MEANS = "asked/evaluate/people/means/ash/part-00000.parquet"
CALIBRATION = "asked/evaluate/ratings/calibration/part-00000.parquet"
BIASES = "asked/evaluate/ratings/biases/part-00000.parquet"
RATED = ("authenticity", "sensitivity", "harmony")


def write_studies(house: Path, answers: str) -> None:
    (house / "raters.tsv").write_text("rater\tconsent\tstate\treplaces\nr1\tyes\t\t\n", encoding="utf-8")
    row = {"name": "ash", "kind": "rating", "data": "ash", "raters": "raters.tsv", "answers": answers}
    row["settings"] = "tasks.sample=3"
    cells = [dict.fromkeys(COLUMNS, "") | row]
    lines = ["\t".join(COLUMNS), *("\t".join(each.values()) for each in cells)]
    (house / "studies.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def test_recipes_of_models_go_out_to_people_and_come_back(tmp_path: Path) -> None:
    """Two models wrote two recipes each, of which three are drawn; a sheet that comes back runs its readers alone."""
    house = copy_house(tmp_path / "house")
    write_models(house)
    write_studies(house, "")
    with endpoint(of_text(answers_by_rule)) as server:
        config = write_config(house, server.url, "asked")
        with Path(config).open("a", encoding="utf-8") as file:
            file.write("annotate: {studies: studies.tsv}\n")
        snakemake(house, "annotate", "--configfile", config, cores=2)
        sheets = house / "asked/annotate/sheets/ash"
        assert {"instructions.md", "r1.xlsx", "r1.tsv"} <= {path.name for path in sheets.iterdir()}
        rows = [row for _, row in read_filled(sheets / "r1.xlsx", ("id",))]
        assert len(rows) == 3 and not re.search("ash:|[wv]:", repr(rows))
        text = (sheets / "r1.tsv").read_text(encoding="utf-8").splitlines()
        places = [text[0].split("\t").index(name) for name in RATED]
        filled = [[*line.split("\t")] for line in text[1:]]
        for cells in filled:
            for place in places:
                cells[place] = "4"
        (house / "answers").mkdir()
        lines = [text[0], *("\t".join(cells) for cells in filled)]
        (house / "answers" / "r1.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
        write_studies(house, "answers")
        ran = snakemake(house, MEANS, CALIBRATION, BIASES, "--configfile", config, cores=2)
    assert {"annotate_ratings", "evaluate_people", "evaluate_ratings"} <= rules_run(ran.stdout)
    assert re.search(r"rule evaluate_biases:\n +input: .*asked/annotate/ratings/ash/", ran.stdout)
    means = tables.read(house / MEANS).filter(pl.col("by") == "all")
    assert means.select("dimension", "ratings", "mean").rows() == [(name, 3, 4.0) for name in sorted(RATED)]
    models = tables.read(house / CALIBRATION).filter(pl.col("value").is_null(), pl.col("rater") != "r1")
    assert (
        set(models["against"]) == {"people"}
        and set(models["others"]) == {4.0}
        and set(models["tasks"]) == {3}
    )


def test_without_a_table_of_studies_the_stage_has_nothing_to_do(tmp_path: Path) -> None:
    house = copy_house(tmp_path / "house")
    assert not re.search(r"annotate_|evaluate_people", snakemake(house, "--dry-run").stdout)
