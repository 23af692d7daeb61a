"""Stage enrich: its cutoffs and targets, and checks of its config."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from wokflow.enrich.naming import NAMING
from wokflow.frame.columns import Rejected
from wokflow.frame.contact import unusable_contact
from wokflow.frame.cutoffs import Cutoff, CutoffGroup
from wokflow.frame.job import UserError
from wokflow.frame.language_codes import canonical, languages_of
from wokflow.frame.scope import Scope
from wokflow.frame.stages import SOCKS
from wokflow.frame.wikidata import ENTITIES

ABOUT = "finds culture-specific items in parallel sentences, and Wikidata's facts about them"
ARROWS = (
    "ingest_source --> enrich_entities --> enrich_names --> enrich_link --> enrich_categorise --> enrich_lookup",
    "ingest_sentences --> enrich_link; ingest_source --> enrich_pages",
    "enrich_lookup & ingest_pages & enrich_pages --> enrich_items --> enrich_assemble --> enrich_statistics",
    "enrich_items --> enrich_link_quality",
)
SECTIONS = {"enrich": ("Culture-specific items", "enrich/", "evaluate/csi_match")}
REJECTED = {
    "enrich/rejects/entities": Rejected(
        "entities (those without a name aside)", "enrich.entities.path", kept=("enrich/entities",)
    ),
    "enrich/rejects/mentions/": Rejected("mentions", kept=("enrich/mentions/",)),
    "enrich/rejects/": Rejected("sentences", whole=("ingest/sentences/",)),
}
SLURM_GROUPS = {"enrich_items": "items", "enrich_link_quality": "items"}
NEEDED_BY_NAME = {
    "jieba": "cuts Chinese sentences into words",
    "tenacity": "asks services again (frame.polite, which no key has)",
    **SOCKS,
}


def problems(config: Mapping[str, Any]) -> Iterator[str]:
    enrich = config["enrich"]
    lookup, link = enrich["lookup"], enrich["link"]
    if lookup["backend"] in ("store", "endpoint") and not lookup[lookup["backend"]]:
        yield f"enrich.lookup.{lookup['backend']}: backend {lookup['backend']} needs it."
    if link["backend"] == "command" and not link["command"]:
        yield "enrich.link.command: backend command needs it."
    if link["backend"] == "released":
        for name, source in config["sources"].items():
            if "kind" in source and (source["kind"] != "camt" or "fetched" in source):
                yield (
                    f"enrich.link.backend: `released` takes annotations of files of kind camt that have a path: "
                    f"sources.{name} is none."
                )
    services = {
        "Wikipedia's API": enrich["pages"]["backend"] == "api",
        "an endpoint": lookup["backend"] == "endpoint",
        "a topic service": enrich["categorise"]["backend"] == "service",
    }
    if enrich["entities"]["path"] and any("kind" in source for source in config["sources"].values()):
        asked = [service for service, used in services.items() if used]
        yield from unusable_contact(config["contact"], asked)


def item_languages(config: Mapping[str, Any], pairs: Mapping[str, str]) -> list[str]:
    """The languages in which items are looked up: `enrich.languages`, those of all pairs, and English."""
    of_pairs = [lang for pair in pairs.values() for lang in languages_of(pair)]
    wanted = map(canonical, config["enrich"]["languages"])
    return list(dict.fromkeys([*wanted, *of_pairs, NAMING]))


def english_first(languages: list[str]) -> list[str]:
    """The same languages, English before the others."""
    return sorted(languages, key=lambda lang: lang != NAMING)


def refuse_nothing(pairs: Mapping[str, str]) -> Callable[[Any], list[str]]:
    """An input function of target enrich that says what is missing: sentences, or the table of entities."""

    def refuse(wildcards: Any) -> list[str]:
        missing = "enrich.entities.path, the table of entities" if pairs else "sources of parallel sentences"
        raise UserError(f"Nothing to enrich: the config has no {missing}. docs/items.md shows what it takes.")

    return refuse


def cutoffs(scope: Scope, known: Mapping[str, CutoffGroup]) -> dict[str, CutoffGroup]:
    """The names of entities in each language that sentences are searched in."""
    before = known["entities"].only(ENTITIES)
    names = {
        lang: Cutoff(
            "enrich_names",
            f"{scope.results.folder}/enrich/names/{lang}",
            f"{scope.results.folder}/enrich/names/{lang}.sha256",
            {"lang": lang},
            before,
        )
        for lang in scope.source_langs.values()
    }
    members = {name: names[lang] for name, lang in scope.source_langs.items()}
    return {"names": CutoffGroup("corpus", members)}


def targets(scope: Scope) -> list[str] | None:
    """None without sources of sentences whose items are known."""
    if not scope.linked:
        return None
    folder = f"{scope.results.folder}/enrich"
    return [
        *(f"{folder}/camt/{corpus}.json" for corpus in scope.linked),
        f"{folder}/statistics/table2.tsv",
        *link_quality(scope),
    ]


def link_quality(scope: Scope) -> list[str]:
    """The tables of the sources whose files say which items their sentences mention, unless links are these."""
    if scope.config["enrich"]["link"]["backend"] == "released":
        return []
    return [
        path
        for corpus in scope.linked
        if (source := scope.config["sources"][corpus])["kind"] == "camt" and "fetched" not in source
        for path in scope.results.parts(f"enrich/link_quality/{corpus}", 1)
    ]


def rejects(scope: Scope) -> list[str]:
    if not scope.linked:
        return []
    parts = scope.config["ingest"]["sentences"]["parts"]
    tables = [ENTITIES, *(f"rejects/{name}" for name in (ENTITIES, *scope.linked))]
    mentions = [f"{table}/{corpus}" for corpus in scope.linked for table in ("mentions", "rejects/mentions")]
    return [
        path
        for names, count in ((tables, 1), (mentions, parts))
        for table in names
        for path in scope.results.parts(f"enrich/{table}", count)
    ]


def linking(known: Mapping[str, CutoffGroup]) -> list[Cutoff]:
    """The cutoffs before the dictionary of items, which all sources of sentences share."""
    groups = ("sentences", "entities", "names", "pages")
    return [cutoff for group in groups for cutoff in known[group].members.values()]
