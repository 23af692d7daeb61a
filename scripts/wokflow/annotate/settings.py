"""The settings of stage annotate: config blocks annotate.*."""

from typing import Literal

from wokflow.frame.settings import Content, Field, FileOrFolder, Settings, StageSettings, Text, from_rule


class AnnotateSettings(StageSettings):
    """Ratings and texts by people. Nothing of it runs without a table of studies: docs/annotate.md."""

    studies: Content[Text | None] = None
    """The table of studies: what people are asked about which texts. See docs/annotate.md."""


class TasksSettings(Settings):
    dataset: Literal["gold", "silver"] | None = None
    """The test set of directions. None: gold where texts are rated, silver where they are written."""
    sample: int | None = Field(None, ge=1)
    """How many are drawn, in proportion to their strata: tasks in data ash, else items. None: all, or `each`."""
    each: int | None = Field(None, ge=1)
    """How many are drawn of each stratum."""
    strata: tuple[Text, ...] = ()
    """What strata are alike in, by names of what is shown; the first are the outer ones. Empty: in data ash group and
    dish, in counterfactual both dishes.
    """
    size: int = Field(4, ge=3, le=6)
    """Texts that are compared at once, in studies of kind best_worst."""
    seed: int = Field(13, ge=0)
    """Of what is drawn."""
    study: str = from_rule()
    """The study's name."""
    kind: str = from_rule()
    """rating, best_worst or writing."""
    data: str = from_rule()
    """What texts are of."""
    systems: list[str] = from_rule()
    """Whose texts are rated; none: all."""
    texts: Content[str | None] = from_rule()
    """More texts."""
    dimensions: Content[str | None] = from_rule()
    """What is rated."""


class SheetsSettings(Settings):
    per_task: int = Field(1, ge=1)
    """Raters of each task."""
    per_rater: int | None = Field(None, ge=1)
    """Tasks of each rater, beside the checks. None: all that are to be done, shared out; then sheets change with the
    number of raters.
    """
    seed: int = Field(13, ge=0)
    """Of who is asked what, and in which order."""
    study: str = from_rule()
    """The study's name."""
    kind: str = from_rule()
    """rating, best_worst or writing."""
    raters: Content[str] = from_rule()
    """The table of raters."""
    instructions: Content[str] = from_rule()
    """What raters are told."""
    consent: Content[str] = from_rule()
    """What raters consent to."""
    checks: Content[str | None] = from_rule()
    """Tasks with known answers."""


class RatingsSettings(Settings):
    comprehension: float = Field(1.0, ge=0, le=1)
    """A rater who answers a smaller share of the examples as they must be answered does not count."""
    attention: int = Field(0, ge=0)
    """A rater who fails more attention checks does not count."""
    answered: float = Field(0.0, ge=0, le=1)
    """A rater who answers a smaller share of the tasks does not count."""
    alike: int | None = Field(None, ge=2)
    """A rater who rates so many tasks, and all with one value, does not count. None: they count."""
    answers: FileOrFolder[str] = from_rule()
    """The sheets that came back."""
    raters: Content[str] = from_rule()
    """The table of raters."""


class WrittenSettings(Settings):
    answers: FileOrFolder[str] = from_rule()
    """The sheets that came back."""
    raters: Content[str] = from_rule()
    """The table of raters."""
