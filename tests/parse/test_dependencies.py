"""Clauses to parses: a row for each, whatever the backend, its failures and the number of shards."""

import io
import itertools
import json
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from wokflow.frame import tables
from wokflow.frame.job import Job, Progress, UserError
from wokflow.parse import dependencies, schemas
from wokflow.parse.conllu import Sentence
from wokflow.parse.dependencies import HanLP, parse_block, parse_dependencies
from wokflow.parse.extract import Style
from wokflow.parse.glossary import Glossary
from wokflow.parse.other_texts import extractor
from wokflow.parse.parser import parse_parser
from wokflow.parse.roles import SCHEMES
from wokflow.parse.segment import Segmenter
from wokflow.parse.settings import DependenciesSettings, ParserSettings
from wokflow.parse.stage import model_package, problems

from tests.parse.test_conllu import as_conllu
from tests.parse.test_parser import FOODS, SETTINGS, SMALL, TREEBANK, VERBS
from tests.parse.test_segment import EMPTY

ODD = ["盐", "👍🏽", "OK", "add 2 cups olive oil", "1.5克", "　", "", "℃", "𠮷野家", "葱、姜 蒜", "炒" * 200]
CLAUSES = [f"把{food}{verb}" for food in FOODS for verb in VERBS] + ODD


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a glossary, clauses, and a model that was trained for a moment."""
    folder = tmp_path_factory.mktemp("parse")
    words = {"verbs": dict.fromkeys(VERBS, "煮"), "ingredients": dict.fromkeys(FOODS, "菜"), "tools": {}}
    (folder / "glossary.json").write_text(json.dumps(words), encoding="utf-8")
    (folder / "some.conllu").write_text(as_conllu(TREEBANK), encoding="utf-8")
    tables.write(folder / "clauses", schemas.CLAUSES, pl.DataFrame({"clause": CLAUSES}), {})
    settings = ParserSettings(
        treebanks=(str(folder / "some.conllu"),), glossary=str(folder / "glossary.json"), **SETTINGS | SMALL
    )
    parse_parser(model=str(folder / "model"), scores=str(folder / "scores"), settings=settings, job=Job())
    return folder


def parsed(house: Path, out: Path, **changes: Any) -> pl.DataFrame:
    """The table that parsing writes, one shard unless `changes` say otherwise."""
    given = {"shard": 0, "shards": 1, "threads": 1, "progress": Progress()} | changes
    shards: Any = {name: given.pop(name) for name in ("shard", "shards")}
    job = Job({"key": "k"}, given.pop("progress"), given.pop("threads"))
    trained = given.pop("trained", [] if "model" in changes else [str(house / "model")])
    parse_dependencies(
        clauses=str(house / "clauses"),
        trained=trained,
        dependencies=str(out),
        settings=DependenciesSettings(**{"glossary": str(house / "glossary.json"), "batch": 4} | given),
        job=job,
        **shards,
    )
    return tables.read(out)


def assert_sound(table: pl.DataFrame) -> None:
    """Each clause has its row, its words and a forest."""
    assert table["clause"].to_list() == CLAUSES
    for row in table.iter_rows(named=True):
        assert "".join(row["words"]) == "".join(row["clause"].split())
        assert len({len(row[name]) for name in ("words", "tags", "heads", "relations", "roles")}) == 1
        assert [name == "root" for name in row["relations"]] == [head == -1 for head in row["heads"]]


def test_each_clause_has_a_row_with_its_parse(house: Path, tmp_path: Path) -> None:
    table = parsed(house, tmp_path / "out")
    assert_sound(table)
    assert table.columns == schemas.DEPENDENCIES.names
    assert table.row(0)[1:] == (
        ["把", "鸡蛋", "切碎"],
        ["ADP", "NOUN", "VERB"],
        [1, 2, -1],
        ["case", "obl:patient", "root"],
        ["other", "other", "root"],
    )


def test_shards_and_threads_do_not_change_the_parses(
    house: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of nine blocks, a shard has several, one or none."""
    monkeypatch.setattr(dependencies, "BLOCK", 4)
    whole = parsed(house, tmp_path / "whole", threads=3)
    for shards in (2, 10):
        parts = [
            parsed(
                house, tmp_path / f"part-{shard}-{shards}", shard=shard, shards=shards, threads=1 + shard % 2
            )
            for shard in range(shards)
        ]
        assert pl.concat(parts).equals(whole)
    again = parsed(house, tmp_path / "again")
    assert again.equals(whole) and (tmp_path / "again").read_bytes() == (tmp_path / "whole").read_bytes()


class Fickle:
    """A parser that fails on clauses that hold `bad`, and takes one word a clause."""

    copies = 1
    scheme = SCHEMES[0]

    def __init__(self, bad: str, heads: tuple[int, ...] = (-1,)) -> None:
        self.bad, self.heads = bad, heads

    def __call__(self, clauses: Sequence[str]) -> list[Sentence]:
        if any(self.bad in clause for clause in clauses):
            raise RuntimeError("no")
        return [Sentence((clause,), ("VERB",), self.heads, ("root",)) for clause in clauses]


def test_a_clause_that_the_model_fails_on_keeps_its_words() -> None:
    parses, failures = parse_block(["用盐", "菜 心", " ", "切"], Fickle("盐"), Segmenter(EMPTY))
    unknown = ("_", "_"), (-1, -1), ("_", "_")
    assert parses == [
        Sentence(("用", "盐"), *unknown),
        Sentence(("菜", "心"), *unknown),  # the model's one word has a blank: it is not of the clause
        Sentence((), (), (), ()),
        Sentence(("切",), ("VERB",), (-1,), ("root",)),
    ]
    assert failures == 2


@pytest.mark.parametrize("heads", [(0,), (1,), (-2,), (-1, 0), ()])
def test_parses_that_are_no_forest_count_as_failures(heads: tuple[int, ...]) -> None:
    parses, failures = parse_block(["切"], Fickle("盐", heads), Segmenter(EMPTY))
    assert (parses, failures) == ([Sentence(("切",), ("_",), (-1,), ("_",))], 1)


@pytest.mark.parametrize("style", ["house", "paper"])
def test_the_rules_read_a_clause_that_the_model_fails_on(style: Style) -> None:
    words = {"放": "放", "洗": "洗"}, {"油": "油", "盐": "盐"}, {"锅": "锅"}
    read = extractor(Glossary(*words), "parser", style, lambda segment: Fickle("油"))
    (found,) = read(["锅中放油。洗盐"])
    nouns = [[noun.surface for noun in (*action.ingredients, *action.tools)] for action in found]
    assert [action.verb for action in found] == ["放", "洗"] and nouns == [["油", "锅"], ["盐"]]


def test_a_model_that_fails_on_each_clause_is_an_error() -> None:
    with pytest.raises(RuntimeError, match="no"):
        parse_block(["用盐", "盐"], Fickle("盐"), Segmenter(EMPTY))


def test_short_memory_is_said() -> None:
    class Hungry(Fickle):
        def __call__(self, clauses: Sequence[str]) -> list[Sentence]:
            raise MemoryError

    with pytest.raises(UserError, match=r"lower parse\.dependencies\.batch"):
        parse_block(["切"], Hungry(""), Segmenter(EMPTY))


def test_failures_are_counted_in_the_log(
    house: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dependencies, "load_backend", lambda *_, **__: Fickle("炒"))
    log = io.StringIO()
    table = parsed(house, tmp_path / "out", progress=Progress(log))
    failed = sum("_" in tags for tags in table["tags"])
    assert failed and f"{failed} of {len(CLAUSES)} clauses could not be parsed" in log.getvalue()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"trained": ["/nowhere"]}, "holds no trained parser"),
        ({"backend": "spacy", "model": "zh_core_web_none"}, "spacy download zh_core_web_none"),
        ({"backend": "spacy", "model": "/nowhere"}, "give its folder"),
    ],
)
def test_missing_models_are_named(house: Path, tmp_path: Path, changes: dict[str, str], message: str) -> None:
    with pytest.raises(UserError, match=message):
        parsed(house, tmp_path / "out", **changes)
    assert not (tmp_path / "out").exists()


def test_a_broken_model_is_said(house: Path, tmp_path: Path) -> None:
    (tmp_path / "config.cfg").write_text("[nlp]\nlang = none\n")
    with pytest.raises(UserError, match="train it again"):
        parsed(house, tmp_path / "out", trained=[str(tmp_path)])


def test_a_pipeline_parses_the_words_of_its_own_tokenizer(house: Path, tmp_path: Path) -> None:
    table = parsed(house, tmp_path / "out", backend="spacy", model=str(house / "model"), threads=2)
    assert_sound(table)
    assert table["words"][0].to_list() == [*"把鸡蛋切碎"]  # spaCy's tokenizer cuts Chinese into characters


def test_a_pipeline_without_a_parser_is_refused(house: Path, tmp_path: Path) -> None:
    import spacy

    spacy.blank("zh").to_disk(tmp_path / "blank")
    with pytest.raises(UserError, match="has no dependency parser"):
        parsed(house, tmp_path / "out", backend="spacy", model=str(tmp_path / "blank"))


@pytest.fixture(scope="module")
def hanlp_model(house: Path) -> str:
    """A real HanLP parser of a few thousand parameters, trained for an instant, saved as HanLP saves."""
    biaffine = pytest.importorskip(
        "hanlp.components.parsers.biaffine.biaffine_dep", reason="HanLP is not installed"
    )
    treebank, folder = str(house / "some.conllu"), str(house / "hanlp")
    biaffine.BiaffineDependencyParser().fit(
        treebank,
        treebank,
        folder,
        n_embed=8,
        n_lstm_hidden=8,
        n_lstm_layers=1,
        n_mlp_arc=8,
        n_mlp_rel=8,
        epochs=1,
        batch_size=8,
        min_freq=1,
        separate_optimizer=True,
        devices=-1,
        verbose=False,
    )
    return folder


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_a_hanlp_parser_gives_trees_over_the_words_of_the_segmenter(
    house: Path, tmp_path: Path, hanlp_model: str
) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    log, threads = io.StringIO(), torch.get_num_threads()
    torch.set_num_threads(threads + 1)
    table = parsed(house, tmp_path / "out", backend="hanlp", model=hanlp_model, progress=Progress(log))
    assert torch.get_num_threads() == threads + 1, "other models of the process keep their threads"
    torch.set_num_threads(threads)
    assert_sound(table)
    assert "could not be parsed" not in log.getvalue()
    assert table["words"][0].to_list() == ["把", "鸡蛋", "切碎"]
    assert set(itertools.chain(*table["tags"])) == {"_"}
    assert set(itertools.chain(*table["relations"])) <= {"root", *TREEBANK[0].relations}
    parts = [
        parsed(house, tmp_path / f"part-{shard}", backend="hanlp", model=hanlp_model, shard=shard, shards=2)
        for shard in range(2)
    ]
    assert pl.concat(parts).equals(table)


def test_hanlp_models_that_cannot_be_had_are_named(house: Path, tmp_path: Path) -> None:
    pytest.importorskip("hanlp", reason="HanLP is not installed")
    with pytest.raises(UserError, match="neither a folder nor a name that HanLP knows"):
        parsed(house, tmp_path / "out", backend="hanlp", model="NO_SUCH_MODEL")
    with pytest.raises(UserError, match="HanLP cannot load"):
        parsed(house, tmp_path / "out", backend="hanlp", model=str(tmp_path))


class MultiTask:
    """What is used of a loaded multi-task model; a real one needs a transformer, and none is at hand here."""

    def __init__(self, tag_key: str, tags: list[str]) -> None:
        self.tasks = dict.fromkeys(["tok/fine", "tok/coarse", "pos/ctb", "pos/pku", "ner", "dep"])
        self.tag_key, self.tags = tag_key, tags
        self.asked: list[tuple[list[str], list[str]]] = []

    def predict(self, data: list[str], tasks: list[str]) -> dict[str, list[Any]]:
        self.asked.append((data, tasks))
        return {
            "tok/fine": [["加", "盐"] for _ in data],
            self.tag_key: [self.tags for _ in data],
            "dep": [[(0, "root"), (1, "dobj")] for _ in data],
        }


@pytest.mark.parametrize(("key", "tags"), [("pos/ctb", ["VV", "NN"]), ("pos", ["VERB", "NOUN"])])
def test_a_multi_task_model_parses_its_own_words_and_its_tags_become_universal(
    key: str, tags: list[str]
) -> None:
    model = MultiTask(key, tags)
    parses = HanLP(model, Segmenter(EMPTY), 2, SCHEMES[1])(["加盐", "加 盐", "加盐"])
    assert parses == [Sentence(("加", "盐"), ("VERB", "NOUN"), (-1, 0), ("root", "dobj"))] * 3
    assert model.asked == [(["加盐", "加盐"], ["pos/ctb", "dep"]), (["加 盐"], ["pos/ctb", "dep"])]


@pytest.mark.parametrize(
    ("backend", "model", "style", "said"),
    [
        ("trained", None, "paper", "the paper's actions are read from dependency parses"),
        ("spacy", None, "house", "backend spacy needs a model's name or folder"),
        ("trained", "zh_core_web_trf", "house", "uses the workflow's own parser, and not zh_core"),
    ],
)
def test_actions_without_the_parser_that_they_need_are_refused(
    backend: str, model: str | None, style: str, said: str
) -> None:
    parse = {"dependencies": {"backend": backend, "model": model}}
    parse["actions"] = {"style": style, "method": "rules"}
    assert said in next(problems({"parse": parse}))


def test_the_version_of_a_pipeline_that_is_a_package_counts() -> None:
    """An upgraded package may parse in another way."""
    names = {"zh_core_web_sm": "", "spacy_legacy": version("spacy-legacy"), "": "", ".": ""}
    assert {name: model_package({"backend": "spacy", "model": name}) for name in names} == names
    assert model_package({"backend": "hanlp", "model": "spacy_legacy"}) == ""
