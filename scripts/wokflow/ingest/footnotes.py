"""Text without the marks of footnotes: [1], [12]:34, [note 3], [註 1], [citation needed].

They stand behind full stops, so that no sentence ends there. A letter in brackets stays, as an editor's: [a]nd.
"""

import re

# Groups of footnotes, which stand before the number.
_SPACED = r"notes?|nb|n|fn|footnotes?|ref|(?:lower|upper)-(?:alpha|roman|greek)|notas?|anm\.|anmerkung|прим\.|टिप्पणी"
_JOINED = "[注註参參]|[注註][释釋解]|[备備][注註]|[脚腳][注註]|[来來]源|각주|주"
# Requests to those who edit an article.
_NEEDED = "attribution|citation|clarification|date|example|explanation|page|quotation|source|verification"
_REQUESTS = (
    rf"(?:[a-z-]{{1,20}}+ ){{0,3}}(?:{_NEEDED})s? needed"
    r"|(?:(?:according )?to whom|by whom|how|when|where|which|who|why)\?|original research\??"
    r"|vague|(?:permanent )?dead link|(?:dubious|disputed)(?: . discuss)?|failed verification"
    r"|[来來]源[请請]求|需要(?:引用|引[证證]|解[释釋])|[页頁][码碼][请請]求|查[证證][请請]求|[与與][来來]源不符|(?:永久)?失效[链連][结接結]"
    r"|原[创創]研究？|可疑|(?:[谁誰]|何[时時]|哪[里裡]|哪[个個])[?？]|哪[个個]／哪些[?？]|要出典|いつ[?？]|출처 필요"
    r"|cita requerida|¿(?:quién|cuándo|dónde|cuál)\?|carece de fontes\??|senza fonte|réf\. (?:nécessaire|souhaitée)"
    r"|(?:कृपया )?उद्धरण (?:चाहिए|वांछित|जो..?ें)|(?:कौन|कब)\?|তথ্যসূত্র প্র..?োজন|بحاجة لمصدر|نیازمند منبع"
    r"|butuh rujukan|cần dẫn nguồn|kaynak belirtilmeli"
)
_MARK = (
    r"[\[［](?:\d{1,3}[\]］](?![a-z])"  # not [4]helicene
    r"(?::\d{1,4}(?:[-–]\d{1,4})?(?!\.?\d|[A-Za-z]))?"  # a page
    rf"|(?:(?i:{_SPACED})[ \u00a0]|(?:{_JOINED})[ \u00a0]?)\d{{1,3}}[\]］]|(?i:{_REQUESTS})[\]］])"
)
_MARKS = re.compile(rf"[ \u00a0]?{_MARK}(?:[ \u00a0]?{_MARK})*+")
_UNSPACED = tuple(".,;:!?…)]”’»。，、；：！？）」』」》।")  # no space is before them


def without_marks(text: str) -> str:
    """A text without marks of footnotes and the space before them; sentences stay apart."""
    return _MARKS.sub(_gap, text)


def _gap(marks: re.Match[str]) -> str:
    """The space that stays in the place of marks."""
    before, after = (marks.string[at : at + 1] for at in (marks.start() - 1, marks.end()))
    if not after or after.isspace() or after in _UNSPACED:
        return ""
    return " " if marks[0][0] in " \u00a0" or (before in (".", "!", "?") and after.isupper()) else ""
