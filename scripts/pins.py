"""constraints.txt, which pins every package with the hashes of its files, and what is made of it.

Commands: `lock` makes constraints.txt, requirements.tsv and the pins in envs/*.yaml anew, by uv. `requirements`
prints what the project and some of its extras need here, and `of` prints the pins of single packages; both print
them with their hashes, for `--require-hashes`. They ask no index: to find out what a package without a wheel needs,
its own code would have to run, before its hash is checked.
"""

import argparse
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zipfile import ZipFile

ROOT = Path(__file__).resolve().parents[1]
CONSTRAINTS = ROOT / "constraints.txt"
NEEDED = (
    ROOT / "requirements.tsv"
)  # which packages the project needs (base), and each of its extras beside them
PROJECT = ROOT / "pyproject.toml"
ENVIRONMENTS = ROOT / "envs"
HEADER = """\
# Every package of the environment with all extras, pinned, with the hashes of its files. Made by: make lock
# Of torch there is one hash more than on PyPI: that of PyTorch's CPU build for Linux on x86-64.
"""
PLATFORM = ("--python-version", "3.11", "--python-platform", "x86_64-manylinux_2_28")
TEXT: dict[str, Any] = {"encoding": "utf-8", "errors": "replace"}
COMPILE = ("pip", "compile", "--quiet", "--no-annotate", "--no-header")
GPU = re.compile(r"(?:nvidia|cuda)-.+|triton")  # what torch needs beside itself where it was built for GPUs
BEHIND = "      # what these need\n"  # divides the packages that a stage imports from the others


def read_pins(path: Path = CONSTRAINTS) -> dict[str, str]:
    """Package -> its lines in constraints.txt: name==version and hashes."""
    text = path.read_text(encoding="utf-8")
    return {each[1]: each[0] for each in re.finditer(r"^([a-z0-9][a-z0-9-]*)==(?:.*\\\n)*.*\n", text, re.M)}


def version(pin: str) -> str:
    """name==version, of a package's lines."""
    return pin.split()[0]


def chosen(packages: Iterable[str]) -> str:
    """The lines of some packages, each given as its name, or as name==version with the build that is to be taken.

    Exits with a message where one has no pin.
    """
    pins = read_pins()
    wanted = {package.split("==")[0]: package for package in sorted(packages)}
    if missing := sorted(wanted.keys() - pins.keys()):
        sys.exit(f"constraints.txt has no pin of {', '.join(missing)}. If pyproject.toml changed: make lock")
    lines = []
    for name, package in wanted.items():
        pin = version(pins[name])
        lines.append(pins[name].replace(pin, package if "==" in package else pin, 1))
    return "".join(lines)


def resolved(*arguments: str) -> list[str]:
    """All packages that requirements need, as name==version, in the versions of constraints.txt, by uv."""
    command = [_uv(), *COMPILE, "--constraint", str(CONSTRAINTS), *arguments]
    out = subprocess.run(command, check=True, stdout=subprocess.PIPE, **TEXT).stdout
    return re.findall(r"^[a-z0-9][a-z0-9-]*==\S+", out, re.M)


def lock(options: list[str]) -> None:
    """Make constraints.txt anew. Pins stay as they are, unless `options` of uv (--upgrade) say otherwise."""
    hashes = ("--generate-hashes", "--all-extras", "--output-file", str(CONSTRAINTS))
    subprocess.run([_uv(), *COMPILE, *PLATFORM, *hashes, *options, str(PROJECT)], check=True)
    CONSTRAINTS.write_text(HEADER + CONSTRAINTS.read_text(encoding="utf-8"), encoding="utf-8")
    NEEDED.write_text(needed(), encoding="utf-8")
    for path in sorted(ENVIRONMENTS.glob("*.yaml")):
        lock_environment(path)


def needed() -> str:
    """The table of packages by what needs them: base, torch for GPUs (gpu), or an extra; by uv."""
    base = _names(resolved(*PLATFORM, str(PROJECT)))
    with TemporaryDirectory() as folder:
        torch = Path(folder, "torch.in")
        torch.write_text("torch\n", encoding="utf-8")
        gpu = set(filter(GPU.fullmatch, _names(resolved(*PLATFORM, str(torch)))))
    sets = {"base": base - gpu, "gpu": gpu}
    for extra in sorted(_project()["optional-dependencies"]):
        sets[extra] = _names(resolved(*PLATFORM, "--extra", extra, str(PROJECT))) - base
    lines = [
        f"{name}\t{' '.join(each for each, names in sets.items() if name in names)}\n"
        for name in sorted(set().union(*sets.values()))
    ]
    return "".join(["package\tneeded by\n", *lines])


def here(extras: Iterable[str], torch: Path) -> list[str]:
    """The packages that the project and some of its extras need with the build of torch that lies in a folder.

    torch is given as name==version of that build. Exits with a message where requirements.tsv lacks what
    pyproject.toml names.
    """
    rows = [line.split("\t") for line in NEEDED.read_text(encoding="utf-8").splitlines()[1:]]
    [wheel] = torch.glob("torch-*.whl")
    with ZipFile(wheel) as archive:
        [about] = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        for_gpus = b"Requires-Dist: nvidia-" in archive.read(about) and sys.platform == "linux"
    wanted = {"base", *extras, *(["gpu"] if for_gpus else [])}
    names = {name for name, sets in rows if wanted & set(sets.split())}
    named = [*_project()["dependencies"]]
    for extra in extras:
        named += _project()["optional-dependencies"][extra]
    if missing := sorted({_name(line) for line in named} - names - {_project()["name"]}):
        sys.exit(f"requirements.tsv lacks {', '.join(missing)}. If pyproject.toml changed: make lock")
    return sorted(names - {"torch"} | {f"torch=={wheel.name.split('-')[1]}"})


def _project() -> dict[str, Any]:
    table: dict[str, Any] = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    return table


def _name(requirement: str) -> str:
    """The package of a requirement, as pins name it."""
    return re.sub(r"[-_.]+", "-", re.split(r"[^A-Za-z0-9._-]", requirement, maxsplit=1)[0]).lower()


def _names(packages: Iterable[str]) -> set[str]:
    return {package.split("==")[0] for package in packages}


def lock_environment(path: Path) -> None:
    """Write the versions of a conda environment's packages, and all packages that these need, into its file."""
    pins = read_pins()
    text = path.read_text(encoding="utf-8").split(BEHIND)[0]
    head, marker, _ = text.partition("  - pip:\n")
    direct = re.findall(r"^ {6}- ([a-z0-9-]+)==", text, re.M)
    source = path.with_suffix(".in")
    try:
        source.write_text("\n".join(direct), encoding="utf-8")
        packages = _names(resolved(*PLATFORM, str(source)))
    finally:
        source.unlink()
    groups = (direct, sorted(packages - set(direct)))
    lines = [[f"      - {version(pins[name])}\n" for name in names] for names in groups]
    path.write_text("".join([head, marker, *lines[0], BEHIND, *lines[1]]), encoding="utf-8")


def _uv() -> str:
    return str(Path(sys.executable).with_name("uv"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    locking = commands.add_parser("lock", help="further arguments go to uv pip compile")
    requirements = commands.add_parser("requirements")
    requirements.add_argument("--extra", action="append", default=[])
    requirements.add_argument("--torch", required=True, type=Path, help="a folder with the build to be used")
    single = commands.add_parser("of")
    single.add_argument("packages", nargs="+")
    arguments, others = parser.parse_known_args()
    if others and arguments.command != "lock":
        locking.error(f"unknown: {' '.join(others)}")
    match arguments.command:
        case "lock":
            lock(others)
        case "requirements":
            sys.stdout.write(chosen(here(arguments.extra, arguments.torch)))
        case "of":
            sys.stdout.write(chosen(arguments.packages))


if __name__ == "__main__":
    main()
