"""Titles are translated in order, by the lexicon, by a model, or not at all, whatever the shards."""

import io
import json
import shutil
from pathlib import Path

import polars as pl
import pytest
from wokflow.frame import tables
from wokflow.frame.job import Job, Progress, UserError
from wokflow.match import schemas, translate
from wokflow.match.settings import TranslateSettings
from wokflow.match.translate import match_translate

from tests.models.weights import Evil, pickled

WORDS = {
    "红烧肉": "red pork",
    "蛋炒饭": "egg rice",
    "牛肉面": "beef noodles",
    "白菜汤": "cabbage soup",
    "鱼": "fish",
    "麻婆豆腐": "mapo tofu",
}
TITLES = ["鱼", "麻婆豆腐", "红烧肉", "牛肉面", "蛋炒饭", "白菜汤"]
LEXICON = "zh\ten\tkind\n红烧肉\tRed Pork\tdish\n蛋\tegg\tingredient\n汤\tsoup\tform\n"


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test asks the network for a model."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)


@pytest.fixture(scope="session")
def marian(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A translator of Marian's kind that has learnt the words above by heart."""
    sentencepiece = pytest.importorskip("sentencepiece")
    import torch
    from transformers import MarianConfig, MarianMTModel, MarianTokenizer

    folder = tmp_path_factory.mktemp("marian")
    pieces = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter([*WORDS, *WORDS.values()] * 3),
        model_writer=pieces,
        vocab_size=60,
        hard_vocab_limit=False,
        character_coverage=1.0,
        minloglevel=2,
    )
    spm = sentencepiece.SentencePieceProcessor(model_proto=pieces.getvalue())
    words = ["</s>", "<unk>", *(spm.id_to_piece(number) for number in range(spm.get_piece_size())), "<pad>"]
    vocab = {word: number for number, word in enumerate(dict.fromkeys(words))}
    files = [folder / name for name in ("source.spm", "target.spm", "vocab.json")]
    for file in files[:2]:
        file.write_bytes(pieces.getvalue())
    files[2].write_text(json.dumps(vocab), encoding="utf-8")
    tokenizer = MarianTokenizer(*map(str, files), source_lang="zh", target_lang="en")
    tokenizer.save_pretrained(folder)

    torch.manual_seed(0)
    layers = {
        f"{side}_{what}": size
        for side in ("encoder", "decoder")
        for what, size in {"layers": 1, "attention_heads": 2, "ffn_dim": 32}.items()
    }
    pad = vocab["<pad>"]
    ends = {"pad_token_id": pad, "decoder_start_token_id": pad, "eos_token_id": 0, "forced_eos_token_id": 0}
    config = MarianConfig(
        vocab_size=len(vocab), d_model=32, max_position_embeddings=128, dropout=0.0, **layers, **ends
    )
    network = MarianMTModel(config)
    batch = tokenizer(list(WORDS), text_target=list(WORDS.values()), return_tensors="pt", padding=True)
    batch["labels"][batch["labels"] == pad] = -100
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-2)
    for _ in range(150):
        network(**batch).loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    network.save_pretrained(folder)
    return folder


def translated(
    folder: Path,
    titles: list[str],
    *,
    shards: int = 1,
    backend: str = "none",
    model: str = "none",
    lexicon: str = "none",
    batch: int = 2,
    device: str = "auto",
    progress: Progress | None = None,
) -> list[list[tuple[str, str]]]:
    """(title, text) of each shard, by way of files."""
    frame = pl.DataFrame({"title": titles}, schema={"title": pl.String})
    tables.write(folder / "titles.parquet", schemas.TITLES, frame, {})
    parts = [folder / f"{shard:05}-of-{shards:05}.parquet" for shard in range(shards)]
    for shard, part in enumerate(parts):
        match_translate(
            titles=str(folder / "titles.parquet"),
            translated=str(part),
            shard=shard,
            shards=shards,
            settings=TranslateSettings(
                backend=backend, lexicon=lexicon, model=model, device=device, beams=2, batch=batch
            ),
            job=Job({"key": "a key"}, progress or Progress()),
        )
    frames = [tables.read(part) for part in parts]
    assert all(frame.schema == {"title": pl.String, "text": pl.String} for frame in frames)
    return [frame.rows() for frame in frames]


def whole(shards: list[list[tuple[str, str]]]) -> list[tuple[str, str]]:
    return [row for shard in shards for row in shard]


@pytest.fixture
def lexicon(tmp_path: Path) -> str:
    (tmp_path / "lexicon").mkdir()
    (tmp_path / "lexicon" / "words.tsv").write_text(LEXICON, encoding="utf-8")
    return str(tmp_path / "lexicon")


def test_the_lexicon_translates_what_it_knows_and_leaves_the_rest(tmp_path: Path, lexicon: str) -> None:
    assert whole(translated(tmp_path, ["红烧肉", "Pizza", "蛋汤"], backend="lexicon", lexicon=lexicon)) == [
        ("红烧肉", "Red Pork"),
        ("Pizza", "Pizza"),
        ("蛋汤", "Egg Soup"),
    ]


def test_without_a_translator_titles_stay(tmp_path: Path) -> None:
    assert whole(translated(tmp_path, TITLES)) == [(title, title) for title in TITLES]


def test_a_model_translates_each_title_in_its_place(tmp_path: Path, marian: Path) -> None:
    expected = [(title, WORDS[title]) for title in TITLES]
    for batch in (1, 4, 100):
        assert whole(translated(tmp_path, TITLES, backend="hub", model=str(marian), batch=batch)) == expected


@pytest.mark.parametrize("backend", ["none", "lexicon", "hub"])
def test_translations_do_not_depend_on_shards(
    backend: str,
    tmp_path: Path,
    lexicon: str,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(translate, "BLOCK", 4)
    model = str(request.getfixturevalue("marian")) if backend == "hub" else "none"
    titles = [left + right for left in TITLES for right in ("", "汤", "肉")]
    runs = [
        translated(tmp_path, titles, shards=shards, backend=backend, model=model, lexicon=lexicon)
        for shards in (1, 2, 7)
    ]
    assert [title for title, _ in whole(runs[0])] == titles
    assert whole(runs[0]) == whole(runs[1]) == whole(runs[2])
    assert [] in runs[2]


@pytest.mark.parametrize("backend", ["none", "lexicon", "hub"])
def test_no_titles_give_an_empty_table(
    backend: str, tmp_path: Path, lexicon: str, request: pytest.FixtureRequest
) -> None:
    model = str(request.getfixturevalue("marian")) if backend == "hub" else "none"
    assert translated(tmp_path, [], shards=2, backend=backend, model=model, lexicon=lexicon) == [[], []]


def test_a_log_tells_how_far_it_is(tmp_path: Path) -> None:
    log = io.StringIO()
    translated(tmp_path, TITLES, progress=Progress(log, seconds=0))
    assert "6 of 6 titles translated" in log.getvalue()


@pytest.mark.parametrize("broken", ["pickle", "cut", "tokenizer", "absent"])
def test_a_model_that_cannot_be_loaded_is_named_with_what_to_do(
    broken: str, marian: Path, tmp_path: Path
) -> None:
    model = tmp_path / "model"
    shutil.copytree(marian, model)
    weights = model / "model.safetensors"
    if broken == "pickle":
        pickled(model, {"evil": Evil(tmp_path / "ran")})
    elif broken == "cut":
        weights.write_bytes(weights.read_bytes()[:-100])
    elif broken == "tokenizer":
        (model / "source.spm").unlink()
    name = "nobody/no-such-model" if broken == "absent" else str(model)
    with pytest.raises(UserError) as error:
        translated(tmp_path, TITLES, backend="hub", model=name)
    assert str(error.value).startswith(f"match.translate.model: {name} cannot be loaded as seq2seq: ")
    assert ("save_pretrained" in str(error.value)) == (broken == "pickle")
    assert ("Give a folder with the model" in str(error.value)) == (broken == "absent")
    assert not (tmp_path / "ran").exists() and not list(tmp_path.glob("*-of-*"))


def test_weights_in_pytorch_s_own_format_translate_alike(marian: Path, tmp_path: Path) -> None:
    model = tmp_path / "model"
    shutil.copytree(marian, model)
    pickled(model)
    log = io.StringIO()
    rows = translated(tmp_path, TITLES, backend="hub", model=str(model), device="cpu", progress=Progress(log))
    assert whole(rows) == [(title, WORDS[title]) for title in TITLES]
    assert f"{model}, on cpu\n" in log.getvalue()


def test_a_gpu_that_is_not_there_is_an_error(
    marian: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    with pytest.raises(UserError, match="cuda is asked for, but"):
        translated(tmp_path, TITLES, backend="hub", model=str(marian), device="cuda")
