"""Decoding: the same text alone and in a batch, without repetition, by models of each kind."""

import copy
import io
import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from wokflow.frame.job import Progress, UserError
from wokflow.frame.languages import NAMES
from wokflow.models.decoding import (
    LANGUAGE_CODES,
    Decoding,
    Family,
    Repetition,
    cut,
    decode,
    encode,
    limits,
    set_languages,
)

from tests.models import tiny

torch = pytest.importorskip("torch")
KINDS: dict[str, Family] = {"marian": "seq2seq", "bart": "seq2seq", "t5": "seq2seq", "gpt2": "causal"}
pytestmark = pytest.mark.usefixtures("one_thread")
DECODING = tiny.search(max_tokens=30, batch=5)
FREE = replace(DECODING, repetition_penalty=1.0, no_repeat_ngram=0)


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    return tiny.tokenizer()


@pytest.fixture(scope="module")
def models(tokenizer: Any) -> dict[str, Any]:
    return {kind: tiny.model(kind, len(tokenizer)) for kind in KINDS}


def mixed(count: int, longest: int = 30) -> list[str]:
    draw = random.Random(1)
    return ["".join(draw.choices(tiny.LETTERS, k=draw.randint(1, longest))) + "." for _ in range(count)]


def repeats(text: str, size: int = 5) -> bool:
    grams = [text[start : start + size] for start in range(len(text) - size + 1)]
    return len(set(grams)) < len(grams)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("decoding", [DECODING, FREE, replace(DECODING, beams=1)])
def test_a_text_is_decoded_in_a_batch_as_alone(
    kind: str, decoding: Decoding, models: dict[str, Any], tokenizer: Any
) -> None:
    texts = [*mixed(13), "", "a", " \n"]
    together = decode(models[kind], tokenizer, texts, KINDS[kind], decoding)
    alone = [decode(models[kind], tokenizer, [text], KINDS[kind], decoding)[0] for text in texts]
    assert together == alone
    assert together[13] == together[15] == ""
    assert len(set(together)) > 2  # they depend on the text


@pytest.mark.parametrize("kind", KINDS)
def test_no_five_tokens_come_twice_and_tokens_repeat_less(
    kind: str, models: dict[str, Any], tokenizer: Any
) -> None:
    def written(decoding: Decoding) -> list[str]:
        return decode(models[kind], tokenizer, mixed(12), KINDS[kind], decoding)

    free = written(FREE)
    without = written(replace(FREE, no_repeat_ngram=5))
    assert any(map(repeats, free)) and not any(map(repeats, without))
    penalized = written(replace(FREE, repetition_penalty=5.0))
    assert sum(len(set(text)) for text in penalized) > sum(len(set(text)) for text in free)


def test_penalty_and_forbidden_tokens_by_hand() -> None:
    scores = torch.tensor([[-1.0, 2.0, -3.0, -4.0]])
    seen = torch.tensor([[3, 0, 1, 2, 0, 1]])  # 0 and 1 came before 2: 2 may not come again
    assert Repetition(1, 2.0, 3)(seen, scores).tolist() == [[-2.0, 1.0, float("-inf"), -4.0]]
    assert Repetition(1, 2.0, 0)(seen, scores).tolist() == [[-2.0, 1.0, -6.0, -4.0]]
    assert Repetition(3, 1.0, 3)(seen, scores).tolist() == scores.tolist()  # 2, 0, 1 alone count
    assert Repetition(6, 2.0, 1)(seen, scores).tolist() == scores.tolist()
    assert scores.tolist() == [[-1.0, 2.0, -3.0, -4.0]]


@pytest.mark.parametrize("ngram", [1, 2, 3, 5])
def test_repetition_agrees_with_transformers_where_all_tokens_count(ngram: int) -> None:
    from transformers import NoRepeatNGramLogitsProcessor, RepetitionPenaltyLogitsProcessor

    draw = torch.Generator().manual_seed(ngram)
    scores = torch.randn(20, 4, generator=draw)
    for length in range(12):
        seen = torch.randint(4, (20, length), generator=draw)
        expected = RepetitionPenaltyLogitsProcessor(1.2)(seen, scores)
        expected = NoRepeatNGramLogitsProcessor(ngram)(seen, expected)
        assert torch.equal(Repetition(0, 1.2, ngram)(seen, scores), expected)


def test_a_causal_model_may_repeat_its_prompt(models: dict[str, Any], tokenizer: Any) -> None:
    """Only what is written counts: else a prompt with all tokens would change what comes first."""
    prompt = "的做法如下。" * 2
    hard = replace(DECODING, repetition_penalty=1e6, max_tokens=1)
    free = replace(hard, repetition_penalty=1.0)
    written = [decode(models["gpt2"], tokenizer, [prompt], "causal", how) for how in (hard, free)]
    assert written[0] == written[1]


def test_sampling_draws_by_the_seed(models: dict[str, Any], tokenizer: Any) -> None:
    def written(seed: int, temperature: float | None) -> list[str]:
        torch.manual_seed(seed)
        decoding = replace(DECODING, temperature=temperature, beams=1)
        return decode(models["gpt2"], tokenizer, mixed(6), "causal", decoding)

    assert written(1, 1.0) == written(1, 1.0) != written(2, 1.0)
    assert written(1, None) == written(2, None) != written(1, 1.0)


def test_sampling_draws_from_all_tokens_whatever_the_model_s_own_settings(
    models: dict[str, Any], tokenizer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(models["gpt2"].generation_config, "top_k", 1)
    drawn = set()
    for seed in range(3):
        torch.manual_seed(seed)
        drawn.update(
            decode(
                models["gpt2"],
                tokenizer,
                ["的做法"],
                "causal",
                replace(DECODING, temperature=1.0, beams=1),
            )
        )
    assert len(drawn) > 1


def test_cut_keeps_the_marks_at_the_ends() -> None:
    row = [7, 1, 2, 3, 4, 8]
    assert cut(row, 6, "seq2seq", {7, 8}) == cut(row, 6, "causal", {7, 8}) == row
    assert cut(row, 4, "seq2seq", {7, 8}) == [7, 1, 2, 8]
    assert cut(row, 4, "seq2seq", set()) == [7, 1, 2, 3]
    assert cut(row, 4, "causal", {7, 8}) == [7, 3, 4, 8]
    assert cut(row, 4, "causal", set()) == [2, 3, 4, 8]
    assert cut(row, 1, "causal", {7, 8}) == [7] and cut(row, 1, "seq2seq", {7, 8}) == [8]


@pytest.mark.parametrize(
    ("kind", "source", "new", "expected"),
    [
        ("bart", 512, 512, (64, 64)),
        ("bart", 20, 30, (20, 30)),
        ("t5", 512, 512, (512, 512)),
        ("gpt2", 512, 512, (32, 32)),
        ("gpt2", 512, 10, (54, 10)),
        ("gpt2", 10, 512, (10, 54)),
        ("gpt2", 20, 30, (20, 30)),
    ],
)
def test_limits_leave_room(
    kind: str, source: int, new: int, expected: tuple[int, int], models: dict[str, Any]
) -> None:
    decoding = tiny.search(max_source_tokens=source, max_tokens=new)
    assert limits(models[kind], KINDS[kind], decoding) == expected


@pytest.mark.parametrize("kind", KINDS)
def test_texts_beyond_the_room_are_cut_and_told(kind: str, models: dict[str, Any], tokenizer: Any) -> None:
    log = io.StringIO()
    short = replace(DECODING, max_source_tokens=10)
    texts = ["a" * 9 + "b" * 91, "a" * 91 + "b" * 10, "ab"]
    written = decode(models[kind], tokenizer, texts, KINDS[kind], short, Progress(log))
    kept = ["b" * 10] * 2 if kind == "gpt2" else ["a" * 9] * 2
    assert written[:2] == decode(models[kind], tokenizer, kept, KINDS[kind], DECODING)
    assert "2 of 3 texts have more than 10 tokens and were cut" in log.getvalue()
    assert "3 of 3 texts decoded" in log.getvalue()


def test_decoding_leaves_the_model_in_training(models: dict[str, Any], tokenizer: Any) -> None:
    model = tiny.model("bart", len(tokenizer)).train()
    texts = mixed(3)
    assert decode(model, tokenizer, texts, "seq2seq", DECODING) == decode(
        models["bart"], tokenizer, texts, "seq2seq", DECODING
    )
    assert model.training


def test_nothing_to_decode(models: dict[str, Any], tokenizer: Any) -> None:
    assert decode(models["t5"], tokenizer, [], "seq2seq", DECODING) == []
    assert decode(models["t5"], tokenizer, ["", " "], "seq2seq", DECODING) == ["", ""]


def test_the_text_s_end_is_marked_unless_it_is_to_be_continued(tokenizer: Any) -> None:
    letters = tokenizer.convert_tokens_to_ids(["a", "b"])
    assert encode(tokenizer, ["ab", " "], "seq2seq") == [[*letters, tokenizer.eos_token_id], []]
    assert encode(tokenizer, ["ab", " "], "causal") == [letters, []]


def test_a_tokenizer_of_bert_s_kind() -> None:
    """As Chinese GPT-2 has: [CLS] begins, [SEP] ends, and no spaces come between characters."""
    from transformers import BertTokenizer

    marks = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    words = [*marks, *"蛋炒饭的做法如下切丝，。:", "title"]
    tokenizer = BertTokenizer(vocab={word: number for number, word in enumerate(words)})
    model = tiny.model("gpt2", len(words), width=32)
    tiny.learn(model, tokenizer, "蛋炒饭的做法如下。切蛋，title:炒丝。")
    model.generation_config.eos_token_id = 50256  # what a configuration of GPT-2 has that says nothing
    assert encode(tokenizer, ["蛋炒"], "causal") == [[2, *tokenizer.convert_tokens_to_ids(["蛋", "炒"])]]
    assert decode(model, tokenizer, ["蛋炒饭的做法如下。"], "causal", DECODING) == ["切蛋，title:炒丝。"]


def test_mbart_reads_one_language_and_writes_the_other() -> None:
    from transformers import MBart50Tokenizer

    tokenizer = MBart50Tokenizer()
    set_languages(tokenizer, "zh", "en")
    chinese, english = tokenizer.convert_tokens_to_ids(["zh_CN", "en_XX"])
    assert encode(tokenizer, ["▁"], "seq2seq")[0][0] == chinese
    model = tiny.model("bart", len(tokenizer))
    model.generation_config.decoder_start_token_id = tokenizer.eos_token_id
    begun: list[int] = []
    model.get_decoder().register_forward_pre_hook(
        lambda _, __, inputs: begun.append(int(inputs["input_ids"][0, -1])), with_kwargs=True
    )
    decode(model, tokenizer, ["▁"], "seq2seq", replace(DECODING, max_tokens=3))
    assert begun[:2] == [tokenizer.eos_token_id, english]


def test_codes_of_languages_are_those_of_the_tokenizers_and_others_are_told() -> None:
    from transformers import MBart50Tokenizer, NllbTokenizer

    tokenizer = NllbTokenizer()
    for number, known in enumerate((MBart50Tokenizer().get_vocab(), tokenizer.get_vocab())):
        named = {lang: codes[number] for lang, codes in LANGUAGE_CODES.items() if codes[number] or number}
        assert [lang for lang, code in named.items() if code not in known] == []
    assert {lang.partition("-")[0] for lang in LANGUAGE_CODES} == NAMES.keys()
    set_languages(tokenizer, "zh_CN", "zh_TW")
    assert (tokenizer.src_lang, tokenizer.tgt_lang) == ("zho_Hans", "zho_Hant")
    assert encode(tokenizer, ["▁"], "seq2seq")[0][0] == tokenizer.convert_tokens_to_ids("zho_Hans")
    with pytest.raises(UserError, match="code of eo is not known"):
        set_languages(tokenizer, "en", "eo")
    with pytest.raises(
        UserError, match="code of sr-el is not known"
    ):  # NLLB writes Serbian in Cyrillic letters
        set_languages(tokenizer, "pt_BR", "sr_Latn")
    set_languages(tokenizer, "pt_BR", "sr_Cyrl")
    assert (tokenizer.src_lang, tokenizer.tgt_lang) == ("por_Latn", "srp_Cyrl")
    with pytest.raises(UserError, match="no codes of en and el"):
        set_languages(MBart50Tokenizer(), "en", "el")


def test_tokenizers_without_languages_are_left_alone(tokenizer: Any) -> None:
    set_languages(tokenizer, "zh", "en")
    assert not hasattr(tokenizer, "tgt_lang")


@pytest.fixture(scope="module")
def pieces(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Files of a tokenizer of Marian's kind for several targets: source.spm, target.spm, vocab.json."""
    sentencepiece = pytest.importorskip("sentencepiece")
    folder: Path = tmp_path_factory.mktemp("marian")
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(["rice egg title steps", "egg rice"] * 9),
        model_writer=model,
        vocab_size=40,
        hard_vocab_limit=False,
        minloglevel=2,
    )
    spm = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
    known = (spm.id_to_piece(number) for number in range(spm.get_piece_size()))
    words = dict.fromkeys(["</s>", "<unk>", *known, ">>cmn_Hans<<", ">>cmn_Hant<<", "<pad>"])
    for name in ("source.spm", "target.spm"):
        (folder / name).write_bytes(model.getvalue())
    (folder / "vocab.json").write_text(json.dumps({word: number for number, word in enumerate(words)}))
    return [str(folder / name) for name in ("source.spm", "target.spm", "vocab.json")]


def test_marian_is_told_to_write_chinese_and_takes_line_breaks_for_spaces(pieces: list[str]) -> None:
    from transformers import MarianTokenizer

    tokenizer = MarianTokenizer(*pieces, source_lang="en", target_lang="zh")
    one, two, blank = encode(tokenizer, ["rice egg", "rice\negg", "\n"], "seq2seq")
    words = tokenizer.convert_ids_to_tokens(one)
    assert words[0] == ">>cmn_Hans<<" and words[-1] == "</s>"
    assert one == two and blank == []


def test_a_causal_model_without_a_token_for_padding_or_the_end_writes_to_the_limit(
    models: dict[str, Any], tokenizer: Any
) -> None:
    bare, model = copy.deepcopy(tokenizer), copy.deepcopy(models["gpt2"])
    bare.pad_token = bare.eos_token = None
    model.generation_config.eos_token_id = model.config.eos_token_id = None
    texts = ["the dish is a", "a"]
    short = tiny.search(beams=1, max_tokens=5)
    together = decode(model, bare, texts, "causal", short)
    assert together == [decode(model, bare, [text], "causal", short)[0] for text in texts]
    assert all(map(len, together))
