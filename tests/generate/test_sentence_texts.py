"""Runs on sentences: what models read of a sentence and its items, and what endpoints are sent, word for word."""

import os
import random
import signal
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from wokflow.frame import tables
from wokflow.frame.job import Job
from wokflow.generate.decode import generate_decode
from wokflow.generate.sentence_texts import replaced, sentence_values, values_of
from wokflow.models.decoding import decode

from tests.conftest import ROOT
from tests.generate import asking
from tests.generate.servers import endpoint, of_text, well
from tests.generate.translated import KNOWN, instances
from tests.models import tiny

PROMPTS = ROOT / "resources" / "prompts"
BASIC = "Translate the following English text to Chinese\n"
SENTENCES = [
    "Dumplings and congee, then dumplings.",
    "Rice with haggis {items}.",
    "Tea and haggis.",
    "Mooncakes are sweet.",
]


def prompt_of(name: str) -> str:
    return str(PROMPTS / f"{name}.txt")


def test_the_values_of_sentences(tmp_path: Path) -> None:
    first, second, third, _ = values_of(tables.read(instances(tmp_path)), ("en", "zh"))
    assert first == {
        "source": SENTENCES[0],
        "replaced": "饺子 and 粥, then dumplings.",
        "items": "Dumplings, congee",
        "dictionary": "Dumplings:饺子, 水饺, congee:粥",
        "explanations": "Jiaozi are {source} of dough. Congee is a porridge.",
        "source_language": "English",
        "target_language": "Chinese",
    }
    assert (second["replaced"], second["dictionary"], second["explanations"]) == (SENTENCES[1], "", "")
    assert (third["replaced"], third["dictionary"], third["items"]) == (
        "茶 and haggis.",
        "Tea:茶",
        "Tea, haggis",
    )


def test_two_items_that_are_mentioned_by_the_same_words_are_both_in_the_dictionary() -> None:
    """An item that is mentioned twice is in it once, and one without a translation not at all."""
    source = "Red River, Red River, red river, Red River, Java."
    mentions = [(0, 9, ["红河", "元江"]), (11, 20, ["南红河"]), (33, 42, ["红河", "元江"]), (44, 48, [])]
    items = [
        {"start": start, "end": end, "mention": source[start:end], "translations": names, "explanation": None}
        for start, end, names in mentions
    ]
    values = sentence_values({"source": source, "items": items}, ("en", "zh"))
    assert values["dictionary"] == "Red River:红河, 元江, Red River:南红河"
    assert values["items"] == "Red River, Java"
    assert values["replaced"] == "红河, 南红河, red river, 红河, Java."


def test_mentions_are_replaced_whole_by_their_offsets() -> None:
    mentions = [(0, 4, ["茶"]), (9, 14, ["粥", "稀饭"]), (15, 18, [])]
    items = [{"start": start, "end": end, "translations": names} for start, end, names in mentions]
    assert replaced("teas and congs tea tea", items) == "茶 and 粥 tea tea"


# Models that run here


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Folders of two random models, one that translates and one that goes on with a text."""
    pytest.importorskip("torch")
    known = "".join(name for names, _ in KNOWN.values() for name in names)
    tokenizer = tiny.tokenizer("".join([*SENTENCES, known, tiny.LETTERS, "H?"]))
    folders = {kind: tmp_path_factory.mktemp(kind) for kind in ("marian", "gpt2")}
    for kind, folder in folders.items():
        tiny.model(kind, len(tokenizer)).save_pretrained(folder)
        tokenizer.save_pretrained(folder)
    return {kind: str(folder) for kind, folder in folders.items()}


HOW = {"max_tokens": 12, "batch": 2, "beams": 1}
DECODING = tiny.search(**HOW)


def decoded(folder: Path, model: str, family: Any, prompt: str | None = None, *, shots: int = 0) -> list[str]:
    out = folder / "0-of-1.parquet"
    generate_decode(
        instances=str(folder / "instances.parquet"),
        exemplars=str(folder / "exemplars.parquet"),
        trained=[],
        predictions=str(out),
        shard=0,
        shards=1,
        settings=asking.decode_settings(
            model=model, family=family, prompt=prompt, languages=("en", "zh"), shots=shots, **HOW
        ),
        job=Job({"key": "k"}),
    )
    return tables.read(out).sort("instance_id")["prediction"].to_list()


@pytest.mark.parametrize(
    ("prompt", "read"),
    [
        (None, SENTENCES),
        (
            "append",
            [
                f"Dumplings:饺子, 水饺, congee:粥{SENTENCES[0]}",
                SENTENCES[1],
                f"Tea:茶{SENTENCES[2]}",
                f"Mooncakes:月饼{SENTENCES[3]}",
            ],
        ),
        (
            "replace",
            ["饺子 and 粥, then dumplings.", SENTENCES[1], "茶 and haggis.", "月饼 are sweet."],
        ),
    ],
)
@pytest.mark.usefixtures("one_thread")
def test_a_translation_model_reads_the_sentence_behind_a_dictionary_or_with_translations(
    prompt: str | None, read: list[str], models: dict[str, str], tmp_path: Path
) -> None:
    from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

    instances(tmp_path)
    found = decoded(tmp_path, models["marian"], "seq2seq", prompt and prompt_of(prompt))
    model = AutoModelForSeq2SeqLM.from_pretrained(models["marian"])
    tokenizer = AutoTokenizer.from_pretrained(models["marian"])
    assert found == [text.strip() for text in decode(model, tokenizer, read, "seq2seq", DECODING)]
    assert len(set(found)) > 2


@pytest.mark.parametrize("template", ["{source}:", "{items}?\n{answer}\n{source}:"])
@pytest.mark.usefixtures("one_thread")
def test_a_causal_model_goes_on_after_exemplars_and_its_own_answers(
    template: str, models: dict[str, str], tmp_path: Path
) -> None:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    sources = ["Tea.", "Hot tea.", "Tea is hot."]
    texts = [(source, "茶。", [(source[:3], "Q3")]) for source in sources]
    instances(tmp_path, texts=[*texts, ("Mooncakes", "月饼", [("Moon", "Q5")])], exemplars=1)
    (tmp_path / "prompt").write_text(template, encoding="utf-8")
    model = AutoModelForCausalLM.from_pretrained(models["gpt2"])
    tokenizer = AutoTokenizer.from_pretrained(models["gpt2"])

    def alone(texts: list[str]) -> list[str]:
        written = decode(model, tokenizer, texts, "causal", DECODING)
        return [text.strip().partition("\n")[0].strip() for text in written]

    if "{answer}" in template:
        asked = [f"{source[:3]}?" for source in sources]
        asked = [f"{question}\n{answer}\n" for question, answer in zip(asked, alone(asked), strict=True)]
        expected = alone([f"{before}{source}:" for before, source in zip(asked, sources, strict=True)])
        shots = 0
    else:
        expected = alone([f"Mooncakes:月饼\n{source}:" for source in sources])
        shots = 1
    assert decoded(tmp_path, models["gpt2"], "causal", str(tmp_path / "prompt"), shots=shots) == expected


# Models behind an endpoint


def asks(folder: Path, url: str, prompt: str, *, shots: int = 0, **own: Any) -> pl.DataFrame:
    """A prompt run on the instances in a folder; predictions."""
    asked = {"prompt": prompt_of(prompt), "lang": "zh", "languages": ("en", "zh"), "shots": shots}
    asked |= {"endpoint": url, "tries": 1, "concurrency": 1}
    asking.asks(folder, asked | own, exemplars=str(folder / "exemplars.parquet"))
    return tables.read(folder / "out.parquet")


CT = "The Chinese translation of culture entities in the sentence is as following: "
CE = "The explanation of culture entities in the sentence is as following: "


@pytest.mark.parametrize(
    ("prompt", "sent"),
    [
        ("csi_bi", [BASIC + source for source in SENTENCES]),
        (
            "csi_ct",
            [
                f"{CT}Dumplings:饺子, 水饺, congee:粥\n{BASIC}{SENTENCES[0]}",
                f"{BASIC}{SENTENCES[1]}",
                f"{CT}Tea:茶\n{BASIC}{SENTENCES[2]}",
                f"{CT}Mooncakes:月饼\n{BASIC}{SENTENCES[3]}",
            ],
        ),
        (
            "csi_ce",
            [
                f"{CE}Jiaozi are {{source}} of dough. Congee is a porridge.\n{BASIC}{SENTENCES[0]}",
                f"{BASIC}{SENTENCES[1]}",
                f"{BASIC}{SENTENCES[2]}",
                f"{CE}Mooncakes are pastries.\n{BASIC}{SENTENCES[3]}",
            ],
        ),
    ],
)
def test_endpoints_are_sent_the_prompts_of_the_paper(tmp_path: Path, prompt: str, sent: list[str]) -> None:
    instances(tmp_path)
    with endpoint(well(text="Title: 粥。\n好吃。")) as server:
        found = asks(tmp_path, server.url, prompt)
    assert [asked.body["messages"] for asked in server.asked] == [
        [{"role": "user", "content": text}] for text in sent
    ]
    assert found.columns == ["instance_id", "run", "prediction"]
    assert found.rows() == [(f"camt:{number}", "gpt", "Title: 粥。\n好吃。") for number in range(4)]
    assert tables.read(tmp_path / "calls.parquet")["in_language"].to_list() == [True] * 4


def explained(text: str) -> str:
    """An explanation, or a translation that tells which sentence was asked for."""
    return f"It is {{source}} no. {len(text)}" if text.startswith("Please explain") else f"译{len(text)}"


def test_a_model_translates_after_its_own_explanation(tmp_path: Path) -> None:
    instances(tmp_path)
    with endpoint(of_text(explained)) as server:
        found = asks(tmp_path, server.url, "csi_se", price_in=10, price_out=20)
    first, second = [asked.body["messages"] for asked in server.asked if "Tea" in asked.text]
    question = "Please explain Tea, haggis in Tea and haggis."
    assert first == [{"role": "user", "content": question}]
    last = (
        "According to your explanations to Tea, haggis, only translate the following English text to Chinese"
    )
    last += f"\n{SENTENCES[2]}"
    assert second == [
        *first,
        {"role": "assistant", "content": explained(question)},
        {"role": "user", "content": last},
    ]
    assert found["prediction"][2] == f"译{len(last)}"
    calls = tables.read(tmp_path / "calls.parquet")
    assert calls.select("instance_id", "turn").rows() == [
        (f"camt:{n}", turn) for n in range(4) for turn in (1, 2)
    ]
    assert calls["in_language"].to_list() == [None, True] * 4
    assert calls["cost"].sum() == pytest.approx(8 * 0.002)
    before = (tmp_path / "out.parquet").read_bytes(), (tmp_path / "calls.parquet").read_bytes()
    asks(
        tmp_path, server.url, "csi_se", price_in=10, price_out=20
    )  # of what was kept: nobody answers any more
    assert before == ((tmp_path / "out.parquet").read_bytes(), (tmp_path / "calls.parquet").read_bytes())


def test_prompts_of_sentences_are_described() -> None:
    described = (PROMPTS / "README.md").read_text(encoding="utf-8")
    names = [path.name for path in PROMPTS.glob("*.txt")]
    assert [name for name in names if name not in described] == []


@pytest.mark.parametrize("prompt", ["csi_bi", "csi_ct", "csi_ce", "csi_se"])
def test_exemplars_are_asked_and_answered_before_and_tell_nothing(tmp_path: Path, prompt: str) -> None:
    instances(tmp_path, exemplars=2)
    shown = tables.read(tmp_path / "exemplars.parquet")
    with endpoint(of_text(explained)) as server:
        found = asks(tmp_path, server.url, prompt, shots=2)
    assert found["instance_id"].to_list() == ["camt:1", "camt:2"]
    turns = 2 if prompt == "csi_se" else 1
    for asked in server.asked:
        messages = asked.body["messages"]
        roles = [message["role"] for message in messages]
        assert roles == ["user", "assistant"] * (len(roles) // 2) + ["user"]
        texts = [message["content"] for message in messages]
        assert texts[2 * turns - 1 : 4 * turns : 2 * turns] == shown["reference"].to_list()
        assert all(source in texts[2 * turns * n] for n, source in enumerate(shown["source"]) if turns == 2)
        before = "".join(texts[: 4 * turns])
        assert not any(word in before for word in ("米饭", "haggis", "Tea", SENTENCES[1], SENTENCES[2]))
        assert not any(source in texts[-1] for source in shown["source"])


def test_a_completion_is_one_text_whose_first_line_counts(tmp_path: Path) -> None:
    instances(tmp_path, exemplars=1)
    (shown,) = tables.read(tmp_path / "exemplars.parquet").iter_rows(named=True)
    with endpoint(well(text=" 茶。\nEnglish:More tea. = Chinese:还有。")) as server:
        found = asks(tmp_path, server.url, "csi_line", shots=1, mode="completion")
    before = f"English:{shown['source']} = Chinese:{shown['reference']}\n"
    assert server.asked[2].text == f"{before}English:{SENTENCES[2]} = Chinese:"
    assert set(found["prediction"]) == {"茶。"}


KILLED = """
import sys
from pathlib import Path
from tests.generate.test_sentence_texts import asks
asks(Path(sys.argv[1]), sys.argv[2], "csi_se")
"""


def test_killed_between_its_turns_nothing_is_asked_twice(tmp_path: Path) -> None:
    draw = random.Random(1)
    words = ["".join(draw.choices("abcdefgh", k=8)) for _ in range(20)]
    instances(tmp_path, texts=[(f"Tea {word}.", "茶。", [("Tea", "Q4")]) for word in words])

    def kill_at_30(handler: Any, asked: Any) -> None:
        if len(server.asked) == 30:
            os.kill(process.pid, signal.SIGKILL)
        of_text(explained)(handler, asked)

    with endpoint(kill_at_30) as server:
        process = asking.apart(KILLED, str(tmp_path), server.url)
        process.communicate(timeout=asking.PATIENCE)
        assert process.returncode == -signal.SIGKILL
        before, kept = len(server.asked), len(list((tmp_path / "cache").rglob("*.json")))
        assert 28 <= kept <= before <= 31
        found = asks(tmp_path, server.url, "csi_se")
        assert len(server.asked) == before + 40 - kept
    assert all(found["prediction"]) and found.height == 20
