"""The settings of stage annotate: config blocks annotate.*."""

from typing import Literal

from wokflow.frame.settings import (
    Block,
    Content,
    Field,
    FileOrFolder,
    Settings,
    StageSettings,
    Text,
    from_rule,
)


class AnnotateSettings(StageSettings):
    """Ratings and texts by people. The stage runs only if there is a table of studies: docs/annotate.md."""

    studies: Content[Text | None] = None
    """The table of studies: the questions that people answer, and the texts. See docs/annotate.md."""


class TasksSettings(Settings):
    dataset: Literal["gold", "silver"] | None = None
    """The test set of a direction. null: gold to rate texts, silver to write them."""
    sample: int | None = Field(None, ge=1)
    """Number of tasks (data ash and dialogues) or items (other data) to draw, in proportion to their strata. null:
    all, or `each`.
    """
    each: int | None = Field(None, ge=1)
    """Number to draw from each stratum."""
    strata: tuple[Text, ...] = ()
    """The texts that define the strata, by their names in the tasks, outer strata first. Empty: cuisine and dish for
    data ash, both dishes for counterfactual and pivot.
    """
    size: int = Field(4, ge=3, le=6)
    """Number of texts compared at a time, in studies of kind best_worst."""
    seed: int = Field(13, ge=0)
    """Seed of the draw."""
    study: str = from_rule()
    """The study's name."""
    kind: str = from_rule()
    """rating, best_worst, writing, marking or asking."""
    data: str = from_rule()
    """The data that the texts belong to: a direction, counterfactual, ash, dialogues, pta or pivot."""
    systems: list[str] = from_rule()
    """The systems whose texts are rated; none: all."""
    texts: Content[str | None] = from_rule()
    """A file of further texts."""
    dimensions: Content[str | None] = from_rule()
    """The file of the rated dimensions, or of the categories of items."""


class SheetsSettings(Settings):
    per_task: int = Field(1, ge=1)
    """Number of raters of each task."""
    per_rater: int | None = Field(None, ge=1)
    """Number of tasks of each rater, checks aside. null: all tasks are divided among the raters, so that sheets
    change with the number of raters.
    """
    seed: int = Field(13, ge=0)
    """Seed of the tasks of each rater and of their order."""
    study: str = from_rule()
    """The study's name."""
    kind: str = from_rule()
    """rating, best_worst, writing, marking or asking."""
    raters: Content[str] = from_rule()
    """The table of raters."""
    instructions: Content[str] = from_rule()
    """The file of instructions for raters."""
    consent: Content[str] = from_rule()
    """The file of the text that raters consent to."""
    checks: Content[str | None] = from_rule()
    """The file of tasks with known answers."""


class RaterLimits(Block):
    """Which raters do not count."""

    comprehension: float = Field(1.0, ge=0, le=1)
    """A rater who answers a smaller share of the examples correctly does not count."""
    attention: int = Field(0, ge=0)
    """A rater who fails more attention checks than this does not count."""
    answered: float = Field(0.0, ge=0, le=1)
    """A rater who answers a smaller share of the tasks does not count."""


class RatingsSettings(RaterLimits, Settings):
    alike: int | None = Field(None, ge=2)
    """A rater who rates this many tasks or more, all with the same value, does not count. null: such raters count."""
    answers: FileOrFolder[str] = from_rule()
    """The returned sheets."""
    raters: Content[str] = from_rule()
    """The table of raters."""


class WrittenSettings(RaterLimits, Settings):
    answers: FileOrFolder[str] = from_rule()
    """The returned sheets."""
    raters: Content[str] = from_rule()
    """The table of raters."""


class MarkedSettings(RaterLimits, Settings):
    f1: float = Field(0.6, gt=0, le=1)
    """Least F1 of a rater's marks and the items of a check that counts as a right answer. With three items, 0.67 is
    one missed and one mark too many.
    """
    overlap: float = Field(0.5, gt=0, le=1)
    """Least share of characters in both a mark and an item of a check, among those in either, for the mark to be
    that item.
    """
    answered: float = Field(0.0, ge=0, le=1)
    """A rater who opens a smaller share of the dialogues in Label Studio does not count. Of a sheet that came back,
    all count as read.
    """
    answers: FileOrFolder[str] = from_rule()
    """The returned sheets."""
    raters: Content[str] = from_rule()
    """The table of raters."""
