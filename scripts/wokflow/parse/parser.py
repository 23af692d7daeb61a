"""Trains a small dependency parser on treebanks, for clauses of recipes.

It is a spaCy pipeline: convolutions over word embeddings, shared by a UPOS tagger and a transition-based parser. It
is trained on whole sentences and also on their clauses, because it will parse clauses. Clauses are used twice: in
the words of the treebank, and in those of the segmenter, onto which the arcs are projected.
"""

import json
import random
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Any

from wokflow.frame.job import Job, Progress, UserError
from wokflow.frame.tables import atomic_folder, write_text
from wokflow.parse.clauses import clauses
from wokflow.parse.conllu import Sentence, read_conllu
from wokflow.parse.dependencies import LAST_CHARACTER, SpaCy, register_last_character
from wokflow.parse.glossary import read_glossary
from wokflow.parse.roles import scheme_of
from wokflow.parse.segment import Segmenter
from wokflow.parse.settings import ParserSettings

HELD_OUT = 10  # without test treebanks every tenth sentence is held out
FEATURES = {"NORM": 4000, "PREFIX": 2000, "SUFFIX": 2000, "SHAPE": 500}  # rows of the hashed embeddings
BATCH = 256  # clauses that are parsed together for the scores

# Words and their targets in training: tags ("" if unknown), heads and relations (None if unknown).
Target = tuple[tuple[str, ...], tuple[str, ...], tuple[int | None, ...], tuple[str | None, ...]]


def parse_parser(*, model: str, scores: str, settings: ParserSettings, job: Job) -> None:
    """Train on CoNLL-U treebanks; write the pipeline to the folder `model`, and its `scores` as JSON.

    Without treebanks to test on, every tenth sentence is held out. The same input gives the same folder
    and scores on the same kind of machine. Raises UserError if a treebank cannot be read or has too few sentences.
    """
    known, test = (
        read_conllu(paths, simplify=settings.simplify) for paths in (settings.treebanks, settings.test)
    )
    sentences, held = _split(known, test, settings.max_sentences)
    segment = Segmenter(read_glossary(settings.glossary))
    nlp = untrained(settings.width, settings.depth)
    averages = _fit(nlp, _targets(sentences, segment), settings, job.progress)
    scheme = scheme_of(nlp.get_pipe("parser").labels, ", ".join(settings.treebanks))
    with nlp.use_params(averages):
        result = parser_scores(SpaCy(nlp, segment, BATCH, scheme), held)
        with atomic_folder(model) as folder:
            nlp.to_disk(folder)
    sizes = {"train_sentences": len(sentences), "test_sentences": len(held), "held_out": not settings.test}
    write_text(scores, json.dumps(sizes | result, indent=2) + "\n")


def _split(
    sentences: list[Sentence], test: list[Sentence], most: int | None
) -> tuple[list[Sentence], list[Sentence]]:
    """(sentences to train on, at most `most`; sentences to test on)."""
    if not test:
        test = sentences[HELD_OUT - 1 :: HELD_OUT]
        sentences = [each for row, each in enumerate(sentences, start=1) if row % HELD_OUT]
    if not sentences or not test:
        raise UserError(
            f"{len(sentences)} sentences to train on and {len(test)} to test: name more treebanks in "
            f"parse.parser.treebanks; without parse.parser.test at least {HELD_OUT} sentences are needed"
        )
    if most is not None and len(sentences) > most:
        sentences = [sentences[row * len(sentences) // most] for row in range(most)]
    return sentences, test


def untrained(width: int, depth: int) -> Any:
    """The pipeline before training. Each of the `depth` convolutions sees one word more to either side."""
    import spacy

    register_last_character()
    nlp = spacy.blank("zh", config={"nlp": {"after_creation": {"@callbacks": LAST_CHARACTER}}})
    embed = {
        "@architectures": "spacy.MultiHashEmbed.v2",
        "width": width,
        "attrs": list(FEATURES),
        "rows": list(FEATURES.values()),
        "include_static_vectors": False,
    }
    encode = {
        "@architectures": "spacy.MaxoutWindowEncoder.v2",
        "width": width,
        "depth": depth,
        "window_size": 1,
        "maxout_pieces": 3,
    }
    shared = {"@architectures": "spacy.Tok2VecListener.v1", "width": width, "upstream": "tok2vec"}
    nlp.add_pipe(
        "tok2vec", config={"model": {"@architectures": "spacy.Tok2Vec.v2", "embed": embed, "encode": encode}}
    )
    nlp.add_pipe("tagger", config={"model": {"@architectures": "spacy.Tagger.v2", "tok2vec": shared}})
    parser = {
        "@architectures": "spacy.TransitionBasedParser.v2",
        "state_type": "parser",
        "extra_state_tokens": False,
        "hidden_width": width,
        "maxout_pieces": 2,
        "use_upper": True,
        "tok2vec": shared,
    }
    nlp.add_pipe(
        "parser", config={"min_action_freq": 1, "model": parser}
    )  # small treebanks: rare labels stay
    return nlp


def _fit(nlp: Any, targets: Sequence[Target], settings: ParserSettings, progress: Progress) -> Any:
    """Train in place; returns the parameters averaged over all steps, which parse better than the last ones."""
    from spacy.tokens import Doc
    from spacy.training import Example
    from thinc.api import Adam, fix_random_seed, warmup_linear

    def doc(words: Sequence[str], *target: Sequence[Any]) -> Any:
        known: Any = dict(zip(("tags", "heads", "deps"), map(list, target), strict=False))
        return Doc(nlp.vocab, list(words), [False] * len(words), **known)

    examples = [Example(doc(target[0]), doc(*target)) for target in targets]
    fix_random_seed(settings.seed)
    nlp.initialize(lambda: examples)
    epochs = settings.epochs
    steps = epochs * sum(1 for _ in _batches(examples, settings.batch_words))
    rates: Any = warmup_linear(settings.learning_rate, steps // 20 + 1, steps + epochs)
    optimizer = Adam(rates, L2=0.01, L2_is_weight_decay=True, grad_clip=1.0, use_averages=True)
    shuffle = random.Random(settings.seed).shuffle
    for epoch in range(1, epochs + 1):
        shuffle(examples)
        for batch in _batches(examples, settings.batch_words):
            nlp.update(batch, drop=settings.dropout, sgd=optimizer)
            optimizer.step_schedules()
        progress(epoch, f"epoch {epoch} of {epochs}", of=epochs)
    return optimizer.averages


def _batches(examples: Iterable[Any], words: int) -> Iterator[list[Any]]:
    """Batches of examples with at least `words` words each; the last may have fewer."""
    batch: list[Any] = []
    size = 0
    for example in examples:
        batch.append(example)
        size += len(example.x)
        if size >= words:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _targets(sentences: Iterable[Sentence], segment: Segmenter) -> list[Target]:
    """Sentences and clauses in the treebank's words, clauses in the segmenter's words; without duplicates."""
    targets: list[Target] = []
    for sentence in sentences:
        parts = clauses_of(sentence)
        targets += [project(part, part.words) for part in (sentence, *parts)]
        targets += [project(part, segment(part.text)) for part in parts]
    return list(dict.fromkeys(targets))


def clauses_of(sentence: Sentence) -> list[Sentence]:
    """The sentence's clauses, as parse.clauses cuts them. A word whose head is in another clause becomes a root."""
    ends = list(accumulate(map(len, sentence.words)))
    parts = []
    for start, end in clauses(sentence.text):
        inside = [
            i for i, word in enumerate(sentence.words) if start <= ends[i] - len(word) and ends[i] <= end
        ]
        place = {old: new for new, old in enumerate(inside)}
        heads = tuple(place.get(sentence.heads[i], -1) for i in inside)
        parts.append(
            Sentence(
                words=tuple(sentence.words[i] for i in inside),
                tags=tuple(sentence.tags[i] for i in inside),
                heads=heads,
                relations=tuple(
                    sentence.relations[i] if head >= 0 else "root"
                    for i, head in zip(inside, heads, strict=True)
                ),
            )
        )
    return [part for part in parts if part.words]


def project(sentence: Sentence, words: Sequence[str]) -> Target:
    """The sentence's tags and arcs projected onto other words of the same text, by spaCy's alignment.

    A word that joins several words of the sentence gets the arc that leads out of it, if there is exactly one. If a
    word of the sentence is split, its last piece gets its arc. All other arcs are unknown and not trained on.
    The result follows spaCy's conventions: see `_arc`.
    """
    from spacy.training import Alignment

    alignment = Alignment.from_strings(list(words), list(sentence.words))
    theirs = [alignment.x2y[here].tolist() for here in range(len(words))]
    ours = [alignment.y2x[there].tolist() for there in range(len(sentence.words))]
    tags, heads, relations = [], list[int | None](), list[str | None]()
    for here, some in enumerate(theirs):
        source = _source(here, some, ours, sentence.heads)
        known = some[0] if source is None and len(some) == 1 else source
        tags.append("" if known is None else sentence.tags[known])
        head, relation = (None, None) if source is None else _arc(here, source, ours, sentence)
        heads.append(head)
        relations.append(relation)
    return tuple(words), tuple(tags), tuple(heads), tuple(relations)


def _source(
    here: int, some: Sequence[int], ours: Sequence[Sequence[int]], heads: Sequence[int]
) -> int | None:
    """Of the words `some` that overlap a projected word, the one that gives it its arc."""
    if len(some) == 1:
        return some[0] if ours[some[0]][-1] == here else None
    outward = [word for word in some if heads[word] not in some]
    whole = all(len(ours[word]) == 1 for word in some)
    return outward[0] if whole and len(outward) == 1 else None


def _arc(
    here: int, source: int, ours: Sequence[Sequence[int]], sentence: Sentence
) -> tuple[int | None, str | None]:
    """Head and relation by spaCy's conventions: a root is its own head, with the relation ROOT."""
    if sentence.heads[source] < 0:
        return here, "ROOT"
    head = ours[sentence.heads[source]][-1]
    return (None, None) if head == here else (head, sentence.relations[source])


def parser_scores(parser: SpaCy, gold: Sequence[Sentence]) -> dict[str, Any]:
    """Scores in percent on sentences and on clauses, with the treebank's words and with the segmenter's."""
    units = {"sentences": gold, "clauses": [part for sentence in gold for part in clauses_of(sentence)]}
    return {
        name: {
            "gold_words": attachment(some, parser.parse_words([each.words for each in some])),
            "own_words": attachment(some, parser([each.text for each in some])),
        }
        for name, some in units.items()
    }


def attachment(gold: Sequence[Sentence], predicted: Sequence[Sentence]) -> dict[str, float]:
    """F1, in percent, of words, tags, heads (UAS), and heads with relations (LAS), with and without punctuation.

    As in the CoNLL 2018 shared task (Zeman et al. 2018): two words match if they cover the same characters, two heads
    if they match as words; relations are compared without subtypes. With equal words F1 is accuracy.
    """
    scores: dict[str, float] = {}
    for suffix, punctuation in (("", True), ("_without_punctuation", False)):
        right, size = [0, 0, 0, 0], 0
        for left, other in zip(gold, predicted, strict=True):
            theirs, ours = _by_span(left, punctuation), _by_span(other, punctuation)
            size += len(theirs) + len(ours)
            for span in theirs.keys() & ours.keys():
                (tag, head, relation), (tag_2, head_2, relation_2) = theirs[span], ours[span]
                arc = head == head_2
                for index, same in enumerate((True, tag == tag_2, arc, arc and relation == relation_2)):
                    right[index] += same
        for name, count in zip(("words", "upos", "uas", "las"), right, strict=True):
            scores[name + suffix] = round(200 * count / size, 2) if size else 0.0
    return scores


Span = tuple[int, int]


def _by_span(sentence: Sentence, punctuation: bool) -> dict[Span, tuple[str, Span | None, str]]:
    """Each word's tag, its head's span (None for a root) and its relation without subtype, by the word's span."""
    ends = list(accumulate(map(len, sentence.words)))
    spans = [(end - len(word), end) for end, word in zip(ends, sentence.words, strict=True)]
    return {
        spans[i]: (
            sentence.tags[i],
            spans[head] if head >= 0 else None,
            sentence.relations[i].partition(":")[0],
        )
        for i, head in enumerate(sentence.heads)
        if punctuation or not _is_punctuation(sentence.words[i])
    }


def _is_punctuation(word: str) -> bool:
    return all(unicodedata.category(character)[0] == "P" for character in word)
