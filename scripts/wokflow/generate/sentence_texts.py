"""What models read of a sentence and its items (Yao et al. 2024, sections 5.2 and 5.3)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import polars as pl

from wokflow.frame import tables
from wokflow.frame.language_codes import english_name
from wokflow.generate.prompts import Dialogue, Prompt
from wokflow.models.recipe_texts import without_headings

Languages = Sequence[str]  # of source and target
Values = dict[str, str | None]  # by place of a prompt


def values_of(instances: pl.DataFrame, languages: Languages | None) -> list[Values]:
    """What each instance puts into the places of prompts: of a recipe, a dialogue, or a sentence with items."""
    if of_dialogues(instances):
        return instances.select("source", "culture", "people", "exemplars").to_dicts()
    if not of_sentences(instances):
        return instances.select("source", "title", "base").to_dicts()
    return [sentence_values(row, languages or ("", "")) for row in instances.iter_rows(named=True)]


def of_sentences(instances: pl.DataFrame) -> bool:
    """Whether instances are sentences."""
    return "items" in instances.columns


def of_dialogues(instances: pl.DataFrame) -> bool:
    """Whether instances are dialogues."""
    return "exemplars" in instances.columns


def sentence_values(row: Mapping[str, Any], languages: Languages) -> Values:
    """The values of a sentence. An item's translations and explanation are given once, however often it is mentioned.

    The dictionary has the form "mention:translation, translation, mention:translation"; an item without
    translations is not in it, nor are explanations that do not exist. Two items that are mentioned by the same words
    are both in it. Languages without a name are None.
    """
    items: list[dict[str, Any]] = row["items"]
    entries = dict.fromkeys((item["mention"], ", ".join(item["translations"])) for item in items)
    explanations = dict.fromkeys(item["explanation"] for item in items if item["explanation"])
    source, target = map(english_name, languages)
    return {
        "source": row["source"],
        "replaced": replaced(row["source"], items),
        "items": ", ".join(dict.fromkeys(mention for mention, _ in entries)),
        "dictionary": ", ".join(f"{mention}:{names}" for mention, names in entries if names),
        "explanations": " ".join(explanations),
        "source_language": source,
        "target_language": target,
    }


def replaced(source: str, items: Sequence[Mapping[str, Any]]) -> str:
    """The sentence with the first translation of each item in the place of its mention.

    All of the mention goes, the ending of a plural too; an item without translations stays.
    """
    for item in sorted(items, key=lambda item: -item["start"]):
        if item["translations"]:
            source = source[: item["start"]] + item["translations"][0] + source[item["end"] :]
    return source


def dialogue_of(prompt: str, exemplars: str | list[str], shots: int, languages: Languages | None) -> Dialogue:
    """The prompt of a file, after its questions about the first `shots` of the table `exemplars`.

    The last question is answered by the reference, and those before by the explanations of the items.
    """
    template, said = Prompt.read(prompt), list[str]()
    for row in tables.read(exemplars).head(shots).iter_rows(named=True) if shots else ():
        values = sentence_values(row, languages or ("", ""))
        answers = [values["explanations"] or ""] * (len(template.questions) - 1) + [row["reference"]]
        for question, answer in zip(template.questions, answers, strict=True):
            said += [question.fill(**values), answer]
    return Dialogue(template, said)


def cleaner(instances: pl.DataFrame, *, continues: bool) -> Callable[[str], str]:
    """A function that makes a prediction of a model's text.

    It removes the headings of recipes. Of sentences by a model that continues texts, it keeps the first line, since
    such a model goes on with another sentence.
    """
    if of_dialogues(instances):
        return str.strip
    if not of_sentences(instances):
        return without_headings
    return (lambda text: text.strip().partition("\n")[0].strip()) if continues else str.strip
