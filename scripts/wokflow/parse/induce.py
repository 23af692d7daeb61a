"""A first glossary from a corpus, for people to adjust: words by part of speech and position, in k-means classes."""

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wokflow.frame import jieba_dictionary
from wokflow.frame.job import Job, Progress, UserError
from wokflow.frame.languages import HAN
from wokflow.frame.tables import atomic_folder
from wokflow.frame.wordlists import word_lists
from wokflow.parse.clauses import clauses
from wokflow.parse.glossary import HEADER
from wokflow.parse.segment import Segmenter
from wokflow.parse.settings import InduceSettings
from wokflow.parse.vectors import pieces, read_vectors, sampled, segmenter

_LISTS = word_lists("grammar/induce.tsv")
OBJECT_MARKERS, PUTTING, HOLDING = _LISTS["OBJECT_MARKERS"], _LISTS["PUTTING"], _LISTS["HOLDING"]
INSIDE, INTO, COOKING = _LISTS["INSIDE"], _LISTS["INTO"], _LISTS["COOKING"]
AUXILIARY, OTHER_NOUNS, SOME = _LISTS["AUXILIARY"], _LISTS["OTHER_NOUNS"], _LISTS["SOME"]
VESSEL = re.compile(
    ".*(?:锅|锅盖|碗|盘|盆|刀|刀背|勺|匙|箱|柜|机|器|炉|灶|壶|杯|模|模具|铲|筷|盒|罐|瓶|笼|屉|板|棒|棍|杖|签|网|筛|篮"
    "|漏|袋|膜|纸|夹|刷|碟|钵|缸|桶|煲|剪|架|垫|布)子?"
)
AMONG_NOUNS = ("q", "a", "c")  # tags of measures, adjectives and conjunctions
CHINESE = re.compile(rf"(?=.*[{HAN}])[^\W_]+")
LONGEST = 8  # largest number of characters of a surface
LEAST_SHARE = 0.1  # least share of a word's occurrences that are in a position of its kind

BRACKETS = re.compile(r"[(（\[【{《〈][^)）\]】}》〉]*+[)）\]】}》〉]?")
ENUMERATION = re.compile(r"[、,，/+;；:：|或\s]+")
UNIT = (
    "(?:[大小中满整]?(?:公斤|千克|毫克|毫升|厘米|公分|汤匙|茶匙|汤勺|茶勺|调羹|kg|mg|ml|cc|cm|oz|[gl]|小半|大半"
    "|[克斤两升个只条根颗粒块片朵棵头瓣勺匙杯碗滴撮份袋包盒罐瓶张把段节枚尾株支串盆盘碟壶桶捆束筒板])(?:左右)?)"
)
DIGITS = re.compile(rf"[\d½¼¾⅓⅔][\d½¼¾⅓⅔\s./~～\-—–至到]*{UNIT}?", re.IGNORECASE)
AMOUNT = (
    rf"(?:[约各]|大约|[一二两三四五六七八九十半几数]{UNIT}+半?"
    "|适量|少许|少量|若干|些许|一点点|一点儿?|一些)的?"
)
LEADING = re.compile(f"(?:{AMOUNT})*+")
# AMOUNT without ambiguity, so that matching never backtracks: a half before a unit begins the next amount, and
# nothing before 些许 belongs to an amount.
ONE_WAY = AMOUNT.replace("半?", f"(?:半(?!{UNIT}))?").replace("一些", "一些(?!许)")
AMOUNTS = re.compile(f"(?:的?用量为?|{ONE_WAY})++")
NO_NAME = re.compile(f"[每顿]?{UNIT}|[一二两三半几每顿人]|人份|份数")


@dataclass
class Roles:
    """Counts of each word in the position of a verb, an ingredient or a tool, and in any position."""

    verbs: Counter[str] = field(default_factory=Counter)
    ingredients: Counter[str] = field(default_factory=Counter)
    tools: Counter[str] = field(default_factory=Counter)
    words: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class Member:
    """A surface in its class, with its count and the distance (0 to 2) of its vector from the class's centre."""

    cls: str
    surface: str
    count: int
    distance: float


def parse_induce(
    *, recipe_parts: Sequence[str], vectors: str, induced: str, settings: InduceSettings, job: Job
) -> None:
    """Write a glossary as `read_glossary` reads it, and review.tsv, to the folder `induced`.

    Candidates come from all recipes, or from an evenly drawn sample. Ingredients: names in the lists of ingredients,
    without amounts; if no recipe has a list, nouns in the position of an object (`object_places`). Tools: words with
    the ending of a vessel, in a position of tools. Verbs: words that begin a clause or follow an object. A candidate
    must be frequent enough and have a vector in `vectors`; a name of several words has the mean of theirs.

    k-means divides the verbs, ingredients and tools into the configured numbers of classes; a class is named after
    its most frequent member. Steps are segmented as they were for the vectors. review.tsv has the columns kind,
    class, surface, count and distance to the class's centre, nearest first, so that members that do not fit come
    last. Source: Liu et al. 2022, appendix A.2 (92, 476 and 20 classes, adjusted by experts).
    """
    segment = segmenter(settings.glossary)
    roles = _roles(recipe_parts, segment, Tags(), settings.recipes, job.progress)
    space = Space(*read_vectors(vectors), segment)
    numbers = {"verbs": settings.verbs, "ingredients": settings.ingredients, "tools": settings.tools}
    classes: dict[str, list[Member]] = {}
    for kind, counts in candidates(roles, settings.least_count).items():
        known = {surface: count for surface, count in counts.items() if surface in space}
        classes[kind] = cluster(known, space.unit(known), numbers[kind], settings.seed)
        job.progress.say(_summary(kind, classes[kind], len(counts) - len(known), numbers[kind]))
    if not any(classes.values()):
        raise UserError(
            f"no word of the steps or ingredients occurs {settings.least_count} times and has a vector in {vectors}: "
            "lower parse.induce.least_count, or train the vectors on this corpus"
        )
    _write(induced, classes)


class Tags:
    """Parts of speech by jieba's dictionary; for words that it lacks, by their first or last character."""

    def __init__(self) -> None:
        self._tags = jieba_dictionary.tags()

    def __call__(self, word: str) -> str:
        return self._tags.get(word, "")

    def verb(self, word: str) -> bool:
        return self(word)[:1] == "v" or word[:1] in COOKING

    def noun(self, word: str) -> bool:
        return (self(word) or self(word[-1:]))[:1] == "n" and not self.verb(word)

    def number(self, word: str) -> bool:
        return word[-1:].isdecimal() or (self(word)[:1] == "m" and not VESSEL.fullmatch(word))


def _roles(
    parts: Sequence[str], segment: Segmenter, tags: Tags, recipes: int | None, progress: Progress
) -> Roles:
    roles = Roles()
    for lines in sampled(parts, "ingredients", recipes):
        for line in lines:
            roles.ingredients.update(filter(_usable, names(line)))
    listed = bool(roles.ingredients)
    for number, steps in enumerate(sampled(parts, "steps", recipes), 1):
        for step in steps:
            for start, end in clauses(step):
                _count(segment(step[start:end]), roles, tags, listed)
        progress(number, f"{number} recipes searched for candidates")
    return roles


def names(line: str) -> Iterator[str]:
    """The ingredients in a line of an ingredient list, without brackets and amounts; enumerations are split."""
    for piece in ENUMERATION.split(DIGITS.sub(" ", BRACKETS.sub(" ", line))):
        if bare := _without_amounts(piece):
            yield bare


def _without_amounts(piece: str) -> str:
    """A name without the amounts before and after it; empty if nothing else is left."""
    bare = LEADING.sub("", piece, count=1)
    ends = (amount.start() for amount in AMOUNTS.finditer(bare) if amount.end() == len(bare))
    return "" if NO_NAME.fullmatch(bare) else bare[: next(ends, len(bare))]


def _count(words: list[str], roles: Roles, tags: Tags, listed: bool) -> None:
    """Count the words of one clause in the roles that their positions show."""
    words = [word for word in words if any(map(str.isalnum, word))]
    roles.words.update(words)
    roles.verbs.update(
        words[index] for index in verb_places(words, tags, roles.ingredients if listed else ())
    )
    objects = set() if listed else object_places(words, tags)
    for index, word in enumerate(words):
        before = words[index - 1] if index else ""
        after = words[index + 1] if index + 1 < len(words) else ""
        if _vessel(word, tags):
            roles.tools[word] += not tags.number(before) and (before in HOLDING or after in INSIDE)
        elif not listed and tags.noun(word) and word not in OTHER_NOUNS and _usable(word):
            roles.ingredients[word] += index in objects


def object_places(words: Sequence[str], tags: Tags) -> set[int]:
    """Indices of the nouns that follow a cooking verb, 把 or 将, or begin a clause before a verb.

    Amounts, adjectives and other nouns of a list may stand between. Right behind a number a noun is a measure.
    """
    food = [tags.noun(word) and not _vessel(word, tags) for word in words]
    places, start = set[int](), 0
    for end, word in enumerate([*words, ""]):
        if word and (food[end] or tags.number(word) or word in SOME or tags(word)[:1] in AMONG_NOUNS):
            continue
        before = words[start - 1] if start else ""
        if before in PUTTING or before[:1] in COOKING or (not start and word and tags.verb(word)):
            run = range(start, end)
            places.update(at for at in run if food[at] and not (at and tags.number(words[at - 1])))
        start = end + 1
    return places


def _vessel(word: str, tags: Tags) -> bool:
    """Whether `word` ends like a vessel and is neither an amount (一碗) nor a verb with its object (入锅)."""
    return bool(VESSEL.fullmatch(word)) and word[0] not in INTO and not any(map(tags.number, word))


def verb_places(words: Sequence[str], tags: Tags, foods: Container[str]) -> set[int]:
    """Indices of the verbs that begin a clause (behind adverbs), follow the object of 把, or follow a food."""
    places = {next((index for index, word in enumerate(words) if tags(word)[:1] not in ("d", "c")), 0)}
    for index, word in enumerate(words):
        if word in OBJECT_MARKERS:
            later = range(index + 2, len(words))
            places |= {next((place for place in later if tags.verb(words[place])), index)}
        elif index and words[index - 1] in foods:
            places.add(index)
    return {index for index in places if words and tags.verb(words[index])}


def _usable(surface: str) -> bool:
    return len(surface) <= LONGEST and bool(CHINESE.fullmatch(surface))


def candidates(roles: Roles, least_count: int) -> dict[str, dict[str, int]]:
    """The words of each kind with their counts. A word has one kind: tools come first, then ingredients."""
    tools = _common(roles.tools, roles.words, least_count)
    foods = {
        word: count
        for word, count in roles.ingredients.items()
        if count >= least_count and word not in tools and count >= roles.verbs[word]
    }
    verbs = {
        word: count
        for word, count in _common(roles.verbs, roles.words, least_count).items()
        if word not in tools and word not in foods and word not in AUXILIARY
    }
    return {"verbs": verbs, "ingredients": foods, "tools": tools}


def _common(role: Counter[str], words: Counter[str], least_count: int) -> dict[str, int]:
    return {
        word: count
        for word, count in role.items()
        if count >= least_count and count >= LEAST_SHARE * words[word] and _usable(word)
    }


class Space:
    """Vectors of surfaces; a surface without a vector has the mean of its words' vectors."""

    def __init__(self, words: list[str], vectors: NDArray[np.float32], segment: Segmenter) -> None:
        self._rows = {word: row for row, word in enumerate(words)}
        self._vectors = vectors
        self._segment = segment

    def _parts(self, surface: str) -> list[str]:
        return pieces(surface, self._rows, self._segment)

    def __contains__(self, surface: str) -> bool:
        return all(part in self._rows for part in self._parts(surface))

    def unit(self, surfaces: Iterable[str]) -> NDArray[np.float64]:
        """A row of length 1 for each surface; surfaces in the order of their code points."""
        rows = [
            self._vectors[[self._rows[part] for part in self._parts(word)]].mean(0)
            for word in sorted(surfaces)
        ]
        matrix = np.array(rows, np.float64).reshape(len(rows), self._vectors.shape[1])
        matrix /= np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), 1e-12)
        return matrix


def cluster(counts: Mapping[str, int], units: NDArray[np.float64], number: int, seed: int) -> list[Member]:
    """The members of k-means classes: the most frequent class first, and in each the most frequent member first.

    `units` has a row of length 1 for each surface, in the order of code points. If there are fewer distinct rows than
    `number`, each of them is a class. Runs in one thread, so that results do not depend on the machine's cores.
    """
    from sklearn.cluster import KMeans
    from threadpoolctl import threadpool_limits

    surfaces = sorted(counts)
    if not surfaces:
        return []
    number = min(number, len(np.unique(units, axis=0)))
    with threadpool_limits(limits=1):
        means: Any = KMeans(number, n_init=10, random_state=seed).fit(units)
    distances = np.linalg.norm(units - means.cluster_centers_[means.labels_], axis=1)
    groups: dict[int, list[int]] = {}
    for row in sorted(range(len(surfaces)), key=lambda row: (-counts[surfaces[row]], surfaces[row])):
        groups.setdefault(int(means.labels_[row]), []).append(row)
    sizes = {label: sum(counts[surfaces[row]] for row in rows) for label, rows in groups.items()}
    return [
        Member(surfaces[groups[label][0]], surfaces[row], counts[surfaces[row]], float(distances[row]))
        for label in sorted(groups, key=lambda label: (-sizes[label], surfaces[groups[label][0]]))
        for row in groups[label]
    ]


def _summary(kind: str, members: Sequence[Member], without: int, wanted: int) -> str:
    classes = len({member.cls for member in members})
    text = f"{kind}: {len(members)} surfaces in {classes} classes"
    if classes < wanted:
        text += f" (not {wanted}: there are no more candidates)"
    return text + (f"; {without} candidates have no vector" if without else "")


def _write(folder: str, classes: Mapping[str, Sequence[Member]]) -> None:
    review = ["kind\tclass\tsurface\tcount\tdistance"]
    with atomic_folder(folder) as temporary:
        for kind, members in classes.items():
            lines = ["\t".join(HEADER), *(f"{member.surface}\t{member.cls}" for member in members)]
            (temporary / f"{kind}.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
            order = {
                name: place for place, name in enumerate(dict.fromkeys(member.cls for member in members))
            }
            for member in sorted(members, key=lambda member: (order[member.cls], round(member.distance, 3))):
                cells = (kind.removesuffix("s"), member.cls, member.surface, str(member.count))
                review.append("\t".join((*cells, f"{member.distance:.3f}")))
        (temporary / "review.tsv").write_text("\n".join(review) + "\n", encoding="utf-8", newline="\n")
