"""The settings of stage judge. Models are asked by the settings of stage generate."""

from typing import Literal

from wokflow.frame.settings import Content, Field, Never, Settings, StageSettings, Text, borrowed, from_rule
from wokflow.generate.settings import PromptSettings as GeneratePromptSettings
from wokflow.generate.settings import ServerSettings as GenerateServerSettings


class JudgeSettings(StageSettings):
    """Ratings by language models (Culinary Class Wars: Evaluating LLMs using ASH in Cuisine Transfer Task). The
    stage runs only if there is a table of models: docs/judge.md.
    """

    models: Content[Text | None] = None
    """The table of models that write recipes, rate them or choose between translations. See docs/judge.md."""
    budget: Never[float | None] = Field(None, ge=0)
    """Money that all rows of that table may cost together. Nothing starts unless each row that asks another machine
    has a budget (generate.prompt.budget, or prompt.budget of the row), and their sum is no more. null: no limit.
    """


class InstructionsSettings(Settings):
    dishes: Content[Text] = "resources/ash/dishes.tsv"
    """The dishes: a tab-separated table with the columns id and name."""
    cuisines: Content[Text] = "resources/ash/cuisines.tsv"
    """The cuisines whose elements a recipe is to take up: columns id, name and group."""


class PromptSettings(GeneratePromptSettings):
    """How models are asked: the settings of generate.prompt, with the overrides of the model's row."""

    shots: int = from_rule()
    """No exemplars are shown."""
    repetitions: int = from_rule()
    """How often each task is asked."""
    alike: Never[int] = from_rule()
    """How many models are asked the same tasks, this one among them; each has a budget of its own."""


class ServerSettings(GenerateServerSettings):
    """The server of models without an endpoint: the settings of generate.server. Each role has a server of its own,
    since evaluators wait for the recipes of generators.
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
    """The dimensions of ratings: columns name, scale (nominal, ordinal or interval), values (in order, separated by
    blanks), and question.
    """


class PtaSettings(Settings):
    """Translations of culture-specific items, compared with the reference by models of role comparer (Benchmarking
    Machine Translation with Cultural Awareness, section 4): those of all runs on sentences whose items are known.
    """

    dimensions: Content[Text] = "resources/pta/dimensions.tsv"
    """A table with one dimension, whose values are A, B, and C for neither."""
    seed: int = 13
    """Seed of the draw of which translation is A."""
    orders: Literal[1, 2] = 2
    """2: each pair is shown in both orders, which reveals a preference for a position; 1: in the drawn order alone,
    as in the paper.
    """
    pairs: dict[str, str] = from_rule()
    """The languages of each source of sentences."""
