"""A pair with a region or a script: its names, countries, and texts of runs are those of the variant."""

import json
from pathlib import Path

import pytest
from wokflow.enrich.assemble import enrich_assemble
from wokflow.enrich.items import enrich_items
from wokflow.enrich.names import Names, enrich_names
from wokflow.enrich.schemas import MENTIONS
from wokflow.enrich.settings import AssembleSettings, ItemsSettings
from wokflow.enrich.stage import item_languages
from wokflow.evaluate.csi_match import read_mentions, read_regions
from wokflow.frame import tables
from wokflow.frame.job import Job
from wokflow.frame.language_codes import languages_of
from wokflow.generate.items import generate_items
from wokflow.generate.sentence_texts import sentence_values
from wokflow.generate.settings import ItemsSettings as InstancesSettings
from wokflow.ingest.schemas import PAGES, SENTENCES

from tests.conftest import ROOT
from tests.enrich.defaults import linker_of
from tests.enrich.facts import categorised, dumped, entity
from tests.enrich.lookups import Lookup

REGIONS = read_regions(str(ROOT / "resources" / "enrich" / "regions.tsv"))
KNOWN = [
    entity(
        "Q20026",
        {"en": "pasta", "zh": "意大利面", "zh-hant": "義大利麵", "sr": "паста", "pt": "massa", "nb": "pasta"},
        origins=["Q865", "Q45"],
    ),
    entity("Q2", {"en": "feijoada", "mul": "feijoada"}, origins=["Q155"]),
    entity("Q865", {"en": "Taiwan"}),
    entity("Q155", {"en": "Brazil"}),
]
SENTENCE = "A pasta and a feijoada."


@pytest.mark.parametrize(
    ("pair", "names", "replaced", "regions", "language"),
    [
        ("en-zh_TW", ["義大利麵", "意大利面"], f"A 義大利麵{SENTENCE[7:]}", ["other"] * 2, "Traditional Chinese"),
        ("en-pt_BR", ["massa"], "A massa and a feijoada.", ["target", "target"], "Brazilian Portuguese"),
        ("en-sr_Latn", [], SENTENCE, ["other", "other"], "Serbian in Latin letters"),
    ],
)  # fmt: skip
def test_a_variant_of_a_language_from_the_config_to_the_prompt(
    pair: str,
    names: list[str],
    replaced: str,
    regions: list[str],
    language: str,
    lookup: Lookup,
    tmp_path: Path,
) -> None:
    """Feijoada's name for all languages is a translation into Portuguese alone; the country of pasta is Portugal."""
    languages = item_languages({"enrich": {"languages": ["en"]}}, {"s": pair})
    table = dumped(KNOWN, tmp_path / "dump", languages)
    lookups = lookup(["Q20026", "Q2"], backend="dump", entities=table, languages=languages)
    categories = categorised(tmp_path / "categories.parquet", ["Q20026", "Q2"])
    path = {
        name: str(tmp_path / f"{name}.parquet")
        for name in ("items", "read", "mentions", "sentences", "rejects", "data", "held", "bare", "pages")
    }
    page = dict.fromkeys(PAGES.names, 1) | {"qid": "Q2", "title": "", "summary": "A stew.", "lang": pair[3:5]}
    tables.write(path["pages"], PAGES, tables.frame(PAGES, [page]), {})
    enrich_items(
        categories=categories, lookups=str(lookups), pages=[path["pages"]], dictionary=path["items"],
        settings=ItemsSettings(languages=tuple(languages)), job=Job(),
    )  # fmt: skip
    read = {
        "sentence_id": "s:0",
        "corpus": "s",
        "lang_pair": pair,
        "source": SENTENCE,
        "target": "x",
        "source_row": 0,
    }
    mentions = [("s:0", 2, 7, "pasta", "Q20026", 1.0, 1), ("s:0", 14, 22, "feijoada", "Q2", 1.0, 1)]
    tables.write(path["read"], SENTENCES, tables.frame(SENTENCES, [read]), {})
    tables.write(path["mentions"], MENTIONS, tables.frame(MENTIONS, mentions), {})
    enrich_assemble(
        sentences=[path["read"]], mentions=[path["mentions"]], about=[categories, path["items"]],
        assembled=path["sentences"], rejects=path["rejects"], camt=str(tmp_path / "camt.json"),
        settings=AssembleSettings(pair=pair), job=Job(),
    )  # fmt: skip
    source, target = languages_of(pair)
    explained = tables.read(path["items"]).filter(qid="Q2", lang=target)["explanation"]
    assert explained.to_list() == ["A stew."]  # of the language's Wikipedia
    labels = json.loads((tmp_path / "camt.json").read_bytes())[0]["labels"][0]["metadata"]["labels"]
    assert labels.get(target, {}).get("value") == (names[0] if names else None)
    scored = read_mentions([path["sentences"]], path["items"], REGIONS, source, target)
    assert scored["region"].to_list() == regions
    assert scored["translations"].to_list()[0] == names
    generate_items(
        sentences=path["sentences"], dictionary=path["items"], held_out=path["held"], data=path["data"],
        digest=str(tmp_path / "d"), plain=[path["bare"], str(tmp_path / "p")],
        settings=InstancesSettings(corpus="s", pair=pair, exemplars=0, seed=1), job=Job(),
    )  # fmt: skip
    (row,) = tables.read(path["data"]).to_dicts()
    values = sentence_values(row, (pair.split("-")[0], pair.split("-")[1]))
    assert (values["replaced"], values["target_language"]) == (replaced, language)


def test_sentences_in_a_variant_are_linked_by_the_rules_of_its_language(tmp_path: Path) -> None:
    """Chinese words are cut; and a name for all languages is found where a sentence has it in its own script."""
    table = dumped(KNOWN, tmp_path / "dump", ["zh-tw", "en"])
    folder = str(tmp_path / "names")
    enrich_names(entities=table, names=folder, digest=f"{folder}.sha256", lang="zh-tw", job=Job())
    linker = linker_of(Names.open(folder, "zh"))
    text = "我們吃義大利麵和feijoada。"
    assert [text[one.start : one.end] for one in linker(text)] == ["義大利麵", "feijoada"]
