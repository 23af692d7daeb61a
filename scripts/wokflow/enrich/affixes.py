"""Affixes that are written together with a name: plural endings, particles, proclitics."""

PLURALS = {"en": ("s", "es")}  # a part of the mention
# After Korean names: particles, forms of the copula, the plural 들. They are no part of the mention.
_KOREAN = (
    "은 는 이 가 을 를 의 에 와 과 도 만 로 으로 에서 에게 께 께서 한테 부터 까지 처럼 보다 마다 조차 "
    "마저 밖에 이나 나 이란 란 이라는 라는 이라고 라고 이며 며 이고 이다 였다 이었다 인 입니다 이었던 "
    "였던 에는 에도 에만 에서는 에서도 에게는 으로는 로는 으로도 로도 으로서 로서 으로써 로써 와는 "
    "과는 와의 과의 에서의 으로의 로의 까지의 부터는 까지는 까지도 만의 만이 만을 들 들이 들은 들을 "
    "들의 들과 들에게"
)
PARTICLES = {"ko": frozenset(_KOREAN.split())}
# Before names, one or several: conjunctions, prepositions and the article of Arabic and Hebrew.
_ARABIC = "و ف ب ك ل وب ول وك فب فل ال وال بال كال فال لل ولل"
_HEBREW = "ו ה ב כ ל מ ש וה וב וכ ול ומ וש שה שב של מה כש כשה"
PROCLITICS = {"ar": tuple(_ARABIC.split()), "he": tuple(_HEBREW.split())}
LEAST = (
    4  # characters of a name after a proclitic: shorter ones end too many words that begin with these letters
)


def suffixes(lang: str, *, plurals: bool) -> tuple[str, ...]:
    """All affixes that may follow a name in its word."""
    return (*(PLURALS.get(lang, ()) if plurals else ()), *sorted(PARTICLES.get(lang, ())))
