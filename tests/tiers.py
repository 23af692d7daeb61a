"""The tier of each test, by where it stands and by the fixtures that it uses.

`make test` runs what has none of the markers slow, cluster and bench; `make test-all` runs the slow tests too.
"""

from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent
CLUSTER_FIXTURES = {"cluster", "bare_cluster"}
SLOW_FIXTURES = {"built", "shared"}
# Beginnings of the ids of tests, below tests/. Slow are those that load large libraries, train models or run much of
# the workflow; quick are those that a fixture would make slow.
SLOW = (
    "cluster/test_contract.py",
    "cluster/test_placement.py",
    "evaluate/test_bertscore.py",
    "evaluate/test_command_lines.py",
    "evaluate/test_smatch.py",
    "generate/test_decode.py",
    "generate/test_server.py",
    "ingest/test_records.py::test_cuts_in_endless_garbage_do_not_depend_on_size",
    "match/test_embed.py",
    "match/test_translate.py",
    "models/test_decoding.py",
    "parse/test_dependencies.py",
    "parse/test_induce.py",
    "parse/test_parser.py",
    "parse/test_vectors.py",
    "train/test_killed.py",
    "train/test_model.py",
    "test_environment.py::test_the_pip_part_of_an_environment_resolves_to_itself",
    "workflow/test_container.py",
    "workflow/test_contributing.py",
    "workflow/test_demo.py",
    "workflow/test_elsewhere.py",
    "workflow/test_real.py",
    "workflow/test_screen.py",
    "workflow/test_two_runs.py",
)
QUICK = (
    "cluster/test_contract.py::test_a_forgotten_job_over_old_outputs_is_retried",
    "cluster/test_contract.py::test_an_executor_that_was_not_tested_is_refused",
    "cluster/test_placement.py::test_each_attempt_stays_within_the_partitions_that_take_the_job",
    "workflow/test_plans.py::test_a_",
    "workflow/test_plans.py::test_an_edit_would_run_exactly[Snakemake's records lost",
    "workflow/test_plans.py::test_an_edit_would_run_exactly[a source replaced",
    "workflow/test_plans.py::test_an_edit_would_run_exactly[all code touched",
    "workflow/test_plans.py::test_every_key_of_the_config_is_edited_somewhere",
)


def tier(test: str, fixtures: set[str]) -> str | None:
    """The marker of a test, given its id below tests/ and the names of its fixtures; None for a quick one."""
    if test.startswith("bench/"):
        return "bench"
    if CLUSTER_FIXTURES & fixtures:
        return "cluster"
    if test.startswith(QUICK):
        return None
    return "slow" if test.startswith(SLOW) or SLOW_FIXTURES & fixtures else None


@pytest.hookimpl(tryfirst=True)  # before tests are chosen by their markers
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give each test its marker; put those that share the built house first, so that one worker builds it early."""
    for item in items:
        if TESTS in item.path.parents:
            name = item.path.relative_to(TESTS).as_posix() + item.nodeid[item.nodeid.index("::") :]
            if marker := tier(name, set(getattr(item, "fixturenames", ()))):
                item.add_marker(marker)
    items.sort(key=lambda item: "built" not in getattr(item, "fixturenames", ()))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Whole files that are not wanted are not even imported: many import large libraries."""
    if TESTS not in collection_path.parents:
        return None
    name = collection_path.relative_to(TESTS).as_posix()
    unwanted = config.getoption("markexpr")
    if "not slow" in unwanted and name in SLOW and not any(quick.startswith(name) for quick in QUICK):
        return True
    return True if "not bench" in unwanted and name == "bench" else None
