"""EDUCAT (Chen et al. 2021): Metropolis-Hastings over the tokens of a text that is to fit another prompt."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Literal

from wokflow.models.decoding import text_of
from wokflow.models.prefix import Prefix
from wokflow.models.sentence_rewriting import Original, Reader, rows_of

if TYPE_CHECKING:
    from torch import Generator, Tensor

REPLACE, INSERT, DELETE = range(3)
BACK = (REPLACE, DELETE, INSERT)  # the operation that undoes each
EVERY = 5  # steps between two temperatures
MORE = 32  # tokens that a sentence may grow by
LARGE = 50.0  # differences of log-probabilities count up to this, so that their exponentials stay finite
NEVER = float("-inf")


@dataclass(frozen=True)
class Chain:
    """Hyperparameters.

    `coherence`: what fluency, P(text | new prompt), is multiplied by: `ratio`, P(text | new prompt) / P(text | old
    prompt); `sigmoid` of that ratio; or `none`. `odds`: of replacing, inserting and deleting. `candidates`: likeliest
    tokens that are proposed. `cooling`: factor of the temperature each EVERY steps. `least`: a proposal whose
    probability is not above this share of the present one is refused. `corrected`: what acceptance makes up for:
    `words`, the probability of proposing a token, or `all`, those of operation and position too.
    """

    steps: int
    burn_in: int
    candidates: int
    odds: Sequence[float]
    cooling: float
    least: float
    shortest: int
    coherence: Literal["ratio", "sigmoid", "none"]
    corrected: Literal["words", "all"]


@dataclass
class State:
    """Texts, a row each, and what the model says of them.

    `ids` [rows, places] and `counts` [rows]; `score` [rows], the logarithm of fluency times coherence; `likely`
    [rows, places], the log-probability of each token behind the new prompt; `conflict` [rows, places], how many times
    as likely it is behind the old one; `logits` [rows, places, vocabulary] and the logarithms of their sums, `norms`
    [rows, places], of what may stand there behind the new prompt.
    """

    ids: "Tensor"
    counts: "Tensor"
    score: "Tensor"
    likely: "Tensor"
    conflict: "Tensor"
    logits: "Tensor"
    norms: "Tensor"


@dataclass(frozen=True)
class Move:
    """Proposed texts, `ids` and `counts`, by one operation at a place each; `allowed` [rows] are those that exist.

    `balance` [rows]: log-probability of proposing the word of the reverse move, minus that of the word of the move.
    """

    ids: "Tensor"
    counts: "Tensor"
    operation: "Tensor"
    place: "Tensor"
    balance: "Tensor"
    allowed: "Tensor"


def rewrite(reader: Reader, originals: Sequence[Original], how: Chain, most: int, seed: int) -> list[str]:
    """The old texts, edited until they fit the new prompt; `most` tokens of each are read.

    A text is edited sentence by sentence, each behind the prompt and what the sentences before it have become. Of the
    texts that were accepted after `burn_in` steps the one with the best score is taken, and without one, the last.
    """
    import torch

    training = reader.network.training
    reader.network.eval()
    generator = torch.Generator().manual_seed(seed)
    pieces = [reader.pieces(one.text, MORE, most) for one in originals]
    texts = [""] * len(originals)
    try:
        with torch.inference_mode():
            for number in range(max(map(len, pieces), default=0)):
                some = [place for place, parts in enumerate(pieces) if number < len(parts)]
                old = [pieces[place][number] for place in some]
                ids = [reader.ids(text) for text in old]
                more = max(map(len, ids)) + MORE
                asked = [reader.before(originals[place].asked, texts[place], more) for place in some]
                told = [
                    reader.before(originals[place].told, "".join(pieces[place][:number]), more)
                    for place in some
                ]
                rewritten = walk(reader, asked, told, ids, how, generator)
                for place, sentence, before, after in zip(some, old, ids, rewritten, strict=True):
                    blanks = sentence[len(sentence.rstrip()) :]
                    texts[place] += sentence if after == before else text_of(reader.tokenizer, after) + blanks
    finally:
        reader.network.train(training)
    return [text.strip() for text in texts]


def walk(
    reader: Reader,
    asked: list[list[int]],
    told: list[list[int]],
    rows: list[list[int]],
    how: Chain,
    generator: "Generator",
) -> list[list[int]]:
    """Rows of tokens, edited to follow the new prompts (`asked`) in place of the old ones (`told`)."""
    import torch

    prefix = Prefix(reader.network, reader.pad, [*asked, *told])
    special = torch.tensor(sorted(reader.tokenizer.all_special_ids), device=reader.network.device)
    ids, counts = rows_of(rows, reader.pad, reader.network.device)
    most = ids.shape[1] + MORE
    state = measured(prefix, ids, counts, how)
    best: list[tuple[float, list[int]] | None] = [None] * len(rows)
    for number in range(how.steps):
        state, moved = step(prefix, state, special, how, number, most, generator)
        if number <= how.burn_in:
            continue
        for place in moved.nonzero()[:, 0].tolist():
            score, known = float(state.score[place]), best[place]
            if known is None or score > known[0]:
                best[place] = (score, _row(state, place))
    return [_row(state, place) if known is None else known[1] for place, known in enumerate(best)]


def step(
    prefix: Prefix,
    state: State,
    special: "Tensor",
    how: Chain,
    number: int,
    most: int,
    generator: "Generator",
) -> tuple[State, "Tensor"]:
    """(the texts after a step of all chains, which of them are new [rows]); none has more than `most` tokens."""
    import torch

    draws = torch.rand((4, len(state.counts)), generator=generator, dtype=torch.float64)
    chance = draws.to(state.score.device)
    move = proposal(state, special, how, chance[0], chance[1], chance[2], most)
    after = measured(prefix, move.ids, move.counts, how)
    balance = move.balance
    if how.corrected == "all":
        balance = balance + _chosen(after, how, _back(move.operation), move.place)
        balance = balance - _chosen(state, how, move.operation, move.place)
    temperature = how.cooling ** (number // EVERY)
    gain = after.score - state.score
    accepted = move.allowed & (chance[3].log() < gain / temperature + balance)
    if how.least:
        accepted &= gain > torch.tensor(how.least).log()
    longest = int(torch.where(accepted, after.counts, state.counts).max())
    old, new = _resized(state, longest), _resized(after, longest)
    merged = {
        each.name: torch.where(
            accepted.view(-1, *[1] * (getattr(old, each.name).dim() - 1)),
            getattr(new, each.name),
            getattr(old, each.name),
        )
        for each in fields(State)
    }
    alike = (new.ids == old.ids) | (_places(old.ids) >= old.counts[:, None])
    same = alike.all(1) & (new.counts == old.counts)
    return State(**merged), accepted & ~same


def measured(prefix: Prefix, ids: "Tensor", counts: "Tensor", how: Chain) -> State:
    """What the model says of texts; `prefix` has the new prompts, and behind them the old ones."""
    import torch

    rows = len(ids)
    logits = prefix.predictions(torch.cat([ids, ids]))
    norms = logits.logsumexp(2)
    every = (logits.gather(2, torch.cat([ids, ids])[:, :, None])[:, :, 0] - norms).double()
    likely, before = every[:rows], every[rows:]
    real = _places(ids) < counts[:, None]
    fluency, difference = ((likely * real).sum(1), ((likely - before) * real).sum(1))
    match how.coherence:
        case "ratio":
            coherence = difference
        case "sigmoid":
            coherence = torch.nn.functional.logsigmoid(difference.clamp(max=LARGE).exp())
        case "none":
            coherence = torch.zeros_like(difference)
    conflict = (before - likely).clamp(max=LARGE).exp()
    return State(ids, counts, fluency + coherence, likely, conflict, logits[:rows], norms[:rows])


def proposal(
    state: State,
    special: "Tensor",
    how: Chain,
    operates: "Tensor",
    places: "Tensor",
    words: "Tensor",
    most: int,
) -> Move:
    """A move of each text by three numbers [rows] between 0 and 1: for operation, place and word. No word is special.

    The last token is replaced and never deleted, and nothing is inserted behind it, so that a sentence keeps its end.
    """
    import torch

    odds = torch.tensor(how.odds, dtype=torch.float64, device=state.score.device)
    operation = _draw(odds.log().expand(len(operates), 3), operates)
    inserts, deletes = operation == INSERT, operation == DELETE
    place = _draw(_where(state, operation), places)
    at = place[:, None]
    old = state.ids.gather(1, at)
    known = state.logits[torch.arange(len(place), device=place.device), place] - state.norms.gather(1, at)
    known = known.index_fill(1, special[special < known.shape[1]], NEVER)
    weights, candidates = known.double().topk(min(how.candidates, known.shape[1]), 1)
    own = state.likely.gather(1, at).masked_fill((candidates == old).any(1, keepdim=True), NEVER)
    # The present token can always be proposed, or be put back, even where it is none of the likeliest.
    every = torch.cat([weights, own.masked_fill(inserts[:, None], NEVER)], 1).log_softmax(1)
    drawn = _draw(every, words)[:, None]
    word = torch.cat([candidates, old], 1).gather(1, drawn)
    there = every.gather(1, drawn)[:, 0].masked_fill(deletes, 0.0)
    everything = torch.cat([weights, own], 1)
    back = (state.likely.gather(1, at)[:, 0] - everything.logsumexp(1)).masked_fill(inserts, 0.0)
    ids = _edited(state.ids, operation, place, word[:, 0])
    counts = state.counts + inserts.long() - deletes.long()
    allowed = (counts <= most) & (~deletes | (counts >= max(how.shortest, 1)))
    width = max(int(counts.max()), 1)
    return Move(ids[:, :width], counts, operation, place, back - there, allowed)


def _where(state: State, operation: "Tensor") -> "Tensor":
    """Logits [rows, places] of where an operation is tried: the more a token is in conflict with the new prompt."""
    last = state.counts - (operation == DELETE).long()
    places = _places(state.ids)
    # A text of one token has none to delete: the move is refused, and any place will do.
    return state.conflict.masked_fill(places >= last.clamp(min=1)[:, None], NEVER)


def _chosen(state: State, how: Chain, operation: "Tensor", place: "Tensor") -> "Tensor":
    """Log-probability [rows] of choosing an operation and its place."""
    import torch

    odds = torch.tensor(how.odds, dtype=torch.float64, device=state.score.device)
    at = _where(state, operation).log_softmax(1).gather(1, place.clamp(max=state.ids.shape[1] - 1)[:, None])
    return (odds / odds.sum()).log()[operation] + at[:, 0]


def _edited(ids: "Tensor", operation: "Tensor", place: "Tensor", word: "Tensor") -> "Tensor":
    """Rows of tokens with one replaced by `word`, `word` inserted before it, or deleted."""
    import torch

    wide = torch.nn.functional.pad(ids, (0, 1))
    places, at = _places(wide), place[:, None]
    shift = (operation == DELETE)[:, None] & (places >= at)
    source = places + shift.long() - ((operation == INSERT)[:, None] & (places > at)).long()
    moved = wide.gather(1, source.clamp(max=wide.shape[1] - 1))
    written = (places == at) & (operation != DELETE)[:, None]
    return torch.where(written, word[:, None], moved)


def _draw(logits: "Tensor", chance: "Tensor") -> "Tensor":
    """The place [rows] in each row of logits that a number between 0 and 1 falls to."""
    ends = logits.double().softmax(1).cumsum(1)
    places: Tensor = (ends <= (chance * ends[:, -1])[:, None]).sum(1).clamp(max=logits.shape[1] - 1)
    return places


def _resized(state: State, width: int) -> State:
    """The same texts in so many places."""
    import torch

    sized = {}
    for each in fields(State):
        value = getattr(state, each.name)
        if value.dim() > 1:
            missing = max(width - value.shape[1], 0)
            value = torch.nn.functional.pad(value, (0, 0) * (value.dim() - 2) + (0, missing))[:, :width]
        sized[each.name] = value
    return State(**sized)


def _places(ids: "Tensor") -> "Tensor":
    import torch

    places: Tensor = torch.arange(ids.shape[1], device=ids.device).expand(ids.shape)
    return places


def _back(operation: "Tensor") -> "Tensor":
    import torch

    return torch.tensor(BACK, device=operation.device)[operation]


def _row(state: State, place: int) -> list[int]:
    ids: list[int] = state.ids[place, : int(state.counts[place])].tolist()
    return ids
