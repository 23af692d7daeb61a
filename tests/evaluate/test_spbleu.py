"""spBLEU beside sacrebleu's own, with a model of SentencePiece that is learnt here."""

from pathlib import Path

import pytest
from wokflow.evaluate.metrics import evaluate_metrics
from wokflow.evaluate.score_intervals import score
from wokflow.evaluate.settings import MetricsSettings
from wokflow.evaluate.spbleu import sentence_pieces, spbleu_metric
from wokflow.frame import tables
from wokflow.frame.job import UserError

from tests.evaluate.adapted import JOB, recipes, write_instances, write_predictions


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    import sentencepiece

    folder = tmp_path_factory.mktemp("pieces")
    texts = [" ".join(text.split("\n")) for lang in ("en", "zh") for text in recipes(lang)[1]]
    (folder / "texts").write_text("\n".join(texts), encoding="utf-8")
    sentencepiece.SentencePieceTrainer.train(
        input=str(folder / "texts"), model_prefix=str(folder / "pieces"), vocab_size=140, minloglevel=2
    )
    return str(folder / "pieces.model")


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_it_is_sacrebleu_s(lang: str, model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.tokenizers import tokenizer_spm

    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "flores200sacrebleuspm").symlink_to(model)
    monkeypatch.setattr(tokenizer_spm, "SACREBLEU_DIR", str(tmp_path))
    texts, references = ([" ".join(text.split("\n")) for text in side] for side in recipes(lang))
    theirs = BLEU(tokenize="flores200")
    expected = theirs.corpus_score(texts, [references]).score
    ours = spbleu_metric(texts, references, sentence_pieces(model))
    assert score(ours) == pytest.approx(expected)
    assert 0 < expected < 100
    name = ours.signature.split("tok:")[1].split("|")[0]
    assert name.startswith("spm-") and ours.signature.replace(name, "flores200") == str(
        theirs.get_signature()
    )


def written(folder: Path, spbleu: str | None = None) -> set[str]:
    evaluate_metrics(
        instances=write_instances(folder / "i", [{"instance_id": "a", "reference": "Tofu soup"}]),
        predictions=write_predictions(folder / "p", "r", {"a": "Tofu"}),
        parts=str(folder / "out"),
        run="r",
        settings=MetricsSettings(data="zh-en", spbleu=spbleu),
        job=JOB,
    )
    return set(tables.read(folder / "out")["metric"])


def test_it_is_measured_where_a_model_is_given(model: str, tmp_path: Path) -> None:
    assert written(tmp_path, model) - written(tmp_path) == {"spbleu"}


def test_what_is_no_model_is_an_error_that_names_it(tmp_path: Path) -> None:
    (tmp_path / "page").write_text("<html>")
    for path in (tmp_path / "page", tmp_path / "gone"):
        with pytest.raises(UserError, match=rf"evaluate\.metrics\.spbleu: {path} is not a model"):
            written(tmp_path, str(path))
