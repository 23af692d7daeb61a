"""How a model is asked: the token ids that it reads, the same in training as in decoding."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from wokflow.frame.job import UserError
from wokflow.generate.prompts import Dialogue, one_text
from wokflow.generate.sentence_texts import Values
from wokflow.models.bounds import end_token
from wokflow.models.decoding import Family, encode

Chat = Literal["auto", "never"]
ROLES = ("user", "assistant")


@dataclass(frozen=True)
class Asking:
    """Turns instances into token ids, at most `most` for each unless the prompt alone has more.

    A model reads the source itself or, with a `dialogue`, the prompt that is filled in with the instance's values.
    With `chat`, the turns are put into the tokenizer's chat template, which ends with the beginning of an answer.
    """

    tokenizer: Any
    family: Family
    dialogue: Dialogue | None
    most: int
    chat: bool = False

    @classmethod
    def of(cls, tokenizer: Any, family: Family, dialogue: Dialogue | None, most: int, chat: Chat) -> "Asking":
        """With chat `auto`, a causal model with a prompt is asked through its chat template, if it has one."""
        has_template = bool(getattr(tokenizer, "chat_template", None))
        chats = chat == "auto" and family == "causal" and dialogue is not None and has_template
        return cls(tokenizer, family, dialogue, most, chats)

    def rows(
        self, values: Sequence[Values], answers: Sequence[Sequence[str]] = ()
    ) -> tuple[list[list[int]], int]:
        """(token ids of each instance, how many sources were shortened); `answers` are those given before.

        If a prompt has more than `most` tokens, the end of the source is cut: the prompt's own words stay whole.
        """
        given = answers or [()] * len(values)
        if self.dialogue is None:
            return encode(self.tokenizer, [str(one["source"]) for one in values], self.family), 0
        rows = self._tokens([self._said(one, given[number]) for number, one in enumerate(values)])
        shortened = [number for number, row in enumerate(rows) if len(row) > self.most]
        for number in shortened:
            rows[number] = self._shortened(values[number], given[number])
        return rows, len(shortened)

    def answers(self, texts: Sequence[str]) -> list[list[int]]:
        """Token ids of answers, each with the token that ends it."""
        end = answer_end(self.tokenizer, chat=self.chat)
        if not texts:
            return []
        rows = self.tokenizer(list(texts), add_special_tokens=False, verbose=False)["input_ids"]
        return [[*row, end] for row in rows]

    def _said(self, values: Values, answers: Sequence[str], letters: int | None = None) -> list[str]:
        assert self.dialogue is not None
        source = values.get("source")
        return self.dialogue.said({**values, "source": source and source[:letters]}, *answers)

    def _tokens(self, dialogues: Sequence[Sequence[str]]) -> list[list[int]]:
        if not self.chat:
            return encode(self.tokenizer, [one_text(said) for said in dialogues], self.family)
        turns = [
            [{"role": ROLES[number % 2], "content": text} for number, text in enumerate(said)]
            for said in dialogues
        ]
        if not turns:
            return []
        made = self.tokenizer.apply_chat_template(
            turns,
            add_generation_prompt=True,
            sanitize_control_tokens=True,  # a recipe cannot end its turn
            return_dict=True,
        )
        return [list(row) for row in made["input_ids"]]

    def _shortened(self, values: Values, answers: Sequence[str]) -> list[int]:
        """The longest prompt of at most `most` tokens, with the beginning of its source."""

        def row_of(letters: int) -> list[int]:
            return self._tokens([self._said(values, answers, letters)])[0]

        lengths = range(len(values.get("source") or ""))
        return row_of(max(bisect_right(lengths, self.most, key=lambda letters: len(row_of(letters))) - 1, 0))


def answer_end(tokenizer: Any, *, chat: bool) -> int:
    """The token that ends an answer: in a chat the special token that the template puts behind one.

    Raises UserError where there is none.
    """
    end = end_token(tokenizer)
    if chat:
        turns = [{"role": ROLES[0], "content": "?"}, {"role": ROLES[1], "content": "<answer>"}]
        text = tokenizer.apply_chat_template(turns, tokenize=False)
        behind = tokenizer(text.rpartition("<answer>")[2], add_special_tokens=False)["input_ids"]
        special = {*tokenizer.all_special_ids, *tokenizer.get_added_vocab().values()}
        end = next((token for token in behind if token in special), end)
    if end is None:
        raise UserError(
            "the model's tokenizer has no token that ends a text (eos_token, sep_token), so that no answer could "
            "end. Give it one (add_special_tokens, and resize the model's embeddings), or take another model."
        )
    return end
