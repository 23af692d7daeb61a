"""The subsets of a release: the tables of its datasets, where they are read from, and whose text they hold."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

DATASETS = ("pairs", "silver", "gold", "actions", "pivots", "items", "predictions")
RECORDS = "records"  # the subset with the digests of all records that others point at
WIKIDATA, WIKIPEDIA = "wikidata", "wikipedia"  # sources of items, beside the corpora
PUBLISHED = "published_pairs"  # source of pairs that the papers' authors published (train.published)
GIVEN = (
    "given_{}"  # name of the source of pivots, orders or gold recipes of no corpus that people have handed in
)


@dataclass(frozen=True)
class Subset:
    """One table of a release.

    `table` is the table of results that it is read from. `texts` are the corpora whose text is in its full form,
    `derived` the corpora from whose text its content was made (predictions, adaptations), `cites` further sources
    with content in both forms, and `counts_of` the corpora of which it has only counts.
    """

    name: str
    dataset: str
    form: str
    description: str
    languages: tuple[str, ...]
    table: str = ""
    texts: tuple[str, ...] = ()
    derived: tuple[str, ...] = ()
    cites: tuple[str, ...] = ()
    counts_of: tuple[str, ...] = ()

    @property
    def sources(self) -> tuple[str, ...]:
        """All sources of the subset, each once."""
        return tuple(dict.fromkeys((*self.texts, *self.derived, *self.cites, *self.counts_of)))


def subset_of(described: Mapping[str, Any]) -> Subset:
    """The subset from its members, which may have gone through JSON."""
    members = {name: tuple(each) if isinstance(each, list) else each for name, each in described.items()}
    return Subset(**members)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Available:
    """The data of a workflow's config that subsets can be made of.

    `directions` has the source and the target corpus of each; `parsed` are the corpora with actions, `sentences` the
    sources of sentences with linked items and their pairs of languages, `langs` the languages of corpora. `gold` and
    `silver` are the directions with such sets; `predicted` are the corpora that runs were trained on or predict;
    `by_people` names pivots and orders if people's files of them are read, and gold if the config says what may be
    published of its recipes that are in no corpus; `published` is whether models learn from, or are tested on, pairs
    that others published; `entities` is the source of items, Wikidata for its dumps and ENTITIES for other tables;
    `wikipedia` is whether it is read, from dumps or its API, for explanations of items.
    """

    directions: Mapping[str, tuple[str, str]]
    langs: Mapping[str, str]
    parsed: Sequence[str]
    dish_corpus: str
    sentences: Mapping[str, str]
    item_languages: Sequence[str]
    gold: Collection[str]
    silver: Collection[str]
    predicted: Sequence[str]
    by_people: Collection[str] = ()
    published: bool = False
    entities: str = WIKIDATA
    wikipedia: bool = False


def subsets(datasets: Collection[str], have: Available) -> dict[str, Subset]:
    """The subsets of the wanted datasets, by name and in the order of DATASETS."""
    makers = {
        "pairs": _pairs,
        "silver": _silver,
        "gold": _gold,
        "actions": _actions,
        "pivots": _pivots,
        "items": _items,
        "predictions": _predictions,
    }
    wanted = [subset for dataset in DATASETS if dataset in datasets for subset in makers[dataset](have)]
    return {subset.name: subset for subset in wanted}


def _directed(
    dataset: str, form: str, table: str, description: str, have: Available, chosen: Collection[str]
) -> list[Subset]:
    return [
        Subset(
            f"{dataset}-{direction}",
            dataset,
            form,
            description,
            tuple(direction.split("-")),
            f"{table}/{direction}" if table else "",
            texts=corpora if form == "pairs" else corpora[:1],
            derived=corpora[:1] if form == "gold" else (),
            cites=_given(form, have),
        )
        for direction, corpora in have.directions.items()
        if direction in chosen
    ]


def _pairs(have: Available) -> list[Subset]:
    text = "Recipes of one language with the recipes of the other whose titles, translated, are nearest."
    return _directed("pairs", "pairs", "match/pairs", text, have, have.directions)


def _silver(have: Available) -> list[Subset]:
    text = "Recipes of one dish in both languages, found by the dish's known names and accepted by a person."
    return _directed("silver", "pairs", "match/silver", text, have, have.silver)


def _gold(have: Available) -> list[Subset]:
    text = "Recipes that people have adapted to the other culture."
    return _directed("gold", "gold", "", text, have, have.gold)


def _actions(have: Available) -> list[Subset]:
    text = "What is done in each recipe, in order: verb, ingredients and tools with their classes."
    return [
        Subset(
            f"actions-{corpus}",
            "actions",
            "actions",
            text,
            (have.langs[corpus],),
            f"parse/actions/{corpus}",
            texts=(corpus,),
        )
        for corpus in have.parsed
    ]


def _pivots(have: Available) -> list[Subset]:
    lang, corpus = (have.langs[have.dish_corpus],), (have.dish_corpus,)
    differ = "Actions that differ between two dishes."
    first = "Which of two actions comes first, with the statistics behind it."
    rewriting = "Recipes to be rewritten for another dish."
    return [
        Subset("pivots", "pivots", "pivots", differ, lang, "pivot/pivots", **_made_of("pivots", have)),
        Subset("orders", "pivots", "orders", first, lang, "pivot/orders", **_made_of("orders", have)),
        Subset("instances", "pivots", "instances", rewriting, lang, "pivot/instances", texts=corpus),
    ]


def _made_of(form: str, have: Available) -> dict[str, tuple[str, ...]]:
    return {"counts_of": (have.dish_corpus,), "cites": _given(form, have)}


def _given(form: str, have: Available) -> tuple[str, ...]:
    return (GIVEN.format(form),) if form in have.by_people else ()


def _items(have: Available) -> list[Subset]:
    items = "Culture-specific items with category, country of origin, names and explanation by language."
    mention = "Sentences that mention culture-specific items, with their translation."
    return [
        Subset(
            *("items", "items", "items", items, tuple(have.item_languages), "enrich/items"),
            cites=(have.entities, WIKIPEDIA) if have.wikipedia else (have.entities,),
        ),
        *(
            Subset(
                *(f"sentences-{corpus}", "items", "sentences", mention),
                tuple(pair.split("-", 1)),
                f"enrich/sentences/{corpus}",
                texts=(corpus,),
            )
            for corpus, pair in have.sentences.items()
        ),
    ]


def _predictions(have: Available) -> list[Subset]:
    languages = tuple(dict.fromkeys(have.langs.values()))
    predictions, scores = "What the runs generated.", "Scores of the runs."
    corpora = tuple(have.predicted)
    return [
        Subset(
            *("predictions", "predictions", "predictions", predictions, languages, "generate/predictions"),
            texts=corpora,
            derived=(*corpora, PUBLISHED) if have.published else corpora,
            cites=_given("gold", have),
        ),
        Subset("scores", "predictions", "scores", scores, (), "evaluate/scores", counts_of=corpora),
    ]
