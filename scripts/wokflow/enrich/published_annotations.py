"""CAMT's published files as input: its items as a table of entities, and its annotations as mentions.

    wokflow papers camt-entities en-zh.json en-es.json --to entities.jsonl

The mentions are those of backend `released` of enrich.link (docs/items.md). Files that enrich.assemble wrote have the
same form, and an id for each item. The published ones have none: an item is known by its English name, description,
country and topic. Countries have their ids where the table of regions, by which CSI-Match groups them, names them.
Paper: Yao et al. 2024, appendix A.
"""

import json
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from hashlib import blake2b
from typing import Annotated, Any

import polars as pl
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter, ValidationError

from wokflow.enrich.lists import read_mapping
from wokflow.enrich.program import OVERLAP, Answer, Rejected, sort_out
from wokflow.enrich.word_forms import is_word
from wokflow.frame.job import UserError
from wokflow.frame.languages import SPACELESS_LETTERS
from wokflow.frame.wikidata import QID
from wokflow.frame.wordlists import RESOURCES
from wokflow.ingest.clean import without_entities
from wokflow.ingest.parallel import guarded
from wokflow.ingest.stream import Truncated, chunks

ENGLISH = "en"
REGIONS = RESOURCES / "enrich" / "regions.tsv"
# Names of countries, in the files or in Wikidata, that the table of regions has otherwise.
OTHERWISE = {
    "America": "United States of America",
    "Czechia": "Czech Republic",
    "Republic of China": "Republic of China (1912 to 1949)",
    "Republic of Ireland": "Ireland",
    "Türkiye": "Turkey",
    "United States": "United States of America",
}
FIRST, IDS = 10**14, 9 * 10**14  # made ids have 15 digits: Wikidata's own are far shorter
TEXTS = {"labels": "labels", "descriptions": "descriptions", "summarys": "summaries"}
EMPTY: dict[str, Any] = {"metadata": {}, "country_of_origin": None, "category": None}
NO_WORDS, NOT_THERE = "no_words", "not_in_sentence"


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, regex_engine="python-re")


class _Text(_Strict):
    value: str | None


class _Names(_Strict):
    value: list[str | None]


_NONE = BeforeValidator(lambda value: value or None)  # the files have [] in place of an empty object
_Texts = Annotated[dict[str, Annotated[_Text | None, _NONE]] | None, _NONE]
_Aliases = dict[str, Annotated[_Names | list[_Text] | None, _NONE]]


class _About(_Strict):
    labels: _Texts = None
    descriptions: _Texts = None
    summarys: _Texts = None
    aliases: Annotated[_Aliases | None, _NONE] = None
    sitelinks: Annotated[dict[str, Any] | None, _NONE] = None


class _Label(_Strict):
    value: str
    metadata: _About = _About()
    country_of_origin: str | None = None
    category: str | None = None
    qid: Annotated[str, Field(pattern=f"^(?:{QID.pattern})$")] | None = None


class _Row(_Strict):
    source: str
    target: str
    labels: list[_Label]


_ROWS = TypeAdapter(list[_Row])


def read(path: str) -> list[dict[str, Any]]:
    """The sentences of a file, plain or compressed. What an annotation does not say is empty; it has words.

    Raises UserError if they do not have the form of CAMT's, and for a decompression bomb.
    """
    try:
        rows = json.loads(b"".join(data for data, _ in guarded(path, chunks(path))))
        json.dumps(rows, ensure_ascii=False).encode()  # half a character cannot be written
        _ROWS.validate_python(rows)
    except (OSError, ValueError, RecursionError, Truncated) as error:
        raise UserError(
            f"{path} is not in the form of CAMT's files, an array of objects with source, target and labels "
            f"({_said(error)})."
        ) from error
    for label in (label for row in rows for label in row["labels"]):
        label |= EMPTY | label
    return list(rows)


def _said(error: Exception) -> str:
    if not isinstance(error, ValidationError):
        return f"{type(error).__name__}: {error}"
    first = error.errors()[0]
    row, *place = first["loc"] or ("",)
    return f"record {row}, {'.'.join(map(str, place)) or 'as a whole'}: {first['msg']}; records count from 0"


def entities(paths: Iterable[str]) -> Iterator[dict[str, Any]]:
    """The items of all files in the form of Wikidata's JSON, each once with its names in all languages; then the
    countries that they come from, under their names in the table of regions.
    """
    known_countries = read_mapping(str(REGIONS), "country", "country_qid")
    found: dict[str, dict[str, Any]] = {}
    countries: dict[str, dict[str, Any]] = {}
    for path in paths:
        for label in (label for row in read(path) for label in row["labels"]):
            made = _entity(label, known_countries)
            known = found.setdefault(made["id"], made)
            for member in (*TEXTS.values(), "aliases", "sitelinks"):
                known[member] = made[member] | known[member]
            if country := label["country_of_origin"]:
                name = OTHERWISE.get(country, country)
                named = {ENGLISH: {"language": ENGLISH, "value": name}}
                qid = _country(country, known_countries)
                countries[qid] = {"id": qid, "labels": named}
    yield from found.values()
    yield from (country for qid, country in countries.items() if qid not in found)


def released_mentions(
    rows: pl.DataFrame, path: str, known: Callable[[str], bool]
) -> tuple[list[Answer], list[Rejected]]:
    """The annotations that the file at `path` has for sentences read from it, and those that cannot be mentions.

    `rows` has sentence_id, source and source_row. The longest words get their places first. Words that the text has
    several times get the next free place, as `places` orders them. An item has to be `known`. Each annotation of each
    sentence is in one of the two lists. Raises UserError where the file is not in its form or has fewer rows.
    """
    written = read(path)
    kept: list[Answer] = []
    rejected: list[Rejected] = []
    for sentence, text, row in rows.select("sentence_id", "source", "source_row").iter_rows():
        if row >= len(written):
            raise UserError(f"{path} has no record {row}: it was changed after its sentences were read.")
        placed: list[Answer] = []
        for label in sorted(written[row]["labels"], key=lambda label: -len(_clean(label["value"]))):
            answer = _answer(sentence, text, label, placed)
            if isinstance(answer, Answer):
                placed.append(answer)
            else:
                rejected.append(answer)
        sort_out(placed, len(text), known, kept, rejected)
    return kept, rejected


def _answer(
    sentence: str, text: str, label: Mapping[str, Any], placed: Sequence[Answer]
) -> Answer | Rejected:
    """The place of an annotation that no other one of `placed` touches, or why there is none."""
    qid, words = item_id(label), label["value"].strip()
    line = json.dumps({"sentence_id": sentence, "qid": qid, "value": words}, ensure_ascii=False)
    nowhere = Answer(sentence, 0, 0, qid, 1.0, line)
    if not words:
        return nowhere, NO_WORDS, ""
    taken: Answer | None = None
    for form in dict.fromkeys((_clean(words), words)):  # as sentences are by default, and as they are written
        for start in places(text, form):
            end = start + len(form)
            other = next((one for one in placed if start < one.end and one.start < end), None)
            if other is None:
                return Answer(sentence, start, end, qid, 1.0, line)
            taken = taken or other
    if taken:
        return nowhere, OVERLAP, f"with {taken.start} to {taken.end}, {taken.qid}"
    return nowhere, NOT_THERE, words


def _clean(words: str) -> str:
    """Words as ingest.sentences cleans sentences: entities decoded, white space folded."""
    return " ".join(without_entities(words).split())


def places(text: str, words: str) -> list[int]:
    """Where a text has some words, those in the same capitals first; inside of other words only if nowhere else."""
    if not words:
        return []
    within, sought = _lower(text), _lower(words)
    found = [at for at in range(len(text)) if within.startswith(sought, at)]
    whole = [at for at in found if not (_joined(text, at) or _joined(text, at + len(words)))]
    return sorted(whole or found, key=lambda at: text[at : at + len(words)] != words)


def _lower(text: str) -> str:
    """The text in lower case, but for letters that have two there, so that places stay."""
    return "".join(small if len(small := letter.lower()) == 1 else letter for letter in text)


def _joined(text: str, at: int) -> bool:
    """Whether a word goes on at a place. Marks belong to letters; scripts without spaces show no ends of words."""
    before, after = text[max(at - 1, 0) : at], text[at : at + 1]
    if not (before and after and is_word(before) and is_word(after)):
        return False
    return unicodedata.category(after)[0] == "M" or not _spaceless().search(before + after)


@cache
def _spaceless() -> Any:
    import regex

    return regex.compile(f"[{SPACELESS_LETTERS}]")


def item_id(label: Mapping[str, Any]) -> str:
    """The item's id in Wikidata where the file has it, else one that is made of what is known of it."""
    return english_name(label)[0]


def english_name(label: Mapping[str, Any]) -> tuple[str, str]:
    """The id of an annotation's item (see item_id), and its English name, or else the annotated words."""
    about = label["metadata"]
    english = [_texts(about, member).get(ENGLISH) for member in ("labels", "descriptions")]
    name, description = (one["value"] if one else None for one in english)
    name = name or label["value"]
    made = label.get("qid") or _made(name, description, label["country_of_origin"], label["category"])
    return str(made), str(name)


def _country(name: str, known: Mapping[str, str]) -> str:
    return known.get(OTHERWISE.get(name, name)) or _made(name)


def _made(*parts: str | None) -> str:
    digest = blake2b(json.dumps(parts).encode(), digest_size=8).digest()
    return f"Q{FIRST + int.from_bytes(digest, 'big') % IDS}"


def _entity(label: Mapping[str, Any], countries: Mapping[str, str]) -> dict[str, Any]:
    about, country = label["metadata"], label["country_of_origin"]
    texts = {ours: _texts(about, theirs) for theirs, ours in TEXTS.items()}
    texts["labels"] = texts["labels"] or {ENGLISH: {"language": ENGLISH, "value": label["value"]}}
    origin = {"mainsnak": {"datavalue": {"value": {"id": _country(country, countries)}}}}
    return {
        "id": item_id(label),
        **texts,
        "summaries": {lang: text["value"] for lang, text in texts["summaries"].items()},
        "aliases": {
            lang: [{"language": lang, "value": name} for name in names if name]
            for lang, given in _members(about, "aliases")
            if (names := given["value"] if isinstance(given, dict) else [one["value"] for one in given or ()])
        },
        "sitelinks": {wiki: link for wiki, link in _members(about, "sitelinks") if link},
        "claims": {"P495": [origin]} if country else {},
        "topics": [label["category"]] if label["category"] else [],
    }


def _texts(about: Mapping[str, Any], member: str) -> dict[str, dict[str, str]]:
    return {
        lang: {"language": lang, "value": one["value"]}
        for lang, one in _members(about, member)
        if one and one["value"]
    }


def _members(about: Mapping[str, Any], member: str) -> Iterable[tuple[str, Any]]:
    return dict(about.get(member) or {}).items()
