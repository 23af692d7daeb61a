"""Each test is in one tier, and CI skips nothing in silence."""

import re

import pytest
import yaml

from tests.conftest import ROOT
from tests.skips import matches, read_list
from tests.tiers import LONGEST, QUICK, SLOW, TESTS, tier


@pytest.mark.parametrize(
    ("test", "fixtures", "expected"),
    [
        ("match/test_pair.py::test_one", set(), None),
        ("match/test_embed.py::test_one", set(), "slow"),
        ("workflow/test_runs.py::test_one", {"built", "tmp_path"}, "slow"),
        ("workflow/test_plans.py::test_a_setting_would_run_exactly[a]", {"built"}, "slow"),
        ("workflow/test_plans.py::test_a_built_house_has_nothing_to_do", {"built"}, None),
        ("match/test_pair.py::test_of_real_data", {"shared"}, "slow"),
        ("slurm/test_jobs.py::test_one", {"built", "cluster"}, "cluster"),
        ("slurm/test_contract.py::test_one", {"tmp_path"}, None),
        ("bench/test_search.py::test_one", {"shared"}, "bench"),
    ],
)
def test_a_test_s_tier_comes_from_its_place_and_its_fixtures(
    test: str, fixtures: set[str], expected: str | None
) -> None:
    assert tier(test, fixtures) == expected


def test_every_test_that_the_tiers_and_the_list_of_skips_name_exists() -> None:
    tests = [f"tests/{test}" for test in (*SLOW, *QUICK, *LONGEST)] + list(read_list(TESTS / "skips.txt"))
    for test in tests:
        file = ROOT / test.split("::")[0]
        assert file.is_file(), test
        function = re.search(r"::(test_\w+)", test)
        assert not function or f"def {function[1]}" in file.read_text(encoding="utf-8"), test


def test_a_star_stands_for_anything_and_brackets_for_themselves() -> None:
    assert matches("tests/a.py::test_b[*]", "tests/a.py::test_b[x-1]")
    assert matches("tests/a.py*", "tests/a.py")
    assert not matches("tests/a.py::test_[ab]", "tests/a.py::test_a")


SKIPPING = """
import pytest
import yaml

def test_that_runs():
    pass

@pytest.mark.skip(reason="no time")
def test_that_is_skipped():
    pass

@pytest.mark.xfail
def test_that_fails_as_it_must():
    assert False
"""
WHOLE_FILE = "import pytest\npytest.importorskip('a_package_that_is_not_there')\n"
LISTED = "test_skipping.py::test_that_is_*  # it takes long\n"


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A project of one test file, where the plugin is on."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.delenv("WOKFLOW_CI", raising=False)
    pytester.makeini("[pytest]\nskips = skips.txt\naddopts = -p tests.skips -p no:hypothesispytest\n")
    pytester.makefile(".txt", skips="# nothing\n")
    pytester.makepyfile(test_skipping=SKIPPING)
    return pytester


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "two workers"])
@pytest.mark.parametrize("file", [SKIPPING, WHOLE_FILE], ids=["a test", "a whole file"])
def test_in_ci_an_unlisted_skip_fails_the_session(
    file: str, workers: tuple[str, ...], project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.makepyfile(test_skipping=file, test_more="def test_more(): pass")
    monkeypatch.setenv("WOKFLOW_CI", "1")
    done = project.runpytest_subprocess(*workers)
    assert done.ret == pytest.ExitCode.TESTS_FAILED
    done.stdout.fnmatch_lines(["*skipped, and not in skips.txt*", "test_skipping.py*"])


def test_a_listed_skip_is_none_to_worry_about(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.makefile(".txt", skips=LISTED)
    monkeypatch.setenv("WOKFLOW_CI", "1")
    assert project.runpytest_subprocess().ret == pytest.ExitCode.OK


def test_elsewhere_an_unlisted_skip_is_only_reported(project: pytest.Pytester) -> None:
    done = project.runpytest_subprocess()
    assert done.ret == pytest.ExitCode.OK
    done.stdout.fnmatch_lines(["test_skipping.py::test_that_is_skipped: *no time*"])


def test_each_line_of_the_list_has_a_reason(project: pytest.Pytester) -> None:
    project.makefile(".txt", skips="test_skipping.py::test_that_is_skipped\n")
    done = project.runpytest_subprocess()
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    done.stderr.fnmatch_lines(["*test_that_is_skipped has no reason behind #*"])


def test_pre_commit_runs_what_make_check_runs() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    recipes = {
        name: [line.strip() for line in lines.splitlines()]
        for name, lines in re.findall(r"^(check-(?!site)\w+):.*\n((?:\t.*\n)+)", makefile, re.M)
    }
    assert f"\ncheck: {' '.join(recipes)}\n" in makefile
    commands = [command for recipe in recipes.values() for command in recipe]
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"][0][
        "hooks"
    ]
    variables = {"$(SNAKEMAKE)": "$(BIN)/python -m snakemake", "$(BIN)": ".venv/bin"}
    for variable, value in variables.items():
        commands = [command.replace(variable, value) for command in commands]
    assert sorted(hook["entry"] for hook in hooks) == sorted(commands)
