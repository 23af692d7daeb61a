"""Ways to change a house: settings of its config, and its files."""

import os
import shutil
from base64 import urlsafe_b64encode
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from wokflow.annotate.arguments import COLUMNS as STUDY_COLUMNS
from wokflow.frame.runs import REWRITING

Edit = Callable[[Path], None]


@dataclass(frozen=True)
class Settings:
    """An edit of the config. A dry run can lay `overlay` over the config of a house that stays as it is."""

    values: dict[str, object]  # dotted key -> value

    @property
    def overlay(self) -> dict[str, Any]:
        """The edit as a config of its own."""
        nested: dict[str, Any] = {}
        self._write_into(nested)
        return nested

    def __call__(self, house: Path) -> None:
        path = house / "config" / "config.yaml"
        config = yaml.safe_load(path.read_text(encoding="utf-8"))
        self._write_into(config)
        path.write_text(yaml.safe_dump(config, allow_unicode=True), encoding="utf-8")

    def _write_into(self, config: dict[str, Any]) -> None:
        for dotted, value in self.values.items():
            block = config
            *parents, name = dotted.split(".")
            for parent in parents:
                block = block.setdefault(parent, {})
            block[name] = value


def setting(dotted: str, value: object) -> Settings:
    return Settings({dotted: value})


# Licences with which a full release is allowed.
FREE = setting(
    "export.licences",
    {name: {"licence": "MIT", "release": "text"} for name in ("recipenlg", "xiachufang", "lines")},
)


def replace(path: str, old: str, new: str) -> Edit:
    def edit(house: Path) -> None:
        text = (house / path).read_text(encoding="utf-8")
        assert old in text, f"{old!r} is not in {path}"
        (house / path).write_text(text.replace(old, new, 1), encoding="utf-8")

    return edit


def append(path: str, text: str) -> Edit:
    def edit(house: Path) -> None:
        with (house / path).open("r+", encoding="utf-8") as file:  # fails where there is none
            file.seek(0, os.SEEK_END)
            file.write(text)

    return edit


def written(path: str, text: str) -> Edit:
    """A new file."""

    def edit(house: Path) -> None:
        (house / path).write_text(text, encoding="utf-8")

    return edit


def then(*edits: Edit) -> Edit:
    def edit(house: Path) -> None:
        for one in edits:
            one(house)

    return edit


def touched(*names: str) -> Edit:
    """Give files, and all files below folders, the time of now."""

    def edit(house: Path) -> None:
        for name in names:
            for path in [house / name, *(house / name).rglob("*")]:
                os.utime(path)

    return edit


def older(path: str, old: str, new: str) -> Edit:
    """Put a file in the place of another, with a change and a time in the past, as tar, unzip and rsync -t do."""

    def edit(house: Path) -> None:
        replacement = house / "replacement"
        text = (house / path).read_text(encoding="utf-8")
        assert old in text
        replacement.write_text(text.replace(old, new, 1), encoding="utf-8")
        os.utime(replacement, (1_000_000_000, 1_000_000_000))
        replacement.replace(house / path)

    return edit


def deleted(path: str) -> Edit:
    return lambda house: (house / path).unlink()


def without_records(house: Path) -> None:
    """Lose all that Snakemake remembers, as a purge of old files or a new clone does."""
    shutil.rmtree(house / ".snakemake")


def without_record(table: str) -> Edit:
    """Lose Snakemake's record of the first part of a table."""

    def edit(house: Path) -> None:
        name = urlsafe_b64encode(f"results/{table}/part-00000.parquet".encode()).decode()
        (house / ".snakemake" / "metadata" / name).unlink()

    return edit


COUNTERFACTUAL = "麻婆豆腐\t蛋炒饭\t豆腐切块，下锅煮。\n"
DISH_PAIR = "宫保鸡丁\t苹果派\t鸡丁\t苹果\tKung Pao Chicken\tApple Pie\n"
GIVEN_PIVOTS = (
    "base_dish\ttarget_dish\tverb\tingredients\ttools\tkind\n麻婆豆腐\t蛋炒饭\t切\t豆腐\t\tremove\n"
)
GIVEN_ORDERS = "base_dish\ttarget_dish\tpivot\tbefore\tafter\n"
GOLD = (
    "source_id\tsource_title\ttitle\tingredients\tsteps\n"
    "xiachufang:0\t麻婆豆腐\tMapo Tofu\ttofu\tSimmer the tofu.\n"
)
DISHES = "zh\ten\n麻婆豆腐\tMa Po Tofu\n"
SILVER = (
    "dish_zh\tdish_en\tzh_id\tzh_title\ten_id\ten_title\taccepted\n"
    "麻婆豆腐\tMa Po Tofu\txiachufang:0\t麻婆豆腐\trecipenlg:0\tMapo Tofu\tyes\n"
)
MORE_SILVER = "香蕉面包\tBanana Bread\txiachufang:3\t香蕉面包\trecipenlg:2\tBanana Bread\tyes\n"
CULTURAL = (
    '{"source": {"id": "1", "title": "汤", "ingredients": ["水"], "steps": ["煮"]}, '
    '"targets": [{"id": "2", "title": "Soup", "ingredients": ["water"], "steps": ["Boil"]}]}\n'
)
PUBLISHED = "x\t1\tzh-en\tzh-en/gold\tx\tbleu\t1\t\n"
TRANSLATING_RUN = "cued\tnone\tprompt\tgpt-9\tlines\tcsi_bi\t\t\n"
ADAPTING_RUN = "spoken\tnone\tprompt\tm\tdialogues\tdialogue\t\t\n"
REWRITING_RUNS = "".join(
    f"{family}\tnone\t{family}\trun:dish\tcounterfactual\tdish\t\t\n" for family in REWRITING
)
PROMPT_RUN = "asked\tnone\tprompt\tgpt-9\tcounterfactual\trewrite\t\t\n"


MODELS = """\
name\trole\tmodel\tprompt\tsettings\trepetitions\tseed\tanswers
writer\tgenerator\tm\t\tprompt.endpoint=http://127.0.0.1:9/v1\t\t\t
rater\tevaluator\tm\t\tprompt.endpoint=http://127.0.0.1:9/v1\t\t\t
"""
COMPARERS = """\
name\trole\tmodel\tprompt\tsettings\trepetitions\tseed\tanswers
chooser\tcomparer\tm\t\tprompt.endpoint=http://127.0.0.1:9/v1\t\t\t
"""
RATERS = "rater\tconsent\tstate\treplaces\nr1\tyes\t\t\n"
DIALOGUE_MODELS = MODELS.partition("\n")[0] + "".join(
    f"\n{role}s\t{role}\tm\t\tprompt.endpoint=http://127.0.0.1:9/v1\t\t\t"
    for role in ("dialogue_rater", "edit_rater", "strategist")
)
STUDIES = "\t".join(STUDY_COLUMNS) + "".join(
    f"\n{name}\t{kind}\tzh-en" + "\t" * 7 + "data/raters.tsv\tdata/raters.tsv\t"
    for name, kind in (("rated", "rating"), ("compared", "best_worst"), ("written", "writing"))
)
MARKING = "".join(
    f"{kinds}" + "\t" * 7 + "data/raters.tsv\tdata/raters.tsv\t\n"
    for kinds in ("marked\tmarking\tdialogues", "asked\tasking\tpivot")
)


def add_alternatives(house: Path) -> None:
    """Put files beside those that a built house reads, for edits that make the config name them instead."""
    from wokflow.match.embed import bundled_folder

    data, resources = house / "data", house / "resources"
    (data / "model").symlink_to(bundled_folder())
    for source, target in {
        data / "en.csv": "moved.csv",
        data / "zh.json": "moved.json",
        data / "pairs.tsv": "moved_pairs.tsv",
        data / "runs.tsv": "moved_runs.tsv",
        data / "trees.conllu": "moved.conllu",
        data / "entities.jsonl": "moved_entities.jsonl",
        data / "lines.en": "moved_lines.en",
        data / "lines.zh": "moved_lines.zh",
        resources / "enrich" / "topics.tsv": "moved_topics.tsv",
        resources / "enrich" / "classes.tsv": "moved_classes.tsv",
        resources / "enrich" / "regions.tsv": "moved_regions.tsv",
        resources / "concepts.tsv": "moved_concepts.tsv",
        resources / "published.tsv": "moved_published.tsv",
        resources / "sources.tsv": "moved_sources.tsv",
        house / "results/pivot/questions/questions.tsv": "answers.tsv",
    }.items():
        shutil.copy(source, data / target)
    for source, target in {
        resources / "lexicon": "moved_lexicon",
        resources / "glossary": "moved_glossary",
        house / "results/parse/parser/model": "pipeline",
    }.items():
        shutil.copytree(source, data / target)
    texts = {
        "base.tsv": COUNTERFACTUAL,
        "seed.tsv": "zh\ten\n豆腐\ttofu\n",
        "light.txt": "做\n",
        "other_pairs.tsv": (data / "pairs.tsv").read_text(encoding="utf-8") + DISH_PAIR,
        "other_concepts.tsv": "".join(
            (resources / "concepts.tsv").read_text(encoding="utf-8").splitlines(keepends=True)[:-1]
        ),
        "other_published.tsv": (resources / "published.tsv").read_text(encoding="utf-8") + PUBLISHED,
        "other_sources.tsv": (resources / "sources.tsv")
        .read_text(encoding="utf-8")
        .replace("\tids\t", "\ttext\t"),
        "translating_runs.tsv": (data / "runs.tsv").read_text(encoding="utf-8") + TRANSLATING_RUN,
        "adapting_runs.tsv": (data / "runs.tsv").read_text(encoding="utf-8") + ADAPTING_RUN,
        "dialogue_models.tsv": DIALOGUE_MODELS,
        "graded.tsv": "name\tscale\tvalues\tquestion\ngood\tordinal\t1 2\tIs it?\n",
        "exemplars.txt": "Ann: Pie?\nAnn: Kheer?\n",
        "rewriting_runs.tsv": (data / "runs.tsv").read_text(encoding="utf-8") + REWRITING_RUNS,
        "prompt_runs.tsv": (data / "runs.tsv").read_text(encoding="utf-8") + PROMPT_RUN,
        "models.tsv": MODELS,
        "other_models.tsv": MODELS.replace("/v1\t\t\t", "/v1; prompt.temperature=0.5\t\t\t"),
        "raters.tsv": RATERS,
        "studies.tsv": STUDIES,
        "marking.tsv": STUDIES.partition("\n")[0] + f"\n{MARKING}",
        "other_studies.tsv": STUDIES.replace("data/raters.tsv\t\n", "data/raters.tsv\ttasks.seed=14\n"),
        "lenient_studies.tsv": STUDIES + "written.attention=1",
        "stopwords.txt": "the\n",
        "ash_dishes.tsv": "id\tname\npie\tPie\n",
        "ash_cuisines.tsv": "id\tname\tgroup\nthai\tThai\tregional\n",
        "ash_dimensions.tsv": "name\tscale\tvalues\tquestion\ntaste\tordinal\t1 2\tIs it good?\n",
        "spoken.jsonl": '{"dialogue": "d", "speaker": "Ann", "text": "Pie?"}\n',
        "spoken_too.jsonl": '{"dialogue": "d", "speaker": "Ann", "text": "Pie!"}\n',
        "marked.jsonl": "{}\n",
        "marked_too.jsonl": "{}\n\n",
        "categories.tsv": "name\talso\twhat\nFood\t\twhat is eaten\n",
        "comparers.tsv": COMPARERS,
        "pta_dimensions.tsv": "name\tscale\tvalues\tquestion\nbetter\tnominal\tA B C\tWhich is better?\n",
        "gold.tsv": GOLD,
        **{f"cultural/{name}.jsonl": CULTURAL for name in ("train", "val", "test")},
        "dishes.tsv": DISHES,
        "silver.tsv": SILVER,
        "more_silver.tsv": SILVER + MORE_SILVER,
        "labels.tsv": "zh_id\tzh_title\ten_id\ten_title\tgrade\n",
        "facts.nt": "",
        "pages.json": "",
        "french.tsv": "source\ttarget\nMapo tofu is hot.\tLe mapo tofu est piquant.\n",
        "annotated.json": '[{"source": "Mapo tofu is hot.", "target": "麻婆豆腐很辣。", "labels": []}]\n',
        "lines.tsv": "instance_id\trun\tprediction\nlines:0\tmine\t麻婆豆腐是川菜。\n",
        "other_topics.tsv": "topic\tcategory\tnote\nCulture.Food and drink\tfood\t\n",
        "other_classes.tsv": "qid\tclass\ttopic\nQ2095\tfood\tCulture.Food and drink\n",
        "ratings.tsv": "run\tinstance_id\tcriterion\trating\n",
        "vectors.txt": "豆腐 1 0\n炒 0 1\n",
        "pivots.tsv": GIVEN_PIVOTS,
        "orders.tsv": GIVEN_ORDERS,
        "mine.tsv": "instance_id\trun\tprediction\n",
    }
    for name, text in texts.items():
        (data / name).parent.mkdir(exist_ok=True)
        (data / name).write_text(text, encoding="utf-8")
