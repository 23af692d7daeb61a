"""Dependency parses of clauses, by a spaCy pipeline or by HanLP (Counterfactual Recipe Generation, appendix A.2).

The words of a parse, joined, are the clause without white space. A clause may have several roots. The relation of a
root is `root`; all other relations keep the names that the model gives them, and `roles` says what they mean.
"""

import functools
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Literal, Protocol

import polars as pl

from wokflow.frame import tables
from wokflow.frame.job import Job, UserError
from wokflow.frame.shards import blocks, shard_range
from wokflow.parse import schemas
from wokflow.parse.conllu import CTB_TAGS, UPOS, Sentence, on_a_cycle
from wokflow.parse.glossary import read_glossary
from wokflow.parse.roles import Scheme, roles_of, scheme_of
from wokflow.parse.segment import Segmenter
from wokflow.parse.settings import DependenciesSettings

# Clauses parsed as one unit, since the other clauses of a batch may change the last bits of a parse's scores.
BLOCK = 2048
UNKNOWN = "_"  # a tag that the model does not give; also the tags and relations of a clause that it failed on
LAST_CHARACTER = "wokflow.last_character.v1"

Name = Literal["trained", "spacy", "hanlp"]
Parsed = tuple[
    list[str], list[Sentence], list[tuple[str, ...]], int
]  # clauses, parses, their roles, failures


class Backend(Protocol):
    """A parser, used by one thread at a time. Up to `copies` of it may be loaded to run in parallel."""

    copies: int
    scheme: Scheme  # of its relations

    def __call__(self, clauses: Sequence[str]) -> list[Sentence]:
        """A parse of each clause, in order. No clause may consist of white space alone."""


def parse_dependencies(
    *,
    clauses: str,
    trained: Sequence[str],
    dependencies: str,
    shard: int,
    shards: int,
    settings: DependenciesSettings,
    job: Job,
) -> None:
    """Parse one shard of the clauses (schema parse/clauses) to parse/dependencies, a row for each, in order.

    Backend trained uses the one folder in `trained`, which parse.parser wrote, on the CPU.

    A clause that the model fails on keeps the segmenter's words, with heads -1 and tags and relations "_"; the rules
    read it. The log counts these clauses. Raises UserError if the model cannot be loaded, names relations by an
    unknown scheme, or memory runs out, and the model's own error if it fails on every clause of a block.
    """
    table = tables.read(clauses)["clause"]
    rows = shard_range(table.len(), BLOCK, shard, shards)
    segment = Segmenter(read_glossary(settings.glossary))
    model, device = (trained[0], "cpu") if trained else (settings.model, settings.device)
    load = functools.partial(
        load_backend, settings.backend, model, segment, batch=settings.batch, device=device
    )
    done = failed = 0
    with tables.PartWriter(dependencies, schemas.DEPENDENCIES, job.metadata) as part:
        for some, parses, roles, failures in _parsed(table, blocks(rows, BLOCK), load, segment, job.threads):
            part.write(_frame(some, parses, roles))
            done, failed = done + len(some), failed + failures
            job.progress(done, f"{done} of {len(rows)} clauses parsed", of=len(rows))
    if failed:
        job.progress.say(f"{failed} of {len(rows)} clauses could not be parsed: the rules read them")


def _parsed(
    table: pl.Series, todo: Sequence[range], load: Callable[[], Backend], segment: Segmenter, threads: int
) -> Iterator[Parsed]:
    """The `Parsed` of each block, in order."""
    if not todo:
        return
    parsers = [load()]
    parsers += [load() for _ in range(min(threads, parsers[0].copies, len(todo)) - 1)]
    free = SimpleQueue[Backend]()
    for parser in parsers:
        free.put(parser)

    def work(block: range) -> Parsed:
        parser = free.get()
        try:
            some = table[block.start : block.stop].to_list()
            parses, failures = parse_block(some, parser, segment)
            return some, parses, [roles_of(parser.scheme, parse.relations) for parse in parses], failures
        finally:
            free.put(parser)

    if len(parsers) == 1:  # a GPU may be bound to the thread that loaded the model
        yield from map(work, todo)
        return
    with ThreadPoolExecutor(len(parsers)) as pool:
        yield from pool.map(work, todo)


def parse_block(clauses: Sequence[str], parser: Backend, segment: Segmenter) -> tuple[list[Sentence], int]:
    """A parse of each clause, and the number of clauses that the model failed on."""
    parses = iter(_tolerant([clause for clause in clauses if clause.strip()], parser))
    result, failures = [], 0
    for clause in clauses:
        parse = next(parses) if clause.strip() else Sentence((), (), (), ())
        if parse is None or not _sound(clause, parse):
            parse = _unparsed(segment(clause))
            failures += 1
        result.append(parse)
    return result, failures


def _tolerant(clauses: Sequence[str], parser: Backend) -> Sequence[Sentence | None]:
    """The parses of all clauses; if the batch fails, each clause is parsed alone, and failures give None."""
    try:
        return parser(clauses) if clauses else []
    except UserError:
        raise
    except Exception as error:
        _raise_if_out_of_memory(error)
    parses: list[Sentence | None] = []
    errors: list[Exception] = []
    for clause in clauses:
        try:
            parses += parser([clause])
        except Exception as error:  # models raise anything on odd input
            parses.append(None)
            errors.append(error)
    if len(errors) == len(clauses) > 1:
        raise errors[0]
    return parses


def _raise_if_out_of_memory(error: Exception) -> None:
    if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError":
        raise UserError(f"out of memory while parsing: lower parse.dependencies.batch ({error})") from error


def _sound(clause: str, parse: Sentence) -> bool:
    """Whether the words are those of the clause, and all chains of heads end in a root."""
    return (
        parse.text == "".join(clause.split())
        and len(parse.words) == len(parse.tags) == len(parse.heads) == len(parse.relations)
        and all(-1 <= head < len(parse.words) for head in parse.heads)
        and on_a_cycle(parse.heads) is None
    )


def _unparsed(words: Sequence[str]) -> Sentence:
    unknown = (UNKNOWN,) * len(words)
    return Sentence(tuple(words), unknown, (-1,) * len(words), unknown)


def _frame(
    clauses: Sequence[str], parses: Sequence[Sentence], roles: Sequence[tuple[str, ...]]
) -> pl.DataFrame:
    strings = pl.List(pl.String)
    return pl.DataFrame(
        {
            "clause": pl.Series(clauses, dtype=pl.String),
            "words": pl.Series([parse.words for parse in parses], dtype=strings),
            "tags": pl.Series([parse.tags for parse in parses], dtype=strings),
            "heads": pl.Series([parse.heads for parse in parses], dtype=pl.List(pl.Int32)),
            "relations": pl.Series([parse.relations for parse in parses], dtype=strings),
            "roles": pl.Series(roles, dtype=strings),
        }
    )


def load_backend(backend: Name, model: str, segment: Segmenter, *, batch: int, device: str) -> Backend:
    """The loaded parser. Raises UserError if it cannot be loaded."""
    if backend == "hanlp":
        loaded = load_hanlp(model, device)
        return HanLP(loaded, segment, batch, scheme_of(hanlp_relations(loaded), model))
    nlp = load_pipeline(model, device) if backend == "spacy" else load_trained(model)
    scheme = scheme_of(nlp.get_pipe("parser").labels, model)
    if backend == "spacy":
        return SpaCy(nlp, None, batch, scheme, copies=1)
    return SpaCy(nlp, segment, batch, scheme)


class SpaCy:
    """A spaCy pipeline on the words of `segment`, or of its own tokenizer if `segment` is None."""

    def __init__(
        self, nlp: Any, segment: Segmenter | None, batch: int, scheme: Scheme, *, copies: int = 64
    ) -> None:
        self.copies, self.scheme = copies, scheme
        self._nlp, self._segment, self._batch = nlp, segment, batch

    def __call__(self, clauses: Sequence[str]) -> list[Sentence]:
        if self._segment is None:
            return self._run(clauses)
        return self.parse_words([self._segment(clause) for clause in clauses])

    def parse_words(self, clauses: Sequence[Sequence[str]]) -> list[Sentence]:
        """A parse of each clause; clauses are given as lists of words."""
        from spacy.tokens import Doc

        vocab = self._nlp.vocab
        return self._run(Doc(vocab, list(words), [False] * len(words)) for words in clauses)

    def _run(self, clauses: Any) -> list[Sentence]:
        with self._nlp.memory_zone():  # without it, spaCy's vocabulary would grow with the corpus
            return [_from_doc(doc) for doc in self._nlp.pipe(clauses, batch_size=self._batch)]


def _from_doc(doc: Any) -> Sentence:
    tokens = [token for token in doc if not token.is_space]
    place = {token.i: index for index, token in enumerate(tokens)}
    heads = [-1 if token.head.i == token.i else place.get(token.head.i, -1) for token in tokens]
    return Sentence(
        words=tuple(token.text for token in tokens),
        tags=tuple(token.pos_ or token.tag_ or UNKNOWN for token in tokens),
        heads=tuple(heads),
        relations=tuple(
            "root" if head < 0 else token.dep_ for token, head in zip(tokens, heads, strict=True)
        ),
    )


@functools.cache
def register_last_character() -> None:
    """Register with spaCy the callback that makes a word's last character its suffix: 汤 of 鸡蛋汤."""
    from spacy.attrs import SUFFIX
    from spacy.util import registry

    def last_character(nlp: Any) -> Any:
        nlp.vocab.lex_attr_getters[SUFFIX] = lambda word: word[-1:]
        return nlp

    registry.callbacks(LAST_CHARACTER, func=lambda: last_character)


def load_trained(folder: str) -> Any:
    """The pipeline that parse.parser wrote. Raises UserError if the folder holds none."""
    import spacy

    register_last_character()
    if not (Path(folder) / "config.cfg").is_file():
        raise UserError(f"{folder} holds no trained parser: the step parse.parser trains one")
    try:
        return spacy.load(folder)
    except Exception as error:  # a broken folder may raise anything
        raise UserError(f"the parser in {folder} cannot be loaded; train it again: {error}") from error


def load_pipeline(name: str, device: str) -> Any:
    """An installed spaCy pipeline, by package name or folder; on a GPU if `device` allows it and there is one.

    Raises UserError if it is missing, cannot be loaded, or has no dependency parser.
    """
    import spacy
    from thinc.api import prefer_gpu

    register_last_character()
    if device != "cpu":
        prefer_gpu(_gpu(device))
    try:
        nlp = spacy.load(name, exclude=["ner"])
        parses = "parser" in nlp.pipe_names and nlp("加盐").has_annotation("DEP")
    except Exception as error:  # a broken package may raise anything
        raise UserError(
            f"parse.dependencies.model: the spaCy pipeline {name} cannot be loaded: {error}. Install its package "
            f"(python -m spacy download {name}), or give its folder"
        ) from error
    if not parses:
        raise UserError(f"parse.dependencies.model: the spaCy pipeline {name} has no dependency parser")
    return nlp


class HanLP:
    """A HanLP model: a dependency parser on the words of `segment`, or a multi-task model on its own words.

    Tags are UPOS, converted from those of the Chinese Treebank if need be, and "_" if the model gives none. Without a
    GPU it runs in one thread; to use more cores, set parse.dependencies.shards.
    """

    copies = 1

    def __init__(self, model: Any, segment: Segmenter, batch: int, scheme: Scheme) -> None:
        self.scheme = scheme
        self._model, self._segment, self._batch = model, segment, batch
        self._tasks = [name for name in getattr(model, "tasks", ()) if _parses(name) or _tags(name)]

    def __call__(self, clauses: Sequence[str]) -> list[Sentence]:
        order = sorted(range(len(clauses)), key=lambda index: (len(clauses[index]), index))
        run = self._multi_task if self._tasks else self._parser
        parses: dict[int, Sentence] = {}
        with _one_thread():
            for start in range(0, len(order), self._batch):
                some = order[start : start + self._batch]
                parses |= zip(some, run([clauses[index] for index in some]), strict=True)
        return [parses[index] for index in range(len(clauses))]

    def _parser(self, clauses: list[str]) -> list[Sentence]:
        words = [self._segment(clause) for clause in clauses]
        arcs = self._model.predict(words, batch_size=len(words), conll=False)
        return [_from_arcs(*pair, None) for pair in zip(words, arcs, strict=True)]

    def _multi_task(self, clauses: list[str]) -> list[Sentence]:
        predicted = self._model.predict(clauses, tasks=self._tasks)
        words = next(predicted[key] for key in predicted if key.startswith("tok"))
        arcs = next(predicted[key] for key in predicted if key.startswith("dep"))
        tags = next((predicted[key] for key in predicted if _tags(key)), [None] * len(words))
        return [_from_arcs(*row) for row in zip(words, arcs, tags, strict=True)]


@contextmanager
def _one_thread() -> Iterator[None]:
    """One thread of torch, since sums depend on their number; other models of the process keep theirs."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def hanlp_relations(model: Any) -> set[str]:
    """The relations in a HanLP model's vocabulary; of a multi-task model, in its parser's."""
    tasks = getattr(model, "tasks", {})
    parser = next((task for name, task in tasks.items() if _parses(name)), model)
    vocabulary = parser.vocabs["rel"]
    return set(vocabulary.idx_to_token) - {vocabulary.pad_token, vocabulary.unk_token}


def _parses(task: str) -> bool:
    return task == "ud" or task.startswith("dep")


def _tags(task: str) -> bool:
    return task in ("pos", "pos/upos", "pos/ctb")


def _from_arcs(words: Sequence[str], arcs: Sequence[tuple[int, str]], tags: Sequence[str] | None) -> Sentence:
    """A parse from HanLP's pairs (head, relation), where heads count from 1 and 0 means root."""
    known = [UNKNOWN] * len(words) if tags is None else [CTB_TAGS.get(tag, tag) for tag in tags]
    return Sentence(
        words=tuple(words),
        tags=tuple(tag if tag in UPOS or tag == UNKNOWN else "X" for tag in known),
        heads=tuple(int(head) - 1 for head, _ in arcs),
        relations=tuple("root" if head == 0 else relation for head, relation in arcs),
    )


def load_hanlp(model: str, device: str) -> Any:
    """A HanLP dependency parser or multi-task model, from a folder or by its name, set to give trees.

    HanLP reads the weights without running pickled code, but the model's configuration names the classes that are
    instantiated: use only models from sources that you trust. Raises UserError if the model cannot be loaded or
    does not parse plain words.
    """
    try:
        import hanlp
        import torch
    except ImportError as error:
        raise UserError(
            f"parse.dependencies.backend hanlp needs a package: run `make setup-hub`, or pip install hanlp ({error})"
        ) from error
    if not Path(model).is_dir() and model not in hanlp.pretrained.ALL:
        raise UserError(f"parse.dependencies.model: {model} is neither a folder nor a name that HanLP knows")
    on_gpu = device != "cpu" and torch.cuda.is_available()
    try:
        loaded: Any = hanlp.load(model, verbose=False, devices=_gpu(device) if on_gpu else -1)
    except Exception as error:  # a broken folder may raise anything
        raise UserError(
            f"parse.dependencies.model: HanLP cannot load {model}: {error}. Without a network, load it once "
            "on a machine that has one, and give the folder that HanLP put it into (under ~/.hanlp)"
        ) from error
    tasks = getattr(loaded, "tasks", {})
    plain = any(map(_parses, tasks)) if tasks else getattr(loaded, "use_pos", True) is False
    if not plain:
        raise UserError(
            f"parse.dependencies.model: {model} does not parse plain words or text: choose another"
        )
    for part in (loaded, *tasks.values()):
        if "tree" in part.config:
            part.config.tree = True
    return loaded


def _gpu(device: str) -> int:
    """The number of a GPU: 1 for cuda:1, 0 for auto and cuda."""
    return int(device.partition(":")[2] or 0)
