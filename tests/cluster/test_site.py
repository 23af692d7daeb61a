"""The site file: read whole, and every mistake in it named at once."""

from pathlib import Path
from textwrap import dedent

import pytest
from snakemake_executor_plugin_slurm_robust.site import Site, read_site
from snakemake_interface_common.exceptions import WorkflowError

from tests.conftest import ROOT


def written(folder: Path, text: str) -> Path:
    path = folder / "site.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_file_that_comes_with_the_code_says_nothing() -> None:
    site = read_site(ROOT / "slurm" / "site.yaml")
    assert site == Site()
    assert set(site.resources().values()) == {None}


def test_the_examples_in_the_file_that_comes_with_the_code_can_be_used(tmp_path: Path) -> None:
    text = (ROOT / "slurm" / "site.yaml").read_text(encoding="utf-8")
    lines = [line.removeprefix("# ") for line in text.splitlines() if line.startswith("#   ")]
    examples = dedent("\n".join(lines[lines.index("  partitions:") :])).split("partitions:")
    read = [read_site(written(tmp_path, f"partitions:{example}")) for example in examples[1:]]
    assert [list(site.partitions) for site in read] == [
        ["cpu", "gpu"],
        ["main", "accel"],
        ["short", "long", "dgx"],
    ]
    assert read[1].setting("account", "accel") == "lab_g"


def test_a_file_is_named_as_seen_from_the_folder_of_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path, "partitions: {}")
    assert read_site(path).file == str(path)
    monkeypatch.chdir(tmp_path)
    assert read_site(path).file == "site.yaml"


def test_a_partition_has_its_own_settings_or_those_of_the_site(tmp_path: Path) -> None:
    text = """
account: 4711
constraint: avx512
partitions:
  cpu: {max_runtime: 2880, max_mem_mb: 190000}
  gpu: {max_runtime: 1440, max_gpu: 4, account: 4712, qos: gpu, constraint: null, gpu_model: a100}
"""
    site = read_site(written(tmp_path, text))
    default = {"slurm_account": "4711", "qos": None, "constraint": "avx512"}
    assert site.resources() == site.resources("cpu") == default
    assert site.resources("gpu") == {"slurm_account": "4712", "qos": "gpu", "constraint": None}
    assert (site.setting("gpu_model", "gpu"), site.setting("gpu_model", "cpu")) == ("a100", None)
    assert (site.values("account"), site.values("qos")) == (["4711", "4712"], ["gpu"])
    assert site.gpu_partitions() == ["gpu"]


def test_all_mistakes_are_named_at_once(tmp_path: Path) -> None:
    text = """
acount: a
qos: [x]
partitions:
  cpu: {max_time: 1, max_gpu: many, acount: b, constraint: [c]}
  a100: {gpu_model: a100-sxm, max_gpu: 1}
  v100: {gpu_model: v100}
  gpu: 4
"""
    with pytest.raises(WorkflowError) as caught:
        read_site(written(tmp_path, text))
    said = str(caught.value)
    assert "acount: no such key; did you mean account?" in said
    assert "qos: one name, or null" in said
    assert "partitions.cpu.max_time: no such key" in said
    assert "partitions.cpu.max_gpu: a whole number of GPUs of a node, not 'many'" in said
    assert "partitions.cpu.acount: no such key; did you mean account?" in said
    assert "partitions.cpu.constraint: one name, or null" in said
    assert "partitions.a100.gpu_model: letters, digits, _ and ., not 'a100-sxm'" in said
    assert "partitions.v100.gpu_model: it needs max_gpu" in said
    assert "partitions.gpu: limits in braces" in said


def test_what_is_no_site_file_is_refused(tmp_path: Path) -> None:
    for text, said in (("- a", "holds no keys"), ("a: [", "is not YAML")):
        with pytest.raises(WorkflowError, match=said):
            read_site(written(tmp_path, text))
    with pytest.raises(WorkflowError, match=r"There is no file .*none\.yaml"):
        read_site(tmp_path / "none.yaml")
