"""The page: text of the corpora stays text, nothing empty breaks it, and it is the same each time."""

import json
import re
from html.parser import HTMLParser
from itertools import combinations
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import polars as pl
import pytest
from wokflow.enrich import schemas as enrich
from wokflow.evaluate import schemas as evaluate
from wokflow.export.gate_findings import FINDINGS, Finding, write_findings
from wokflow.frame import tables
from wokflow.ingest import schemas as ingest
from wokflow.match import schemas as match
from wokflow.parse import schemas as parse
from wokflow.report import releases
from wokflow.report.page import report_page
from wokflow.report.recipe_pairs import choose

from tests.report.parts import LANGS, action, by_name, parser_scores, settings, table, texts, write_glossary
from tests.report.test_dish_pairs import candidate, order, stage, write_pairs
from tests.report.test_evaluation import score
from tests.report.test_training import model

EVIL = '<script>alert("宫保鸡丁")</script> & \u202e\x00'
CORPORA = ("recipenlg", "xiachufang")
DIRECTIONS = ("zh-en", "en-zh")


def recipes(folder: Path, corpus: str, text: str, rows: int, rejects: int) -> dict[str, str]:
    """Tables of a corpus by stage and name; all text is `text`, a title has a number as well."""
    both: dict[str, Any] = {"corpus": corpus, "lang": LANGS[corpus], "dish": None, "tokens": 9}
    both |= {
        "ingredients": [text],
        "steps": [text],
        "url": "http://evil.example/",
        "reason": "bad_list",
        "detail": text,
        "raw": text * 99,
    }
    found = [{"recipe_id": f"{corpus}:{n}", "title": f"{text} {n}", "source_row": n} for n in range(rows)]
    found = [row | both | {"text": row["title"]} for row in found]
    bad = [both | {"source_row": n} for n in range(rejects)]
    names = {"ingest/recipes": ingest.RECIPES, "match/eligible": match.ELIGIBLE, "match/titles": match.TITLES}
    names |= {"match/texts": match.TEXTS}
    result = {name: table(folder, f"{name}/{corpus}", schema, found) for name, schema in names.items()}
    result["ingest/rejects"] = table(folder, f"ingest/rejects/{corpus}", ingest.REJECTS, bad)
    return result | {"match/rejects": table(folder, f"match/rejects/{corpus}", match.REJECTS, [])}


def pair(direction: str, text: str, number: int) -> dict[str, Any]:
    row: dict[str, Any] = {"score": 1 - number / 100, "rank": 1, "split": "train", "accepted": True}
    corpora = ("xiachufang", "recipenlg") if direction == "zh-en" else ("recipenlg", "xiachufang")
    for side, corpus in zip(("source", "target"), corpora, strict=True):
        row |= {f"{side}_id": f"{corpus}:{number}", f"{side}_title": f"{text} {number}"}
        row[f"{side}_title_translated"] = f"{text} {number}"
    return row


def later(folder: Path, text: str, rows: int) -> dict[str, Any]:
    """Tables of the stages behind match: an action a recipe, one dish pair of each kind of row, one run."""
    words = {name: [text] for name in ("ingredients", "ingredient_classes", "tools", "tool_classes")}
    found = [action(f"xiachufang:{n}", 0, text, 0, **words) for n in range(rows)]
    kinds = ("remove", "insert", "ask") if rows else ()
    effects = [order(f"{text}/{text}/", "炒//", 0.5, flag) for flag in ("", "chance")] if rows else []
    scores = [score(text, metric, 1.0) for metric in ("bleu", "hard_f1")] if rows else []
    return {
        "parse_actions_xiachufang": table(folder, "parse/actions/xiachufang", parse.ACTIONS, found),
        "parse_proto_xiachufang": table(folder, "parse/proto/xiachufang", parse.PROTO_ACTIONS, found),
        "parse_rejects_xiachufang": table(folder, "parse/rejects/xiachufang", parse.REJECTS, []),
        **stage(folder, [candidate(text, kind, **words) for kind in kinds], effects),
        "evaluate_scores": table(folder, "evaluate/scores", evaluate.SCORES, scores),
    }


def items(folder: Path, text: str, rows: int) -> dict[str, Any]:
    """Tables of sentences with an item each, which all texts name, and the reference's scores."""
    mention = {"qid": "Q1", "start": 0, "end": len(text), "mention": text, "category": text}
    item: dict[str, Any] = dict.fromkeys(
        ("label", "description", "category", "country_of_origin", "explanation"), text
    )
    item |= {
        "qid": "Q1",
        "lang": "zh",
        "aliases": [],
        "topics": [text],
        "country_qid": "Q2",
        "translations": [text],
    }
    counted = {"corpus": "lines", "lang_pair": "en-zh", "sentences": rows, "counts": rows, "types": 1}
    counted |= {"translations": rows, "translated_types": 1}
    sentences = [
        {"sentence_id": f"lines:{n}", "source": f"{text} {n}", "target": text, "items": [mention]}
        for n in range(rows)
    ]
    shares = [
        {"corpus": "lines", "kind": kind, "name": text, "count": rows}
        for kind in ("category", "topic", "country")
    ]
    found = {
        "statistics": (enrich.STATISTICS, [counted]),
        "shares": (enrich.SHARES, shares if rows else []),
        "items": (enrich.ITEMS, [item] if rows else []),
        "sentences": (enrich.SENTENCES, sentences),
    }
    scores = [score(text, metric, 50.0, "lines") for metric in ("csi_match", "csi_exact")]
    made = {f"enrich_{name}": table(folder, f"enrich/{name}", *given) for name, given in found.items()}
    return made | {"evaluate_csi_match": table(folder, "evaluate/csi_match", evaluate.SCORES, scores)}


def release(folder: Path, text: str) -> str:
    """A folder such as export/release/mine-1.0 with a subset of two splits."""
    splits = {"train": [3, 4], "test": [2]}
    subset = {"description": text, "languages": ["zh", "en"], "splits": splits}
    source = dict.fromkeys(("version", "licence", "attribution"), text) | {"release": "ids"}
    found = Finding("links", "", 3, (f"xiachufang:0: {text}",), text)
    manifest = {"name": "mine", "version": "1.0", "mode": "full"}
    manifest |= {"subsets": {"pairs-zh-en": subset}, "sources": {"xiachufang": source}}
    tables.write_text(folder / "release" / "release.json", json.dumps(manifest))
    write_findings(folder / "release" / FINDINGS, [found])
    return str(folder / "release")


def page(folder: Path, rows: int, text: str = "Soup", rejects: float = 1, **own: Any) -> str:
    """The page of so many recipes and pairs, and `rejects` times as many rejects."""
    parts = later(folder, text, rows) | items(folder, text, rows)
    paths: list[str] = []
    for corpus in CORPORA:
        paths += recipes(folder, corpus, text, rows, round(rows * rejects)).values()
    for direction in DIRECTIONS:
        pairs = [pair(direction, text, n) for n in range(rows)]
        for name, schema in (("pairs", match.PAIRS), ("audit", match.AUDIT)):
            paths.append(table(folder, f"match/{name}/{direction}", schema, pairs))
    leaks = {f"{split}_{what}": 0.25 for split in ("valid", "test") for what in ("target", "title")}
    found = {kind: dict.fromkeys(DIRECTIONS, leaks) for kind in ("sources", "grouped")}
    counts = dict.fromkeys(DIRECTIONS, [0] * 42 + [rows] * 8)
    bins = [place / 50 for place in range(51)]
    head = "direction\tsplit\tsources\tsource_tokens\ttargets\ttarget_tokens\tpairs\n"
    parts |= {f"match_{name}": str(folder / name) for name in ("statistics", "scores", "leaks")}
    tables.write_text(folder / "leaks", json.dumps({"kind": "grouped", "leaks": found}))
    tables.write_text(folder / "scores", json.dumps({"bins": bins, "counts": counts}))
    tables.write_text(folder / "statistics", f"{head}zh-en\ttrain\t{rows}\t\t{rows}\t\t{rows}\n")
    tables.write_text(folder / "parser", json.dumps(parser_scores()))
    out = folder / "index.html"
    models = [model(folder, "mine", "1\t5\t4\t3\t2\t0.1\t1\n", base=text)] if rows else []
    write_glossary(folder / "glossary")
    write_pairs(folder)
    report_page(
        parser=[str(folder / "parser")],
        models=models,
        rejects=[],
        release=release(folder, text),
        page=str(out),
        interactive=str(folder / "interactive.html"),
        settings=settings(folder, examples=3, item_pairs=[("lines", "en-zh")], **own),
        **parts | by_name(folder, paths),
    )
    return out.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a page of five recipes and pairs, which tests only read."""
    folder = tmp_path_factory.mktemp("plain") / "re sults"
    page(folder, 5)
    return folder


@pytest.fixture(scope="module")
def evil(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of such a page of evil text."""
    folder = tmp_path_factory.mktemp("evil")
    page(folder, 5, EVIL)
    return folder


def html_of(folder: Path, name: str = "index") -> str:
    return (folder / f"{name}.html").read_text(encoding="utf-8")


def test_text_of_the_corpora_is_escaped(evil: Path) -> None:
    html = html_of(evil)
    assert "<script" not in html and "&lt;script&gt;alert(&#34;宫保鸡丁&#34;)" in html
    assert not set("\x00\u202e") & set(html) and r"\u202e\x00" in html


def test_text_of_runs_is_no_code_where_charts_are_explored(evil: Path) -> None:
    html = html_of(evil, "interactive")
    assert "alert(" in html and "<script>alert" not in html and html.count("</script>") == 2
    assert "\u202e" not in html


def test_nothing_is_fetched_and_nothing_runs(plain: Path) -> None:
    html = html_of(plain)
    assert not re.search(
        r"https?:|//\w|\bsrc=|@import|url\(|<link|<iframe|<script|\bon\w+=|javascript:", html
    )
    assert "default-src 'none'; style-src 'unsafe-inline'" in html


def test_links_lead_to_what_is_there(plain: Path) -> None:
    """Contents to sections, sections to the top and to their tables."""
    read = Read(html_of(plain))
    inside = {link[1:] for link in read.links if link.startswith("#")}
    outside = {link for link in read.links if not link.startswith("#")}
    assert inside <= set(read.ids) and len(inside) > 10 and len(read.ids) == len(set(read.ids))
    assert {link for link in outside if not (plain / unquote(link)).exists()} == set()


def test_every_table_can_be_reached(plain: Path) -> None:
    links = {unquote(link) for link in Read(html_of(plain)).links}
    written = {path.parent.relative_to(plain).as_posix() for path in plain.rglob("part-*.parquet")}
    assert written <= links and len(written) == 32
    assert {"statistics", "scores", "leaks", "parser", "mine", "release", "interactive.html"} <= links


def test_elements_are_closed_and_what_is_folded_has_a_summary(evil: Path) -> None:
    read = Read(html_of(evil))
    assert read.open == [] and read.unsummed == 0 and read.folded > 15


def test_results_come_first_and_stages_in_the_order_of_the_data(plain: Path) -> None:
    html = html_of(plain)
    headings = re.findall(r"<h2>(.*?)</h2>", html)
    assert headings == [
        *("The best run on each data set", "Stage by stage", "Recipes and rejects", "Pairs", "Actions"),
        *("Dish pairs", "Culture-specific items", "Training", "Runs and predictions", "Scores of adaptation"),
        *("Literal translation", "Rewritten recipes", "Release", "How this was made"),
    ]
    assert html.index('(<a href="#pair">') < html.index("pairs, Chinese → English")
    assert html.index("pairs, Chinese → English") < html.index("<svg") < html.index("Stage by stage")


class Read(HTMLParser):
    """What a page links to and what can be linked to; open elements; details without a summary as first child."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: list[str] = []
        self.open: list[str] = []
        self.folded = self.unsummed = 0
        self._opened = False
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.unsummed += self._opened and tag != "summary"
        self._opened = tag == "details"
        self.folded += self._opened
        named = dict(attrs)
        self.links += [named["href"] or ""] if "href" in named else []
        self.ids += [named["id"] or ""] if "id" in named else []
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Of SVG."""

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, f"</{tag}> closes another element"


def test_under_a_papers_settings_what_differs_from_them_is_told(tmp_path: Path) -> None:
    changes, others = ["runs: <b>", "judge.pta.orders: 2"], ["RecipeNLG", "XiaChuFang"]
    html = page(tmp_path, 0, paper="camt", other_settings=changes, demo_pairs=others)
    told = html.index("config/papers/003-camt.yaml, with changes;")
    assert told < html.index("<li>runs: &lt;b&gt;</li>") < html.index("<li>judge.pta.orders: 2</li>")
    assert "Recipes of RecipeNLG and XiaChuFang are those that come" in html
    plain = page(tmp_path, 0, paper="camt", stand_ins=["sentences"])
    assert "With these changes" not in plain and "are those that come" not in plain
    assert plain.index("A demonstration:") < plain.index('id="others"') < plain.index("holds no rows")
    mined = page(tmp_path, 0, paper="counterfactual")
    assert mined.index("XiaChuFang holds no rows") < mined.index("Its tables and figures")


def test_a_papers_tables_come_first_then_the_sections_that_show_them_and_others_are_folded(
    tmp_path: Path,
) -> None:
    html = page(tmp_path, 5, rejects=0, paper="camt")
    headings = re.findall(r"<h2[^>]*>(.*?)</h2>", html)
    assert headings == [
        *("The best run on each data set", "Its tables and figures", "What shows them"),
        *("Culture-specific items", "Scores of adaptation", "How this was made"),
        *("Not part of this paper", "Recipes and rejects", "Pairs", "Actions", "Dish pairs", "Training"),
        *("Runs and predictions", "Literal translation", "Rewritten recipes", "Release"),
    ]
    assert '<h1 id="results">Benchmarking Machine Translation' in html and "Cooks in China" not in html
    top = html[: html.index("What shows them")]
    assert "lines: <strong>Soup</strong>" in top and "Counterfactual recipes: <strong>" not in top
    assert "pairs, Chinese" not in top and 'href="#enrich"' in top and ">98.3<" in top  # of Table 10
    assert top.count("nothing to build") == top.count("Shows nothing that is computed or asked.") == 3
    read = Read(html)
    assert {link[1:] for link in read.links if link.startswith("#")} <= set(read.ids) and not read.open
    written = {path.parent.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("part-*.parquet")}
    assert written <= {unquote(link) for link in read.links}


def test_what_a_table_of_rejects_holds_is_still_what_its_stage_declares_when_a_job_reads_it(
    tmp_path: Path,
) -> None:
    """The first beginning that fits counts, and the members of a job's key stand in the order of their names."""
    begins = [begin for begin, _ in settings(tmp_path).rejected]
    assert "ingest/rejects/" in begins
    assert not [(one, other) for one, other in combinations(begins, 2) if other.startswith(one)]


def test_a_page_of_no_rows_says_so(tmp_path: Path) -> None:
    assert "holds no rows. Is it the right file?" in page(tmp_path, 0)


def test_wrong_file_is_called_out(tmp_path: Path) -> None:
    html = page(tmp_path, 1, rejects=2)
    assert "Soup 0" in html and "ingest left out 67 % of the rows of recipenlg, most often for" in html


def test_run_times_are_told_and_a_few_rejects_are_no_finding(plain: Path, tmp_path: Path) -> None:
    assert "No run times" in html_of(plain)
    tables.write_text(tmp_path / "benchmarks/match_embed/zh.00000.00001.tsv", "s\tmax_rss\n61.5\t-\n")
    html = page(tmp_path, 20, rejects=0.05)  # 1 of 21 rows
    assert "61.5" in html and "Soup 19" in html and "ingest left out" not in html


def test_the_same_tables_give_the_same_bytes_whatever_words_are_in_their_paths(
    plain: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "match" / "pairs" / "pivot" / "dishes" / "zh-en"
    assert page(folder, 5) == html_of(plain)


def test_examples_spread_and_no_dish_twice() -> None:
    same = {"zh_id": "z", "zh_title": "汤", "zh_title_translated": None, "dish": None}
    scores = [0.85] * 50 + [0.9, 0.95, 1.0]
    rows = [same | {"en_id": f"{n:03}", "en_title": f"Soup {n}", "score": x} for n, x in enumerate(scores)]
    pairs = pl.DataFrame(rows, schema_overrides={"zh_title_translated": pl.String, "dish": pl.String})
    assert len(choose(pairs, 4, set())) == 1
    pairs = pairs.with_columns(zh_title=pl.col("en_id"))
    assert [row["score"] for row in choose(pairs, 4, set())] == [1.0, 0.95, 0.9, 0.85]


def test_the_release_is_told_by_its_manifest(tmp_path: Path) -> None:
    found = releases.section(release(tmp_path, "Soup"), ["mail_addresses"])
    assert texts(found["subsets"]) == [["pairs-zh-en Soup", "zh, en", "9", "train 7, test 2"]]
    assert texts(found["sources"]) == [["xiachufang Soup", "Soup", "only ids, offsets and digests", "Soup"]]
    assert texts(found["findings"]) == [
        ["links Text holds links or domains.", "the whole", "3", "yes", "Soup"]
    ]
    assert texts(found["examples"]) == [["links", "the whole", "xiachufang:0: Soup"]]
    [accepted] = texts(releases.section(str(tmp_path / "release"), ["links"])["findings"])
    assert accepted[3] == "no: accepted"
