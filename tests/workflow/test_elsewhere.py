"""The workflow runs from another folder, and as a module of another workflow."""

import json
from pathlib import Path

import pytest

from tests.conftest import rules_run, snakemake
from tests.workflow.conftest import new_house, write_corpora, write_sentences

TITLES = "match/titles/xiachufang/part-00000.parquet"
EXPECTED = {"ingest_source", "ingest_recipes", "match_eligible", "match_titles"}


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return new_house(tmp_path_factory.mktemp("elsewhere") / "house")


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """A folder with corpora and a config, and no workflow."""
    write_corpora(tmp_path / "data")
    write_sentences(tmp_path / "data")
    (tmp_path / "my.yaml").write_text("results: out\n", encoding="utf-8")
    return tmp_path


def test_a_snakefile_elsewhere_reads_and_writes_in_the_working_folder(house: Path, elsewhere: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in house.rglob("*") if path.is_file()}
    options = ["-s", str(house / "Snakefile"), "--configfile", "my.yaml", "--", f"out/{TITLES}"]
    assert rules_run(snakemake(elsewhere, *options).stdout) == EXPECTED
    assert (elsewhere / "out" / TITLES).exists()
    assert rules_run(snakemake(elsewhere, *options).stdout) == set()
    assert before == {path: path.stat().st_mtime_ns for path in before}


def test_another_working_folder_may_be_named(house: Path, elsewhere: Path) -> None:
    options = [
        "--directory",
        str(elsewhere),
        "--configfile",
        str(elsewhere / "my.yaml"),
        "--",
        f"out/{TITLES}",
    ]
    assert rules_run(snakemake(house, *options).stdout) == EXPECTED
    assert (elsewhere / "out" / TITLES).exists()


def test_jobs_run_the_code_that_their_keys_are_of_whatever_else_is_installed(
    house: Path, elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = elsewhere / "installed"
    (installed / "wokflow").mkdir(parents=True)
    (installed / "wokflow" / "__init__.py").write_text("raise ImportError('another copy of the package')\n")
    monkeypatch.setenv("PYTHONPATH", str(installed))
    options = ["-s", str(house / "Snakefile"), "--configfile", "my.yaml"]
    snakemake(elsewhere, *options, "--", "out/ingest/recipes/xiachufang/part-00000.parquet")


MODULE = """
configfile: "importer.yaml"


module wokflow:
    snakefile: {snakefile!r}
    config: config["wokflow"]


use rule * from wokflow as wokflow_*


rule mine:
    input:
        "out/{titles}",
    output:
        "mine.json",
    run:
        import json
        own = next(rule for rule in workflow.rules if rule.name == "mine")
        with open(output[0], "w") as file:
            json.dump({{"config": config, "resources": sorted(own.resources)}}, file)
"""


def test_another_workflow_imports_it_as_a_module(house: Path, elsewhere: Path) -> None:
    snakefile = MODULE.format(snakefile=str(house / "Snakefile"), titles=TITLES)
    (elsewhere / "Snakefile").write_text(snakefile, encoding="utf-8")
    sources = {"recipenlg": {"path": "data/en.csv"}, "xiachufang": {"path": "data/zh.json"}}
    config = {"wokflow": {"results": "out", "sources": sources}}
    (elsewhere / "importer.yaml").write_text(json.dumps(config), encoding="utf-8")
    (house / "slurm" / "site.yaml").write_text("account: lab\npartitions: {}\n", encoding="utf-8")
    ran = rules_run(snakemake(elsewhere, "--", "mine").stdout)
    assert ran == {f"wokflow_{rule}" for rule in EXPECTED} | {"mine"}
    written = json.loads((elsewhere / "mine.json").read_text(encoding="utf-8"))
    assert written["config"] == config, "defaults are not written into the importer's config"
    assert not {"slurm_account", "constraint", "qos"} & set(written["resources"])
    assert rules_run(snakemake(elsewhere, "--", "mine").stdout) == set()


def write_importer(folder: Path, snakefile: str) -> None:
    (folder / "Snakefile").write_text(snakefile, encoding="utf-8")
    sources = {"recipenlg": {"path": "data/en.csv"}, "xiachufang": {"path": "data/zh.json"}}
    config = {"wokflow": {"results": "out", "sources": sources}}
    (folder / "importer.yaml").write_text(json.dumps(config), encoding="utf-8")


MOVED = [
    'prefix: "sub"',
    'replace_prefix: {"out/": "sub/"}',
    'replace_prefix: {"data/": "sub/"}',
    'replace_prefix: {"out/match/": "sub/"}',
]


@pytest.mark.parametrize("outer", [False, True], ids=["module", "module of a module"])
@pytest.mark.parametrize("moved", MOVED)
def test_a_module_whose_files_would_be_moved_in_part_is_refused(
    moved: str, outer: bool, house: Path, elsewhere: Path
) -> None:
    snakefile = MODULE.format(snakefile=str(house / "Snakefile"), titles=TITLES)
    if outer:
        (elsewhere / "inner.smk").write_text(snakefile, encoding="utf-8")
        snakefile = (
            'configfile: "importer.yaml"\nmodule inner:\n    snakefile: "inner.smk"\n    config: config\n'
            f"    {moved}\nuse rule * from inner as inner_*\n"
        )
    else:
        config = '    config: config["wokflow"]\n'
        snakefile = snakefile.replace(config, f"{config}    {moved}\n")
    write_importer(elsewhere, snakefile)
    done = snakemake(elsewhere, "-n", check=False)
    assert done.returncode and "A module's prefix or replace_prefix" in done.stdout
    assert "Traceback" not in done.stdout


def test_an_importer_s_first_rule_stays_its_target_and_two_modules_do_not_meet(
    house: Path, elsewhere: Path
) -> None:
    """Without a target, also beside a prefix that concerns other files, and with one set of rules twice."""
    one = f"    snakefile: {str(house / 'Snakefile')!r}\n"
    write_importer(
        elsewhere,
        'configfile: "importer.yaml"\n'
        f"rule mine:\n    input: 'out/{TITLES}', 'other/{TITLES}'\n"
        f"module first:\n{one}    config: config['wokflow']\n    replace_prefix: {{'figures/': 'sub/'}}\n"
        "use rule * from first as first_*\n"
        f"module second:\n{one}    config: {{**config['wokflow'], 'results': 'other'}}\n"
        "use rule * from second as second_*\n",
    )
    ran = rules_run(snakemake(elsewhere).stdout)
    assert ran == {f"{name}_{rule}" for name in ("first", "second") for rule in EXPECTED}
