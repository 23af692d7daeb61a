"""Models on a GPU write, score and encode as on a CPU."""

from pathlib import Path

import numpy as np
import pytest
import torch
from wokflow.evaluate.bertscore import bert_scorer
from wokflow.evaluate.settings import BertModel
from wokflow.frame.job import Progress
from wokflow.match.embed import encoder
from wokflow.match.settings import EmbedSettings
from wokflow.models.decoding import Decoding, decode
from wokflow.models.loading import load

from tests.evaluate.test_bertscore import tiny_bert
from tests.match.test_embed import TEXTS
from tests.match.test_embed import tiny as tiny_encoder
from tests.models import tiny
from tests.models.test_decoding import DECODING, FREE, KINDS, mixed

__all__ = ["tiny_bert", "tiny_encoder"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("decoding", [DECODING, FREE], ids=["as in the paper", "free"])
def test_texts_are_written_as_on_a_cpu(kind: str, decoding: Decoding) -> None:
    tokenizer = tiny.tokenizer()
    model = tiny.model(kind, len(tokenizer))
    texts = [*mixed(13), "", "a", " \n"]
    there = decode(model, tokenizer, texts, KINDS[kind], decoding)
    here = decode(model.to("cuda"), tokenizer, texts, KINDS[kind], decoding)
    assert here == there


@pytest.mark.parametrize("precision", ["auto", "bfloat16", "nf4"])
def test_a_folder_is_loaded_in_each_precision_and_writes(precision: str, tmp_path: Path) -> None:
    if precision == "nf4":
        pytest.importorskip("bitsandbytes")
    tokenizer = tiny.tokenizer()
    model = tiny.model("llama", len(tokenizer), width=64)
    model.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    network, words = load(
        str(tmp_path), "causal", revision=None, precision=precision, device="auto", remote_code=False
    )
    assert network.device.type == "cuda"
    assert network.get_input_embeddings().weight.dtype == torch.bfloat16
    alone = decode(network, words, ["egg", "rice and salt"], "causal", DECODING)
    assert len(alone) == 2 and any(alone)


def test_bertscore_is_that_of_a_cpu(tiny_bert: str) -> None:
    texts, references = ["煮鸡蛋", "炒饭", ""], ["煮蛋", "蛋炒饭", "饭"]
    values = {}
    for device in ("cpu", "cuda"):
        score = bert_scorer(BertModel(model=tiny_bert, revision=None, layers=2, batch=2, device=device))
        values[device] = score(texts, references).parts
    assert np.asarray(values["cuda"]) == pytest.approx(np.asarray(values["cpu"]), abs=1e-4)


@pytest.mark.parametrize(("precision", "near"), [("float32", 1e-5), ("bfloat16", 0.02)])
def test_texts_become_the_vectors_that_they_become_on_a_cpu(
    precision: str, near: float, tiny_encoder: Path
) -> None:
    settings = {"model": str(tiny_encoder), "revision": None, "precision": precision}
    vectors = []
    for device in ("cpu", "auto"):
        given = EmbedSettings.model_validate(settings | {"device": device})
        encode, _, on_gpu = encoder(given, Progress())
        assert on_gpu == (device == "auto")
        vectors.append(encode(TEXTS))
    assert np.abs(vectors[0] - vectors[1]).max() < near
