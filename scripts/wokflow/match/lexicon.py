"""English names for Chinese recipe titles.

A title is stripped of brackets and advertising, segmented into the words of a lexicon by dynamic programming, and
composed in English order: 土豆 + 炖 + 牛肉 gives "Stewed Beef with Potatoes". An English entry may have a slot for
the noun, written "...": "cold ... salad" or "... in oyster sauce".
"""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path

from wokflow.frame.job import UserError
from wokflow.frame.languages import CHINESE, HAN
from wokflow.frame.text_files import read_table, tables_in
from wokflow.match.english_nouns import MEATS, PLURALS, SINGULARS, word_set
from wokflow.match.title_negation import NEEDLESS, WITHOUT, without, without_comparisons
from wokflow.match.title_words import Entry, listed, without_gloss

# Kinds by precedence for an ambiguous word, at the end of a phrase and inside it.
LAST = word_set("form ingredient dish cut vessel technique flavour region modifier decoration")
INNER = word_set("region flavour technique vessel modifier ingredient form dish cut decoration")
FRONT = word_set(
    "technique flavour vessel region modifier unknown"
)  # kinds before a noun, the innermost first
NOUNS = word_set("dish ingredient form")
KIND_COST = {"dish": -4, "decoration": 15, "modifier": 5, "region": 5}
FLAVOUR_MAKERS = word_set("味 风味 口味 味道 版")
PAIRS = {
    "and": "{a} and {b}",
    "with": "{a} with {b}",
    "stuffed": "{a} stuffed with {b}",
    "... sandwiched": "{a} stuffed with {b}",
    "wrapped": "{b} wrapped in {a}",
}
FORM_VERBS = {"cold ... salad": "cold ...", "roasted": "baked"}  # before noodles, cakes and other forms
SMALL = word_set("a an and the of in on with over to for from at by")
LATIN = re.compile(r"[0-9A-Za-zÀ-ɏ](?:[0-9A-Za-zÀ-ɏ'’%.& \-]*[0-9A-Za-zÀ-ɏ%])?")
BRACKETS = re.compile(r"[【\[（(「『《<〈{]([^】\]）)」』》>〉}]*)[】\]）)」』》>〉}]?|[】\]）)」』》>〉}]")
BREAKS = re.compile(rf"[^0-9A-Za-zÀ-ɏ'’%.&+＋、\s{HAN}-]+|(?<![A-Za-z])-+|-+(?![A-Za-z])")
SPACES = re.compile(rf"(?<=[{HAN}])\s++|(?<!\s)\s++(?=[{HAN}])")
SLOT = re.compile(r"^\.\.\. (?:in |with )?| with \.\.\.| ?\.\.\.")  # with the prepositions that a noun needs


def _apply(word: str, noun: str) -> str:
    """Put a noun into the slot of a word; without a slot, put the word before the noun, unless that contains it."""
    if "..." in word:
        return word.replace("...", noun) if noun else SLOT.sub("", word)
    contained = set(word.lower().split()) <= set(noun.lower().split())
    return noun if contained else f"{word} {noun}".strip()


def _with(dish: str, extra: str) -> str:
    name, space, gloss = dish.partition(" (")
    return f"{name} {'and' if ' with ' in name else 'with'} {extra}{space}{gloss}"


def _has_meat(text: str) -> bool:
    return any({word, word.removesuffix("s")} & MEATS for word in text.lower().replace(",", "").split())


def _title_case(text: str) -> str:
    """Capitals as in a cookbook: function words stay in lower case; both halves of Stir-Fried are capitalized."""
    parts = re.split(r"([ (-]+)", text[:1].upper() + text[1:])
    return "".join(part if part in SMALL else part[:1].upper() + part[1:] for part in parts)


def _around_dish(before: list[str], dish: str, after: list[str]) -> str:
    """A set dish among other nouns: "Egg Fried Rice with Shrimp", "Mango Mousse Cake"."""
    name = without_gloss(dish).lower().split() or [""]
    if before and ({"with", "in", "and"} & set(name) or _has_meat(name[-1]) or name[-1] in ("rice", "tofu")):
        dish, before = _with(dish, listed(before, PLURALS)), []
    for text in reversed(before):
        dish = _apply(listed([text], SINGULARS), dish)
    return _with(dish, listed(after, PLURALS)) if after else dish


def _core(nouns: list[Entry]) -> str:
    """The head of a phrase: a form with its ingredients, a set dish, or a list of ingredients."""
    texts, kinds = [SLOT.sub("", noun.en) for noun in nouns[:-1]], [noun.kind for noun in nouns]
    texts += [noun.en for noun in nouns[-1:]]
    if kinds[-1:] == ["form"]:
        if "..." in texts[-1]:
            return _apply(texts[-1], listed(texts[:-1], PLURALS))
        repeated = len(texts) > 1 and texts[-2].lower().split()[-1] == texts[-1].split()[-1]
        meatless = len(texts) > 1 and not any(map(_has_meat, texts[:-1]))
        form = texts[-1].replace("meatball", "ball") if meatless else texts[-1]  # 豆腐丸子 is of tofu
        return texts[-2] if repeated else f"{listed(texts[:-1], SINGULARS)} {form}".strip()
    if kinds.count("dish") == 1:
        place = kinds.index("dish")
        return _around_dish(texts[:place], texts[place], texts[place + 1 :])
    return listed(texts, PLURALS)


def _nouns(words: list[Entry]) -> list[Entry]:
    """The nouns of a phrase with their cuts; a cut stands after its noun, or else before the next."""
    nouns: list[Entry] = []
    cuts: list[str] = []
    for word in words:
        if word.kind == "cut" and not nouns:
            cuts.append(word.en)
        elif word.kind == "cut" and nouns[-1].kind != "dish":
            nouns[-1] = nouns[-1]._replace(en=_apply(word.en, nouns[-1].en))
        elif word.kind in NOUNS:
            en = word.en.removeprefix("Chinese ") if len(words) > 1 else word.en
            nouns.append(word._replace(en=_apply(cuts.pop(), en) if cuts else en))
    return nouns


def _phrase(words: list[Entry]) -> str:
    """One noun phrase: modifier, region, vessel, flavour, technique, cut, noun."""
    text = _core(nouns := _nouns(words))
    form = any(noun.kind == "form" and noun.zh for noun in nouns[-1:])
    for kind in FRONT:
        modifiers = [word.en for word in words[::-1] if word.kind == kind and word.en not in ("and", "with")]
        for en in sorted(modifiers, key=lambda en: "..." in en):
            text = _apply(FORM_VERBS.get(en, en) if form else en, text)
    return text


def _split_point(words: list[Entry]) -> int | None:
    """The index of a conjunction, or else of a verb, that has nouns on both sides."""
    kinds = [word.kind for word in words]
    nouns = [i for i, kind in enumerate(kinds) if kind in NOUNS] or [0]
    verbs = [i for i in range(nouns[0] + 1, nouns[-1]) if kinds[i] == "technique"]
    verbs = [i for i in verbs if words[i].en != "and" or not kinds[i - 1] == kinds[i + 1] == "ingredient"]
    return next(iter([i for i in verbs if words[i].en in ("and", "with")] + verbs), None)


def _compose(words: list[Entry]) -> str:
    """The English for resolved words; a verb between two nouns joins them."""
    at = _split_point(words)
    if at is None:
        return _phrase(words)
    first = next(i for i, word in enumerate(words) if word.kind in NOUNS or word.kind in ("technique", "cut"))
    a, verb, b = _compose(words[first:at]), words[at].en, _compose(words[at + 1 :]).removeprefix("Chinese ")
    if verb in PAIRS or "..." in verb:
        text = PAIRS.get(verb, verb.replace("...", "{a} and {b}")).format(a=a, b=b)
    else:
        a, b = (b, a) if _has_meat(a) and not _has_meat(b) else (a, b)
        text = _with(_apply(verb, b), a)
    return _phrase([*words[:first], Entry("", text, "form")])


def _whole(words: list[Entry]) -> list[Entry]:
    """Words without single characters that belong to a word the lexicon lacks: 生 of 卫生, 烧 of 发烧宝宝."""

    def lacks(word: Entry | None) -> bool:
        return word is not None and word.kind == "unknown" and not word.en

    def ends(word: Entry) -> bool:
        return word.kind == "decoration" and word.zh[0] != "的"  # but 皮脆的

    return [
        word
        for before, word, after in zip([None, *words], words, [*words[1:], None], strict=False)
        if len(word.zh) > 1
        or word.kind not in ("technique", "modifier", "flavour")
        or not (lacks(after) or (lacks(before) and (after is None or ends(after))))
    ]


def _names_food(words: list[Entry]) -> bool:
    return any(word.kind in NOUNS for word in words)


def _read(path: Path, seen: dict[tuple[str, str], str]) -> Iterable[Entry]:
    for number, row in read_table(path, Entry._fields):
        zh, en, kind = (row[name].strip() for name in Entry._fields)
        if kind not in LAST or not zh or not (en or kind == "decoration"):
            raise UserError(
                f"{path}, line {number}: zh, en and a known kind are needed, not {[*row.values()]}"
            )
        if seen.setdefault((zh, kind), en) != en:
            raise UserError(f"{path}, line {number}: {zh} has two translations as {kind}")
        yield Entry(zh.lower(), en, kind)


@cache
def _converter() -> Callable[[str], str]:
    from opencc import OpenCC

    convert: Callable[[str], str] = OpenCC("t2s").convert
    return convert


def _simplified(text: str) -> str:
    return _converter()(text)


class Lexicon:
    """A word list for recipe titles, with the grammar that turns a title into English.

    Titles and words are read in simplified characters, whichever they are written in.
    """

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._words: dict[str, dict[str, Entry]] = {}
        entries = list(entries)
        words = _simplified("\n".join(entry.zh for entry in entries)).split("\n")
        for zh, entry in zip(words, entries, strict=True) if entries else ():
            self._words.setdefault(zh, {}).setdefault(entry.kind, entry._replace(zh=zh))
        self._longest: dict[str, int] = {}
        self._cost: dict[str, int] = {}
        for zh, kinds in self._words.items():
            self._longest[zh[0]] = max(len(zh), self._longest.get(zh[0], 0))
            alone = 124 if kinds.keys() & {"technique", "form"} else 130
            length = 100 - min(len(zh) ** 2, 60) if len(zh) > 1 else alone
            self._cost[zh] = length + min(KIND_COST.get(kind, 0) for kind in kinds)

    @classmethod
    def load(cls, folder: str | Path) -> "Lexicon":
        """Read every table (tables_in) of a folder, in sorted order.

        Raises ValueError, with file and line, for a bad row or for two translations of a word in one kind.
        """
        seen: dict[tuple[str, str], str] = {}
        return cls(entry for path in tables_in(folder) for entry in _read(path, seen))

    def segment(self, title: str) -> list[Entry]:
        """The words of the part of a title that names the dish; unknown stretches have kind "unknown"."""
        return [word for part in self._parts(title) for word in self._resolve(part)]

    def translate(self, title: str) -> str:
        """The English name for a Chinese title; a title without known words comes back unchanged."""
        if not CHINESE.search(text := title.strip()):
            return text
        names = list(dict.fromkeys(filter(None, map(self._name, self._parts(text)))))
        latin = [run for run in LATIN.findall(text) if run[0].isalpha() and run.lower() not in self._words]
        if names and latin and latin[0].lower() not in names[-1].lower():
            names[-1] += f" ({latin[0]})"
        return " and ".join(names or latin[:1]) or text

    def _name(self, pieces: list[str]) -> str:
        words = _whole(self._resolve(self._bare(pieces)))
        left = without(words)
        words = [word for word in (left if _names_food(left) else words) if word.kind != "decoration"]
        if dish := self._words.get("".join(word.zh for word in words), {}).get("dish"):
            return dish.en
        kept = [word for word in words if word.en and (word.kind != "unknown" or len(word.en) < 4)]
        named = _names_food(kept) and kept  # else, of adjectives, only those with a place for the noun
        return _title_case(
            _compose(named or [word for word in kept if word.kind == "unknown" or "..." in word.en])
        )

    def _parts(self, title: str) -> list[list[str]]:
        """The parts of a title that name the dish, segmented: up to three set dishes, or else the best part."""
        text = without_comparisons(SPACES.sub("", _simplified(title)))
        outside = [self._split(part) for part in BREAKS.split(BRACKETS.sub("|", text)) if part.strip()]
        inside = [self._split(p) for part in BRACKETS.findall(text) for p in BREAKS.split(part) if p.strip()]
        best, hidden = (max(parts, key=self._score, default=[]) for parts in (outside, inside))
        if self._score(hidden)[0] > self._score(best)[0]:
            return [hidden]
        return [part for part in outside if self._score(part)[0] == 3][:3] or [self._unpack(best)]

    def _score(self, part: list[str]) -> tuple[int, float]:
        """How well a part names a dish: 3 a set dish alone, 2 with a dish, 1 some food, 0 none; its size."""
        level, size = 0, 0.0
        for zh in part:
            kinds = self._words.get(zh, {})
            if "decoration" not in kinds:
                level = max(level, 2 if "dish" in kinds else 0 if NOUNS.isdisjoint(kinds) else 1)
                size += len(zh) if kinds else -0.5 * len(zh)
        return (3 if level == 2 and len(part) == 1 else level, size)

    def _split(self, text: str, skip: str = "") -> list[str]:
        """Segment a text: fewest unknown characters, then fewest words, then the longest words."""
        text = text.replace("İ", "I")  # the only letter that grows in lower case
        lower, end = text.lower(), len(text)
        latin = {run.start(): run.end() for run in LATIN.finditer(lower)}
        inside = {i for start, stop in latin.items() for i in range(start + 1, stop)}
        best: list[tuple[int, int, bool]] = [(10**9, end, True)] * end + [(0, end, True)]
        for i in (i for i in range(end - 1, -1, -1) if i not in inside):
            stop = latin.get(i, i + 1)
            cost, past, known = best[stop]
            best[i] = (cost + 1000, stop if known or i in latin else past, i in latin)
            for j in range(i + 1, min(end, i + self._longest.get(lower[i], 0)) + 1):
                price = self._cost.get(lower[i:j])
                if price is not None and best[j][0] + price < best[i][0] and lower[i:j] != skip:
                    best[i] = (best[j][0] + price, j, True)
        cuts = [0]
        while cuts[-1] < end:
            cuts.append(best[cuts[-1]][1])
        words = [lower[i:j] if lower[i:j] in self._words else text[i:j] for i, j in pairwise(cuts)]
        for at, (zh, verb) in enumerate(pairwise(words)):
            verbs = all("technique" in self._words.get(each, {}) for each in (verb, verb[1:]))
            made = self._words.get(zh + verb[0], {}).keys() & {"ingredient", "flavour", "form"}
            if verb[0] in "酱油" and verbs and made:  # 花生酱 + 拌, 花生油 + 炒, but not 芝麻 + 酱油
                words[at : at + 2] = [zh + verb[0], verb[1:]]
            elif zh[0] == "无" and len(zh) == 2 and "ingredient" in self._words.get(zh[1] + verb, {}):
                words[at : at + 2] = ["无", zh[1] + verb]  # 无 + 奶油
        return words

    def _unpack(self, pieces: list[str]) -> list[str]:
        """Segment a dish that only lists food, where a verb or a form follows: 番茄牛肉 + 汤."""
        words: list[str] = []
        for zh, after in pairwise([*pieces, ""]):
            verb = self._words.get(after, {}).keys() & {"technique", "form"}
            parts = self._split(zh, skip=zh) if verb and "dish" in self._words.get(zh, {}) else [zh]
            plain = all(self._words.get(part, {}).keys() & {"ingredient", "flavour"} for part in parts)
            words += parts if plain else [zh]
        return words

    def _bare(self, pieces: list[str]) -> list[str]:
        """A dish behind a negation without its verb or first food: 免炸鸡翅 is free of frying, 无肉包子 of meat."""
        bare = pieces[:1]
        for before, zh in pairwise(pieces):
            parts = [zh]
            if before in WITHOUT and before != "没有" and self._words.get(zh, {}).keys() == {"dish"}:
                verbs = [n for n in (2, 1) if "technique" in self._words.get(zh[:n], {})]
                first = self._split(zh, skip=zh)[0]
                food = "ingredient" in self._words.get(first, {}) and not before.endswith(NEEDLESS)
                head = verbs[0] if verbs else len(first) * food
                parts = [zh[:head] or zh, *self._split(zh[head:] if head else "")]
            bare += parts if all(part in self._words for part in parts) else [zh]
        return bare

    def _resolve(self, pieces: Sequence[str]) -> list[Entry]:
        """Choose the reading of each word by its place in the title."""
        known = [self._words.get(zh, {}) for zh in pieces]
        last = max((i for i, kinds in enumerate(known) if "decoration" not in kinds), default=-1)
        words: list[Entry] = []
        for i, (zh, kinds) in enumerate(zip(pieces, known, strict=True)):
            before = words[-1].kind if words else ""
            if zh in FLAVOUR_MAKERS and before in NOUNS and i < last:
                words[-1] = words[-1]._replace(kind="flavour")
            if not kinds:
                words.append(Entry(zh, zh if zh[0].isalpha() and not CHINESE.match(zh) else "", "unknown"))
            elif "ingredient" in kinds and i and pieces[i - 1] in WITHOUT:
                words.append(kinds["ingredient"])
            elif "cut" in kinds and before == "ingredient":
                words.append(kinds["cut"])
            elif "decoration" in kinds and last >= 0:
                words.append(kinds["decoration"])
            else:
                filling = before in NOUNS and i + 1 == last and "form" in known[last]
                order = LAST if i == last or (filling and "form" in kinds) else INNER
                words.append(kinds[next(kind for kind in order if kind in kinds)])
        return words
