"""The conda environments of the stages: python -m wokflow.frame.environments writes what each stage needs directly.

These are the packages that its modules import and those that it declares by name, in the versions of constraints.txt.
`make lock` then adds all that these need.
"""

import ast
import re
import sys
from pathlib import Path

from wokflow.frame import stages
from wokflow.frame.code import code_digests

PACKAGE = Path(__file__).resolve().parents[1]
ROOT = PACKAGE.parents[1]
READ_BY_RULES = {"arguments", "stage"}  # modules that run where Snakemake does
PROVIDED = {  # import name -> package, where they differ
    "ahocorasick": "pyahocorasick",
    "backports": "backports-zstd",
    "faiss": "faiss-cpu",
    "sklearn": "scikit-learn",
    "vl_convert": "vl-convert-python",
    "wikipediaapi": "wikipedia-api",
    "yaml": "pyyaml",
}
EVERYWHERE = {"pydantic"}  # scripts/step.py gives a step its settings by it
HEAD = """\
# Stage {stage}. Pins are those of constraints.txt; tests/test_environment.py holds them together.
channels:
  - conda-forge
  - nodefaults
dependencies:
  - python=3.11.13
  - pip=25.2
"""
PIP = "  - pip:\n"
BEHIND = "      # what these need\n"  # divides the packages that a stage needs directly from the others


def needed(stage: str) -> set[str]:
    """The packages that a stage needs directly."""
    return _imported_by(stage) | EVERYWHERE | set(stages.needed_by_name(stage))


def with_packages(text: str, stage: str) -> str:
    """The text of a stage's environment, empty if there is none yet, with the packages that it needs directly.

    Those that only other packages need are left out if these have changed. Raises KeyError for a package without pin.
    """
    head, _, listed = (text or HEAD.format(stage=stage) + PIP).partition(PIP)
    names = sorted(needed(stage))
    if re.findall(r"- (\S+)==", listed.partition(BEHIND)[0]) == names:
        return text
    pins = dict(
        re.findall(r"^([a-z0-9][a-z0-9-]*)==(\S+)", (ROOT / "constraints.txt").read_text("utf-8"), re.M)
    )
    return head + PIP + "".join(f"      - {name}=={pins[name]}\n" for name in names)


def _imported_by(stage: str) -> set[str]:
    """Packages that a stage's modules and those of the room `models` import, and others on loading that it uses."""
    own = sorted(path for path in (PACKAGE / stage).glob("*.py") if path.stem not in READ_BY_RULES)
    names = {name for path in own for name in _imports(path, lazily=True)}
    for path in own:
        module = f"wokflow.{stage}" + ("" if path.stem == "__init__" else f".{path.stem}")
        for other in code_digests(module):
            base = PACKAGE.parent.joinpath(*other.split("."))
            file = base.with_suffix(".py")
            lazily = other.startswith("wokflow.models.")
            names |= _imports(file if file.is_file() else base / "__init__.py", lazily=lazily)
    return {re.sub(r"[-_.]+", "-", PROVIDED.get(name, name)).lower() for name in names}


def _imports(path: Path, *, lazily: bool) -> set[str]:
    """Top-level names of third-party modules that a file imports; with `lazily`, inside functions too."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = set()
    for node in ast.walk(tree) if lazily else tree.body:
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names.add((node.module or "").split(".")[0])
    return names - sys.stdlib_module_names - {"wokflow"}


if __name__ == "__main__":
    for stage in stages.STAGES:
        path = ROOT / "envs" / f"{stage}.yaml"
        old = path.read_text(encoding="utf-8") if path.exists() else ""
        path.write_text(with_packages(old, stage), encoding="utf-8")
