"""Amounts of ingredient lines in grams, where a line says them by weight or by volume."""

import re
from unicodedata import normalize, numeric

from wokflow.frame.languages import HAN

UNITS = {  # English ones also with a plural's s
    **dict.fromkeys(("g", "gr", "gm", "gram", "gramme", "克", "公克"), 1.0),
    **dict.fromkeys(("ml", "milliliter", "millilitre", "cc", "毫升"), 1.0),
    **dict.fromkeys(("cl", "centiliter", "centilitre"), 10.0),
    **dict.fromkeys(("dl", "deciliter", "decilitre"), 100.0),
    **dict.fromkeys(("l", "liter", "litre", "升", "公升"), 1000.0),
    **dict.fromkeys(("kg", "kilo", "kilogram", "kilogramme", "千克", "公斤"), 1000.0),
    **dict.fromkeys(("lb", "pound", "磅"), 454.0),
    **dict.fromkeys(
        ("oz", "ounce", "fl oz", "fl.oz", "fl. oz", "fluid oz", "fluid ounce", "盎司", "安士"), 28.0
    ),
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
    # 20 cl are centilitres, but 2 cl garlic are cloves
    r"(?:(?<=\d\d)|(?<=\d\d\s))cl" if unit == "cl" else re.escape(unit)
    for unit in sorted((unit for unit in UNITS if unit.isascii()), key=len, reverse=True)
)
NUMERALS = "零〇一二两三四五六七八九"
APART = re.compile("[¼-¾⅐-⅞↉①-⓿¹²³⁰-⁹]")  # NFKC turns them into digits: not 11/2, 1500
QUOTIENT = r"\d{1,3}\s?[/⁄]\s?\d{1,2}(?!\d)"  # 2/500g are two of 500
# After Chinese text a comma separates two ingredients (鸡蛋3,200克面粉), except in 约1,500克 and 1,000克.
NO_LIST = rf"(?:(?<![{HAN}])|(?<=约)|(?=\d{{1,3}},000))"
THOUSANDS = r"[1-9]\d{0,2}(?:,\d{3}){1,2}(?!\d)(?:\.\d{1,6})?"  # 1,000 is a thousand, 2,5 is two and a half
DIGITS = (
    rf"(?:{NO_LIST}(?:{THOUSANDS}|\d{{1,6}},\d{{1,6}})|\d{{1,6}}(?:[.点]\d{{1,6}})?|(?<![^\s(~-])\.\d{{1,6}})"
)
AND = r"(?:\s{0,3}|\s?[-–&又]\s{0,2}|\s(?:and|plus)\s{1,2})"  # 1 1/2, 1-1/2, 1 and 1/2
LATIN = rf"(?<!\d)(?:(?<!\d[/⁄])|(?=\d{{3}}))(?:\d{{1,4}}{AND}(?<!\d){QUOTIENT}|{QUOTIENT}|{DIGITS})"
FEW = rf"(?:\d{{1,3}}|[{NUMERALS}十]{{1,3}})"
SHARE = (
    rf"(?:(?:{FEW}\s?又\s?)?{FEW}分之{FEW}|[{NUMERALS}十]{{1,3}}\s?又\s?{QUOTIENT})"  # 三分之二, 一又二分之一
)
CHINESE = (
    rf"(?<![{NUMERALS}十百千万半点之\d])"
    rf"(?:半|(?!千克)[{NUMERALS}十百千][{NUMERALS}十百千万]{{0,8}}?(?:点[{NUMERALS}]{{1,4}})?)"
)
NUMBER = rf"(?:(?<![{NUMERALS}十\d]){SHARE}|{LATIN}|{CHINESE})"
RANGE = (
    rf"(?:\s{{0,2}}(?:[-~〜–—至到或]|to\s|or\s)\s{{0,2}}{NUMBER}"
    rf"|(?<=[{NUMERALS}十百千])、[{NUMERALS}十百千]{{1,8}}?|(?<!\d\d)(?<=\d)、\d(?!\d))?"
)
PACKAGES = "can|pkg|pack|jar|box|bottle|carton|container|bag|tin|chicken|turkey|roast|ham"
SIZE = rf"\d{{1,3}}(?:\.\d{{1,2}})?[\s-]{{0,3}}(?:oz|ounce|lb|pound|g|ml)s?\.?[\s-]{{0,3}}(?:{PACKAGES})"
# The count of packages in 1-14 oz can (one of 14 ounces) and 2-8 oz cans (two of 8); 6-8 oz can is a range.
COUNTED = rf"(?:(?<!\d)(?:1\s?[-–]|[2-4]\s?[-–](?=\s?(?:[6-9]|\d\d)))\s?(?={SIZE}))?"
HALF = r"半(?![熟干肥瘦透脱湿解成个脂糖])"  # of another unit: 一斤半五花肉, but 一斤半肥半瘦的肉
TWO = rf"两(?:{CHINESE_UNITS}|[个片瓣根颗只块粒条枚滴朵])"  # 一两勺, 一两个: one or two
AMOUNT = re.compile(
    rf"(?=[.\d半{NUMERALS}十百千]){COUNTED}({NUMBER}){RANGE}[\s-]{{0,3}}[多来余几]?"
    rf"(?:(?:[大小满平](?=[碗杯勺匙汤茶大小]))??(?!{TWO})({CHINESE_UNITS})({HALF})?|({LATIN_UNITS})s?(?![a-z]))"
)
PARTS = re.compile(rf"{QUOTIENT}|{DIGITS}")
HEAVY = 500.0  # grams of a unit from which on a comma is decimal: 1,125 kg are 1125 g


def grams(line: str) -> float | None:
    """The first amount of a line in grams; volumes count as if they were of water. None if it says neither.

    Of a range its first end counts.
    """
    match = AMOUNT.search(normalize("NFKC", APART.sub(r" \g<0> ", line.replace("，", ", "))).lower())
    if not match:
        return None
    number, chinese, half, latin = match.groups()
    unit = UNITS[chinese or latin]
    return (_number(number, thousands=unit < HEAVY) + (0.5 if half else 0)) * unit or None


def _number(text: str, *, thousands: bool = True) -> float:
    if text == "半":
        return 0.5
    if "又" in text:
        return sum(_number(part.strip()) for part in text.split("又"))
    if "分之" in text:
        below, _, above = text.partition("分之")
        return _ratio(_number(above), _number(below))
    if text[0] in f"{NUMERALS}十百千":
        digits, _, decimals = text.partition("点")
        return _chinese(digits) + (float(f"0.{_positional(decimals)}") if decimals else 0)
    total = 0.0
    for part in PARTS.findall(text):
        above, slash, below = part.replace("⁄", "/").partition("/")
        if slash:
            total += _ratio(float(above), float(below))
        else:
            grouped = re.fullmatch(THOUSANDS, part) and (thousands or not re.fullmatch(r"\d+,\d+", part))
            total += float(part.replace(",", "" if grouped else ".").replace("点", "."))
    return total


def _ratio(above: float, below: float) -> float:
    return above / below if below else 0.0


def _chinese(text: str) -> int:
    """A number: 十五, 两百零五, 一百五 (150), 二〇〇; of 两三百, two or three hundred, the first."""
    if not re.search("[十百千万]", text):
        return _positional(text if re.search("[零〇]", text) else text[0])
    total = digit = 0
    unit = 10  # that a last digit counts by, before it is divided by ten
    for character in text:
        value = _value(character)
        if value == 10_000:
            total, digit, unit = (total + digit) * value, 0, value
        elif value >= 10:
            total += max(digit, 1) * value
            digit, unit = 0, value
        elif not digit:
            digit = value
            unit = unit if value else 10
    return total + digit * unit // 10


def _positional(text: str) -> int:
    return int("".join(str(_value(character)) for character in text))


def _value(numeral: str) -> int:
    return 2 if numeral == "两" else int(numeric(numeral))
