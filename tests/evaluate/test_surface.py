"""Level 1: coverage of ingredients, BLEU as sacrebleu has it, BERTScore as its library has it."""

from pathlib import Path

import numpy as np
import pytest
from wokflow.evaluate import bertscore
from wokflow.evaluate.bertscore import bert_scorer
from wokflow.evaluate.score_intervals import score
from wokflow.evaluate.settings import BertModel
from wokflow.evaluate.surface import bleu, coverage
from wokflow.frame.job import UserError


def test_coverage_is_the_share_of_recipes_with_the_name() -> None:
    added, replaced = coverage(
        ["洗鲫鱼，煮", "洗猪肉", "切豆腐，加皮蛋", "鲫鱼和猪肉"],
        ["鲫鱼", "鲫鱼", "皮蛋", "鲫鱼"],
        ["猪肉", "猪肉", None, "猪肉"],
    )
    assert score(added) == 75.0
    assert score(replaced) == pytest.approx(200 / 3)
    assert replaced.counted.tolist() == [True, True, False, True]  # one is only added: it does not count


def test_a_name_inside_the_other_ingredients_name_does_not_count() -> None:
    added, replaced = coverage(["炸臭豆腐", "炸臭豆腐和豆腐"], ["臭豆腐"] * 2, ["豆腐"] * 2)
    assert (score(added), score(replaced)) == (100.0, 50.0)
    added, replaced = coverage(["煎鱼片", "煎鱼"], ["鱼"] * 2, ["鱼片"] * 2)
    assert (score(added), score(replaced)) == (50.0, 50.0)


def test_bleu_by_hand() -> None:
    # 4 of 5 signs; pairs 3 of 4, triples 2 of 3, fours 1 of 2; no brevity penalty: (4/5 3/4 2/3 1/2) ** (1/4)
    corpus, sentence = bleu(["洗切煮炒盐"], ["洗切煮炒糖"])
    assert [score(corpus), score(sentence)] == pytest.approx([100 * 0.2**0.25] * 2)
    assert "tok:zh" in corpus.signature and "eff:no" in corpus.signature and "version:" in corpus.signature


def test_the_mean_of_recipes_is_of_bleu_with_effective_order() -> None:
    from sacrebleu.metrics.bleu import BLEU

    left, right = ["洗切煮炒盐", "洗", "鸡爪"], ["洗切煮炒糖", "洗切", "鱼"]
    corpus, sentence = bleu(left, right)
    single = BLEU(tokenize="zh", effective_order=True)
    scores = [single.sentence_score(one, [other]).score for one, other in zip(left, right, strict=True)]
    assert score(sentence) == pytest.approx(np.mean(scores))
    assert "eff:yes" in sentence.signature and "eff:no" in corpus.signature


def test_without_a_model_bertscore_is_skipped_with_the_reason() -> None:
    metric = bert_scorer(BertModel())(["a"], ["b"])
    assert not metric.counted.any() and "No model" in str(metric.note)


@pytest.fixture(scope="module")
def tiny_bert(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A BERT of two layers with random weights that knows a few characters and reads 16 of them."""
    torch = pytest.importorskip("torch")
    pytest.importorskip("bert_score")
    from transformers import BertConfig, BertModel, BertTokenizer

    folder = tmp_path_factory.mktemp("tiny") / "tiny-bert"
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"洗切煮炒鸡爪鱼盐水，"]
    BertTokenizer(vocab={word: number for number, word in enumerate(words)}).save_pretrained(folder)
    torch.manual_seed(5)
    config = BertConfig(
        vocab_size=len(words),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=16,
    )
    BertModel(config).save_pretrained(folder)
    return str(folder)


def test_bertscore_is_the_librarys(tiny_bert: str) -> None:
    from bert_score import BERTScorer

    library = BERTScorer(model_type=tiny_bert, num_layers=2, device="cpu")
    library._tokenizer.model_max_length = 16  # the tokenizer's folder does not say it
    texts, bases = ["洗鱼，煮鱼", "切鸡爪", "炒盐水"], ["洗鸡爪，煮鸡爪", "切鸡爪", "煮鱼"]
    metric = bert_scorer(BertModel(model=tiny_bert, layers=2, device="cpu"))(texts, bases)
    _, _, expected = library.score(texts, bases)
    assert metric.values / 100 == pytest.approx(expected.numpy(), abs=1e-6)
    assert metric.values[1] == pytest.approx(100)
    assert metric.signature.startswith("tiny-bert_L2_no-idf_version=")  # and not where the model lies


def test_bertscore_of_a_model_of_the_hub_is_of_its_revision(
    tiny_bert: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bertscore, "at_revision", lambda *of: {("nobody/bert", "abc"): tiny_bert}[of])
    settings = BertModel(model="nobody/bert", revision="abc", layers=2, device="cpu")
    assert bert_scorer(settings)(["洗鱼"], ["洗鱼"]).signature.startswith("bert@abc_L2_")


def test_bertscore_of_empty_and_of_long_texts(tiny_bert: str) -> None:
    scorer = bert_scorer(BertModel(model=tiny_bert, layers=1, device="cpu"))
    found = scorer(["", " ", "洗" * 600], ["洗"] * 2 + ["洗" * 700]).values
    assert found[:2].tolist() == [0, 0]
    assert found[2] == pytest.approx(100)  # cut to what the model reads, both are the same


def test_a_model_without_a_known_layer_or_none_at_all_is_refused(tiny_bert: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"bertscore\.layers"):
        bert_scorer(BertModel(model=tiny_bert))
    with pytest.raises(UserError, match="cannot be loaded"):
        bert_scorer(BertModel(model=str(tmp_path), layers=1))
    with pytest.raises(UserError, match="cannot be loaded"):
        bert_scorer(BertModel(model=tiny_bert, layers=3))
