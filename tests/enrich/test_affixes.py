"""Names that are written together with particles, conjunctions, prepositions and articles."""

from pathlib import Path

import pytest
from wokflow.enrich.affixes import particle_lengths, particles
from wokflow.enrich.inflection import forms
from wokflow.enrich.link import Linker
from wokflow.enrich.names import Names, enrich_names
from wokflow.enrich.phrases import Phrases
from wokflow.frame.job import Job

from tests.enrich.defaults import link_settings, linker_of
from tests.enrich.facts import dumped, entity


@pytest.mark.parametrize("name", ["김밥", "부채", "서울", "KBS", "노래들"])
@pytest.mark.parametrize(
    "tail",
    [
        "의",
        "도",
        "만",
        "에",
        "에서",
        "에게",
        "까지",
        "에서부터의",
        "에게만은",
        "들에게도",
        "뿐이다",
        "이었던",
    ],
)
def test_particles_follow_any_name(name: str, tail: str) -> None:
    known = particles("ko")
    assert known
    assert known.fullmatch(name + tail, len(name))


@pytest.mark.parametrize(
    ("name", "tails"),
    [  # the name ends in a consonant, in a vowel, in ㄹ, in a Latin letter
        ("김밥", "은 이 을 과 으로 이나 이랑 이라는 이고 으로부터의 이었다"),
        ("부채", "는 가 를 와 로 이나 나 랑 이라는 라는 이고 로부터의 이었다 였다"),
        ("서울", "은 이 을 과 로 이나 이랑 이라는 이고 로부터의 이었다"),
        (
            "KBS",
            "은 는 이 가 을 를 과 와 으로 로 이나 나 이랑 랑 이라는 라는 이고 으로부터의 로부터의 이었다 였다",
        ),
    ],
)
def test_particles_fit_the_end_of_the_name(name: str, tails: str) -> None:
    every = "은 는 이 가 을 를 과 와 으로 로 이나 나 이랑 랑 이라는 라는 이고 으로부터의 로부터의 이었다 였다"
    known = particles("ko")
    assert known
    assert [tail for tail in every.split() if known.fullmatch(name + tail, len(name))] == tails.split()


@pytest.mark.parametrize("tail", ["나라", "만들기", "의만", "은는", "들들", "에서에서에서"])
def test_what_is_no_particle(tail: str) -> None:
    known = particles("ko")
    assert known
    assert not known.fullmatch("김밥" + tail, 2)


def test_a_word_may_end_in_several_particles() -> None:
    assert list(particle_lengths("영화제까지도", "ko")) == [1, 3]
    assert list(particle_lengths("cafés", "fr")) == []


@pytest.mark.parametrize(
    ("lang", "name", "text", "mention"),
    [
        ("es", "churro", "compraron churros allí", "churros"),
        ("es", "tamal de elote", "comen tamal de elotes", "tamal de elotes"),
        ("fr", "bouillabaisse", "les bouillabaisses d’ici", "bouillabaisses"),
        ("fr", "Garonne", "des Garonnes", ""),  # a name has no plural
        ("de", "maultasche", "eine maultasches", ""),
        ("es", "turrón", "comen turrones allí", "turrones"),
        ("es", "tortilla española", "dos tortillas españolas", "tortillas españolas"),
        ("es", "churro con chocolate", "hay churros con chocolate", "churros con chocolate"),
        ("es", "La comunidad", "en las comunidades del sur", ""),  # a film
        ("fr", "pain au chocolat", "des pains au chocolat", "pains au chocolat"),
        ("fr", "gâteau basque", "des gâteaux basques", "gâteaux basques"),
        ("en", "cup of tea", "two cups of tea", "cups of tea"),
        ("en", "meatloaf", "two meatloaves", "meatloaves"),
        ("hi", "समोसा", "उसने समोसे खाए", "समोसे"),
        ("hi", "रोटी", "रोटियाँ और दाल", "रोटियाँ"),
        ("hi", "फ़िल्म पुरस्कार", "राष्ट्रीय फिल्म पुरस्कारों में", "फिल्म पुरस्कारों"),
        ("hi", "गणतन्त्र दिवस", "यह गणतंत्र दिवस है", "गणतंत्र दिवस"),
        ("hi", "बांबी", "यह बाम्बी है", "बाम्बी"),
        ("hi", "जन्नत", "यह जंनत है", ""),  # a long n is no dot
        ("ta", "சென்னை", "அவர் சென்னையிலும் இருந்தார்", "சென்னை"),
        ("ta", "சென்னை", "அவர் சென்னைக்குப் போனார்", "சென்னை"),
        ("ta", "தமிழ்", "அவர் தமிழில் பேசினார்", "தமிழில்"),
        ("ta", "தமிழகம்", "அது தமிழகத்தில் உள்ளது", "தமிழகத்தில்"),
        ("ta", "தமிழ்நாடு", "அது தமிழ்நாட்டின் உணவு", "தமிழ்நாட்டின்"),
        ("ta", "மசாலா தோசை", "அவர் மசாலா தோசைகளை உண்டார்", "மசாலா தோசை"),
        ("ta", "தமிழ்", "தமிழிசை கேட்டார்", ""),
        ("ta", "தெலுங்கு", "அவர் தெலுங்கில் பேசினார்", "தெலுங்கில்"),
        ("ta", "பெரிய கோயில்", "பெரிய கோயிலின் சிலை", "பெரிய கோயிலின்"),
        ("ta", "திரைப்படம்", "பல திரைப்படங்களை எடுத்தார்", "திரைப்படங்களை"),
        ("ta", "திரைப்படம்", "அந்தத் திரைப்படத்தை எடுத்தார்", "திரைப்படத்தை"),
        ("ta", "சென்னை", "சென்னைக்கும் போனார்", "சென்னை"),
        ("ta", "தோசை", "அவர் தோசையும் உண்டார்", ""),  # a third letter would tell முடி (hair) in முடியும் (can)
        ("ta", "தோசை", "அவர் தோசையை உண்டார்", "தோசை"),
        *(
            ("ta", name, f"அந்த {word} இது", "")
            for name, word in [
                ("கல்", "கலை"),
                ("வில்", "விலை"),
                ("அணு", "அணில்"),
                ("படு", "படை"),
                ("கால்", "காலை"),
                ("வேல்", "வேலை"),
                ("தந்து", "தந்தை"),
                ("மறு", "மற்றும்"),
                ("யான்", "யானை"),
                ("இந்தி", "இந்திய"),
                ("முடி", "முடியும்"),
                ("மட்டு", "மட்டும்"),
                ("கோடு", "கோட்டை"),
                ("கவல்", "கவலை"),
                ("வேகம்", "வேகமாக"),
                ("அழகு", "அழகான"),
                ("திம்", "திங்கள்"),
                ("என்று", "என்றால்"),
                ("பற", "பறவை"),
                ("பிடி", "பிடிக்கும்"),
                ("அறு", "அறுவை"),
                ("பாரும்", "பாருங்கள்"),
            ]
        ),
        ("te", "హైదరాబాద్", "అతను హైదరాబాద్\u200cలో ఉన్నాడు", "హైదరాబాద్"),
        ("te", "హైదరాబాద్", "అతను హైదరాబాదులో ఉన్నాడు", "హైదరాబాదులో"),
        ("te", "మసాలా దోశ", "మసాలా దోశలను తిన్నాడు", "మసాలా దోశ"),
        ("te", "దేవాలయం", "ఆ దేవాలయాలలో ఉంది", "దేవాలయాలలో"),
        ("te", "తమిళనాడు", "ఆ తమిళనాడుకు వెళ్ళాడు", "తమిళనాడు"),
        ("te", "నెల్లూరు", "అతను నెల్లూరిలో ఉన్నాడు", "నెల్లూరిలో"),
        ("te", "దోశ", "అతను దోశలతో వచ్చాడు", "దోశ"),
        *(
            ("te", name, f"ఆ {word} ఉంది", "")
            for name, word in [
                ("వార్", "వారి"),
                ("వారు", "వారికి"),
                ("సార్", "సారి"),
                ("కోడ్", "కోడి"),
                ("చెర", "చెరకు"),
                ("నాడు", "నాడి"),
                ("కలర్", "కలరు"),
                ("పగ", "పగలు"),
                ("ముఖ్యం", "ముఖ్యంగా"),
                ("దుర్", "దుర్గా"),
                ("నిర్మ", "నిర్మల"),
                ("బాగు", "బాగుకు"),
                ("హిమం", "హిమాల"),
                ("గోపం", "గోపాలకు"),
            ]
        ),
        ("ko", "부산 국제 영화제", "그는 부산 국제 영화제에서만은 웃었다", "부산 국제 영화제"),
        ("ko", "서울", "서울으로 갔다", ""),
        ("ko", "KBS", "KBS와 KBS2가 있다", "KBS"),
        *(
            ("ar", "القاهرة", f"{before}القاهرة بعيدة", "القاهرة")
            for before in ("", "و", "ف", "ب", "ك", "وب", "فب", "وك")
        ),
        *(
            ("ar", "منسف", f"{before}منسف بعيد", "منسف")
            for before in ("ال", "وال", "بال", "وبال", "لل", "ولل")
        ),
        ("ar", "القاهرة", "ذهبنا للقاهرة أمس", "لقاهرة"),
        ("ar", "القاهرة", "وللقاهرة تاريخ", "لقاهرة"),
        ("ar", "البحر الميت", "سافر للبحر الميت", "لبحر الميت"),
        ("ar", "اللاذقية", "سافر للاذقية", "لاذقية"),  # no third ل is written
        ("ar", "أم علي", "وصفة لأم علي", "أم علي"),
        ("ar", "فول", "أكلنا الفول أمس", "فول"),
        ("ar", "فول", "أكلنا وفول أمس", ""),  # three letters after one that may belong to the word
        ("ar", "القاهرة", "هذا لقاهرة", ""),
        ("ar", "بيت", "هذه كلمة لليبيت", ""),
        *(
            ("he", "ירושלים", f"הלך {before}ירושלים אתמול", "ירושלים")
            for before in ("", "ב", "ול", "שב", "ומ", "כשב", "ושמ", "לכשב")
        ),
        ("he", "הכותל המערבי", "הלך לכותל המערבי", "כותל המערבי"),
        ("he", "הכותל המערבי", "עמד ושבכותל המערבי", "כותל המערבי"),
        ("he", "הכותל המערבי", "עמד מהכותל המערבי", "הכותל המערבי"),
        (
            "he",
            "הכותל המערבי",
            "עמד מכותל המערבי",
            "",
        ),  # only after some prepositions is the article left out
    ],
)
def test_names_with_what_is_written_together_with_them(
    lang: str, name: str, text: str, mention: str, tmp_path: Path
) -> None:
    table = dumped([entity("Q1", {lang: name})], tmp_path / "dump", [lang])
    folder = tmp_path / "n"
    enrich_names(entities=table, names=str(folder), digest=str(tmp_path / "d"), lang=lang, job=Job())
    found = [text[one.start : one.end] for one in linker_of(Names.open(folder, lang))(text)]
    assert found == ([mention] if mention else [])


@pytest.mark.parametrize(
    ("lang", "name", "text"),
    [("ta", "சென்னை", "சென்னையில் இருந்தார்"), ("te", "గోల్కొండ", "గోల్కొండలో ఉన్నాడు"), ("hi", "समोसा", "उसने समोसे खाए")],
)
def test_without_plurals_no_form_is_a_mention(lang: str, name: str, text: str, tmp_path: Path) -> None:
    table = dumped([entity("Q1", {lang: name})], tmp_path / "dump", [lang])
    folder = tmp_path / "n"
    enrich_names(entities=table, names=str(folder), digest=str(tmp_path / "d"), lang=lang, job=Job())
    found = {
        plurals: len(Linker(Names.open(folder, lang), link_settings(plurals=plurals), Phrases(()))(text))
        for plurals in (True, False)
    }
    assert found == {True: 1, False: 0}


@pytest.mark.parametrize(
    ("lang", "name", "plural"),
    [
        ("en", "fisherman of pearls", "fishermen of pearls"),
        ("en", "shaman of the north", "shamans of the north"),
        ("en", "ottoman", "ottomans"),
        ("es", "gas noble", "gases nobles"),
        ("es", "mes lunar", "meses lunares"),
        ("es", "dios griego", "dioses griegos"),
        ("es", "pez espada", "peces espadas"),
        ("es", "turrón", "turrones"),
        ("es", "crisis griega", "crisis griegas"),
        ("es", "paraguas rojo", "paraguas rojos"),
        ("fr", "chou farci", "choux farcis"),
        ("fr", "cachou de Toulouse", "cachous de Toulouse"),
        ("fr", "tripou auvergnat", "tripoux auvergnats"),
        ("fr", "ripou célèbre", "ripoux célèbres"),
        ("fr", "bal masqué", "bals masqués"),
        ("fr", "récital de piano", "récitals de piano"),
        ("fr", "bleu de Gex", "bleus de Gex"),
        ("fr", "cheval de trait", "chevaux de trait"),
        ("fr", "vitrail", "vitraux"),
        ("fr", "éventail de plumes", "éventails de plumes"),
    ],
)
def test_plurals(lang: str, name: str, plural: str) -> None:
    """Those that only add an ending are left to the linker."""
    assert [*forms(name, lang)] == ([] if plural in (f"{name}s", f"{name}es") else [plural])


def test_a_word_that_is_a_name_has_no_suffix(tmp_path: Path) -> None:
    table = dumped([entity("Q1", {"te": "నిర్మ"}), entity("Q2", {"te": "నిర్మల"})], tmp_path / "dump", ["te"])
    folder = tmp_path / "n"
    enrich_names(entities=table, names=str(folder), digest=str(tmp_path / "d"), lang="te", job=Job())
    linker = linker_of(Names.open(folder, "te"))
    assert [one.qid for text in ("నిర్మలలో ఉంది", "నిర్మల ఉంది") for one in linker(text)] == ["Q2", "Q2"]
