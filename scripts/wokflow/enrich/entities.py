"""A dump of Wikidata, or a part of one, as a table for linking, categorising and looking up."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import Any

from wokflow.enrich.schemas import ENTITIES, REJECTED
from wokflow.enrich.settings import EntitiesSettings
from wokflow.frame import tables
from wokflow.frame.job import Job, UserError
from wokflow.frame.language_codes import ANY_LANGUAGE, fallbacks, is_name_in, site
from wokflow.frame.tables import PartWriter, of_source
from wokflow.frame.wikidata import QID
from wokflow.ingest.first_rejects import FirstRejects
from wokflow.ingest.stream import Truncated, chunks

ROWS = 20_000  # entities that are written at once
RAW = 10_000  # bytes of a reject that are kept
MAX_LINE = 64 << 20  # bytes; the longest entities of Wikidata have some 4 MB
END = "P582"  # a qualifier: when a statement ceased to hold
PAGE = 1 << 13  # ids whose bits are kept together


def enrich_entities(
    *, source: str, entities: str, rejects: str, settings: EntitiesSettings, job: Job
) -> None:
    """Write the items of a dump as enrich/entities, and the lines that hold none as rejects.

    The file has an entity a line, as Wikidata's JSON dumps have (plain or compressed), perhaps with the array's
    brackets and commas. Two more members are optional: `summaries` {language: text} and `topics` [topic]. Names are
    kept in `languages`, those in variants of a language behind its own aliases, those for all languages where they
    are in its script (language_codes.is_name_in), others as foreign ones, which the linker looks for; an entity
    without a name in any of them is kept only if it is a class (P279), and else counted in the log. An item that
    occurs again, as in two dumps that were joined, is a reject: it would compete with itself for its names. Of the
    statements of a property, those of the best rank count, the one with the lowest id first. Countries whose
    statements have all ended (P582) are left out where others are there.

    Raises UserError where the file is cut off or damaged, unless `truncated` is keep, and where it has no entity.
    """
    path, languages, progress = settings.raw, settings.languages, job.progress
    metadata = of_source(job.metadata, "entities", source)
    counts: Counter[str] = Counter()
    first, is_new = FirstRejects(rejects), _Ids().add
    with ExitStack() as stack:
        good = stack.enter_context(PartWriter(entities, ENTITIES, metadata))
        bad = stack.enter_context(PartWriter(rejects, REJECTED, metadata))
        rows: list[dict[str, Any]] = []
        refused: list[tuple[int, str, str]] = []
        try:
            for number, position, line in _lines(path):
                row = _read(line, languages)
                if isinstance(row, dict) and not is_new(number_of(row["qid"])):
                    row = "duplicate"
                if isinstance(row, str):
                    counts["rejected"] += 1
                    kept = line[:RAW].decode(errors="backslashreplace")
                    refused.append((number, row, kept))
                    first.add([(number, row, None, kept)])
                elif row is None:
                    counts["nameless"] += 1
                else:
                    rows.append(row)
                if len(refused) == ROWS:
                    bad.write(tables.frame(REJECTED, refused))
                    refused = []
                if len(rows) == ROWS:
                    counts["kept"] += len(rows)
                    good.write(tables.frame(ENTITIES, rows))
                    rows = []
                    progress(int(position * 1000), _summary(counts), of=1000)
        except Truncated as damage:
            if settings.truncated == "refuse":
                raise UserError(
                    f"enrich.entities.path: {path} is cut off or damaged behind {counts.total() + len(rows)} "
                    f"entities: {damage}. Fetch the file again. To go on with what could be read, set "
                    "enrich.entities.truncated: keep"
                ) from damage
            progress.say(f"{path}: {damage}; the rest is lost")
        good.write(tables.frame(ENTITIES, rows))
        bad.write(tables.frame(REJECTED, refused))
        counts["kept"] += len(rows)
        if not counts["kept"]:
            raise UserError(
                f"enrich.entities.path: {path} holds no entity with a name in {', '.join(languages)} "
                f"({_summary(counts)}). {first.written()}It is to have a JSON object a line, as Wikidata's dumps "
                "have."
            )
    progress.say(_summary(counts))


class _Ids:
    """The numbers of items that were met, as bitmaps: some 20 MB for all of Wikidata."""

    def __init__(self) -> None:
        self._pages: dict[int, bytearray] = {}

    def add(self, number: int) -> bool:
        """Whether the number is new."""
        page, place = divmod(number, PAGE)
        bits = self._pages.setdefault(page, bytearray(PAGE // 8))
        byte, bit = place // 8, 1 << place % 8
        is_new = not bits[byte] & bit
        bits[byte] |= bit
        return is_new


def _summary(counts: Mapping[str, int]) -> str:
    return (
        f"{counts['kept']} entities, {counts['nameless']} without names in these languages, "
        f"{counts['rejected']} rejects"
    )


def _lines(path: str) -> Iterator[tuple[int, float, bytes]]:
    """Number of each entity from 0, share of the file that was read, and the JSON object of its line."""
    rest, number = b"", 0
    at = 0.0
    for chunk, at in chunks(path):
        *complete, rest = (rest + chunk).split(b"\n")
        if len(rest) > MAX_LINE:
            raise UserError(
                f"enrich.entities.path: {path} has a line of more than {MAX_LINE >> 20} MiB. Each entity is to be a "
                "line of its own: jq -c '.[]' OLD > NEW"
            )
        for line in complete:
            if line := _object(line):
                yield number, at, line
                number += 1
    if line := _object(rest):
        import orjson

        try:
            orjson.loads(line)
        except orjson.JSONDecodeError as error:
            raise Truncated(f"its last line has no end, and is no JSON ({error})") from error
        yield number, at, line


def _object(line: bytes) -> bytes:
    line = line.strip().removeprefix(b"\xef\xbb\xbf").removesuffix(b",")
    return b"" if line in (b"[", b"]") else line


def _read(line: bytes, languages: Sequence[str]) -> dict[str, Any] | str | None:
    """A row of the table; None for an entity without names in these languages; or the reason of a reject."""
    import orjson

    try:
        entity = orjson.loads(line)
        qid = entity["id"]
        if not QID.fullmatch(qid):
            return "no_item"
        texts = [text for lang in languages if (text := _text(entity, lang))]
        claims = entity.get("claims") or {}
        parents = _values(claims, "P279")
        if not texts and not parents:
            return None
        return {
            "qid": qid,
            "sitelinks": len(entity.get("sitelinks") or ()),
            "instance_of": _values(claims, "P31"),
            "subclass_of": parents,
            "origins": _countries(claims, "P495"),
            "countries": _countries(claims, "P17"),
            "topics": _strings(entity.get("topics") or []),
            "texts": texts,
        }
    except (orjson.JSONDecodeError, KeyError, TypeError, AttributeError, ValueError):
        return "broken_record"


def _text(entity: Mapping[str, Any], lang: str) -> dict[str, Any] | None:
    """Names of an entity in a language; None where it has none, also for all languages."""
    label = _name(entity.get("labels"), lang)
    link = (entity.get("sitelinks") or {}).get(site(lang)) or {}
    title = link.get("title")
    aliases = _aliases(entity, lang, label)
    foreign = _foreign(entity, lang)
    if not (label or title or aliases or foreign):
        return None
    return {
        "lang": lang,
        "label": label,
        "description": _first(entity.get("descriptions"), [lang, *fallbacks(lang), ANY_LANGUAGE]),
        "aliases": aliases,
        "foreign": foreign,
        "title": title,
        "summary": _string((entity.get("summaries") or {}).get(lang)),
    }


def _string(value: Any) -> str | None:
    """A text, or None. Raises TypeError for anything else."""
    if not (value is None or isinstance(value, str)):
        raise TypeError(f"{value!r} is no text")
    return value


def _strings(values: Any) -> list[str]:
    """A list of texts. Raises TypeError for anything else."""
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise TypeError(f"{values!r} is no list of texts")
    return values


def _aliases(entity: Mapping[str, Any], lang: str, label: str | None) -> list[str]:
    """Aliases in a language or in all, then labels and aliases in variants of the language, each once."""
    variants = fallbacks(lang)
    own, others = (
        [name for code in codes for name in _values_of(entity.get("aliases"), code, lang)]
        for codes in ((lang, ANY_LANGUAGE), variants)
    )
    labels = entity.get("labels") or {}
    alike = [(code, _of_text(labels[code])) for code in variants if labels.get(code)]
    others = [*(name for code, name in alike if is_name_in(name, code, lang)), *others]
    return list(dict.fromkeys([*own, *(name for name in others if name != label)]))


def _values_of(aliases: Any, code: str, lang: str) -> list[str]:
    """The aliases under a code that are names in the language."""
    return [name for one in _of(aliases, code) if is_name_in(name := _of_text(one), code, lang)]


def _foreign(entity: Mapping[str, Any], lang: str) -> list[str]:
    """Names for all languages that are none in this one, as they are in another script."""
    label = (entity.get("labels") or {}).get(ANY_LANGUAGE)
    names = [*([label] if label else []), *_of(entity.get("aliases"), ANY_LANGUAGE)]
    values = dict.fromkeys(map(_of_text, names))
    return [value for value in values if not is_name_in(value, ANY_LANGUAGE, lang)]


def _name(labels: Any, lang: str) -> str | None:
    """The label in a language, in a variant of it, or in all languages, that is a name in the language."""
    for code in (lang, *fallbacks(lang), ANY_LANGUAGE):
        text = _first(labels, [code])
        if text and is_name_in(text, code, lang):
            return text
    return None


def _first(texts: Any, codes: Iterable[str]) -> str | None:
    """The text under the first of the codes that has one."""
    if not texts:
        return None  # an empty member is [] in some dumps
    return next((_of_text(text) for code in codes if (text := texts.get(code))), None)


def _of_text(text: Mapping[str, Any]) -> str:
    return _strings([text["value"]])[0]


def _of(texts: Any, lang: str) -> Sequence[Mapping[str, str]]:
    return (texts.get(lang) or ()) if texts else ()


def _values(claims: Mapping[str, Any], name: str) -> list[str]:
    """Ids of the items that a property has, of the best rank present, in the order of their numbers."""
    return sorted({qid for qid, _ in _best(claims, name)}, key=number_of)


def _countries(claims: Mapping[str, Any], name: str) -> list[str]:
    """The same without those that have ended, unless all have."""
    best = _best(claims, name)
    return sorted({qid for qid, ended in best if not ended} or {qid for qid, _ in best}, key=number_of)


def _best(claims: Mapping[str, Any], name: str) -> list[tuple[str, bool]]:
    """The items of the statements of the best rank, each with whether it has an end time, perhaps an unknown one."""
    statements = (claims or {}).get(name) or ()
    ranks = [statement.get("rank", "normal") for statement in statements]
    best = "preferred" if "preferred" in ranks else "normal"
    found = []
    for statement, rank in zip(statements, ranks, strict=True):
        snak = statement["mainsnak"]
        if rank == best and snak.get("snaktype", "value") == "value":
            value = snak["datavalue"]["value"]
            qid = value.get("id") or f"Q{value['numeric-id']}"
            ends = (statement.get("qualifiers") or {}).get(END, ())
            if QID.fullmatch(qid):
                found.append((qid, any(end.get("snaktype", "value") != "novalue" for end in ends)))
    return found


def number_of(qid: str) -> int:
    """The number of an id: Q148 -> 148."""
    return int(qid[1:])
