"""What a target paper_<name> makes, and what is said before it begins: what is missing, and what that leaves out."""

import json
import os
import socket
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from wokflow.annotate.arguments import Study
from wokflow.annotate.fields import MARKING
from wokflow.frame.arguments import lookup
from wokflow.frame.config_files import read_yaml
from wokflow.frame.gpus import find_gpus
from wokflow.frame.paper_settings import CAMT, PAPERS, Paper, Rows, paper_of
from wokflow.frame.runs import FROM_SCRATCH, ROOT, Run, located
from wokflow.frame.secrets import variable_for
from wokflow.generate.arguments import budgets, prompt_overrides, with_server
from wokflow.judge.arguments import OF_DIALOGUES, OF_RECIPES, AskedModel
from wokflow.report.paper_files import exhibits, files_of, without_files

DEMOS = ROOT / "resources" / "demo", ROOT / "resources" / "gold"
TITLES = {"recipenlg": "RecipeNLG", "xiachufang": "XiaChuFang"}
ROLES = {"ash": OF_RECIPES, CAMT: ("comparer",), "intralingual": OF_DIALOGUES}  # of models that are asked


@dataclass(frozen=True)
class Missing:
    """`what` is missing, `without` says what that changes; `needs` are words of the column needs of exhibits."""

    what: str
    without: str
    needs: tuple[str, ...] = ()
    demo: bool = False  # something of the demo stands in


@dataclass(frozen=True)
class Tables:
    """What the tables of a config name: runs, models that are asked, and studies."""

    runs: Rows[Run]
    asked: Rows[AskedModel]
    studies: Rows[Study]

    @property
    def models(self) -> list[Run | AskedModel]:
        """All rows that are models."""
        return [*self.runs.values(), *self.asked.values()]

    def of(self, short: str) -> "Tables":
        """The rows that a paper is about: in the demo's tables stand those of all papers."""
        data, roles = PAPERS[short].studied, ROLES.get(short, ())
        return Tables(
            self.runs.only(lambda run: run.data in data or bool(run.pair and short == CAMT)),
            self.asked.only(lambda model: model.role in roles),
            self.studies.only(lambda study: study.data in data),
        )

    def left_out(self, config: Mapping[str, Any]) -> Iterator[str]:
        """Sentences: which rows were left out under the settings of a paper, and why."""
        for path, rows in (
            (config["runs"], self.runs),
            (config["judge"]["models"], self.asked),
            (config["annotate"]["studies"], self.studies),
        ):
            for reason in dict.fromkeys(rows.left_out.values()):
                names = [name for name, own in rows.left_out.items() if own == reason]
                yield f"Left out of {path.removeprefix(f'{ROOT}/')}, as {reason}: {', '.join(names)}."


def announced(
    short: str, config: Mapping[str, Any], tables: Tables, targets: Mapping[str, Iterable[str]]
) -> str:
    """What is said before the target of a paper begins; `targets` are the files of all stages."""
    paper, rows = PAPERS[short], exhibits(short)
    files = files_of(short, config["results"], targets)
    lost = without_files(short, config["results"], files)
    lines = [f"Paper {paper.name}: tables and figures, as docs/papers.md names them."]
    if config["paper"] != short:
        lines.append(
            f"  These are not its settings: name {paper.config} first behind --configfile, before files of yours."
        )
    gaps = [*missing(short, config, tables, files)]
    lines += ["Missing:"] if gaps else ["Nothing is missing that can be told before it runs."]
    for gap in gaps:
        items = [row["item"] for row in rows if any(need in row["needs"] for need in gap.needs)]
        concerns = f" (for {', '.join(items)})" if items else ""
        lines.append(f"  - {gap.what}{concerns}. {gap.without}".rstrip())
    if lost:
        lines.append(f"No table is made for {', '.join(lost)}.")
    if config["paper"] == short and (others := [*other_settings(paper, config)]):
        lines += ["Settings that are not the paper's:", *(f"  - {each}" for each in others)]
    return "\n".join(lines)


def stand_ins(config: Mapping[str, Any], tables: Tables) -> list[str]:
    """What of the demo stands in under the settings of a paper; none without such settings."""
    short = next((short for short, paper in PAPERS.items() if paper is paper_of(config)), None)
    if short is None:
        return []
    gaps = [*_corpora(short, config), *_sets(short, config), *_answered(tables.of(short))]
    return [gap.what for gap in gaps if gap.demo]


def missing(short: str, config: Mapping[str, Any], tables: Tables, files: Iterable[str]) -> Iterator[Missing]:
    """What a paper's tables and figures need and what is not there, as far as that can be told without asking.

    `files` are those of its target; runs of other data may be among those that make them.
    """
    running = {Path(file).parent.name for file in files if "/generate/predictions/" in file}
    own = tables.of(short)
    asked = replace(own, runs=tables.runs.only(lambda run: run.name in running or run.name in own.runs))
    tables = own
    yield from _tables(short, config)
    yield from _corpora(short, config)
    yield from _sets(short, config)
    yield from (Missing(said.removesuffix("."), "") for said in tables.left_out(config))
    yield from _answered(tables)
    yield from _endpoints(config, asked)
    yield from _programs(short, config)
    yield from _people(short, config, tables)


def _of_demo(path: Any) -> bool:
    return bool(path) and not {*DEMOS}.isdisjoint(Path(located(str(path))).resolve().parents)


def _tables(short: str, config: Mapping[str, Any]) -> Iterator[Missing]:
    """Tables of runs, models and studies that the config lacks; without the paper's settings, others than its."""
    own = read_yaml(ROOT / PAPERS[short].config)
    for key in ("runs", "judge.models", "annotate.studies"):
        now, value = lookup(config, key), dict(leaves(own)).get(key)
        if value and (not now or (config["paper"] != short and now not in (value, located(value)))):
            yield Missing(f"table {value} of the paper", f"{key}: {now or 'none'}.")


def _recipes(short: str, config: Mapping[str, Any]) -> tuple[str, ...]:
    """The corpora of recipes that a paper's tables and figures are about."""
    of_dishes = (str(config["pivot"]["dishes"]["corpus"]),)
    return {"recipes": (*TITLES,), "counterfactual": of_dishes}.get(short, ())


def demo_pairs(config: Mapping[str, Any]) -> list[str]:
    """The demo's corpora whose pairs stand on the page of a paper that is not about them."""
    short = config["paper"]
    others = {*TITLES} - {*_recipes(short, config)} if short in PAPERS else ()
    return [TITLES[name] for name in sorted(others) if _of_demo(config["sources"][name]["path"])]


def _corpora(short: str, config: Mapping[str, Any]) -> Iterator[Missing]:
    for name in _recipes(short, config):
        if _of_demo(config["sources"].get(name, {}).get("path")):
            without = f"The demo's recipes stand in: name yours in sources.{name}.path."
            yield Missing(TITLES.get(name, "base recipes"), without, (TITLES.get(name, "XiaChuFang"),), True)
    if short == "counterfactual":
        yield from _glossary(config)
    if short == CAMT:
        yield from _sentences(config["sources"])
        path = config["enrich"]["entities"]["path"]
        yield from _given("entities of Wikidata", "enrich.entities.path", path and [path], ("Wikidata",))
    if short == "intralingual":
        for step, what in (("dialogues", "dialogues"), ("annotations", "items marked in dialogues")):
            path = config["ingest"][step]["path"]
            yield from _given(what, f"ingest.{step}.path", path and [path], ("dialogues with",))


def _sentences(sources: Mapping[str, Mapping[str, Any]]) -> Iterator[Missing]:
    """The source called camt, which runs and published values go with; of others, only the demo's stands in."""
    others = {
        name: source.get("path") for name, source in sources.items() if "kind" in source and name != CAMT
    }
    path = sources.get(CAMT, {}).get("path") or next(filter(_of_demo, others.values()), None)
    named, need = "" if path else ", ".join(others), ("sentences of both",)
    if named:
        without = f"No source is called so, and the paper's runs are on no other: yours are {named}."
        yield Missing(f"sources.{CAMT}, sentences of both languages", without, need)
    else:
        yield from _given("sentences of both languages", f"sources.{CAMT}", path and [path], need)


def _given(what: str, key: str, paths: Any, needs: tuple[str, ...]) -> Iterator[Missing]:
    """A file that the config names nowhere, or for which it names one of the demo's."""
    if not paths:
        yield Missing(what, f"Name them in {key}.", needs)
    elif _of_demo(paths[0]):
        yield Missing(what, f"The demo's stand in: name yours in {key}.", needs, True)


def _sets(short: str, config: Mapping[str, Any]) -> Iterator[Missing]:
    if short != "recipes":
        return
    published = config["train"]["published"]
    given = [name for name, path in published.items() if path and Path(located(path), "test.jsonl").is_file()]
    others = " and ".join(name for name in published if name not in given)
    for what, key, without in (
        ("accepted silver sheet", "match.silver.accepted", f"The test split stands in for {others}"),
        ("gold set zh-en", "train.gold.zh-en", "Nothing of it is scored"),
        ("gold set en-zh", "train.gold.en-zh", "Nothing of it is scored"),
    ):
        path, need = lookup(config, key), "silver sheet" if "silver" in key else "gold set"
        if "silver" in key and not others:
            continue  # the published data has a silver set of each direction
        if not path:
            yield Missing(what, f"{without}: {key}.", (need,))
        elif _of_demo(path):
            yield Missing(what, "The demo's stands in.", (need,), True)


def _answered(tables: Tables) -> Iterator[Missing]:
    """Models in whose place rules answered, or which are only smoke tests."""
    ruled = [each.name for each in tables.models if _of_demo(each.answers)]
    small = [run.name for run in tables.runs.values() if (run.lender or run).model == FROM_SCRATCH]
    for names, what in ((ruled, "answers of models"), (small, "models of the paper's size")):
        if names:
            how = "Rules answered for" if names is ruled else "Models of a minute's training stand in"
            yield Missing(what, f"{how}: {', '.join(names)}.", (), True)


def _endpoints(config: Mapping[str, Any], tables: Tables) -> Iterator[Missing]:
    """Keys and servers on this machine that are not there, and GPUs. Servers elsewhere are not asked.

    Whether jobs will go to Slurm, whose nodes may have GPUs, is not known here.
    """
    closed: dict[str, list[str]] = {}
    gpus = len(find_gpus())
    for each in tables.models:
        block = config["generate"]["prompt"] | prompt_overrides(config, each)
        endpoint = block["endpoint"]
        if each.answers or each.family != "prompt":
            continue
        if not endpoint:
            needed = with_server(config, each)["generate"]["server"]["gpus"]
            if gpus < needed:
                what = "GPU" if needed == 1 else f"GPUs ({needed})"
                closed.setdefault(f"{what} on this machine for generate.server", []).append(each.name)
            continue
        variable, url = variable_for(endpoint, block["key_variable"]), urlsplit(endpoint)
        if variable and not os.environ.get(variable):
            closed.setdefault(f"key in ${variable}", []).append(each.name)
        elif url.hostname in ("127.0.0.1", "localhost") and not _listens(url.hostname, url.port or 80):
            closed.setdefault(f"server at {url.hostname}:{url.port or 80}", []).append(each.name)
    for what, names in closed.items():
        where = "Without Slurm these fail" if what.startswith("GPU") else "These fail"
        yield Missing(what, f"{where}, unless your table leaves them out: {', '.join(names)}.")
    local = [
        run.name
        for run in tables.runs.values()
        if run.family not in ("prompt", "retrieval") and not run.small
    ]
    if local and not gpus:
        yield Missing("GPU on this machine", f"Without Slurm these take very long: {', '.join(local)}.")


def _listens(host: str, port: int) -> bool:
    try:
        with socket.create_connection((host, port), timeout=0.5):
            return True
    except OSError:
        return False


def _programs(short: str, config: Mapping[str, Any]) -> Iterator[Missing]:
    if short == "recipes":
        langs = [lang for lang, command in config["evaluate"]["smatch"]["parsers"].items() if not command]
        if langs:
            yield Missing(f"AMR parser of {' and '.join(langs)}", "No Smatch: docs/runs.md.", ("AMR",))
    if short == CAMT:
        for key, what, need in (
            ("evaluate.comet.command", "COMET", "COMET"),
            ("evaluate.bleurt.command", "BLEURT", "BLEURT"),
            ("evaluate.metrics.spbleu", "file of spBLEU", "spBLEU"),
        ):
            if not lookup(config, key):
                yield Missing(what, f"No column of it: {key}.", (need,))


def _glossary(config: Mapping[str, Any]) -> Iterator[Missing]:
    path = Path(located(config["parse"]["glossary"]["path"])).resolve()
    if ROOT / "resources" in (path, *path.parents):
        without = "The workflow's own stands in: parse.glossary.path."
        yield Missing("the authors' glossary", without, ("the authors' glossary",))


def _people(short: str, config: Mapping[str, Any], tables: Tables) -> Iterator[Missing]:
    marked = lookup(config, "ingest.annotations.path")  # then nobody needs to mark items
    silent = [
        name
        for name, study in tables.studies.items()
        if not (study.answers or (study.kind == MARKING and marked))
    ]
    if silent:
        yield Missing("answers of people", f"Sheets are made, no answers: {', '.join(silent)}.")
    for paper, keys, what, without, need in (
        (
            "counterfactual",
            ("pivot.pivots.answers", "pivot.pivots.given"),
            "answers about pivot actions",
            "Frequent actions alone decide",
            "annotators",
        ),
        (
            "counterfactual",
            ("evaluate.counterfactual.predictions",),
            "recipes by experts",
            "No scores of theirs",
            "written by experts",
        ),
        (
            CAMT,
            ("evaluate.csi_match.predictions",),
            "translations by Google",
            "No run asks for them",
            "Google",
        ),
        ("recipes", ("lexicon.precision.marks",), "marks of words", "A dictionary judges", "people who mark"),
        ("recipes", ("evaluate.correlations.ratings",), "ratings", "No correlations", "ratings of"),
        (CAMT, ("evaluate.correlations.ratings",), "ratings", "No correlations", "ratings by"),
    ):
        if short == paper and not any(lookup(config, key) for key in keys):
            yield Missing(what, f"{without}: {keys[0]}.", (need,))


def other_settings(paper: Paper, config: Mapping[str, Any]) -> Iterator[str]:
    """Keys to which the config gives another value than the paper's config file."""
    for key, value in leaves(read_yaml(ROOT / paper.config)):
        now = lookup(config, key)
        if now != value and now != located(str(value)):
            yield f"{key}: {_shown(now)}, in {paper.config} {_shown(value)}"


def _shown(value: Any) -> str:
    """A value of a config, with paths below the workflow's own folder as the config files have them."""
    return json.dumps(value, ensure_ascii=False).replace(f'"{ROOT}/', '"')


def leaves(block: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """The keys of a config, named with dots, with their values."""
    for key, value in block.items():
        if isinstance(value, dict):
            yield from leaves(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value


def opening(
    rules: Collection[str], config: Mapping[str, Any], tables: Tables, targets: Mapping[str, Iterable[str]]
) -> str:
    """What is said before a run with some rules begins: of papers among them, else which rows were left out; and what
    those who ask models may spend together.
    """
    papers = [short for short, paper in PAPERS.items() if paper.target in rules]
    planned = [announced(short, config, tables, targets) for short in papers]
    asking: list[Run | AskedModel] = [*tables.runs.values()] if "generate_prompt" in rules else []
    asking += tables.asked.values() if "judge_prompt" in rules else []
    return "\n\n".join(filter(None, [*(planned or tables.left_out(config)), budgets(config, asking)]))
