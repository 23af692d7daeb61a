"""Mentions of items in sentences. The dictionary takes the longest name, then its likeliest item."""

import gc
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from operator import itemgetter
from typing import NamedTuple

import polars as pl

from wokflow.enrich import affixes, inflection
from wokflow.enrich.letters import placed
from wokflow.enrich.meanings import Meaning, Meanings, Name, Place, Word
from wokflow.enrich.names import LONGEST, Names, article
from wokflow.enrich.phrases import Phrases
from wokflow.enrich.program import Rejected, program_mentions
from wokflow.enrich.published_annotations import released_mentions
from wokflow.enrich.schemas import MENTIONS, REJECTED_SENTENCES
from wokflow.enrich.settings import LinkSettings
from wokflow.enrich.subject import Subject, outside
from wokflow.enrich.surroundings import in_longer, segmenter
from wokflow.enrich.word_forms import begins, context, fold, is_word, word_pattern
from wokflow.frame import tables
from wokflow.frame.job import Job
from wokflow.frame.language_codes import base, languages_of
from wokflow.frame.languages import SPACELESS

BATCH = 20_000  # sentences that are linked at a time
SHORT = 2  # characters of the longest names that must be whole words, in Chinese
WORDS = 1 << 16  # words whose names are remembered
MEANINGS = 1 << 16  # names whose meanings are remembered
SHARED = 1 << 13  # names of several items whose descriptions are remembered
SIGNS = 3  # equal signs before the first word of a name, at most, as in ...And Justice for All
END = "\0"  # stands after the end of a text
NEVER, OFTEN, ALWAYS = "", "often", "always"  # when to look for names that are longer than a word


class Mention(NamedTuple):
    """Characters `start` to `end` of a sentence, the item, and its probability among `candidates` items."""

    start: int
    end: int
    qid: str
    score: float
    candidates: int


def enrich_link(
    *,
    sentences: str,
    corpus_sentences: Sequence[str],
    names: str,
    mentions: str,
    rejects: str,
    corpus: str,
    settings: LinkSettings,
    job: Job,
) -> None:
    """Write the mentions in the source side of one part of a corpus as enrich/mentions.

    `names` is the folder that enrich_names wrote for the source's language. Backend `dictionary` looks the names up;
    `corpus_sentences` are all parts of the corpus, which tell ordinary words from names. With `plurals`, plurals
    of common nouns and other inflected forms are mentions too. With `case` ignored, capitals do not count, and
    ordinary words can be names; words in fixed phrases cannot (`phrases`: lang, phrase). Backend `command` runs a
    program for at most `seconds` (see program.program_mentions), backend `released` takes the annotations of the file
    that the sentences come from (see published_annotations.released_mentions); the invalid mentions of both are
    written to `rejects`.
    """
    lang = base(languages_of(settings.pair)[0])
    opened = Names.open(names, lang)
    rows = tables.read(sentences, ["sentence_id", "source", "source_row"])
    rejected: list[Rejected] = []
    if settings.backend != "dictionary":
        known = opened.has_item
        if settings.backend == "command":
            answers, rejected = program_mentions(rows, lang, settings.command, settings.seconds, known)
        else:
            answers, rejected = released_mentions(rows, str(settings.annotated), known)
        texts = dict(rows.select("sentence_id", "source").iter_rows())
        linked = [
            (sentence, start, end, texts[sentence][start:end], qid, score, 1)
            for sentence, start, end, qid, score, _ in answers
        ]
        tables.write(mentions, MENTIONS, tables.frame(MENTIONS, linked), job.metadata)
        reasons = Counter(reason for _, reason, _ in rejected).most_common()
        job.progress.say(
            f"{len(linked)} mentions in {rows.height} sentences, {len(rejected)} rejected"
            + (f" ({', '.join(f'{count} {reason}' for reason, count in reasons)})" if reasons else "")
        )
    else:
        opened.cases.count(
            text for part in corpus_sentences for text in tables.read(part, ["source"])["source"]
        )
        linker = Linker(opened, settings, Phrases.read(settings.phrases, lang))
        _link(linker, rows, mentions, job)
    row_of = dict(rows.select("sentence_id", "source_row").iter_rows())
    left = [
        (corpus, row_of[answer.sentence], reason, detail, answer.line) for answer, reason, detail in rejected
    ]
    tables.write(rejects, REJECTED_SENTENCES, tables.frame(REJECTED_SENTENCES, left), job.metadata)


def _link(linker: "Linker", rows: pl.DataFrame, mentions: str, job: Job) -> None:
    count = 0
    with tables.PartWriter(mentions, MENTIONS, job.metadata) as part:
        for first in range(0, rows.height, BATCH):
            batch = rows[first : first + BATCH]
            texts = batch.select("sentence_id", "source").iter_rows()
            linked = [
                (sentence, start, end, text[start:end], qid, score, candidates)
                for (sentence, text), found in zip(texts, linker.read(batch["source"]), strict=True)
                for start, end, qid, score, candidates in found
            ]
            count += len(linked)
            part.write(tables.frame(MENTIONS, linked))
            job.progress(first + batch.height, f"{count} mentions", of=rows.height)
    job.progress.say(f"{count} mentions in {rows.height} sentences")


Found = tuple[int, int, Meaning]  # where a mention begins and ends, and what it may mean
# Of a mapping from words to items: the items whose words the text has outside its part from start to end.
About = Callable[[Mapping[int, Iterable[int]], int, int], Iterator[int]]


class Linker:
    """Finds mentions in texts of one language. `names.cases` must have counted all texts before."""

    def __init__(self, names: Names, settings: LinkSettings, phrases: Phrases) -> None:
        self._trie = names.trie
        self._begins = names.begins
        self._lang = names.lang
        self._spaceless = self._lang in SPACELESS
        self._plurals = affixes.plurals(self._lang) if settings.plurals else ()
        self._particles = affixes.particles(self._lang)
        self._proclitics = bool(affixes.proclitics(self._lang))
        self._inflects = settings.plurals and inflection.inflects(self._lang)
        meanings = Meanings(names, free=settings.case == "ignored", plurals=settings.plurals)
        self._meaning = lru_cache(MEANINGS)(meanings)
        self._about = lru_cache(SHARED)(meanings.about)
        self._word = lru_cache(WORDS)(self._read_word)
        self._inside = lru_cache(1 << 12)(is_word)
        self._signs = lru_cache(1 << 12)(self._signs_of)
        self._phrases = phrases
        self._usual: set[str] = set()
        self._cut = segmenter() if self._lang == "zh" else None

    def read(self, texts: Iterable[str]) -> list[list[Mention]]:
        """The mentions in each text.

        Meanwhile no garbage is collected: there is none, and a third of the time would go into the many objects of
        the caches.
        """
        gc.disable()
        try:
            return [self(text) for text in texts]
        finally:
            gc.enable()

    def __call__(self, written: str) -> list[Mention]:
        """The mentions in the order of the text. Of overlapping ones the longest is kept, without counting articles.

        Letters with marks are the same composed or not; invisible characters do not count.
        """
        text, places = placed(written)
        folded = fold(text, self._lang)
        names = self._in_words(text, folded) if self._is_plain(folded) else self._in_all(text, folded)
        mentions = self._apart(text, self._mentions(text, folded, *self._inflected(text, *names)))
        if places is None:
            return mentions
        starts, ends = places
        return [
            mention._replace(start=starts[mention.start], end=ends[mention.end - 1]) for mention in mentions
        ]

    def _mentions(self, text: str, folded: str, names: Iterable[Found], subject: About) -> Iterable[Mention]:
        """The mentions among names in a text. A doubtful name counts, too, if another mention is of its item."""
        mentions: list[Mention] = []
        doubtful: list[Found] = []
        for start, end, meaning in names:
            chosen = meaning.usual
            if not meaning.certain and (items := list(subject(self._about(meaning), start, end))):
                chosen = meaning.likeliest(items)
            if chosen:
                mentions.append(Mention(start, end, *chosen, len(meaning.numbers)))
            else:
                doubtful.append((start, end, meaning))
        if doubtful and mentions:
            named = {mention.qid for mention in mentions}
            for start, end, meaning in doubtful:
                if qid := meaning.among(named):
                    mentions.append(Mention(start, end, qid, 1.0, len(meaning.numbers)))
            mentions.sort()
        if not any(text[mention.start : mention.end].islower() for mention in mentions):
            return mentions  # as most are: a phrase has no capital
        return self._phrases.without(folded, mentions)

    def _apart(self, text: str, mentions: Iterable[Mention]) -> list[Mention]:
        """The mentions without those that overlap a longer one."""
        kept: list[Mention] = []
        overlapping: list[Mention] = []
        end = 0
        for mention in mentions:
            if mention.start >= end:
                kept += overlapping if len(overlapping) < 2 else self._longest(text, overlapping)
                overlapping = []
            overlapping.append(mention)
            end = max(end, mention.end)
        return kept + self._longest(text, overlapping)

    def _longest(self, text: str, mentions: list[Mention]) -> list[Mention]:
        """The longest of overlapping mentions, and all others that do not overlap these."""
        kept: list[Mention] = []
        for mention in sorted(
            mentions,
            key=lambda mention: (
                len(article(text[mention.start : mention.end], self._lang)) - mention.end + mention.start,
                mention.start,
            ),
        ):
            if all(mention.end <= other.start or other.end <= mention.start for other in kept):
                kept.append(mention)
        return sorted(kept)

    def _is_plain(self, folded: str) -> bool:
        """Whether names begin only where words do, and is_word and word_pattern agree on the words."""
        if self._spaceless or self._proclitics:
            return False
        if folded.isascii():
            return True
        if unknown := set(folded) - self._usual:
            pattern = word_pattern()
            self._usual |= {sign for sign in unknown if bool(pattern.match(sign)) == self._inside(sign)}
        return self._usual.issuperset(folded)

    def _in_words(self, text: str, folded: str) -> tuple[list[Found], About]:
        """The longest name that begins at each word of a plain text.

        Names of several words are looked up only where one may begin with this word and the next.
        """
        ended = text + END
        spans = [match.span() for match in word_pattern().finditer(folded)]
        words = [self._word(ended[start : stop + 1]) for start, stop in spans]
        names: list[Found] = []
        last = len(spans) - 1
        for index, (word, (start, _)) in enumerate(zip(words, spans, strict=True)):
            longer: object = word.longer is ALWAYS
            if word.longer is OFTEN and index < last:
                end = spans[index + 1][1]
                longer = self._begins(folded[start:end]) or any(
                    self._begins(folded[start : end - cut]) for cut in words[index + 1].suffixes
                )
            place = None
            if start and folded[start - 1] != " " and (signed := self._signed(text, folded, start)):
                names.append(signed)
                continue
            if longer:
                place = self._first(text, start, self._names_at(folded, start))
            elif word.small:
                if word.longest:
                    end, whole, meaning = word.longest
                    place = start + end, start + whole, meaning
            elif word.names:
                of_word = [(start + end, start + whole, name) for end, whole, name in word.names]
                place = self._first(text, start, of_word)
            if place:
                names.append((start, *place[1:]))
        places: dict[int, list[tuple[int, int]]] = {}
        for word, span in zip(words, spans, strict=True):
            if word.number is not None:
                places.setdefault(word.number, []).append(span)
        return names, partial(outside, places)

    def _read_word(self, written: str) -> Word:
        """The Word for a word as it is written, with the character after it."""
        folded = fold(written, self._lang)
        names = list(self._names_at(folded[:-1], 0))
        small = written[:-1].islower()
        longer = NEVER
        if next(self._trie.iterkeys(folded), None) is not None:
            longer = ALWAYS if self._begins(folded) else OFTEN
        number = next(context(folded[:-1], self._lang), None)
        suffixes = [len(plural) for plural in self._plurals if folded[:-1].endswith(plural)]
        suffixes += affixes.particle_lengths(folded[:-1], self._lang)
        longest = self._first(written, 0, names) if small else None
        return Word(number, small, names, longest, longer, suffixes)

    def _in_all(self, text: str, folded: str) -> tuple[list[Found], About]:
        """The longest name that begins at each place where names may begin."""
        names: list[Found] = []
        for start, least in self._starts(folded):
            if start and folded[start - 1] != " " and (signed := self._signed(text, folded, start)):
                names.append(signed)
            here = (name for name in self._names_at(folded, start) if name[0] - start >= least)
            if place := self._first(text, start, self._whole(folded, start, here) if self._cut else here):
                names.append((start, *place[1:]))
        if self._proclitics:
            names = sorted([*names, *self._with_articles(text, folded)], key=itemgetter(0))
        return names, Subject(text, self._lang).about

    def _with_articles(self, text: str, folded: str) -> Iterator[Found]:
        """Names whose article is not written, or not all of it, since a preposition swallows it."""
        for match in word_pattern().finditer(folded):
            for length, letters in affixes.swallowed(match.group(), self._lang):
                at = match.start() + length
                whole, whole_folded = (one[:at] + letters + one[at:] for one in (text, folded))
                here = (name for name in self._names_at(whole_folded, at) if name[0] - at > affixes.LEAST)
                if place := self._first(whole, at, here):
                    yield at, place[1] - len(letters), place[2]

    def _inflected(self, text: str, names: list[Found], subject: About) -> tuple[list[Found], About]:
        """Adds the names whose last word is inflected (inflection.inflected)."""
        if not self._inflects:
            return names, subject
        folded = fold(text, self._lang)
        added = [
            (start, end, meaning)
            for start, at, end, citation, name in inflection.inflected(folded, self._lang, self._trie.get)
            if (meaning := self._meaning(name, text[start:at] + citation, False, False, False))
        ]
        return sorted([*names, *added], key=itemgetter(0)) if added else names, subject

    def _signed(self, text: str, folded: str, start: int) -> Found | None:
        """The name whose first word begins at a place, with a sign before it: ¡Cu-Cut!"""
        for length in self._signs(folded[start - 1 : start + 1]):
            at = start - length
            if not folded.startswith(folded[start - 1] * length, at) or (at and self._inside(folded[at - 1])):
                continue
            if place := self._first(text, at, self._names_at(folded, at)):
                return at, *place[1:]
        return None

    def _signs_of(self, begun: str) -> list[int]:
        """How often a sign stands before a letter (both are `begun`) at the beginning of names: 3 for ...And."""
        if self._inside(begun[0]):
            return []
        lengths = range(SIGNS, 0, -1)
        return [n for n in lengths if next(self._trie.iterkeys(begun[0] * n + begun[1]), None) is not None]

    def _starts(self, folded: str) -> Iterator[tuple[int, int]]:
        """Where names may begin, and how long they are at least."""
        for match in word_pattern().finditer(folded):
            start, stop = match.span()
            yield start, 1
            for length, least in affixes.proclitics_of(match.group(), self._lang):
                yield start + length, least
            if self._spaceless:
                for place in range(start + 1, stop):
                    if not (folded[place - 1].isascii() and folded[place].isascii()):
                        yield place, 1

    def _names_at(self, folded: str, start: int) -> Iterator[Name]:
        """The names that begin at a place and do not end inside a word, the longest first.

        A name's word may only continue with a plural ending, which then is a part of the mention, or a particle.
        """
        prefixes = list(self._trie.iter_prefixes_with_ids(folded[start : start + LONGEST]))
        for name, number in reversed(prefixes):
            end = whole = start + len(name)
            if self._cuts_word(folded, end):
                whole = self._word_end(folded, end)
                if self._particles and self._particles.fullmatch(folded, end, whole):
                    whole = end
                elif folded[end:whole] not in self._plurals:
                    continue
            yield end, whole, number

    def _whole(self, folded: str, start: int, names: Iterable[Name]) -> Iterator[Name]:
        """The names that are longer than SHORT or whole words."""
        assert self._cut
        for name in names:
            if name[0] - start > SHORT or {start, name[0]} <= self._cut(folded):
                yield name

    def _cuts_word(self, folded: str, end: int) -> bool:
        if end == len(folded) or not (self._inside(folded[end]) and self._inside(folded[end - 1])):
            return False
        return not self._spaceless or (folded[end].isascii() and folded[end - 1].isascii())

    def _word_end(self, folded: str, at: int) -> int:
        while at < len(folded) and self._inside(folded[at]):
            at += 1
        return at

    def _first(self, text: str, start: int, names: Iterable[Name]) -> Place | None:
        """The first of the names at a place of the text that fits an item, with its meaning."""
        for end, whole, name in names:
            words = text[start:end]
            if words.islower():
                meaning = self._meaning(name, words, whole > end, False, False)
            else:
                inside = in_longer(text, start, whole)
                meaning = self._meaning(name, words, whole > end, inside, begins(text, start))
            if meaning:
                return end, whole, meaning
        return None
