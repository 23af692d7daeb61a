"""Amounts of ingredient lines in grams, where a line says them by weight or by volume."""

import re
from unicodedata import numeric

UNITS = {  # English ones also with a plural's s
    **dict.fromkeys(("g", "gr", "gm", "gram", "gramme", "克", "公克"), 1.0),
    **dict.fromkeys(("ml", "milliliter", "millilitre", "cc", "毫升"), 1.0),
    **dict.fromkeys(("cl", "centiliter", "centilitre"), 10.0),
    **dict.fromkeys(("dl", "deciliter", "decilitre"), 100.0),
    **dict.fromkeys(("l", "liter", "litre", "升", "公升"), 1000.0),
    **dict.fromkeys(("kg", "kilo", "kilogram", "kilogramme", "千克", "公斤"), 1000.0),
    **dict.fromkeys(("lb", "pound", "磅"), 454.0),
    **dict.fromkeys(("oz", "ounce", "fl oz", "fl. oz", "fluid oz", "fluid ounce", "盎司", "安士"), 28.0),
    **dict.fromkeys(("c", "cup", "杯"), 240.0),
    **dict.fromkeys(("tbsp", "tbs", "tablespoon", "table spoon"), 15.0),
    **dict.fromkeys(("汤匙", "汤勺", "大汤匙", "大汤勺", "大勺", "大匙", "勺"), 15.0),
    **dict.fromkeys(("tsp", "teaspoon", "tea spoon"), 5.0),
    **dict.fromkeys(("茶匙", "茶勺", "大茶匙", "小茶匙", "小勺", "小匙"), 5.0),
    **dict.fromkeys(("gallon",), 3800.0),
    **dict.fromkeys(("qt", "quart"), 950.0),
    **dict.fromkeys(("pt", "pint"), 475.0),
    **dict.fromkeys(("斤",), 500.0),
    **dict.fromkeys(("两",), 50.0),
    **dict.fromkeys(("碗",), 250.0),
}
CHINESE_UNITS = "|".join(sorted((unit for unit in UNITS if not unit.isascii()), key=len, reverse=True))
LATIN_UNITS = "|".join(
    re.escape(unit) for unit in sorted((unit for unit in UNITS if unit.isascii()), key=len, reverse=True)
)
FRACTION = "[½¼¾⅓⅔⅕⅖⅗⅘⅙⅛⅜⅝⅞]"
QUOTIENT = r"\d{1,3}[/⁄]\d{1,3}"
THOUSANDS = r"[1-9]\d{0,2}(?:,\d{3}){1,2}(?!\d)(?:\.\d{1,6})?"  # 1,000 is a thousand, 2,5 is two and a half
DIGITS = rf"(?:{THOUSANDS}|\d{{1,6}}(?:[.,]\d{{1,6}})?)"
AND = r"(?:\s{0,3}|\s?[-–&]\s?|\s(?:and|plus)\s)"  # 1 1/2, 1-1/2, 1 and 1/2
LATIN = (
    rf"(?<!\d)(?<!\d[/⁄])(?:\d{{1,4}}{AND}(?:(?<!\d){QUOTIENT}|{FRACTION})|{QUOTIENT}|{FRACTION}|{DIGITS})"
)
NUMERALS = "零〇一二两三四五六七八九"
CHINESE = (
    rf"(?<![{NUMERALS}十百千半点\d])(?:半|[{NUMERALS}十][{NUMERALS}十百千]{{0,8}}?(?:点[{NUMERALS}]{{1,4}})?)"
)
NUMBER = rf"(?:{LATIN}|{CHINESE})"
RANGE = rf"(?:\s{{0,2}}(?:[-~–—、至到或]|to\s|or\s)\s{{0,2}}(?:{LATIN}|[{NUMERALS}十百千]{{1,8}}?))?"
HALF = r"半(?![熟干肥瘦透脱湿解成个])"  # of another unit: 一斤半五花肉, but 一斤半肥半瘦的肉
AMOUNT = re.compile(
    rf"({NUMBER}){RANGE}\s{{0,3}}[多来余几]?"
    rf"(?:(?!两(?:{CHINESE_UNITS}))({CHINESE_UNITS})({HALF})?|({LATIN_UNITS})s?(?![a-z]))",
    re.I,
)
PARTS = re.compile(rf"{QUOTIENT}|{DIGITS}|{FRACTION}")


def grams(line: str) -> float | None:
    """The first amount of a line in grams; volumes count as if they were of water. None if it says neither.

    Of a range its first end counts.
    """
    match = AMOUNT.search(line)
    if not match:
        return None
    number, chinese, half, latin = match.groups()
    amount = (_number(number) + (0.5 if half else 0)) * UNITS[chinese or latin.lower()]
    return amount or None


def _number(text: str) -> float:
    if text == "半":
        return 0.5
    if text[0] in NUMERALS or text[0] == "十":
        whole, _, decimals = text.partition("点")
        return _chinese(whole) + (float(f"0.{_positional(decimals)}") if decimals else 0)
    total = 0.0
    for part in PARTS.findall(text):
        above, slash, below = part.replace("⁄", "/").partition("/")
        if slash:
            total += float(above) / float(below) if float(below) else 0.0
        elif re.fullmatch(FRACTION, part):
            total += numeric(part)
        else:
            total += float(part.replace(",", "" if re.fullmatch(THOUSANDS, part) else "."))
    return total


def _chinese(text: str) -> int:
    """A number up to the thousands: 十五, 两百零五, 一百五 (150), 二〇〇; of 两三, two or three, the first."""
    if not re.search("[十百千]", text):
        return _positional(text if re.search("[零〇]", text) else text[0])
    total = digit = 0
    unit = 10  # that a last digit counts by, before it is divided by ten
    for character in text:
        value = _value(character)
        if value >= 10:
            total += max(digit, 1) * value
            digit, unit = 0, value
        else:
            digit = value
            unit = unit if value else 10
    return total + digit * unit // 10


def _positional(text: str) -> int:
    return int("".join(str(_value(character)) for character in text))


def _value(numeral: str) -> int:
    return 2 if numeral == "两" else int(numeric(numeral))
