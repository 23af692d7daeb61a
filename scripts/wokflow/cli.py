"""The command `wokflow`: what a run would do, what is wrong with a site, work on releases alone, studies in Label
Studio, and files in the forms of the papers' authors.

The exit codes are in EPILOG, which the help shows.
"""

import argparse
import errno
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from wokflow.frame.job import Progress, UserError
from wokflow.frame.secrets import shown
from wokflow.frame.usage import UsageError
from wokflow.frame.version import VERSION
from wokflow.papers_command import add_forms

Command = Callable[[argparse.Namespace], int]
EPILOG = """\
examples:
  wokflow plan --configfile my.yaml
  wokflow verify recipes-0.1.0
  wokflow rehydrate recipes-0.1.0 --source xiachufang=recipe_corpus_full.json --to recipes-full
  wokflow diff recipes-0.1.0 recipes-0.2.0
  wokflow papers cultural-recipes --to pairs

exit codes:
  0    all is well
  1    something was found (a damaged release, a difference, text that has changed), or it could not be done (a broken
       file, a full disk)
  2    wrong usage; releases that cannot be compared
  130  Ctrl-C
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit code."""
    whole = parser()
    given, rest = whole.parse_known_args(arguments)
    if rest and not given.passes_on:
        whole.error(f"unrecognized arguments: {' '.join(rest)}")
    given.rest = rest
    command: Command = given.command
    try:
        return command(given)
    except UserError as error:
        print(shown(str(error)), file=sys.stderr)
        return 2 if command is _diff or isinstance(error, UsageError) else 1
    except BrokenPipeError:
        return 1
    except OSError as error:  # a full disk, a file that may not be read
        full = error.errno == errno.ENOSPC or f"os error {errno.ENOSPC}" in str(error)  # the latter by polars
        room = " It is the disk that is written to, or that of temporary files ($TMPDIR)." if full else ""
        print(shown(f"{error}.{room}"), file=sys.stderr)
        return 2 if command is _diff else 1
    except KeyboardInterrupt:
        print("Stopped by Ctrl-C.", file=sys.stderr)
        return 130


def parser() -> argparse.ArgumentParser:
    """All commands with their options."""
    whole = argparse.ArgumentParser(
        prog="wokflow",
        description="Plan runs of the workflow, check a cluster, verify, compare and complete releases,\n"
        "run studies in Label Studio, and write files in the forms of the papers' authors.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    whole.add_argument("--version", action="version", version=f"wokflow {VERSION}")
    commands = whole.add_subparsers(title="commands", metavar="COMMAND", required=True)

    def add(
        name: str,
        command: Command | None,  # None: it has commands of its own
        text: str,
        example: str,
        *,
        passes_on: bool = False,
        among: Any = commands,
    ) -> argparse.ArgumentParser:
        one: argparse.ArgumentParser = among.add_parser(
            name,
            help=text,
            description=text,
            epilog=f"example:\n  wokflow {example}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        one.set_defaults(command=command, passes_on=passes_on)
        return one

    add(
        "plan",
        _plan,
        "What a run in this folder would do now, and why. Takes the options of snakemake.",
        "plan --configfile my.yaml",
        passes_on=True,
    )
    add(
        "check-site",
        _check_site,
        "What would go wrong with a run on this Slurm cluster. Takes --configfile, --results, --nodes, --wait.",
        "check-site --configfile my.yaml",
        passes_on=True,
    )
    one = add(
        "verify", _verify, "Whether a release is what it says: checksums, columns, counts.", "verify RELEASE"
    )
    one.add_argument("release")
    one = add(
        "rehydrate",
        _rehydrate,
        "Make the full release of a stand-off one, with your own copy of the corpora.",
        "rehydrate recipes-0.1.0 --source recipenlg=full_dataset.csv "
        "--source xiachufang=recipe_corpus_full.json --to full",
    )
    one.add_argument("release")
    one.add_argument(
        "--source",
        action="append",
        default=[],
        metavar="NAME=FILE",
        type=_named,
        help="your copy of a corpus",
    )
    one.add_argument("--to", required=True, metavar="FOLDER", help="where the full release goes")
    one = add(
        "diff",
        _diff,
        "What a new release adds, removes and changes; exit code 1 if anything, 2 if they cannot be compared.",
        "diff OLD NEW",
    )
    one.add_argument("old")
    one.add_argument("new")
    one = add(
        "studio",
        _studio,
        "A study of people in Label Studio: one on this machine with a project for each rater (open), these projects "
        "in one that runs (set-up), their answers as a folder of exports (fetch), or files to make projects from by "
        "hand (files). The token is that of --token-file, of the variable LABEL_STUDIO_TOKEN, or of what was opened.",
        "studio open likert",
    )
    one.add_argument("action", choices=("open", "set-up", "fetch", "files"))
    one.add_argument(
        "study", nargs="*", help="its name in the table of studies; to open, also several or none"
    )
    one.add_argument(
        "--results", default="results", metavar="FOLDER", help="where the workflow wrote the sheets"
    )
    one.add_argument(
        "--url", help="where Label Studio answers (http://127.0.0.1:8080, or where it was opened)"
    )
    one.add_argument(
        "--folder", default="label-studio", help="where one that is opened keeps its data and its account"
    )
    one.add_argument("--token-file", metavar="FILE", help="a file that holds the token and nothing else")
    one.add_argument("--to", metavar="FOLDER", help="where answers, or files, go")
    one = add(
        "papers",
        None,
        "Results in the forms of the papers' authors, tables made of their files, and comparisons with them.",
        "papers ash --to ash",
    )
    forms = one.add_subparsers(title="forms", metavar="FORM", required=True)
    add_forms(partial(add, among=forms))
    return whole


def _named(text: str) -> tuple[str, str]:
    name, equals, path = text.partition("=")
    if not name or not equals or not path:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form NAME=FILE")
    return name, path


def _plan(given: argparse.Namespace) -> int:
    from wokflow.frame import plan

    return plan.main(given.rest)


def _check_site(given: argparse.Namespace) -> int:
    from wokflow.cluster import check

    return check.main(given.rest)


def _verify(given: argparse.Namespace) -> int:
    from wokflow.export.gate_findings import counted
    from wokflow.export.manifest import rows_of
    from wokflow.export.verify import verified

    manifest = verified(given.release)
    print(f"{manifest['name']} {manifest['version']} ({manifest['mode']}) is what it says:")
    for name, subset in manifest["subsets"].items():
        print(f"  {name}: {counted(rows_of(subset), 'row')}")
    return 0


def _rehydrate(given: argparse.Namespace) -> int:
    from wokflow.export.rehydrate import rehydrate

    names = [name for name, _ in given.source]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise UsageError(f"--source {twice[0]}=... is given twice.")
    rehydrate(given.release, dict(given.source), given.to, Progress(sys.stderr))
    print(f"{given.to} is the full release; wokflow verify {given.to} checks it.")
    return 0


def _studio(given: argparse.Namespace) -> int:
    from wokflow.annotate.studio_program import Account, open_studio
    from wokflow.annotate.studio_server import Studio, Tasks, token

    folder = Path(given.folder)
    own = Account.read(folder)
    url = (given.url or (own.url if own else "http://127.0.0.1:8080")).rstrip("/")
    studies = [Tasks(given.results, study) for study in given.study]
    if given.action == "open":
        open_studio(folder, url, studies, lambda line: print(shown(line), flush=True))
        return 0
    if len(studies) != 1:
        raise UsageError(f"Name one study: wokflow studio {given.action} STUDY")
    [tasks] = studies
    if given.action != "set-up" and not given.to:
        raise UsageError(f"Say where {'answers' if given.action == 'fetch' else 'files'} go: --to FOLDER")
    if given.action == "files":
        said = tasks.write(given.to)
    else:
        known = own.token if own and own.url == url else ""
        studio = Studio(url, token(given.token_file, known))
        said = tasks.set_up(studio) if given.action == "set-up" else tasks.fetch(studio, given.to)
    for line in said:
        print(shown(line))
    return 0


def _diff(given: argparse.Namespace) -> int:
    from wokflow.export.diff import diff

    differs = False
    for line in diff(given.old, given.new):
        print(shown(line))
        differs = True
    return int(differs)


if __name__ == "__main__":
    sys.exit(main())
