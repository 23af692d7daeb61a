"""Marks of footnotes are left out; brackets that are text stay."""

import json
from pathlib import Path

import pytest
from wokflow.ingest.footnotes import without_marks
from wokflow.ingest.parallel import read_content_translation

ENGLISH = (
    "Mole poblano is a thick sauce from Puebla.",
    "It is made of chili peppers, nuts and spices.",
    "It is served over turkey at weddings.",
)
CHINESE = ("普埃布拉莫莱是源自普埃布拉的浓酱。", "它由辣椒、坚果和香料制成。", "婚礼上它浇在火鸡上。")
HINDI = (
    "मोले पोब्लानो पुएब्ला की गाढ़ी चटनी है।",
    "यह मिर्च, मेवे और मसालों से बनती है।",
    "शादियों में इसे टर्की पर परोसते हैं।",
)
TEXT = "{}[1] {}[2] {}"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Mole is from Puebla.[1] It is hot.[2][3]", "Mole is from Puebla. It is hot."),
        ("Mole is from Puebla.[1]It is hot", "Mole is from Puebla. It is hot"),
        ("莫莱来自普埃布拉。[1]它很辣[註 2][注3]。[來源請求]", "莫莱来自普埃布拉。它很辣。"),
        ("मोले चटनी है।[१] यह तीखा है।[कृपया उद्धरण जोड़ें]", "मोले चटनी है। यह तीखा है।"),
        ("in Japan [註 1]and the Institute [註 2].", "in Japan and the Institute."),
        (
            "a river (256\u00a0km) [2] of 1998[lower-alpha 1] and[note 3] [nb 4]",
            "a river (256\u00a0km) of 1998 and",
        ),
        ("hot,[12]:34–36 red[5]:7 and[better source needed] old[when?]", "hot, red and old"),
        ("［1］粥", "粥"),
        ("[a]nd [r]ice [sic] [...] [the banks of]", "[a]nd [r]ice [sic] [...] [the banks of]"),
        (
            "[4]helicene, [1998], [5,200 sq km], [Article 5]",
            "[4]helicene, [1998], [5,200 sq km], [Article 5]",
        ),
        ("a list[1]:3.5 and [", "a list:3.5 and ["),
    ],
)
def test_marks_of_footnotes_are_left_out(text: str, left: str) -> None:
    assert without_marks(text) == left


@pytest.mark.parametrize(
    ("lang", "source", "target", "sentences"),
    [
        ("zh", TEXT, "{}[1]{}[註 2]{}", CHINESE),
        (
            "zh",
            "<p>{}<sup class='mw-ref reference'>[A]</sup> {}</p><ul><li>{}</li></ul>",
            "{}\n{}\n{}",
            CHINESE,
        ),
        ("hi", TEXT, TEXT, HINDI),
    ],
)
def test_they_hide_no_end_of_a_sentence_in_content_translations(
    lang: str, source: str, target: str, sentences: tuple[str, ...], tmp_path: Path
) -> None:
    sides = {"source": {"content": source.format(*ENGLISH)}, "target": {"content": target.format(*sentences)}}
    path = tmp_path / "cx.json"
    path.write_text(json.dumps([{"sourceLanguage": "en", "targetLanguage": lang, "mt": None, **sides}]))
    rows = [row[1:] for row in read_content_translation([str(path)], f"en-{lang}")]
    assert rows == [(*pair, None) for pair in zip(ENGLISH, sentences, strict=True)]
