"""The settings of stage judge. Models are asked by the settings of stage generate."""

from typing import Literal

from wokflow.frame.settings import Content, Settings, StageSettings, Text, borrowed, from_rule
from wokflow.generate.settings import PromptSettings as GeneratePromptSettings
from wokflow.generate.settings import ServerSettings as GenerateServerSettings


class JudgeSettings(StageSettings):
    """Ratings by language models (Culinary Class Wars: Evaluating LLMs using ASH in Cuisine Transfer Task). Nothing
    of it runs without a table of models: docs/judge.md.
    """

    models: Content[Text | None] = None
    """The table of models that write recipes, and of those that rate them. See docs/judge.md."""


class InstructionsSettings(Settings):
    dishes: Content[Text] = "resources/ash/dishes.tsv"
    """The dishes to keep: a table with tabs and the columns id and name."""
    cuisines: Content[Text] = "resources/ash/cuisines.tsv"
    """The cuisines whose elements are to be applied: columns id, name and group."""


class PromptSettings(GeneratePromptSettings):
    """How models are asked: generate.prompt, over which a row of the table of models lays its own."""

    shots: int = from_rule()
    """No exemplars are shown."""
    repetitions: int = from_rule()
    """How often each task is asked."""
    released: Content[str | None] = from_rule()
    """Answers that take the place of asking."""


class ServerSettings(GenerateServerSettings):
    """The server of models without an endpoint: generate.server. Generators and evaluators have one each, as these
    rate what those wrote.
    """


class DialoguesSettings(Settings):
    """Adapted dialogues, which models of roles dialogue_rater and editor are asked about: docs/dialogues.md."""

    dimensions: Content[Text] = "resources/dialogues/dialogue_dimensions.tsv"
    """What a dialogue is rated for; columns as in judge.tasks.dimensions."""
    show: Text = "Friends"
    """What prompts call the show that dialogues are from."""
    culture: str = borrowed("generate.dialogues.culture")
    people: str = borrowed("generate.dialogues.people")


class EditTasksSettings(Settings):
    """Edits, which models of roles edit_rater and strategist are asked about."""

    dimensions: Content[Text] = "resources/dialogues/edit_dimensions.tsv"
    """What an edit is rated for."""
    strategies: Content[Text] = "resources/dialogues/strategy_dimensions.tsv"
    """One nominal dimension, whose values are the strategies."""
    show: str = borrowed("judge.dialogues.show")
    culture: str = borrowed("generate.dialogues.culture")
    people: str = borrowed("generate.dialogues.people")


class TasksSettings(Settings):
    dimensions: Content[Text] = "resources/ash/dimensions.tsv"
    """What is rated: columns name, scale (nominal, ordinal or interval), values (in order, with blanks between), and
    question.
    """


class PtaSettings(Settings):
    """Which translations of culture-specific items are compared with the reference (Benchmarking Machine Translation
    with Cultural Awareness, section 4): those of all runs on sentences whose items are known, by models of role
    comparer.
    """

    dimensions: Content[Text] = "resources/pta/dimensions.tsv"
    """What is chosen: one dimension with the values A, B, and C for neither."""
    seed: int = 13
    """Draws which translation is A."""
    orders: Literal[1, 2] = 2
    """2: both are shown in either order, so that a preference for a place is seen; 1: in the drawn one, as the paper
    does.
    """
    pairs: dict[str, str] = from_rule()
    """The sources of sentences with their languages."""
