"""Base models for trainings, made on the spot: folders as the hub has them."""

from pathlib import Path

import polars as pl
from wokflow.frame import tables

from tests.models import tiny
from tests.train.tiny import examples

CHAT = (
    "{% for turn in messages %}<|{{ turn['role'] }}|>{{ turn['content'] }}<|end|>{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)


def base_model(folder: Path, kind: str, *, chat: bool = False, width: int = 32) -> Path:
    """A model of `kind` (tests.models.tiny), with a token a letter of the examples; `chat` gives it a template."""
    rows = tables.read(examples(folder / "all.parquet"))
    letters = sorted(
        {letter for name in ("source", "target") for text in rows[name] for letter in text} | {"?"}
    )
    tokenizer = tiny.tokenizer([*letters, "R", "e", "w", "r", "i", "t", ":"])
    if chat:
        tokenizer.add_special_tokens({"additional_special_tokens": ["<|user|>", "<|assistant|>", "<|end|>"]})
        tokenizer.chat_template = CHAT
    model = tiny.model(kind, len(tokenizer), width=width)
    model.generation_config.suppress_tokens = None
    model.save_pretrained(folder / kind)
    tokenizer.save_pretrained(folder / kind)
    return folder / kind


def few_examples(path: Path, train: int, valid: int) -> Path:
    """Short examples: the answer is the question's number, twice."""
    rows = [
        {
            "instance_id": f"{number}",
            "split": "train" if number < train else "valid",
            "title": f"dish {number % 4}",
            "source": f"Title: dish {number % 4}\n",
            "target": f"Title: {number % 4}{number % 4}\n",
        }
        for number in range(train + valid)
    ]
    from wokflow.train import schemas

    tables.write(path, schemas.EXAMPLES, pl.DataFrame(rows), {})
    return path
