"""BERTScore of a run: a model for each target language, the library's score, or a note."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from wokflow.evaluate.bertscore import evaluate_bertscore
from wokflow.evaluate.contributions import one_line
from wokflow.evaluate.settings import BertscoreSettings
from wokflow.frame import tables

from tests.evaluate.adapted import JOB, recipes, write_instances, write_predictions


@pytest.fixture(scope="module")
def tiny_bert(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A BERT of two layers with random weights that knows some signs and reads 64 of them."""
    torch = pytest.importorskip("torch")
    pytest.importorskip("bert_score")
    from transformers import BertConfig, BertModel, BertTokenizer

    folder = tmp_path_factory.mktemp("tiny") / "tiny-bert"
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *sorted(set("".join(recipes("zh")[1])))]
    BertTokenizer(vocab={word: number for number, word in enumerate(words)}).save_pretrained(folder)
    torch.manual_seed(7)
    sizes = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 16}
    config = BertConfig(vocab_size=len(words), max_position_embeddings=64, **sizes)
    BertModel(config).save_pretrained(folder)
    return str(folder)


def scored(
    folder: Path, texts: list[str], references: list[str], model: str | None, layers: int | None
) -> pl.DataFrame:
    ids = [f"silver:{number:03}" for number in range(len(texts))]
    rows = [
        {"instance_id": name, "reference": reference} for name, reference in zip(ids, references, strict=True)
    ]
    evaluate_bertscore(
        instances=write_instances(folder / "i", rows),
        predictions=write_predictions(folder / "p", "r", dict(zip(ids, texts, strict=True))),
        parts=str(folder / "out"),
        run="r",
        settings=BertscoreSettings(
            data="en-zh", model=model, revision=None, layers=layers, batch=4, device="cpu"
        ),
        job=JOB,
    )
    return tables.read(folder / "out")


def test_it_is_the_librarys_called_by_hand(tmp_path: Path, tiny_bert: str) -> None:
    from bert_score import BERTScorer

    texts, references = recipes("zh")
    found = scored(tmp_path, texts, references, tiny_bert, 2)
    library = BERTScorer(model_type=tiny_bert, num_layers=2, device="cpu", batch_size=4)
    library._tokenizer.model_max_length = 64  # the tokenizer's folder does not say it
    full = np.array(list(map(bool, texts)))
    pairs = [(one_line(text), one_line(other)) for text, other in zip(texts, references, strict=True) if text]
    _, _, expected = library.score(*map(list, zip(*pairs, strict=True)))
    values = np.array(found["parts"].to_list())
    assert values[full, 0] / 100 == pytest.approx(expected.numpy(), abs=1e-6)
    assert values[~full].tolist() == [[0, 1]]  # an empty one scores 0
    assert set(found["statistic"]) == {"mean"}
    assert found["signature"][0].startswith("tiny-bert_L2_no-idf_version=")


def test_without_a_model_there_is_a_note(tmp_path: Path) -> None:
    found = scored(tmp_path, ["煮"], ["煮"], None, None)
    row = found.row(0, named=True)
    assert row["parts"] is None and "No model" in row["note"]


@pytest.mark.parametrize("kind", ["roberta", "xlnet"])
def test_models_whose_positions_are_no_plain_limit_score_long_texts(
    kind: str, tmp_path: Path, tiny_bert: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """RoBERTa's positions begin behind its padding token; XLNet has none. Neither tokenizer names a limit."""
    from transformers import AutoConfig, AutoModel, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(tiny_bert)
    tokenizer.model_max_length = int(1e30)
    places = {"max_position_embeddings": 64} if kind == "roberta" else {}
    sizes = {
        "vocab_size": len(tokenizer),
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "hidden_size": 16,
    }
    sizes |= {"d_inner": 16, "d_head": 8} if kind == "xlnet" else {"intermediate_size": 16}
    config = AutoConfig.for_model(kind, pad_token_id=0, **sizes, **places)
    for part in (tokenizer, AutoModel.from_config(config)):
        part.save_pretrained(tmp_path / kind)
    texts = ["煮" * 500, "炒"]
    found = scored(tmp_path, texts, texts, str(tmp_path / kind), 2)
    values = np.array(found["parts"].to_list())
    assert values[:, 0] == pytest.approx(100, abs=1e-3)
