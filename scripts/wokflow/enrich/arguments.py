"""What the config gives the steps of stage enrich, where it depends on the sources of sentences."""

from collections.abc import Callable, Collection, Mapping
from typing import Any

from wokflow.frame.arguments import Arguments, block_arguments
from wokflow.frame.job import UserError

ENTITIES = "entities"  # the name under which the table of entities is described like a source
NAMING = "en"  # the language in which countries are named


def languages(config: Mapping[str, Any], pairs: Mapping[str, str]) -> list[str]:
    """The languages in which items are known: those of `enrich.languages`, those of all pairs, and English."""
    of_pairs = [lang for pair in pairs.values() for lang in pair.split("-", 1)]
    return list(dict.fromkeys([*config["enrich"]["languages"], *of_pairs, NAMING]))


def refuse_nothing(pairs: Mapping[str, str]) -> Callable[[Any], list[str]]:
    """An input function of target enrich that says what is missing: sentences, or the table of entities."""

    def refuse(wildcards: Any) -> list[str]:
        missing = "enrich.entities.path, the table of entities" if pairs else "sources of parallel sentences"
        raise UserError(f"Nothing to enrich: the config has no {missing}. docs/items.md shows what it takes.")

    return refuse


def entity_arguments(config: Mapping[str, Any], known: list[str]) -> Arguments:
    """enrich.entities reads names in all these languages; the file itself counts by its description."""
    block = config["enrich"]["entities"]
    return Arguments(
        settings={"truncated": block["truncated"], "languages": known}, options={"path": block["path"]}
    )


def link_arguments(config: Mapping[str, Any], schema: Mapping[str, Any], pair: str) -> Arguments:
    """enrich.link of a source in these languages, with the settings of its backend alone."""
    given = with_settings(config, schema, "enrich.link", pair=pair)
    programmed = config["enrich"]["link"]["backend"] == "command"
    unused = {"case", "plurals"} if programmed else {"command"}
    settings = {name: value for name, value in given.settings.items() if name not in unused}
    return Arguments(settings, {} if programmed else given.resources, given.options)


def categorise_arguments(config: Mapping[str, Any], schema: Mapping[str, Any], known: list[str]) -> Arguments:
    """enrich.categorise; a service is asked for pages in English if it can be, since Table 9 has its topics."""
    languages = sorted(known, key=lambda lang: lang != NAMING)
    given = with_settings(config, schema, "enrich.categorise", languages=languages)
    asks = config["enrich"]["categorise"]["backend"] == "service"
    return _asking(config, given, () if asks else ("endpoint", "threshold", "languages"), "topics")


def lookup_arguments(config: Mapping[str, Any], schema: Mapping[str, Any], known: list[str]) -> Arguments:
    """enrich.lookup of items in all these languages."""
    given = with_settings(config, schema, "enrich.lookup", languages=known)
    unused = {"store", "endpoint"} - {config["enrich"]["lookup"]["backend"]}
    return _asking(config, given, unused, "answers")


def _asking(config: Mapping[str, Any], given: Arguments, unused: Collection[str], folder: str) -> Arguments:
    """The arguments of a step that may ask a service, in the user's name; what is unused does not count."""
    settings = {name: value for name, value in given.settings.items() if name not in unused}
    resources = {name: paths for name, paths in given.resources.items() if name not in unused}
    options = {**given.options, "contact": config["contact"] or None}
    options["cache"] = given.options["cache"] or f"{config['results']}/enrich/{folder}"
    return Arguments(settings, resources, options)


def explanation_arguments(config: Mapping[str, Any], schema: Mapping[str, Any]) -> Arguments:
    """enrich.pages asks under the name of the user."""
    given = block_arguments(config, schema, "enrich.pages")
    return Arguments(given.settings, options={**given.options, "contact": config["contact"] or None})


def with_settings(config: Mapping[str, Any], schema: Mapping[str, Any], step: str, **more: Any) -> Arguments:
    """The arguments of a step's block, and settings that depend on the sources of sentences."""
    given = block_arguments(config, schema, step)
    return Arguments({**given.settings, **more}, given.resources, given.options, given.layout)
