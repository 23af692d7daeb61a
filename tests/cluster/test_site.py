"""The site file: read whole, and every mistake in it named at once."""

from pathlib import Path

import pytest
from wokflow.cluster.site import Site, read_site
from wokflow.job import UserError

from tests.conftest import ROOT


def written(folder: Path, text: str) -> Path:
    path = folder / "site.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_file_that_comes_with_the_code_says_nothing() -> None:
    site = read_site(ROOT / "slurm" / "site.yaml")
    assert site == Site()
    assert site.resources() == {}
    assert site.most("max_runtime") == float("inf")


def test_settings_become_resources_and_the_largest_limit_counts(tmp_path: Path) -> None:
    text = """
account: 4711
constraint: avx512
partitions:
  cpu: {max_runtime: 2880, max_mem_mb: 190000}
  gpu: {max_runtime: 1440, max_mem_mb: 500000, max_gpu: 4}
"""
    site = read_site(written(tmp_path, text))
    assert site.resources() == {"slurm_account": "4711", "constraint": "avx512"}
    assert (site.most("max_runtime"), site.most("max_mem_mb")) == (2880, 500000)
    assert site.most("max_threads") == float("inf")
    assert site.gpu_partitions() == ["gpu"]


def test_a_partition_without_a_limit_has_none(tmp_path: Path) -> None:
    site = read_site(written(tmp_path, "partitions: {short: {max_runtime: 10}, long: {}}"))
    assert site.most("max_runtime") == float("inf")


def test_all_mistakes_are_named_at_once(tmp_path: Path) -> None:
    text = "acount: a\nqos: [x]\npartitions: {cpu: {max_time: 1, max_gpu: many}, gpu: 4}"
    with pytest.raises(UserError) as caught:
        read_site(written(tmp_path, text))
    said = str(caught.value)
    assert "acount: no such key; did you mean account?" in said
    assert "qos: one name, or null" in said
    assert "partitions.cpu.max_time: no such key" in said
    assert "partitions.cpu.max_gpu: a whole number of GPUs of a node, not 'many'" in said
    assert "partitions.gpu: limits in braces" in said


@pytest.mark.parametrize(("text", "said"), [("- a", "keys with values"), ("a: [", "is no YAML")])
def test_what_is_no_site_file_is_refused(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=said):
        read_site(written(tmp_path, text))


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"none\.yaml cannot be read"):
        read_site(tmp_path / "none.yaml")
