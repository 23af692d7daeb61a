"""Amounts of ingredient lines in grams, where a line says them by weight or by volume."""

import re

UNITS = {
    **dict.fromkeys(("g", "gr", "gm", "gram", "grams", "克", "ml", "毫升", "cc"), 1.0),
    **dict.fromkeys(("kg", "kilo", "千克", "公斤", "l", "liter", "litre", "升"), 1000.0),
    **dict.fromkeys(("lb", "lbs", "pound", "pounds"), 454.0),
    **dict.fromkeys(("oz", "ounce", "ounces"), 28.0),
    **dict.fromkeys(("c", "cup", "cups", "杯"), 240.0),
    **dict.fromkeys(("tbsp", "tbs", "tablespoon", "tablespoons", "汤匙", "大勺", "大匙", "勺"), 15.0),
    **dict.fromkeys(("tsp", "teaspoon", "teaspoons", "茶匙", "小勺"), 5.0),
    **dict.fromkeys(("dl",), 100.0),
    **dict.fromkeys(("qt", "quart", "quarts"), 950.0),
    **dict.fromkeys(("pt", "pint", "pints"), 475.0),
    **dict.fromkeys(("斤",), 500.0),
    **dict.fromkeys(("两",), 50.0),
    **dict.fromkeys(("碗",), 250.0),
}
FRACTIONS = {"½": 0.5, "¼": 0.25, "¾": 0.75, "⅓": 1 / 3, "⅔": 2 / 3, "⅛": 0.125}
NUMERALS = dict(zip("一二两三四五六七八九十", (1, 2, 2, 3, 4, 5, 6, 7, 8, 9, 10), strict=True)) | {"半": 0.5}
DIGITS, QUOTIENT = r"\d{1,6}", r"\d{1,3}/\d{1,3}"
NUMBER = (
    rf"((?<!\d)(?:{DIGITS}\s{{1,3}}{QUOTIENT}|{DIGITS}\s?[½¼¾⅓⅔⅛]|{QUOTIENT}|{DIGITS}(?:\.{DIGITS})?)"
    r"|[½¼¾⅓⅔⅛]|[半一二两三四五六七八九十])"
)
RANGE = r"(?:\s?[-~–]\s?[\d./]{1,9})?"
CHINESE_UNITS = "|".join(sorted((unit for unit in UNITS if not unit.isascii()), key=len, reverse=True))
LATIN_UNITS = "|".join(sorted((unit for unit in UNITS if unit.isascii()), key=len, reverse=True))
AMOUNT = re.compile(rf"{NUMBER}{RANGE}\s{{0,3}}(?:({CHINESE_UNITS})|({LATIN_UNITS})(?![a-z]))", re.I)


def grams(line: str) -> float | None:
    """The first amount of a line in grams; volumes count as if they were of water. None if it says neither."""
    match = AMOUNT.search(line)
    if not match:
        return None
    number, chinese, latin = match.groups()
    amount = _number(number) * UNITS[chinese or latin.lower()]
    return amount or None


def _number(text: str) -> float:
    if text in NUMERALS:
        return float(NUMERALS[text])
    total = 0.0
    for part in re.findall(r"\d+/\d+|\d+(?:\.\d+)?|[½¼¾⅓⅔⅛]", text):
        above, slash, below = part.partition("/")
        if slash:
            total += float(above) / float(below) if float(below) else 0.0
        else:
            total += FRACTIONS.get(part) or float(part)
    return total
