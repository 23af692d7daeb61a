"""Readings of text that was decoded wrongly before it was saved: what undoes them, by round trip.

Text is encoded by an encoding as which it may have been read, and decoded by one that it may have been in. It was
read wrongly where hardly a character beyond ASCII is expected as it stands, and most are in what comes out.
"""

import itertools
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache

import ftfy.bad_codecs  # noqa: F401  # Python knows sloppy encodings then

# Encodings by Python's name, and by that of iconv; the likelier ones first.
WAS = {
    "utf-8": "UTF-8",
    "gb18030": "GB18030",
    "cp950": "BIG5",
    "cp1252": "WINDOWS-1252",
    "mac_roman": "MACINTOSH",
    "cp437": "CP437",
    "cp850": "CP850",
}
READ_AS = {
    "latin-1": "ISO-8859-1",
    "sloppy-windows-1252": "WINDOWS-1252",
    "gbk": "GB18030",
    "cp950": "BIG5",
    "mac_roman": "MACINTOSH",
    "sloppy-windows-1250": "WINDOWS-1250",
    "sloppy-windows-1251": "WINDOWS-1251",
    "iso8859-15": "ISO-8859-15",
    "cp437": "CP437",
    "cp850": "CP850",
    "cp932": "CP932",
    "cp949": "CP949",
}
STRICT = {"sloppy-windows-1252": "cp1252", "sloppy-windows-1250": "cp1250", "sloppy-windows-1251": "cp1251"}
# iconv does not write the five bytes that Windows-1252 leaves open, which other programs read as control characters.
PYTHON = (
    'python -c "import ftfy.bad_codecs, sys; '
    "sys.stdout.buffer.write(sys.stdin.buffer.read().decode().encode('{}'))\""
)
# Languages of which all characters are expected.
LANGUAGES = {"ca", "da", "de", "en", "es", "fi", "fr", "it", "nb", "nl", "no", "pt", "sv", "zh"}
LAYERS = 3  # how often text may have been read wrongly
SAMPLE, LONGEST = 300, 120  # rows that are looked at, and characters of each
LEAST = 3  # rows that show what is not UTF-8
MOST, FEW = 0.5, 1 / 3  # shares of expected characters after and before
# The most frequent characters of recipes and of other text, from the lexicon, the demo, the treebanks and jieba.
_FREQUENT = (
    "一水油小肉豆面粉勺菜子的花鸡椒分蛋炒大香生干锅放和不上糖鱼米下切用个加出黄白红酱钟葱皮汤辣火成开盐片"
    "中了在后到里时蒜去牛丝腐克煮入泡抽酒料两姜汁人块半是有瓜拌把再虾饼要倒烧烤来头以起包凉果就好热醋排点"
    "可奶蒸会三发年进国骨猪这过匀条饭糕根胡西海青次地淀丁几老麻茄鲜少冷打末菇手前煎为碎南山味黑萝清羊盖酸"
    "叶撒温翻底边洗沙高炸许五能搅他软段量冰土卜色着家腌度瓣之多炖心我没碗角洋全金番口天然捞得变薄化熟式笋"
    "关也刀方道芝卷玉轻间对茶团长都部掉仁层北焖草鸭自马先将行酥表动净馅最肠调箱耳平木薯咸圆腿至盘等吃翅焯"
    "学糊丸提说卤枣泥粥二民法适合们样饺粒滑日于无八糯液甜四力内冻蜜东爆本如制线拉十松保别月紫慢甲你冲梅太"
    "主外粘带儿麦公脆从气升新收回定淋明门作才比工只腊球更同所刷士芹兰意州桂藕嫩浆市绿蟹压蓉煲剁冬而雪第现"
    "理各豉业其遍代文蚝芋散划龙壳滴利经重种撕韭百还司藏竹淡立体政细机桃毫当筋那转快苏留毛石取事抓张柠区实"
    "完背些台药做抹蛤籽血安话军千椰通产夜芽乳直朝免莲滚候装身又常河很见江与揉尖容布看苦京烫孜纸么酵光蜂美"
    "肚苗均推向母性浓湖建易模物浇檬但圈参汉连宫风铺微银空砂让者芥即广原每柿荷余裹名元菌拍正梨挤此城指员沥"
    "粽或透剪六备武盛它巴罗浮电酪春被素擀相万治仔形按扎想厚芦已腩斯王流鱿特结剩什剥低战反核紧省咖因她县阳"
    "位擦食院搓左杯扁及由处蹄膜胸并须筷板吐复露馒接场贝杂斤达蘑云防使越速螺断解情具路焦乌蘸陈脊混级声教菠"
)
_ACCENTED = "àáâãäåæçèéêëìíîïñòóôõöøùúûüœ"


@dataclass(frozen=True)
class Reading:
    """Text that was in `was`, and was read as `read`; both are encodings as Python calls them."""

    was: str
    read: str

    def undone(self, text: str) -> str:
        """The text as it was; characters that cannot be undone become U+FFFD, or question marks."""
        return text.encode(self.read, "replace").decode(self.was, "replace")

    def share(self, text: str) -> float:
        """The share of expected characters in the text as it was; what was lost before does not count."""
        kept = text.replace("\ufffd", "")
        undone = self.undone(kept)
        return expected(undone, undone.count("?") - kept.count("?"))

    def command(self, rows: Sequence[str]) -> str | None:
        """What undoes it in a pipe, for files like these rows; None if some of them is lost, or would be."""
        if any("\ufffd" in row for row in rows):
            return None
        for codec in dict.fromkeys((STRICT.get(self.read, self.read), self.read)):
            with suppress(UnicodeError):
                for row in rows:
                    row.encode(codec).decode(self.was)
                undo = (
                    f"iconv -f UTF-8 -t {READ_AS[self.read]}" if codec not in STRICT else PYTHON.format(codec)
                )
                return undo if self.was == "utf-8" else f"{undo} | iconv -f {WAS[self.was]} -t UTF-8"
        return None

    def __str__(self) -> str:
        return f"in {WAS[self.was]}, read as {READ_AS[self.read]}"


def expected(text: str, lost: int = 0) -> float:
    """The share of a text's characters beyond ASCII, and of `lost` others, that recipes and other text often have."""
    beyond = lost + len(re.findall(r"[^\x00-\x7f\u2605-\u27bf\ufe0f\U0001f000-\U0010ffff]", text))
    return len(_expected().findall(text)) / beyond if beyond else 0.0


@cache
def _expected() -> re.Pattern[str]:
    """Frequent characters, where they are expected: no Chinese in a word of letters, no capital behind small ones."""
    from opencc import OpenCC

    frequent = "".join(sorted({*_FREQUENT, *OpenCC("s2t").convert(_FREQUENT)}))
    small, large = f"{_ACCENTED}ß", _ACCENTED.upper()
    alone = rf"(?<![{small}{large}]){{}}(?![{small}{large}])"
    return re.compile(
        "|".join(
            (
                rf"(?<![a-z])[{frequent}](?![a-z])",
                r"[，。、：；！？（）“”‘’《》【】…—–～℃％\u3000\xa0]",
                r"(?<![A-Za-z])[½¼¾⅓⅔⅛°º×·•]",
                r"(?<=[A-Za-z])[®™©]",
                alone.format(
                    f"(?:(?<=[A-Za-z])[{small}]|[{small}](?=[a-z])|(?<=[A-Z])[{large}]|(?<![a-z])[{large}](?=[A-Za-z]))"
                ),
            )
        )
    )


def chain(rows: Sequence[str], known: bool, layers: int = LAYERS) -> tuple[Reading, ...]:
    """The readings that must be undone, the last one first, if most rows were read wrongly; else none.

    Rows are texts with characters beyond ASCII; `known`: all are in LANGUAGES. Bytes are hardly UTF-8 by chance:
    there, what comes out need only be more expected than what stands. Other readings are not sought in other
    languages: Polish in Windows-1250 makes words of Western letters in other encodings, too.
    """
    rows = [row[:LONGEST] for row in rows[:: max(1, len(rows) // SAMPLE)]]
    rows = [row for row in rows if not row.replace("\ufffd", "").isascii()]
    standing = [(row, expected(row)) for row in rows]
    wrong = [(row, share) for row, share in standing if share <= FEW]
    best: tuple[Reading, ...] = ()
    most = 0.0
    for read, was in itertools.product(READ_AS, WAS):
        reading = Reading(was, read)
        if was == "utf-8":
            shares = [now for row, share in standing if (now := reading.share(row)) > share]
        elif known and len(wrong) * 2 > len(rows) and WAS[was] != READ_AS[read]:
            shares = [reading.share(row) for row, _ in wrong]
        else:
            continue
        good = [share for share in shares if share > MOST]
        enough = was == "utf-8" or len(good) >= LEAST
        if enough and len(good) * 2 > len(rows) and sum(good) > most:
            best, most = (reading,), sum(good)
    if best or layers == 1:
        return best
    for read in READ_AS:
        reading = Reading("utf-8", read)
        undone = [text for row in rows if "\ufffd" not in (text := reading.undone(row))]
        if len(undone) * 2 > len(rows) and (inner := chain(undone, known, layers - 1)):
            return reading, *inner
    return ()
