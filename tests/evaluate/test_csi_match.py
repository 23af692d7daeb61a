"""CSI-Match: what is similar, where spans begin and end, and which mentions a score is of."""

import random
import unicodedata
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wokflow.enrich.schemas import ITEMS, SENTENCES
from wokflow.evaluate.csi_match import METRICS, evaluate_csi_match, read_regions
from wokflow.evaluate.schemas import PARTS
from wokflow.evaluate.settings import CsiMatchSettings, SentencesBootstrap
from wokflow.evaluate.spans import Output, csi_match, normalised
from wokflow.frame import tables
from wokflow.frame.job import UserError

from tests.conftest import ROOT
from tests.evaluate.adapted import JOB, METADATA, write_predictions

REGIONS = str(ROOT / "resources" / "enrich" / "regions.tsv")
SPACELESS = (
    "CJK",
    "IDEOGRAPHIC",
    "HIRAGANA",
    "KATAKANA",
    "KATAKANA-HIRAGANA",
    "THAI",
    "LAO",
    "KHMER",
    "MYANMAR",
)
ALPHABETS = {
    "en": "abcdE'-., 1",
    "zh": "红烧肉紅燒豆腐IU红红肉，。 ",
    "ja": "すしーカレー寿司の々 、a",
    "th": "ต้มยำกุ้งัน้ำ ๆ๑ab",
    "hi": "नमस्तेक्षा़ि। दाल\u200d\u200c",
    "vi": unicodedata.normalize("NFD", "phở bò cuốn ế Ặ ự,."),
    "ar": "كسكسَُّ ـ،. \u200fا",
    "de": "ßéüa\u0308E\u0301\u0331Hh ()!",
}
MIXED = "".join(ALPHABETS.values())


def defined(translations: Sequence[str], text: str, lang: str) -> float | None:
    """Equations 1 to 3, word for word: the similarity of each translation to each span, as a fraction."""
    wanted = [normalised(one, lang) for one in translations]
    if not any(wanted):
        return None
    text = normalised(text, lang)
    places = words(text)
    spans = [text[i:j] for at, (i, _) in enumerate(places) for _, j in places[at:]]
    found = [
        1 - Fraction(distance(one, span), max(len(one), len(span))) for one in wanted if one for span in spans
    ]
    best = max(found, default=Fraction(0))
    return float(100 * best)


def words(text: str) -> list[tuple[int, int]]:
    """Where words begin and end, a character at a time."""
    places: list[tuple[int, int]] = []
    open_word = False  # whether a letter would belong to the last word
    for at, character in enumerate(text):
        attached = is_mark(character) and at > 0 and text[at - 1] != " "
        letter = character.isalnum() and not is_mark(character)
        spaceless = unicodedata.name(character).split()[0] in SPACELESS
        if attached or (open_word and letter and not spaceless):
            places[-1] = places[-1][0], at + 1
        elif character != " ":
            places.append((at, at + 1))
        if not attached:
            open_word = letter and not spaceless
    return places


def is_mark(character: str) -> bool:
    return unicodedata.category(character)[0] == "M" or character == "ำ"


def distance(left: str, right: str) -> int:
    """Levenshtein's distance, a row of the table at a time."""
    row = list(range(len(right) + 1))
    for at, character in enumerate(left, start=1):
        above, row = row, [at]
        for to, other in enumerate(right, start=1):
            row.append(min(above[to] + 1, row[to - 1] + 1, above[to - 1] + (character != other)))
    return row[-1]


def score(translations: Sequence[str], text: str, lang: str = "en") -> float | None:
    """By all spans and by bounds, which have to agree."""
    found = []
    for few in (0, 1000):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("wokflow.evaluate.spans.FEW", few)
            found.append(csi_match(translations, Output(text, lang), lang))
    assert found[0] == found[1]
    return found[0]


def test_the_fast_score_is_the_defined_one_bit_for_bit_in_random_texts() -> None:
    draw = random.Random(3)
    for number in range(1000):
        lang = draw.choice(list(ALPHABETS))
        letters = ALPHABETS[lang] if number % 5 else MIXED
        text = "".join(draw.choices(letters, k=draw.choice([0, 1, 2, 5, 12, 25])))
        translations = [
            "".join(draw.choices(letters, k=draw.choice([0, 1, 3, 6, 14]))) for _ in range(number % 4)
        ]
        if number % 7 == 0 and text:  # a piece of the text with a letter or two changed
            at = draw.randrange(len(text))
            piece = list(text[at : at + 8])
            piece[draw.randrange(len(piece))] = draw.choice(letters)
            translations.append("".join(piece))
        assert score(translations, text, lang) == defined(translations, text, lang), (
            translations,
            text,
            lang,
        )


@given(
    st.lists(st.text(MIXED, max_size=9), max_size=3),
    st.text(MIXED, max_size=24),
    st.sampled_from([*ALPHABETS]),
)
def test_the_fast_score_is_the_defined_one_in_mixed_scripts(
    translations: list[str], text: str, lang: str
) -> None:
    assert score(translations, text, lang) == defined(translations, text, lang)


@given(st.lists(st.text("ab ", max_size=6), max_size=3), st.text("abc ", max_size=30))
def test_the_fast_score_is_the_defined_one_where_many_spans_tie(translations: list[str], text: str) -> None:
    assert score(translations, text) == defined(translations, text, "en")


@pytest.mark.parametrize("lang", ALPHABETS)
def test_the_fast_score_is_the_defined_one_in_long_outputs(lang: str) -> None:
    draw = random.Random(lang)
    letters = ALPHABETS[lang]
    text = " ".join("".join(draw.choices(letters, k=draw.randint(1, 4))) for _ in range(30))
    for size in (1, 4, 30):
        translations = ["".join(draw.choices(letters, k=size))]
        assert score(translations, text, lang) == defined(translations, text, lang)


def test_blocks_of_words_and_wide_spans_do_not_change_the_score(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = random.Random(5)
    monkeypatch.setattr("wokflow.evaluate.spans.BLOCK", 3)
    monkeypatch.setattr("wokflow.evaluate.spans.WIDER", 2)
    for _ in range(300):
        text = " ".join("".join(draw.choices("abcxyz", k=draw.randint(1, 5))) for _ in range(12))
        translations = ["".join(draw.choices("abc ", k=draw.randint(1, 7)))]
        assert score(translations, text) == defined(translations, text, "en")


@pytest.mark.parametrize(
    ("translations", "text", "lang", "expected"),
    [
        (["burrito"], "I ate a burrito.", "en", 100.0),
        (["BURRITO"], "“Burrito”, he said", "en", 100.0),
        (["milk  bread"], "milk\nbread", "en", 100.0),
        (["Yahoo!"], "Ask Yahoo!", "en", 100.0),
        (["oil"], "boil", "en", 75.0),
        (["burrito"], "two burritos", "en", 100 * 7 / 8),
        (["abc", "burrito"], "a buritto", "en", 100 * 5 / 7),
        (["ab"], "ca", "en", 0.0),
        (["ab"], "xyz", "en", 0.0),
        (["ab"], "", "en", 0.0),
        (["ab"], " \n", "en", 0.0),
        ([], "text", "en", None),
        (["", " \u200b"], "text", "en", None),
        (["IUCN红色名录"], "被列入IUCN红色名录。", "zh", 100.0),
        (["北京大学"], "到北京大学生中去", "zh", 100.0),  # jieba: 北京 大学生
        (["國際自然保護聯盟"], "国际自然保护联盟", "zh", 100.0),
        (["寿司屋"], "この寿司屋さん", "ja", 100.0),
        (["ต้มยำ"], "ชอบต้มยำกุ้ง", "th", 100.0),
        (["phở"], unicodedata.normalize("NFD", "Phở bò"), "vi", 100.0),
        (["H\u0331a"], "h\u0331a", "de", 100.0),
        (["क\u094d\u200dष"], "क\u094dष", "hi", 100.0),
        (["co-op"], "co\u00ad‑op", "en", 100.0),
    ],
)
def test_scores_of_texts(translations: list[str], text: str, lang: str, expected: float | None) -> None:
    assert score(translations, text, lang) == expected == defined(translations, text, lang)


@pytest.mark.parametrize(("part", "text", "lang"), [("क", "कि", "hi"), ("ต", "ต้", "th"), ("บ", "บำ", "th")])
def test_a_mark_is_never_cut_from_its_letter(part: str, text: str, lang: str) -> None:
    assert not Output(text, lang).has(part)
    assert score([part], text, lang) == 50.0


def test_words_are_whole_words_letters_without_spaces_and_signs() -> None:
    output = Output("Das IUCN红色 'x2'", "en")
    assert all(map(output.has, ["iucn", "红", "iucn红", "'x2'", "x2'", "das iucn红色 'x2'", "'"]))
    assert not any(map(output.has, ["iu", "x", "as iucn", "das ", " iucn", "2"]))


ROWS: list[tuple[str, str, list[tuple[str, str]]]] = [
    ("camt:0", "烤面包和豆腐", [("Q1", "Material Culture"), ("Q2", "Ecology")]),
    ("camt:1", "卷饼", [("Q3", "Material Culture"), ("Q1", "Material Culture")]),
    ("camt:2", "没有", [("Q4", "Ecology")]),
    ("more:0", "烤面包", [("Q1", "Material Culture")]),
]
TRANSLATIONS = {"Q1": ["烤面包", "吐司"], "Q2": ["豆腐"], "Q3": ["墨西哥卷饼"], "Q4": []}
COUNTRIES = {"Q1": "Q30", "Q2": "Q148", "Q3": "Q38", "Q4": "Q38"}


def write_items(path: Path, langs: Sequence[str] = ("en", "zh")) -> str:
    empty = {
        "label": None,
        "description": None,
        "aliases": [],
        "category": "",
        "topics": [],
        "explanation": None,
    }
    rows = [
        empty
        | {"qid": qid, "lang": lang, "country_qid": country, "country_of_origin": country}
        | {"translations": TRANSLATIONS[qid] if lang == "zh" else ["bread"]}
        for qid, country in COUNTRIES.items()
        for lang in langs
    ]
    tables.write(path, ITEMS, tables.frame(ITEMS, rows), METADATA)
    return str(path)


def write_sentences(path: Path, sentences: Sequence[tuple[str, str, list[tuple[str, str]]]] = ROWS) -> str:
    rows = [
        {
            "sentence_id": sentence,
            "source": "s",
            "target": target,
            "items": [
                {"qid": qid, "start": 0, "end": 1, "mention": "m", "category": category}
                for qid, category in mentioned
            ],
        }
        for sentence, target, mentioned in sentences
    ]
    tables.write(path, SENTENCES, tables.frame(SENTENCES, rows), METADATA)
    return str(path)


def settings(*predictions: str) -> CsiMatchSettings:
    few = SentencesBootstrap(samples=50)
    return CsiMatchSettings(
        corpus="camt", pair="en-zh", predictions=predictions, regions=REGIONS, bootstrap=few
    )


def evaluated(folder: Path, runs: Mapping[str, Mapping[str, str]], **others: object) -> pl.DataFrame:
    given: dict[str, object] = {
        "sentences": [
            write_sentences(folder / "sentences", [row for row in ROWS if row[0].startswith("camt:")])
        ],
        "dictionary": write_items(folder / "items"),
        "held_out": [],
        "parts": str(folder / "parts"),
        "predictions": [write_predictions(folder / run, run, texts) for run, texts in runs.items()],
        "scores": str(folder / "scores"),
        "settings": settings(),
        "job": JOB,
    }
    evaluate_csi_match(**given | others)  # type: ignore[arg-type]
    return tables.read(folder / "scores")


def values(rows: pl.DataFrame, run: str, metric: str = "csi_match") -> dict[str, tuple[float | None, int]]:
    own = rows.filter((pl.col("run") == run) & (pl.col("metric") == metric))
    return {
        name: (value, count) for name, value, count in own.select("dataset", "value", "instances").iter_rows()
    }


def test_sentences_that_prompts_show_are_scored_for_no_run(tmp_path: Path) -> None:
    texts = {"camt:0": "吐司", "camt:1": "", "camt:2": "x"}
    every = evaluated(tmp_path, {"a": texts})
    pl.DataFrame({"instance_id": ["camt:0"]}).write_parquet(tmp_path / "shown")
    rows = evaluated(tmp_path, {"a": texts}, held_out=[str(tmp_path / "shown")])
    for run in ("a", "reference"):
        assert values(every, run)["camt"][1] == 4 and values(rows, run)["camt"][1] == 2
        assert values(rows, run)["camt"][0] != values(every, run)["camt"][0]
    assert "camt:0" not in tables.read(tmp_path / "parts")["instance_id"]


def test_parts_of_sentences_sum_up_to_the_score_of_the_source(tmp_path: Path) -> None:
    rows = evaluated(tmp_path, {"a": {"camt:0": "吐司", "camt:1": "烤面", "camt:2": "x"}})
    parts = tables.read(tmp_path / "parts")
    assert parts.columns == PARTS.names and set(parts["dataset"]) == {"en-zh/camt"}
    for run in ("a", "reference"):
        for metric in METRICS:
            own = parts.filter(run=run, metric=metric)["parts"].to_list()
            score = sum(value for value, _ in own) / sum(count for _, count in own)
            assert values(rows, run, metric)["camt"][0] == pytest.approx(score, abs=1e-4)


def test_scores_are_means_over_mentions_that_have_translations(tmp_path: Path) -> None:
    texts = {"camt:0": "吐司", "camt:1": "", "camt:2": "x", "more:0": "烤面包！", "else:7": "吐司"}
    rows = evaluated(tmp_path, {"b": texts, "a": {"camt:0": "豆腐"}})
    assert rows["run"].unique(maintain_order=True).to_list() == ["a", "b", "reference"]
    assert rows["metric"].unique(maintain_order=True).to_list() == list(METRICS)
    assert values(rows, "b") == {
        "camt": (25.0, 4),  # 100 and 0; 0 and 0
        "camt/region=source": (50.0, 2),
        "camt/region=target": (0.0, 1),
        "camt/region=other": (0.0, 1),
        "camt/category=Ecology": (0.0, 1),
        "camt/category=Material Culture": (pytest.approx(33.3333), 3),
    }
    assert values(rows, "a")["camt"] == (50.0, 2)  # a sentence without prediction is out
    assert values(rows, "reference")["camt"] == (60.0, 4)  # 2 of the 5 letters of 墨西哥卷饼; no 面包
    assert values(rows, "reference", "csi_exact")["camt"] == (50.0, 4)
    none = rows.filter(pl.col("value").is_null())
    assert set(none["note"]) == {"No instance counts for it."}


def test_intervals_hold_the_score_and_repeat(tmp_path: Path) -> None:
    rows = evaluated(tmp_path, {})
    whole = rows.filter(pl.col("dataset") == "camt").row(0, named=True)
    assert whole["low"] <= whole["value"] <= whole["high"]
    assert whole["low"] < whole["high"]
    before = Path(tmp_path, "scores").read_bytes()
    evaluated(tmp_path, {})
    assert Path(tmp_path, "scores").read_bytes() == before


@pytest.mark.parametrize(
    ("runs", "message"),
    [
        ({"reference": {"camt:0": "x"}}, "called reference"),
        ({"a": {"camt:99": "x"}}, "No instance of run a"),
    ],
)
def test_predictions_that_do_not_fit_are_refused(
    runs: dict[str, dict[str, str]], message: str, tmp_path: Path
) -> None:
    with pytest.raises(UserError, match=message):
        evaluated(tmp_path, runs)


def test_translations_made_elsewhere_are_scored_beside_runs(tmp_path: Path) -> None:
    (tmp_path / "mine.tsv").write_text("run\tinstance_id\tprediction\nmine\tcamt:0\t豆腐\nmine\tmore:0\tx\n")
    rows = evaluated(tmp_path, {"a": {"camt:0": "豆腐"}}, settings=settings(str(tmp_path / "mine.tsv")))
    assert values(rows, "mine") == values(rows, "a")


@pytest.mark.parametrize("name", ["0", "CAMT:0", ""])
def test_ids_that_are_those_of_no_sentence_are_refused(tmp_path: Path, name: str) -> None:
    """Passed over as those of other sources, they would leave the run out."""
    (tmp_path / "mine.tsv").write_text(f"run\tinstance_id\tprediction\nmine\t{name}\t豆腐\n")
    with pytest.raises(UserError, match=f"row 2: instance_id '{name}' is that of no sentence.*camt:0"):
        evaluated(tmp_path, {}, settings=settings(str(tmp_path / "mine.tsv")))


def test_translations_made_elsewhere_name_their_run(tmp_path: Path) -> None:
    (tmp_path / "mine.tsv").write_text("run\tinstance_id\tprediction\n \tcamt:0\t豆腐\n")
    with pytest.raises(UserError, match="row 2: the column run is empty"):
        evaluated(tmp_path, {}, settings=settings(str(tmp_path / "mine.tsv")))


def test_a_sentence_that_is_predicted_twice_is_refused(tmp_path: Path) -> None:
    one = write_predictions(tmp_path / "p", "a", {"camt:0": "x"})
    with pytest.raises(UserError, match=r"Run a has instance camt:0 twice"):
        evaluated(tmp_path, {}, predictions=[one, one])


def test_an_item_without_row_in_the_language_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no row of Q1 in language zh, which camt:0 mentions"):
        evaluated(tmp_path, {}, dictionary=write_items(tmp_path / "english", ["en"]))


@pytest.mark.parametrize("rows", [[], [("camt:0", "x", [])]])
def test_without_mentions_there_are_no_scores(
    rows: list[tuple[str, str, list[tuple[str, str]]]], tmp_path: Path
) -> None:
    found = evaluated(tmp_path, {}, sentences=[write_sentences(tmp_path / "none", rows)])
    assert not found.height


def test_the_table_of_regions_has_a_row_once_and_the_languages_of_the_paper() -> None:
    lines = Path(REGIONS).read_text(encoding="utf-8").splitlines()
    keys = [tuple(line.split("\t")[:2]) for line in lines]
    assert len(set(keys)) == len(keys)
    names = {tuple(line.split("\t")[1:]) for line in lines}
    assert len(names) == len({country for country, _ in names})  # one name an id
    regions = read_regions(REGIONS)
    assert regions.keys() >= {"en", "zh", "fr", "es", "hi", "ta", "te"}
    assert "Q148" in regions["zh"]
    assert "Q668" in regions["hi"] & regions["ta"] & regions["te"]


def test_ids_of_countries_are_checked(tmp_path: Path) -> None:
    table = tmp_path / "regions.tsv"
    table.write_text("lang\tcountry_qid\tcountry\nzh\tChina\tQ148\n", encoding="utf-8")
    with pytest.raises(UserError, match="row 2: lang must be"):
        read_regions(str(table))
