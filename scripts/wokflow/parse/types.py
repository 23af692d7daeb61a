"""Types that several modules of this stage use."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Parse:
    """A clause's dependency parse. The words, joined, are the clause without white space."""

    words: tuple[str, ...]
    heads: tuple[int, ...]  # index of each word's head, -1 for a root
    roles: tuple[str, ...]  # of each word to its head; see `roles`


@dataclass(frozen=True, slots=True)
class Mention:
    """An ingredient or tool as written, its class, and its offsets in its step."""

    surface: str
    cls: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Action:
    """A verb as written, at text[start:end] of its step, with its ingredients and tools; see `extract`."""

    start: int
    end: int
    verb: str
    verb_class: str
    ingredients: tuple[Mention, ...]
    tools: tuple[Mention, ...]
    inherited: tuple[Mention, ...]
    optional: bool

    @property
    def foods(self) -> tuple[Mention, ...]:
        """The foods acted on or with: the inherited ones, then the named ones."""
        return (*self.inherited, *self.ingredients)


@dataclass(slots=True)
class Noun:
    """An ingredient or tool in a clause; `kind` is that of its token (`lattice.FOOD` or `lattice.TOOL`)."""

    start: int
    end: int
    cls: str
    kind: str


@dataclass(slots=True)
class Act:
    """A verb with its nouns. The flags say whether more nouns may be added."""

    start: int
    end: int
    cls: str
    nouns: list[Noun] = field(default_factory=list)
    optional: bool = False
    closed: bool = False  # takes no further object behind it
    objects: bool = False  # has an object behind it
    sense: str = ""  # the verb whose sense it has here
    product: Noun | None = None  # what it makes, which is no object: 料汁 in 调成料汁


@dataclass(slots=True)
class Clause:
    """The analysis of a clause. Offsets count in the clause."""

    acts: list[Act]
    fronted: list[Noun]  # nouns before the first action
    unattached: list[Noun]  # nouns of verbs outside the glossary, which no action has taken
    listing: bool = False  # only nouns (`fronted`), no predicate
    forward: bool = False  # 把, 用 or 等 before `fronted`: these nouns belong to a later verb
    open_end: bool = False  # the last action's object ends the clause, so later nouns may go on with it
    adds: bool = False  # the last action puts something in: 放油
    measured: bool = False  # listed nouns have amounts: 盐少许
    medium_end: bool = False  # the last action's only foods are cooking media: 放油
    mixes: bool = False  # the first action works on everything in the pan
    stirs: bool = False  # the first action may do so: 炒香
    waits: bool = False  # the first action sets by what was mixed: 待用
    switches: bool = False  # the first action is about the stove or the whole dish: 关火, 出锅
    names_sauce: bool = False  # 调料汁, which in a list is a noun
    condition: bool = False  # 如果, 喜欢: the next action is optional
