"""The types that the steps of this stage share."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Parse:
    """A clause's dependency parse; the words, joined, are the clause without white space."""

    words: tuple[str, ...]
    tags: tuple[str, ...]  # universal part-of-speech tags
    heads: tuple[int, ...]  # index of each word's head, -1 at the root
    relations: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Mention:
    """An ingredient or tool as the text names it, its class, and where it stands in its step."""

    surface: str
    cls: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Action:
    """A verb as written, at text[start:end] of its step, with what it names; see `extract`."""

    start: int
    end: int
    verb: str
    verb_class: str
    ingredients: tuple[Mention, ...]
    tools: tuple[Mention, ...]
    inherited: tuple[Mention, ...]
    optional: bool


@dataclass(slots=True)
class Noun:
    """An ingredient or tool in a clause; `kind` is that of its token (`lattice.FOOD` or `lattice.TOOL`)."""

    start: int
    end: int
    cls: str
    kind: str


@dataclass(slots=True)
class Act:
    """A verb with its nouns; the flags say what may still be added."""

    start: int
    end: int
    cls: str
    nouns: list[Noun] = field(default_factory=list)
    optional: bool = False
    closed: bool = False  # takes no object behind it any more
    objects: bool = False  # has an object behind it


@dataclass(slots=True)
class Clause:
    """What was made of a clause; offsets are the clause's."""

    acts: list[Act]
    lead: list[Noun]  # nouns before the first action
    loose: list[Noun]  # nouns of a verb outside the glossary
    listing: bool = False  # only nouns (`lead`), no predicate
    forward: bool = False  # 把, 用 or 等 before `lead`: it goes with what follows
    open_end: bool = False  # the last action's object reaches the end
    medium_end: bool = False  # which is only what one cooks in: 放油
    mixes: bool = False  # the first action works on all that is in the pan
    stirs: bool = False  # it may: 炒香
    switches: bool = False  # it is on the stove or the whole dish: 关火, 出锅
    condition: bool = False  # 如果, 喜欢: the next action is optional
