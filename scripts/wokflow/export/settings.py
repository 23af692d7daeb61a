"""The settings of stage export: config blocks export.*."""

from typing import Annotated, Any, Literal

from wokflow.frame.settings import (
    Block,
    Content,
    Field,
    Lent,
    Settings,
    StageSettings,
    Text,
    borrowed,
    from_rule,
)

# A name that can be part of a folder's name. (`$` would also match before a line break at the end.)
FileName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}(?!\n)$")]
HomePage = Annotated[str, Field(pattern=r"^(https?://[^\s<>\"]+)?(?!\n)$")]
Mode = Literal["standoff", "full"]


class ReleaseSettings(Settings):
    name: Lent[FileName] = "recipes"
    """Name of the release; its folder is <name>-<version>."""
    version: Lent[FileName] = "0.1.0"
    """Version of the release. Earlier ones stay where they are; `wokflow diff` compares two."""
    mode: Lent[Mode] = "standoff"
    """`standoff` writes ids, offsets, digests and annotations, to which others add the text from their own copy of
    the corpora (`wokflow rehydrate`). `full` writes the text as well, and is refused if a licence forbids passing it
    on.
    """
    datasets: Lent[
        frozenset[Literal["pairs", "silver", "gold", "actions", "pivots", "items", "predictions"]]
    ] = Field(frozenset({"pairs"}), min_length=1)
    """The datasets to release. pairs: recipes of both languages, by direction and split; silver and gold: the test
    sets; actions; pivots: pivot actions, orders and instances; items: culture-specific items and the sentences that
    mention them; predictions: of all runs, with scores.
    """
    contact: Lent[str] = ""
    """Contact for readers of the card: an address or a home page. It is published."""
    home_page: Lent[HomePage] = ""
    """Home page of the release or of its project, which the card and the Croissant file name. It is published."""
    licence_of_annotations: Lent[Text] = "CC-BY-4.0"
    """Licence (SPDX) of everything that is not from a source: pairs, offsets, classes, scores, adaptations."""
    jsonl: Lent[bool] = False
    """Whether to write the same rows as JSON lines, too."""
    accept: frozenset[
        Literal[
            "duplicate_ids",
            "shared_recipes",
            "shared_titles",
            "connected_pairs",
            "near_duplicates",
            "trained_on_tests",
            "mail_addresses",
            "phone_numbers",
            "links",
            "user_names",
            "replacement_characters",
            "control_characters",
            "private_characters",
            "mojibake",
            "markup",
            "rows",
            "licences",
        ]
    ] = frozenset()
    """Gates whose findings do not stop the release. Read the findings first; the card lists them."""
    registry: Lent[Content[Text]] = "resources/sources.tsv"
    """The table of sources and what their licences allow."""


class Licence(Block):
    """A source, by its name in `sources`."""

    licence: Text
    """Its licence: an SPDX identifier, such as CC-BY-4.0, or a name."""
    release: Literal["text", "attribution", "ids"]
    """What may be passed on: its text, its text with attribution, or only ids."""
    attribution: Text | None = None
    """Its attribution."""
    version: Text | None = None
    """The version that you have: a number or a date."""
    home_page: Text | None = None
    """Its home page."""


class ExportSettings(StageSettings):
    licences: dict[Annotated[str, Field(pattern="^[a-z][a-z0-9_]*$")], Licence] = Field({})
    """What may be published of sources, by their names in `sources`, if resources/sources.tsv does not list them or
    you know better.
    """


class DatasetSettings(Settings):
    subset: dict[str, Any] = from_rule()
    """The subset: the members of a wokflow.export.subsets.Subset."""
    licences: dict[str, Licence] = from_rule()
    """export.licences for the sources of the subset."""
    gold: Content[Text | None] = from_rule()
    """The file of the gold set, if the subset is one."""
    simplified: bool = borrowed("ingest.recipes.simplified")
    mode: Mode = borrowed("export.release.mode")
    jsonl: bool = borrowed("export.release.jsonl")
    registry: Text = borrowed("export.release.registry")


class GatesSettings(Settings):
    subsets: tuple[dict[str, Any], ...] = from_rule()
    """The subsets of the release, each as in DatasetSettings."""
    licences: dict[str, Licence] = from_rule()
    """export.licences for the sources of the release."""
    ingest: dict[str, dict[str, Any]] = from_rule()
    """The step that read each corpus, and the step's settings."""
    name: str = borrowed("export.release.name")
    version: str = borrowed("export.release.version")
    contact: str = borrowed("export.release.contact")
    home_page: str = borrowed("export.release.home_page")
    licence_of_annotations: Text = borrowed("export.release.licence_of_annotations")
    mode: Mode = borrowed("export.release.mode")
    jsonl: bool = borrowed("export.release.jsonl")
    registry: Text = borrowed("export.release.registry")
