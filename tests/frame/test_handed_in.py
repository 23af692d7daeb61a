"""Tables that people hand in are read rightly, or refused with file, line and what to do: each by its own reader."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml
from wokflow.annotate.arguments import COLUMNS as STUDY
from wokflow.annotate.arguments import read_studies
from wokflow.annotate.rater_checks import read_checks
from wokflow.annotate.raters import read_raters
from wokflow.enrich.categorise import read_classes, read_topics
from wokflow.enrich.phrases import Phrases
from wokflow.evaluate.correlations import read_ratings
from wokflow.evaluate.csi_match import read_regions
from wokflow.evaluate.given_predictions import read_predictions
from wokflow.evaluate.literal import read_concepts
from wokflow.evaluate.summary import read_published
from wokflow.export.licences import read_registry
from wokflow.frame.config import fill
from wokflow.frame.job import Progress, UserError
from wokflow.frame.runs import read_runs
from wokflow.frame.tsv_sheets import read_sheet
from wokflow.frame.workbooks import read_filled
from wokflow.ingest.annotations import read_categories
from wokflow.judge.arguments import read_models
from wokflow.judge.instructions import _named
from wokflow.judge.tasks import read_dimensions
from wokflow.lexicon.recipe_words import read_dictionary, read_pairs
from wokflow.match.candidates import read_titles
from wokflow.match.gold import read_gold
from wokflow.match.labels import read_labels
from wokflow.match.lexicon import Lexicon
from wokflow.match.silver import GIVEN as ACCEPTED
from wokflow.parse.glossary import read_glossary
from wokflow.pivot.dishes import pair_rows
from wokflow.pivot.given_files import order_records, pivot_records
from wokflow.pivot.people_answers import read_answers

from tests.conftest import ROOT

SCHEMA = yaml.safe_load((ROOT / "config" / "config.schema.yaml").read_text(encoding="utf-8"))
TASK: dict[str, Any] = {
    "dimensions": [{"name": "taste", "values": ["1", "2"]}],
    "shown": [{"name": "recipe"}],
}
SHEET = ("id", "rater")


def studies(path: str) -> Any:
    raters = Path(path).with_name("raters.tsv")
    raters.write_text("rater\tconsent\tstate\treplaces\nr1\tyes\t\t\n", encoding="utf-8")
    Path(path).write_bytes(Path(path).read_bytes().replace(b"RATERS", str(raters).encode()))
    config: dict[str, Any] = {"sources": {}, "annotate": {"studies": path}}
    fill(config, SCHEMA)
    return read_studies(config, SCHEMA, {"zh-en": ["mt"]}, [])


def dictionary(path: str) -> Any:
    """A user's own dictionary, with an empty lexicon and glossary."""
    glossary = Path(path).with_name("glossary.json")
    glossary.write_text('{"verbs": {}, "ingredients": {}, "tools": {}}', encoding="utf-8")
    lexicon = Path(path).with_name("none")
    lexicon.mkdir(exist_ok=True)
    (lexicon / "none.tsv").write_text("zh\ten\tkind\n", encoding="utf-8")
    return read_dictionary(str(lexicon), str(glossary), path)


# A reader, and a table that it reads: a header, and rows of which the last has a key of its own, with bars for tabs.
TABLES: dict[str, tuple[Callable[[str], Any], str]] = {
    "runs": (
        lambda path: read_runs(path, SCHEMA),
        "name|stage|family|model|data|prompt|settings|seed\n#试试红烧肉|\na|none|retrieval||zh-en|||\nb|none|retrieval||en-zh|||",
    ),
    "judge.models": (
        lambda path: read_models(
            {"judge": {"models": path, "budget": None}, "generate": {"prompt": {"endpoint": None}}},
            SCHEMA,
            {},
        ),
        "name|role|model|prompt|settings|repetitions|seed|answers\n#试试红烧肉\na|generator|m||prompt.endpoint=http://localhost:1/v1"
        "|||\nb|generator|m||prompt.endpoint=http://localhost:1/v1||14|",
    ),
    "raters": (read_raters, "rater|consent|state|replaces\n#试试红烧肉\nr1|yes||\nr2|yes||"),
    "checks": (
        lambda path: read_checks(path, TASK),
        "name|kind|recipe|taste\na|attention|炒饭|1\nb|attention|粥|2",
    ),
    "sheet": (lambda path: read_filled(path, SHEET), "id|rater|taste\n1|r1|香\n2|r1|甜"),
    "topics": (read_topics, "topic|category\nCulture.Food|Material Culture\nGeo.吃的东西|Ecology"),
    "classes": (read_classes, "qid|class|topic\nQ1|food|Culture.Food\nQ2|吃的东西|"),
    "phrases": (
        lambda path: Phrases.read(path, "en"),
        "lang|phrase\nen|for the sake of\nzh|不管红烧肉怎么样",
    ),
    "regions": (read_regions, "lang|country_qid|country\nzh|Q148|中国\nen|Q30|United States"),
    "ratings": (
        lambda path: read_ratings([path]),
        "run|instance_id|criterion|rating|rater\na|zh-en:1|味道|1.5|r1\na|zh-en:1|味道|2.5|r2",
    ),
    "predictions": (
        lambda path: read_predictions([path], {"1", "2"}, Progress()),
        "instance_id|run|prediction\n1|a|炒饭\n2|a|粥",
    ),
    "concepts": (read_concepts, "data|concept|source|target\nzh-en|oil|油|oil\nzh-en|steam|蒸|steam"),
    "published": (
        read_published,
        "data|dataset|run|paper|table|metric|value|deviation|note\nzh-en|gold|a|cam|3|bleu|1.5||来自红烧肉\nzh-en|gold|b|cam|3|bleu|2||",
    ),
    "registry": (
        read_registry,
        "corpus|version|home_page|licence|release|clause|attribution|sha256\na|1|x|CC0|text|-|吃的东西|\nb|1|x|CC0|ids|-|-|",
    ),
    "categories": (read_categories, "name|also|what\nEcology|红烧肉和米饭|plants\nSocial|社会|laws"),
    "cuisines": (
        lambda path: _named(path, ("id", "name", "group")),
        "id|name|group\nsz|四川的菜|Asia\nfr|French|Europe",
    ),
    "dimensions": (read_dimensions, "name|scale|values|question\na|ordinal|1 2|味道怎么样?\nb|ordinal|1 2|?"),
    "seed": (read_pairs, "zh|en\n油|oil\n盐|salt"),
    "titles": (read_titles, "zh|en|direction|source\n茶|Tea||\n粥|Congee|zh-en|x"),
    "gold": (
        read_gold,
        "source_id|source_title|title|ingredients|steps\nx:1|茶|Tea|water|Boil.\nx:2|粥|Congee|rice|Boil.",
    ),
    "labels": (
        read_labels,
        "zh_id|zh_title|en_id|en_title|grade|title\nx:1|茶|r:1|Tea|2|0.9\nx:2|粥|r:2|Porridge|1|0.5",
    ),
    "lexicon": (lambda path: Lexicon.load(Path(path).parent), "zh|en|kind\n茶|tea|dish\n粥|congee|dish"),
    "glossary": (lambda path: read_glossary(Path(path).parent), "surface|class\n炒|炒\n煮|煮"),
    "dish pairs": (
        pair_rows,
        "base_dish|target_dish|ingredient_removed|ingredient_added\n红烧肉|红烧鱼|肉|鱼\n炒饭|炒面|饭|面",
    ),
    "given pivots": (
        lambda path: [*pivot_records(path)],
        "base_dish|target_dish|verb|ingredients|tools|kind\n红烧肉|红烧鱼|煎|鱼|锅|insert\n红烧肉|红烧鱼|切|肉|刀|remove",
    ),
    "given orders": (
        lambda path: [*order_records(path)],
        "base_dish|target_dish|pivot|before|after\n饭|面|煮/面/锅|煮//|炒//\n饭|面|煮/面/锅|切//|炒//",
    ),
    "studies": (
        studies,
        f"{'|'.join(STUDY)}\n#试试红烧肉\na|rating|zh-en|||||||RATERS||\nb|rating|zh-en|||||||RATERS||",
    ),
    "dictionary": (dictionary, "zh|en\n油|oil\n盐|salt"),
    "accepted": (
        lambda path: read_sheet(path, ACCEPTED),
        f"{'|'.join(ACCEPTED)}\n茶|Tea|x:1|茶|r:1|Tea|yes\n粥|Congee|x:2|粥|r:2|Congee|no",
    ),
    "answers": (
        lambda path: read_answers([path], pl.DataFrame({"question_id": ["q1", "q2"]}), Progress()),
        "question_id|annotator|answer\nq1|a|never\nq2|a|总是出现",
    ),
}
# What becomes of a row that comes twice: it changes nothing, it is a reject, or it is handed on with its line to the
# step that reads the rows. All other readers refuse it.
FOLDED = {
    "topics",
    "classes",
    "phrases",
    "regions",
    "categories",
    "seed",
    "lexicon",
    "glossary",
    "answers",
    "dictionary",
}
REJECTED = {"titles", "labels"}
HANDED_ON = {"sheet", "accepted", "given pivots", "given orders"}
each_table = pytest.mark.parametrize("name", TABLES)


def held(name: str, data: bytes, folder: Path) -> str:
    """What the reader makes of a table with these bytes."""
    folder.mkdir(exist_ok=True)
    for other in ("ingredients.tsv", "tools.tsv") if name == "glossary" else ():
        (folder / other).write_text("surface\tclass\n", encoding="utf-8")
    path = folder / ("verbs.tsv" if name == "glossary" else "table.tsv")
    path.write_bytes(data)
    found = TABLES[name][0](str(path))
    return re.sub(" at 0x[0-9a-f]+", "", str(vars(found) if isinstance(found, Phrases | Lexicon) else found))


def refusal(name: str, data: bytes, folder: Path) -> str:
    with pytest.raises(UserError) as error:
        held(name, data, folder)
    assert ".tsv" in str(error.value)
    return str(error.value)


def text_of(name: str) -> str:
    return TABLES[name][1].replace("|", "\t") + "\n"


@each_table
def test_marks_line_ends_and_further_columns_change_nothing(name: str, tmp_path: Path) -> None:
    text = text_of(name)
    found = held(name, text.encode(), tmp_path)
    assert held(name, text.encode("utf-8-sig").replace(b"\n", b"\r\n"), tmp_path) == found
    assert held(name, text.replace("\n", "\r").encode(), tmp_path) == found
    if name != "checks":  # whose further columns are texts to compare
        more = "\n".join(line + "\tremark" * (line[:1] not in ("", "#")) for line in text.split("\n"))
        again = held(name, more.encode(), tmp_path)
        assert again.replace(", 'remark': 'remark'", "") == found


@each_table
def test_what_is_no_text_is_named_with_what_to_do(name: str, tmp_path: Path) -> None:
    text = text_of(name)
    for encoding in ("gb18030", "utf-16", "utf-16-le", "utf_7") if not text.isascii() else ("utf-16",):
        said = refusal(name, text.encode(encoding), tmp_path)
        assert "is not UTF-8" in said and "Unicode (UTF-8)" in said
    said = refusal(name, text.encode()[:-1] + b"\0\n", tmp_path)
    assert f"line {text.count(chr(10))}: a character NUL" in said


@each_table
def test_what_was_read_in_a_wrong_encoding_before_is_named_with_what_is_meant(
    name: str, tmp_path: Path
) -> None:
    header, *rows = text_of(name).splitlines()
    rows = [row + "\t辣豆腐 à la carte" * (row[:1] != "#") for row in rows]
    data = "\n".join(
        [f"{header}\tremark", *rows * 2, ""]
    ).encode()  # copied texts are refused from three rows on
    line = 2 + (rows[0][:1] == "#")
    for encoding in ("latin-1", "cp1252", "gbk"):
        said = refusal(name, data.decode(encoding, "replace").encode(), tmp_path)
        assert re.search(rf"\.tsv, line {line}, column \w+: .*Probably '.*' is meant", said)


@each_table
def test_a_missing_column_a_short_row_and_a_broken_cell_are_named(name: str, tmp_path: Path) -> None:
    text = text_of(name)
    assert "missing column" in refusal(name, b"", tmp_path)
    first = re.split("[\t\n]", text)[0]
    assert f"line 1: missing column {first}" in refusal(
        name, text.replace(first, "other", 1).encode(), tmp_path
    )
    assert "must end with one" in refusal(name, (text + '"cut\toff\n').encode(), tmp_path)
    closed = f'{text}"cut\toff\n{text.splitlines()[-1]}\n9"\n'
    assert f"line {text.count(chr(10)) + 1}: the quotation mark" in refusal(name, closed.encode(), tmp_path)


@each_table
def test_a_row_that_comes_twice_is_folded_or_told_of(name: str, tmp_path: Path) -> None:
    text = text_of(name)
    once, twice = text.encode(), (text + text.splitlines(keepends=True)[-1]).encode()
    line = rf"\b{text.count(chr(10)) + 1}\b"
    if name in FOLDED:
        assert held(name, twice, tmp_path) == held(name, once, tmp_path)
    elif name in REJECTED:
        assert "repeated" in held(name, twice, tmp_path) and "repeated" not in held(name, once, tmp_path)
    elif name in HANDED_ON:
        assert re.search(line, held(name, twice, tmp_path)) and not re.search(
            line, held(name, once, tmp_path)
        )
    else:
        assert re.search(rf"(line|row) {line}", refusal(name, twice, tmp_path))
