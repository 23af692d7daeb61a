"""spBLEU (Goyal et al. 2022): sacrebleu's BLEU of the pieces of a model of SentencePiece."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from wokflow.evaluate.score_intervals import Metric, whole
from wokflow.frame.digests import path_digest
from wokflow.frame.job import UserError

Pieces = tuple[
    str, Callable[[str], str]
]  # a name for signatures, and a function that puts spaces between pieces


def spbleu_metric(texts: Sequence[str], references: Sequence[str], pieces: Pieces) -> Metric:
    """BLEU of all texts, each against its reference."""
    name, cut = pieces
    metric = whole("spbleu", "bleu:none", [*map(cut, texts)], [*map(cut, references)])
    return replace(metric, signature=metric.signature.replace("tok:none", f"tok:{name}"))


def sentence_pieces(path: str) -> Pieces:
    """The pieces of a model of SentencePiece, as sacrebleu's tokenizers flores101 and flores200 cut texts by theirs.

    sacrebleu would download these; here the file is given. Raises UserError if it is no such model.
    """
    import sentencepiece

    try:
        model = sentencepiece.SentencePieceProcessor(model_file=path)
    except (OSError, RuntimeError) as error:
        raise UserError(
            f"evaluate.metrics.spbleu: {path} is not a model of SentencePiece: {error}. docs/runs.md says where "
            "to get one."
        ) from error

    name = f"spm-{path_digest(path)[:12]}"
    return name, lambda text: " ".join(model.encode(text.rstrip(), out_type=str))
