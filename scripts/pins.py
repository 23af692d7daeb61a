"""constraints.txt, which pins every package with the hashes of its files, and what is made of it.

Commands: `lock` makes constraints.txt and the pins in envs/*.yaml anew, `requirements` prints what the project and
some of its extras need here, and `of` prints the pins of single packages; both print them with their hashes, for
`--require-hashes`. Needs nothing but uv.
"""

import argparse
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CONSTRAINTS = ROOT / "constraints.txt"
PROJECT = ROOT / "pyproject.toml"
ENVIRONMENTS = ROOT / "envs"
HEADER = """\
# Every package of the environment with all extras, pinned, with the hashes of its files. Made by: make lock
# Of torch there is one hash more than on PyPI: that of PyTorch's CPU build for Linux on x86-64.
"""
PLATFORM = ("--python-version", "3.11", "--python-platform", "x86_64-manylinux_2_28")
COMPILE = ("pip", "compile", "--quiet", "--no-annotate", "--no-header")
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
    out = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return re.findall(r"^[a-z0-9][a-z0-9-]*==\S+", out, re.M)


def lock(options: list[str]) -> None:
    """Make constraints.txt anew. Pins stay as they are, unless `options` of uv (--upgrade) say otherwise."""
    hashes = ("--generate-hashes", "--all-extras", "--output-file", str(CONSTRAINTS))
    subprocess.run([_uv(), *COMPILE, *PLATFORM, *hashes, *options, str(PROJECT)], check=True)
    CONSTRAINTS.write_text(HEADER + CONSTRAINTS.read_text(encoding="utf-8"), encoding="utf-8")
    for path in sorted(ENVIRONMENTS.glob("*.yaml")):
        lock_environment(path)


def lock_environment(path: Path) -> None:
    """Write the versions of a conda environment's packages, and all packages that these need, into its file."""
    pins = read_pins()
    text = path.read_text(encoding="utf-8").split(BEHIND)[0]
    head, marker, _ = text.partition("  - pip:\n")
    direct = re.findall(r"^ {6}- ([a-z0-9-]+)==", text, re.M)
    source = path.with_suffix(".in")
    try:
        source.write_text("\n".join(direct), encoding="utf-8")
        needed = {package.split("==")[0] for package in resolved(*PLATFORM, str(source))}
    finally:
        source.unlink()
    groups = (direct, sorted(needed - set(direct)))
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
    requirements.add_argument(
        "--find-links", required=True, help="a folder with the build of torch to be used"
    )
    single = commands.add_parser("of")
    single.add_argument("packages", nargs="+")
    arguments, others = parser.parse_known_args()
    if others and arguments.command != "lock":
        locking.error(f"unknown: {' '.join(others)}")
    match arguments.command:
        case "lock":
            lock(others)
        case "requirements":
            extras = [part for extra in arguments.extra for part in ("--extra", extra)]
            found = resolved(
                "--find-links", arguments.find_links, "--python", sys.executable, *extras, str(PROJECT)
            )
            sys.stdout.write(chosen(found))
        case "of":
            sys.stdout.write(chosen(arguments.packages))


if __name__ == "__main__":
    main()
