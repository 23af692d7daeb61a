"""Reads ratings and their reasons from answers of models, in any form; an ambiguous answer gives none."""

import re
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise
from typing import NamedTuple

from wokflow.frame.wordlists import word_table

_ROWS = word_table("judge/words.tsv")
_NUMBERS = {
    word: row["means"] for row in _ROWS if row["kind"] == "number" for word in row["words"].split(" | ")
}
_DIGITS = {
    code: str(unicodedata.digit(chr(code)))
    for code in range(128, sys.maxunicode)
    if unicodedata.digit(chr(code), None) is not None
}
_NARROW = {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)} | _DIGITS  # fullwidth to ASCII
_MARKUP = re.compile(  # markup without meaning; replaced by blanks
    r"[*_`#$\\]|</\w{1,20}>|<(?:b|i|u|p|br|em|strong|span|div|li|ul|ol|h\d|code)\s*/?>|\ufe0f"
)
_TAG = re.compile(r"<(\w{1,20})>")
_LETTER = r"[^\W\d_]"
_STARS = "★⭐🌟"


def words(kind: str, means: str | None = None) -> list[str]:
    """The words of a kind in resources/judge/words.tsv: those with that meaning, or all."""
    rows = [row for row in _ROWS if row["kind"] == kind and means in (None, row["means"])]
    return [word for row in rows for word in row["words"].split(" | ")]


def any_of(words: Iterable[str]) -> str:
    """A pattern for any of these words, the longest first; in scripts with spaces, whole words alone match."""
    ordered = sorted(words, key=lambda word: (-len(word), word))
    return "(?:" + "|".join(re.escape(word) + _end(word) for word in ordered) + ")"


def _end(word: str) -> str:
    """The pattern for the end of a word; empty for Chinese, Japanese and Korean, which put no space after words."""
    spaced = word[-1].isalpha() and ord(word[-1]) < 0x2E80
    return rf"(?!{_LETTER})" if spaced else ""


_SCORE, _NAMED = any_of(words("score")), any_of(_NUMBERS)
_LINK = re.compile(any_of([*words("link"), *words("unit"), *words("reason")]), re.IGNORECASE)
_MEASURE = re.compile(rf"[^\S\n]*{any_of(words('measure'))}", re.IGNORECASE)
_FRACTION = re.compile(r"[½¼¾⅓⅔+]|[^\S\n]+\d+/\d")  # after a digit: the value is no whole number
_PART = re.compile(rf"[^\w\n]*+{any_of(words('part'))}|半", re.IGNORECASE)  # after a digit or a word for one
# Behind a rating: the highest one, or another scale, where the rating itself does not tell it.
_TEN = any_of(words("ten"))
_HIGHEST = re.compile(
    rf"[^\w\n/]*+(?:{any_of(words('top'))}[^\w\n]*+(?:(?:an?|the|possible|maximum|total|of)[^\w\n]++)*+"
    rf"(?P<top>\d+|{_TEN}|{_NAMED})(?!\d)"
    r"|(?:on (?:a )?)?scale (?:of |from )?(?:\d+ ?(?:[-–—]|to) ?)?(?P<scale>\d+)"
    rf"|(?P<system>\d+)(?:分制|[- ]point scale)|\d+ ?/ ?(?P<ratio>\d+|{_TEN}))",
    re.IGNORECASE,
)
# A number behind a rating that is another rating: next to it, or behind a word that takes it back.
_SEVERAL = any_of(word for word, means in _NUMBERS.items() if means != "1")
_ANOTHER = re.compile(
    rf"[^\w\n\[]*+(?:{any_of(words('again'))}[^\w\n\[]*+){{0,3}}(?:(?P<digits>\d+)|(?P<word>{_SEVERAL}))"
    r"(?:[^\S\n]*+/[^\S\n]*+(?P<top>\d+))?(?![\w%°]|[.,/]\d|-[^\W\d_]|[^\S\n]*+=|[^\S\n]+[^\W\d_])",
    re.IGNORECASE,
)
_REVISED = re.compile(
    rf"(?<!\w)(?:revised|corrected|updated|adjusted|final)[^\S\n]+(?:{_SCORE}|answer)[^\w\n]*+(?:is[^\w\n]*+)?"
    rf"(?P<digits>\d+(?:[.,]\d+)?)",
    re.IGNORECASE,
)
_TOLD = re.compile(  # another scale than that of the dimensions, before the first name
    r"(?:scale (?:of |from )?(?:\d+ ?(?:[-–—~]|to) ?)?|out of |[(\[]\d+ ?(?:[-–—~]|to) ?(?=\d+[)\]]))(?P<most>\d+)"
    r"|(?<!\d)(?P<system>\d++)(?:分制|[- ]point scale)",
    re.IGNORECASE,
)
_LIST_MARK = re.compile(r"\(?(?:\d{1,2}|[一二三四五六七八九十])[.)、][^\w\n]*+\Z")  # before the next name
# Between a name and its rating: marks, or words of these kinds, or both.
_GAP = (
    rf"(?P<gap>(?:[^\w\n}}{_STARS}]*+{any_of([*words('verb'), *words('score'), *words('small')])})*+"
    rf"(?:[^\w\n}}{_STARS}]*+(?!\n)|[^\w|}}{_STARS}]{{0,12}}+))"
)
_MARK = re.compile(rf"[^\w\s.,;']|\n|{any_of([*words('verb'), *words('score')])}", re.IGNORECASE)
_RATING = rf"(?:(?P<digits>\d+(?:[.,]\d+)?)|(?P<stars>[{_STARS}](?: ?[{_STARS}])*+)[ ☆]*+|(?P<word>{_NAMED}))"
_NUMBER = (
    rf"{_RATING}(?P<range>[^\S\n]*+(?:[-–—~]|to(?!\w)|or(?!\w)|或|到|至)[^\S\n]*+\d+)?"
    rf"(?:[^\S\n]*+{any_of(words('unit'))})?"
    rf"(?:[^\S\n]*+{any_of(words('of'))}[^\S\n]*+(?P<top>\d+(?:[.,]0+)?|{_NAMED}))?"
)
_VALUE = re.compile(_GAP + _NUMBER, re.IGNORECASE)
_QUALIFIED = re.compile(rf"(?P<gap>[^\n\d:=|.!?}}]{{1,40}}[:=][^\w\n{_STARS}]*+){_NUMBER}", re.IGNORECASE)
_SIGN = re.compile(
    r"(?:(?<![=-])[<>]|[≤≥~]|[:=]\s*[-−])$"
)  # before a number, which is then a bound or negative
_LABELLED = re.compile(rf"(?<!\w){_SCORE}[^\w\n:=]*+[:=][^\w\n{_STARS}]*+{_NUMBER}", re.IGNORECASE)
_BEFORE = re.compile(r"\d(?![.)]|\d)")  # a number before a name, which is not its number in a list
_BRACKETED = re.compile(rf"[(\[]{_NUMBER}[)\]]", re.IGNORECASE)
_OUT_OF = re.compile(
    rf"(?<![\w.,/-])(?P<digits>\d+(?:[.,]\d+)?)\s*{any_of(words('fraction'))}\s*(?P<top>\d+)(?!\w)",
    re.IGNORECASE,
)
_REASON = re.compile(
    r"[^\w]*(?:" + any_of(words("reason")) + r"[\"'”]?[^\S\n]*[:=-])?[^\w(\"“]*", re.IGNORECASE
)
_REFUSAL = re.compile(any_of(words("refusal")), re.IGNORECASE)
_LEAD = re.compile(rf"[\W\d_]*(?:{any_of(words('lead'))}[\W\d_]*)+", re.IGNORECASE)  # before a name
_SHARED = re.compile(r"[\W_]*+(?:" + any_of(words("and")) + r")?[\W_]*+", re.IGNORECASE)


class Rated(NamedTuple):
    """A dimension's rating and rationale; or the reason why there is none (see judge.schemas), and the text there."""

    value: str | None
    rationale: str = ""
    exact: bool = False
    reason: str = ""
    detail: str | None = None


class _Reading(NamedTuple):
    """A number in the answer, read as a rating: its value or the reason why it is none, its text, and its end."""

    value: str | None
    reason: str
    detail: str
    end: int


@dataclass(frozen=True)
class _Heading:
    """The name of a dimension, and the part of the answer that it begins.

    The name stands between `begin` and `at`; the part ends at `end`, before the next name. `shared`: the part belongs
    to neighbouring names, too. `labels_before`: the answer has a labelled rating before its first name.
    """

    dimension: str
    begin: int
    at: int
    end: int
    shared: bool
    labels_before: bool


@dataclass(frozen=True)
class Reader:
    """Reads the ratings of some dimensions. Each has its values in order."""

    dimensions: tuple[tuple[str, tuple[str, ...]], ...]

    @classmethod
    @cache
    def of(cls, *dimensions: tuple[str, tuple[str, ...]]) -> "Reader":
        return cls(dimensions)

    def read(self, answer: str, *, cut: bool = False) -> dict[str, Rated]:
        """The rating of each dimension by name; `cut`: the answer ended at the limit of tokens.

        A rating is one of the values, as a digit, a word or stars, in one of three places: after the dimension's name
        (in any language of resources/judge/words.tsv) with marks between; after a label such as "Rating:" in the part
        that the name begins; or anywhere in that part, as "4 out of 5" or in brackets. Other numbers, ranges, other
        scales and two different ratings are no rating.
        """
        text = plain(answer)
        for _, values in self.dimensions:
            text = _scale(values).sub(lambda scale: " " * len(scale[0]), text)
        headings = list(self._headings(text))
        told = text[: headings[0].begin] if headings else ""
        ratings = {
            name: _on_scale(self._rated(name, values, answer, text, headings, cut), told, values[-1])
            for name, values in self.dimensions
        }
        if not any(one.value or one.reason in ("off_scale", "several") for one in ratings.values()):
            line = refusal(text, answer)
            if line is not None:
                return dict.fromkeys(ratings, Rated(None, reason="refused", detail=line))
        return ratings

    @cached_property
    def _names(self) -> re.Pattern[str]:
        groups = []
        for number, (name, _) in enumerate(self.dimensions):
            known = {name, *words("name", name)}
            groups.append(f"(?P<d{number}>{any_of(known)})")
        return re.compile(rf"(?<!{_LETTER})(?:{'|'.join(groups)})", re.IGNORECASE)

    def _headings(self, text: str) -> Iterator[_Heading]:
        """The names that begin a part: at the start of a line or sentence, before a rating, or side by side."""
        places = list(self._names.finditer(text))
        shared = set[int]()
        for number, (one, other) in enumerate(pairwise(places)):
            between = text[one.end() : other.start()]
            if one.lastgroup != other.lastgroup and "\n" not in between and _SHARED.fullmatch(between):
                shared |= {number, number + 1}
        kept = []
        for number, place in enumerate(places):
            line = text.rfind("\n", 0, place.start()) + 1
            sentence = max(line, text.rfind(". ", line, place.start()) + 1)
            bare = not re.search(
                _LETTER, text[line : place.start()]
            )  # numbers and marks before it, if anything
            begin = line if bare else sentence
            at_start = bare or bool(_LEAD.fullmatch(text, sentence, place.start()))
            value = _VALUE.match(text, place.end())
            directed = value is not None and bool(_MARK.search(value["gap"])) and "\n" not in value["gap"]
            if at_start or directed or number in shared:
                kept.append((number, begin if at_start else place.start(), place))
        labels_before = bool(kept and _LABELLED.search(text, 0, kept[0][2].start()))
        for index, (number, begin, place) in enumerate(kept):
            end = kept[index + 1][1] if index + 1 < len(kept) else len(text)
            name = self.dimensions[int((place.lastgroup or "d0")[1:])][0]
            yield _Heading(name, begin, place.end(), max(end, place.end()), number in shared, labels_before)

    def _rated(
        self,
        name: str,
        values: Sequence[str],
        answer: str,
        text: str,
        headings: Sequence[_Heading],
        cut: bool,
    ) -> Rated:
        own = [each for each in headings if each.dimension == name]
        if not own:
            return Rated(None, reason="cut" if cut else "missing")
        read = [(each, _value(text, each, values)) for each in own if not each.shared]
        readings = [(each, reading) for each, reading in read if reading]
        good = {reading.value for _, reading in readings if reading.value}
        bad = [reading for _, reading in readings if not reading.value]
        if len(good) > 1 or (good and bad):
            return Rated(None, reason="several", detail=_quoted(answer, readings))
        if bad:
            return Rated(None, reason=bad[0].reason, detail=bad[0].detail)
        if not good:
            line = " ".join(answer[own[0].begin : own[0].end].split())[:200]
            last = cut and own[-1] is headings[-1]
            return Rated(None, reason="cut" if last else "no_rating", detail=line)
        heading, reading = readings[0]
        if cut and not text[reading.end :].strip():
            return Rated(None, reason="cut", detail=" ".join(answer[heading.begin :].split()))
        line, _, rest = answer[heading.begin : heading.end].partition("\n")
        exact = line == f"{name.upper()}: {reading.value}" and rest.startswith("Reason: ")
        return Rated(reading.value, _rationale(answer, text, heading, reading), exact)


def _on_scale(rated: Rated, told: str, most: str) -> Rated:
    """The rating; none if a scale to more than `most` was told before the first name."""
    for other in _TOLD.finditer(told) if rated.value and most.isdecimal() else ():
        if int(other["most"] or other["system"]) > int(most):
            return Rated(None, reason="off_scale", detail=f"{rated.value}, {' '.join(other[0].split())}")
    return rated


@cache
def _scale(values: tuple[str, ...]) -> re.Pattern[str]:
    """A pattern for the scale: in brackets, as in (1-5) or (0, 1 or 2), behind a name and before its rating; and told
    in words, as in "on a scale of 1 to 5" or "1 (worst) to 5 (best)".
    """
    least, *_, most = every = [re.escape(value) for value in values]
    listed = r"\s*(?:,\s*or|,|/|or)\s*".join(every)
    to = r" ?(?:[-–—]|to) ?"
    span = rf"(?:scale of |from )?{least}\s*(?:[-–—]|to)\s*{most}|out of {most}|{listed}"
    told = rf"(?:on )?(?:a )?scale (?:of |from )?{least}{to}{most}(?!\w)|(?<!\w){least}{to}{most} scale(?!\w)"
    named = rf"(?<!\w){least} ?\([^()\n]{{1,20}}\){to}{most} ?\([^()\n]{{1,20}}\)"
    said = r" ?=[^()\d\n]{1,20}"
    bounds = rf"[(\[](?:scale of |from )?{least}(?:{said}| ?(?:[-–—,]|to) ?){most}(?:{said})?[)\]]"
    return re.compile(rf"[(\[](?:{span})[)\]](?=[^\w\n]*[:=])|{bounds}|{told}|{named}", re.IGNORECASE)


def plain(answer: str) -> str:
    """The answer with ASCII digits and punctuation and without markup, of the same length."""
    text = answer if answer.isascii() else answer.translate(_NARROW)
    text = _MARKUP.sub(lambda mark: " " * len(mark[0]), text)
    return _TAG.sub(lambda tag: f" {tag[1]} ", text)


def refusal(text: str, answer: str) -> str | None:
    """The end of `answer` from the words of a refusal on; None if it has none. `text` is its plain form."""
    match = _REFUSAL.search(text)
    return " ".join(answer[match.start() :].split())[:200] if match else None


def _value(text: str, heading: _Heading, values: Sequence[str]) -> _Reading | None:
    """The reading of a part's rating; None if the part has no rating."""
    reading = _behind(_VALUE.match(text, heading.at, heading.end), text, heading, values)
    reading = reading or _behind(_QUALIFIED.match(text, heading.at, heading.end), text, heading, values)
    if reading:
        return reading
    line = text.find("\n", heading.at, heading.end)
    first = heading.end if line < 0 else line
    # If labels come before names, a label inside this part may belong to the next name.
    labelled = heading.at if heading.labels_before else heading.end
    for pattern, end in ((_LABELLED, labelled), (_OUT_OF, heading.end), (_BRACKETED, first)):
        matches = [
            each for each in pattern.finditer(text, heading.at, end) if _stands_alone(text, heading, each)
        ]
        known = [checked for each in matches if (checked := _checked(each, values, text, heading.end))]
        if known:
            same = len({each.value for each in known}) == 1
            return known[0] if same else _Reading(None, "several", known[0].detail, known[0].end)
    return None


def _behind(
    match: re.Match[str] | None, text: str, heading: _Heading, values: Sequence[str]
) -> _Reading | None:
    """The reading of a number right after a name; None if there is no number, or it is no rating."""
    is_rating = match and _follows(text, heading, match) and _stands_alone(text, heading, match)
    return _checked(match, values, text, heading.end) if match and is_rating else None


def _follows(text: str, heading: _Heading, match: re.Match[str]) -> bool:
    """Whether a number belongs to the name: with a mark or a word between them, or nothing else in its line."""
    rest = text[match.end() : heading.end].partition("\n")[0]
    return bool(_MARK.search(match["gap"])) or not rest.strip()


def _stands_alone(text: str, heading: _Heading, match: re.Match[str]) -> bool:
    """Whether a number can be a rating: it begins no list, no further numbers and no sentence."""
    after = text[match.end() : min(match.end() + 40, heading.end)]
    gap = match.groupdict().get("gap") or ""
    if "\n" in gap and _BEFORE.search(text, heading.begin, heading.at):
        return False
    if match["digits"] and "\n" in gap and re.match(r"[.)][^\S\n]+\w|[^\S\n]*+[|,;]?[^\S\n]*+\d", after):
        return False
    if re.match(r"[A-Za-z0-9]", after) and not _LINK.match(after):
        return False
    small = re.match(r"[^\S\n]+[a-z]", after)
    return not _MEASURE.match(after) and (not small or bool(_LINK.match(after.lstrip())))


def _checked(match: re.Match[str], values: Sequence[str], text: str, end: int) -> _Reading | None:
    """The reading of a match in a part that ends at `end`; None if it is the scale itself, such as 1-5."""
    groups = match.groupdict()
    quote, top = match[0][len(groups.get("gap") or "") :].strip(), groups.get("top")
    value, top = _number(groups), top and re.sub(r"[.,]0+$", "", top)
    if groups.get("range"):
        whole = re.findall(r"\d+", quote)
        return None if whole[:2] == [values[0], values[-1]] else _Reading(None, "several", quote, match.end())
    sign = _SIGN.search(groups.get("gap") or "")
    if sign:
        reason = "off_scale" if sign[0][-1] in "-−" else "several"
        return _Reading(None, reason, f"{sign[0].lstrip(':= ')}{quote}", match.end())
    behind = text[match.end() : min(match.end() + 80, end)]
    if end < len(text):
        behind = _LIST_MARK.sub("", behind)
    no_whole = not groups.get("word") and _FRACTION.match(behind)
    if more := no_whole or _PART.match(behind.replace("-", " ")):
        return _Reading(None, "off_scale", quote + behind[: more.end()], match.end())
    if not top and (highest := _HIGHEST.match(behind)):
        top = next(filter(None, highest.groups()))
    wrong_top = top is not None and _NUMBERS.get(top.lower(), top) != values[-1]
    if wrong_top or value not in values or behind.startswith("%"):
        return _Reading(None, "off_scale", quote, match.end())
    paragraph = text[match.end() : end].partition("\n\n")[0]
    for other in filter(None, (_ANOTHER.match(behind), *_REVISED.finditer(paragraph))):
        found = other.groupdict()
        beside = "|" in other[0] and found["digits"] == values[-1]  # a column of the highest rating
        if found.get("top") in (None, values[-1]) and _number(found) != value and not beside:
            return _Reading(None, "several", quote + other[0], match.end())
    return _Reading(value, "", quote, match.end())


def _number(groups: Mapping[str, str | None]) -> str:
    if stars := groups.get("stars"):
        return str(len(stars.replace(" ", "")))
    if word := groups.get("word"):
        return _NUMBERS[word.lower()]
    digits = (groups.get("digits") or "").replace(",", ".")
    return re.sub(r"\.0+$", "", digits)


def _rationale(answer: str, text: str, heading: _Heading, reading: _Reading) -> str:
    """The text of a part without its rating, in one line."""
    match = _VALUE.match(text, heading.at, heading.end)
    begin = reading.end if match and match.end() == reading.end else heading.at
    rationale, plain_part = answer[begin : heading.end], text[begin : heading.end]
    if begin == heading.at:
        for label in _LABELLED.finditer(plain_part):
            blank = " " * len(label[0])
            rationale = rationale[: label.start()] + blank + rationale[label.end() :]
        plain_part = _LABELLED.sub(lambda label: " " * len(label[0]), plain_part)
    reason = _REASON.match(plain_part)
    words = " ".join(rationale[reason.end() if reason else 0 :].split())
    return words.strip(' *_`#|"{},[]<>-')


def _quoted(answer: str, readings: Sequence[tuple[_Heading, _Reading]]) -> str:
    """The texts of several readings, each from its name to its end, for the table of rejects."""
    return "; ".join(" ".join(answer[heading.begin : reading.end].split()) for heading, reading in readings)[
        :200
    ]
