"""Four sentences with items, as stage enrich leaves them, and instances made of them."""

from pathlib import Path
from typing import Any

from wokflow.enrich.schemas import ITEMS, SENTENCES
from wokflow.frame import tables
from wokflow.frame.job import Job
from wokflow.generate.items import generate_items
from wokflow.generate.settings import ItemsSettings

# Item -> (translations, explanation); Q3 has neither.
KNOWN: dict[str, tuple[list[str], str | None]] = {
    "Q1": (["饺子", "水饺"], "Jiaozi are {source} of dough."),
    "Q2": (["粥"], "Congee is a porridge."),
    "Q3": ([], None),
    "Q4": (["茶"], None),
    "Q5": (["月饼"], "Mooncakes are pastries."),
}
TEXTS = [  # source, target, items as (mention, id)
    ("Dumplings and congee, then dumplings.", "饺子和粥。", [("Dumplings", "Q1"), ("congee", "Q2")]),
    ("Rice with haggis {items}.", "米饭。", [("haggis", "Q3")]),
    ("Tea and haggis.", "茶。", [("Tea", "Q4"), ("haggis", "Q3")]),
    ("Mooncakes are sweet.", "月饼很甜。", [("Mooncakes", "Q5")]),
]


def enriched(folder: Path, texts: list[Any] | None = None) -> tuple[str, str]:
    """Paths of enrich/sentences and enrich/items."""
    rows = []
    for number, (source, target, items) in enumerate(texts or TEXTS):
        found = [
            {
                "qid": qid,
                "start": source.index(mention),
                "end": source.index(mention) + len(mention),
                "mention": mention,
                "category": "material culture",
            }
            for mention, qid in items
        ]
        rows.append({"sentence_id": f"camt:{number}", "source": source, "target": target, "items": found})
    sentences, dictionary = str(folder / "sentences.parquet"), str(folder / "items.parquet")
    tables.write(sentences, SENTENCES, tables.frame(SENTENCES, rows), {})
    about = [
        {
            "qid": qid,
            "lang": lang,
            "aliases": [],
            "category": "material culture",
            "topics": [],
            "country_of_origin": "China",
            "country_qid": "Q148",
            "translations": names if lang == "zh" else [qid],
            "explanation": explanation if lang == "en" else f"{qid}是吃的。",
        }
        for qid, (names, explanation) in KNOWN.items()
        for lang in ("en", "zh")
    ]
    tables.write(dictionary, ITEMS, tables.frame(ITEMS, about), {})
    return sentences, dictionary


def instances(folder: Path, *, exemplars: int = 0, seed: int = 13, texts: list[Any] | None = None) -> str:
    """The path of generate/instances; exemplars lie beside it."""
    sentences, dictionary = enriched(folder, texts)
    generate_items(
        sentences=sentences,
        dictionary=dictionary,
        held_out=str(folder / "exemplars.parquet"),
        data=str(folder / "instances.parquet"),
        digest=str(folder / "instances.sha256"),
        plain=[str(folder / f"plain.{ending}") for ending in ("parquet", "sha256")],
        settings=ItemsSettings(corpus="camt", pair="en-zh", exemplars=exemplars, seed=seed),
        job=Job(),
    )
    return str(folder / "instances.parquet")
