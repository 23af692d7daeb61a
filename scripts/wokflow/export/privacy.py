"""Finds personal data in text: mail addresses, phone numbers, links, user names. Messages show it masked.

Candidates are found by patterns. The numbering plans of libphonenumber decide whether digits are a phone number,
since amounts, times and temperatures look similar.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

import polars as pl

from wokflow.export.cells import Finder, Search, search
from wokflow.export.gate_findings import WIDTH, Finding, finding

MAIL = r"(?<![A-Za-z0-9._%+\-])[A-Za-z0-9][A-Za-z0-9._%+\-]*[@＠][A-Za-z0-9\-]+(?:\.[A-Za-z0-9\-]+)*\.[A-Za-z]{2,}"

# Domains without http:// or www. must have a path, or an ending that is no word after a missing space, as in
# "tender.Top with". "8 oz.net wt" is no domain.
_HOST = r"(?:[A-Za-z0-9](?:[A-Za-z0-9\-]*[A-Za-z0-9])?\.)+"
_ENDS = r"(?:(?:com|net|org|co|ac|edu|gov)\.[a-z]{2}|com|net|org|edu|gov|cn)"
_PATHS = r"(?:be|gl|ly|co|me|it|to|am|de|fr|es|ca|uk|jp|io|tv|cc|info)"
_URL = r"[A-Za-z0-9\-._~:/?#@&+=%]"
LINK = (
    rf"(?i:https?[:：]//{_URL}+|(?<![\w@.\-])www\.[a-z0-9\-]+\.{_URL}+)"
    rf"|(?<![A-Za-z0-9@＠.\-])(?!(?:oz|lbs?|g|kg|wt|can|pkg|approx)\.net\b){_HOST}"
    rf"(?:(?:{_ENDS}|COM|NET|ORG)(?![A-Za-z0-9\-@])(?:/{_URL}*)?|{_PATHS}/[A-Za-z0-9]{_URL}*)"
)

_SEPARATED = r"[\s_]*+[:：=@「【“\"《]++[\s@「【“\"《]*+"  # between the names of service and account
USER = "|".join(
    (
        # @name, but not "bake @high"
        r"(?<![A-Za-z0-9._@＠/\-])[@＠](?!(?:room|high|low|med|medium|about|each|home|the|least|approx)\b)"
        r"(?P<at>[A-Za-z_][\w.\-]{2,29}|[^\W\d_][\w\-]{1,19})",
        r"(?:微信|薇信|威信|(?i:(?<![a-z])(?:we ?chat|weixin)))(?:公众)?(?:账号|帐号|号码?|群)?(?i:\s*id)?"
        r"[\s:：=是为]{0,4}(?P<wechat>[A-Za-z][A-Za-z0-9_\-]{5,19})(?![A-Za-z0-9])",
        rf"(?i:(?<![a-z])(?:vx|wx|v信)){_SEPARATED}(?P<wx>[A-Za-z0-9][A-Za-z0-9_\-]{{4,19}})",
        r"(?i:(?<![a-z])(?:qq|q群|q号))(?:号码?|群号?|交流群)?[\s:：=是为]{0,3}(?P<qq>[1-9][0-9]{4,10})(?![0-9])",
        r"(?:公众号|公众帐号|公眾號|微博|小红书|抖音|快手|豆瓣|哔哩哔哩|(?i:b站|(?<![a-z])(?:instagram|twitter|"
        rf"facebook|tiktok|pinterest)))(?:账号|帐号|号|名|昵称|(?i:id))?"
        rf"(?:{_SEPARATED}|[\s]*(?:是|叫|搜索?))"
        r"(?P<account>[\w\-]{2,30}(?:(?<=[A-Za-z0-9_\-])\.[A-Za-z0-9_\-]{1,30}){0,3})",
        r"(?:公众号|公众帐号|公眾號|小红书号|抖音号|快手号|微博号)[ \u3000]{1,3}"
        r"(?P<number>(?=[A-Za-z0-9_.\-]*\d)[A-Za-z0-9_\-][A-Za-z0-9_.\-]{3,28}[A-Za-z0-9_\-])(?!\w)",
    )
)

# A word for telephone, after which groups of digits are a phone number ("call 212 736 5000").
_TELEPHONE = re.compile(
    r"(?i:call|phone|tel|fax|mobile|whatsapp|hotline|vx|wx)\W*$|(?:电话|手机|热线|致电|联系方式)\W*$"
)
_MOBILE = re.compile(r"1[3-9]\d([ \-])\d{4}\1\d{4}|1[3-9]\d{9}")  # a Chinese mobile number
_GROUPS = re.compile(r"\d{1,4}(?:\s+\d{1,4})+")
# An id begins with a recipe's corpus and row: recipenlg:12, silver:recipenlg:12, xiachufang:12:红烧肉.
_ID = re.compile(r"(?:(?:gold|silver):)?([a-z][a-z0-9_\-]*):\d{1,9}(?::|$)")
_YEARS = re.compile(r"\D*[12]\d{3}\D+[12]\d{3}\D*")
_CODE = re.compile(
    r"(?i:ISBN|ISSN|EAN|UPC|DOI)\W*+(?:1[03]\W++)?[\d\-]*+$|[A-Za-z0-9_/=]$"
)  # the following digits belong to a code

ADVICE = {
    "mail_addresses": "Remove the addresses or the rows in the source, and run again from ingest.",
    "phone_numbers": "Remove the numbers or the rows in the source, and run again from ingest.",
    "links": "Remove the links or the rows in the source, and run again from ingest.",
    "user_names": "Remove the names or the rows in the source, and run again from ingest.",
}


def text_findings(
    rows: Iterable[pl.DataFrame], key: str | pl.Expr, config: str, wanted: Mapping[str, Search]
) -> list[Finding]:
    """Rows with a hit in any string, in lists and structs too; a finding for each search, by gate.

    `key` gives the row's id for the examples, in which personal data are masked.
    """
    result = []
    for gate, hits in search(rows, key, wanted).items():
        examples = (f"{row}: {path}: {excerpt(text, places)}" for row, path, text, places in hits.first)
        result += finding(gate, config, hits.rows, examples, wanted[gate].advice)
    return result


def searches() -> dict[str, Search]:
    """How each kind of personal data is searched for, by gate."""
    names = "(?i)[@＠]|微信|薇信|威信|we ?chat|weixin|vx|wx|v信|qq|q群|q号|公众|公眾|微博|小红书|抖音|快手"
    names += "|豆瓣|哔哩|b站|instagram|twitter|facebook|tiktok|pinterest"
    by_gate = {
        "mail_addresses": ("[@＠]", _by(MAIL)),
        "phone_numbers": (r"(?:\d[\s\-.()（）–/]{0,3}){6}\d", phone_numbers),
        "links": (r"(?i)://|：//|www\.|[a-z0-9]\.[a-z]", _by(LINK)),
        "user_names": (names, _by(USER)),
    }
    return {gate: Search(*each, ADVICE[gate]) for gate, each in by_gate.items()}


def _by(pattern: str) -> Finder:
    compiled = re.compile(pattern)
    return lambda text: [_place(match) for match in compiled.finditer(text)]


def _place(match: "re.Match[str]") -> tuple[int, int]:
    """The place of the match, or of its named group if it has one."""
    return match.span(match.lastgroup) if match.lastgroup else match.span()


def phone_numbers(text: str) -> list[tuple[int, int]]:
    """The places of phone numbers: those valid in China or North America, or international ones with a plus.

    The number of a recipe's row in an id, as recipenlg:1234567, is none.
    """
    from phonenumbers import Leniency, PhoneNumberMatcher

    if (own := _ID.match(text)) and not _TELEPHONE.search(own[1]):
        rest = text[own.end() :]
        return [(start + own.end(), end + own.end()) for start, end in (phone_numbers(rest) if rest else ())]
    places: set[tuple[int, int]] = set()
    for region in ("CN", "US"):
        for match in PhoneNumberMatcher(text, region, leniency=Leniency.VALID):
            if _meant(text, match):
                places.add((match.start, match.end))
    return list(_merged(places))


def _meant(text: str, match: Any) -> bool:
    """Whether digits that a numbering plan allows are a phone number, and neither amounts nor part of a code."""
    before = text[max(0, match.start - 20) : match.start]
    if _TELEPHONE.search(before):
        return True
    if _CODE.search(before) or _YEARS.fullmatch(match.raw_string):
        return False
    if _MOBILE.fullmatch(match.raw_string):
        return True
    return not _GROUPS.fullmatch(match.raw_string)


def _merged(places: Collection[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The places in order, with overlapping ones merged."""
    first = last = -1
    for start, end in sorted(places):
        if start >= last:
            if last >= 0:
                yield first, last
            first, last = start, end
        else:
            last = max(last, end)
    if last >= 0:
        yield first, last


_KEPT = frozenset(["http", "https", "www", "com", "net", "org", "edu", "gov", "cn"])


def masked(text: str) -> str:
    """The text with its personal data masked in part: j***@e***.org."""
    return "".join(part for part, _ in _parts(text, ()))


def excerpt(text: str, places: Collection[tuple[int, int]] = ()) -> str:
    """About WIDTH characters around the first of the places, or from the beginning, with personal data masked."""
    first = min(places, default=(0, 0))
    before = after = ""
    for part, begin in _parts(text, [first]):
        if begin < first[0]:
            before += part
        else:
            after += part
    left = before[-(WIDTH // 3) :]
    right = after[: WIDTH - len(left)]
    return ("…" if left != before else "") + left + right + ("…" if right != after else "")


def _parts(text: str, cuts: Collection[tuple[int, int]]) -> Iterator[tuple[str, int]]:
    """The masked text in parts, each with its offset; a new part begins at each cut."""
    places = [place for one in searches().values() for place in one.find(text)]
    at = 0
    for start, end in _merged([*places, *((begin, begin) for begin, _ in cuts), (len(text), len(text))]):
        yield text[at:start], at
        yield re.sub(r"\w+", _first, text[start:end]), start
        at = end


def _first(match: "re.Match[str]") -> str:
    word = match.group()
    return word if word.lower() in _KEPT else f"{word[0]}***"
