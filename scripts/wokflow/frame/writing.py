"""What text in recipes and elsewhere looks like: characters that are expected, and words as languages write them."""

import re
import unicodedata
from collections.abc import Iterable
from functools import cache

from wokflow.frame.job import UserError
from wokflow.frame.languages import CHINESE, HAN

# Soft hyphens, joiners, marks of direction and spaces without width.
UNSEEN = dict.fromkeys([0xAD, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x206A), 0xFEFF])
BARS = re.compile("[|｜]")  # between the entries of a cell, as keyboards of English and Chinese have it

# The most frequent characters of recipes and of other text, from the lexicon, the demo, the treebanks and jieba.
_SIMPLIFIED = (
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
_TRADITIONAL = (
    "麪雞乾鍋魚個黃紅醬鍾蔥湯開鹽後裏時絲兩薑塊蝦餅燒來頭涼熱點會發進國豬這過勻條飯澱幾鮮爲蘿蓋葉溫邊許攪"
    "軟醃燉沒撈變筍關輕間對團長層燜鴨馬將動淨餡腸調鹹圓盤喫學說滷棗適們樣餃於無內凍東線別衝帶兒麥從氣門臘"
    "蘭漿綠壓現業蠔劃龍殼經種還體細機當轉蘇張檸區實臺藥話軍產蓮滾裝見與燙紙麼濃澆參漢連宮風鋪銀讓廣餘擠員"
    "瀝糉備羅電萬蘆魷結剝戰緊縣陽處並須復饅場貝雜達雲斷烏陳級聲"
)
FREQUENT = frozenset(_SIMPLIFIED + _TRADITIONAL)
SEVERAL, MARKED = 4, 0.6  # letters of a word, and the share of them that may have marks in Latin
BEYOND = re.compile(r"[^\x00-\x7f\u2605-\u27bf\ufe0f\U0001f000-\U0010ffff]")
_PARTS = re.compile(rf"[{HAN}]+|[^\W\d_{HAN}]+")
_ACCENTED = "àáâãäåæçèéêëìíîïñòóôõöøùúûüœ"


def expected(text: str, lost: int = 0) -> float:
    """Of a text's characters beyond ASCII, with `lost` undecodable ones added, the share that recipes and other text
    often have.
    """
    beyond = lost + len(BEYOND.findall(text))
    return len(pattern().findall(text)) / beyond if beyond else 0.0


@cache
def pattern() -> re.Pattern[str]:
    """Frequent characters, where they are expected: no Chinese in a word of letters, no capital behind small ones."""
    frequent = "".join(sorted(FREQUENT))
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


def natural(text: str) -> float:
    """The share of words beyond ASCII that are written as languages write them: in one script, with capitals only in
    front or throughout, and without symbols; Chinese in frequent characters.
    """
    words = [word for word in text.split() if not word.isascii()]
    return sum(map(is_natural, words)) / len(words) if words else 0.0


def is_natural(word: str) -> bool:
    """Whether a word with characters beyond ASCII is written as languages write them; see `natural`."""
    beyond = [character for character in word if not character.isascii() and character not in "°×®™©"]
    if any(unicodedata.category(character)[0] in "SC" for character in beyond):
        return False
    if re.search(r"[\u3041-\u30fa]", word):  # Japanese, with Chinese characters of its own
        word = CHINESE.sub("", word)
    return all(map(_is_written, _PARTS.findall(word)))


@cache
def _is_written(part: str) -> bool:
    """Whether a part of a word, of Chinese characters or other letters, looks like a language's."""
    if CHINESE.match(part):
        return sum(character in FREQUENT for character in part) * 2 >= len(part)
    if len(part) >= SEVERAL and sum("\x7f" < letter < "\u0250" for letter in part) > MARKED * len(part):
        return False  # Cyrillic, say, that was read as Latin
    scripts = {unicodedata.name(letter, "").split(" ")[0].split("-")[0] for letter in part}
    alike = len(scripts) == 1 or scripts == {"HIRAGANA", "KATAKANA"}
    return alike and scripts != {"HALFWIDTH"} and (part == part.upper() or part[1:] == part[1:].lower())


def name_of(text: str) -> str:
    """A name as it is compared: composed (NFC), without invisible characters, and without blanks around it."""
    return unicodedata.normalize("NFC", text.translate(UNSEEN)).strip()


def one_spelling(what: str, names: Iterable[str]) -> None:
    """Raise UserError for two names that differ in letter case or in the width of characters alone."""
    known: dict[str, str] = {}
    for name in names:
        other = known.setdefault(unicodedata.normalize("NFKC", name).casefold(), name)
        if other != name:
            raise UserError(
                f"{what} {other} and {name} differ in letter case or width alone: if they are one, write them alike; "
                "else, give one of them another name."
            )
