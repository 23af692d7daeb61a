"""How well texts read to a causal model, many at once."""

from collections.abc import Sequence

from wokflow.models.sentence_rewriting import Reader, rows_of


class Ranker:
    """Scores texts by the mean log-probability of a token behind a prompt; `batch` texts at once, of like length."""

    def __init__(self, reader: Reader, batch: int) -> None:
        self._reader, self._batch = reader, batch

    def __call__(self, texts: Sequence[tuple[list[int], str]]) -> list[float]:
        """The score of each prompt's token ids with a text. What does not fit the model's positions is not read."""
        import torch

        rows = [self._row(*one) for one in texts]
        scores = [0.0] * len(rows)
        order = sorted(range(len(rows)), key=lambda place: (len(rows[place][0]), place))
        training = self._reader.network.training
        self._reader.network.eval()
        try:
            with torch.inference_mode():
                for start in range(0, len(order), self._batch):
                    some = order[start : start + self._batch]
                    for place, score in zip(some, self._scores([rows[n] for n in some]), strict=True):
                        scores[place] = score
        finally:
            self._reader.network.train(training)
        return scores

    def _row(self, prompt: list[int], text: str) -> tuple[list[int], int]:
        """A row of token ids, and how many of them are not of the text; at least one."""
        ids = self._reader.ids(text)[: self._reader.places - 1]
        before = self._reader.before(prompt, "", len(ids)) if prompt else ids[:1]
        return before + (ids if prompt else ids[1:]), len(before)

    def _scores(self, rows: Sequence[tuple[list[int], int]]) -> list[float]:
        import torch

        reader = self._reader
        ids, counts = rows_of([row for row, _ in rows], reader.pad, reader.network.device)
        places = torch.arange(ids.shape[1], device=ids.device)
        mask = places < counts[:, None]
        logits = reader.network(input_ids=ids, attention_mask=mask.long()).logits[:, :-1].float()
        known = logits.gather(2, ids[:, 1:, None])[:, :, 0] - logits.logsumexp(2)
        starts = torch.tensor([before for _, before in rows], device=ids.device)
        counted = (mask & (places >= starts[:, None]))[:, 1:]
        sums = (known.double() * counted).sum(1) / counted.sum(1).clamp(min=1)
        return [float(value) for value in sums]


__all__ = ["Ranker"]
