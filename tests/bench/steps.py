"""Steps of made-up recipes: clauses of verbs, foods, amounts, places and times, which repeat as real ones do.

A clause is a form (FORMS_EN, FORMS_ZH) whose slots are filled with words. Some forms have few fillings (出锅, 盐),
others millions. So the share of different clauses falls with their number as it does in real recipes (Heaps' law);
test_corpora.py compares the two.
"""

import csv
from collections.abc import Callable, Iterator, Sequence
from math import prod
from pathlib import Path
from string import Formatter

FOODS_FILE = Path(__file__).parents[2] / "resources" / "lexicon" / "ingredients.tsv"
BITS = 63  # of a number that is drawn for a clause
EACH = (1, 1, 1, 2, 2, 2, 3, 4), (1, 2, 2, 3, 3, 3, 4, 4)  # clauses of a sentence, all equally likely
MOST = max(map(max, EACH))
STEPS = range(2, 13)  # sentences of a recipe, all equally likely
NUMBERS = 1 + STEPS[-1] * MOST  # drawn for a recipe
COMMON = 60  # the word of rank r in a list counts 1 + COMMON // (r + 3) times
JOINS, END = (", ", "，"), (".", "。")

WORDS_EN = {
    "short": """mix well|stir well|serve hot|set aside|drain|serve|let cool|stir|serve warm|cool|bake|chill
enjoy|cover|drain well|repeat|season to taste|let stand|serve immediately|remove from heat|stir to combine
toss well""",
    "add": """add|stir in|mix in|fold in|pour in|sprinkle with|top with|combine with|toss with|whisk in
blend in|beat in|spoon over|drizzle with|spread with|layer with|scatter over|cover with|work in|season with""",
    "do": """cook|simmer|bake|boil|fry|roast|chill|steam|broil|knead|whisk|beat|brown|saute|heat|toast|grill
marinate|braise|blanch|melt|soak|rest|warm|microwave|poach|reduce|caramelize|freeze|proof""",
    "cut": """chop|slice|dice|mince|peel|grate|rinse|wash|crush|mash|shred|trim|core|halve|quarter|cube|pit
drain|thaw|julienne|zest|debone|puree|scrub|soften""",
    "how": """gently|quickly|slowly|thoroughly|finely|carefully|well|evenly|lightly|constantly|occasionally
roughly|by hand|in batches|once more|one at a time|with a fork|with a wooden spoon|with a mixer|to taste
uncovered""",
    "place": """in a large bowl|in a saucepan|in a skillet|in the oven|on a baking sheet|in a greased pan
in the refrigerator|over medium heat|over low heat|over high heat|in a 9x13 inch pan|in a small bowl
in a blender|in a Dutch oven|on a plate|in a casserole dish|in a slow cooker|in a wok|on the grill
in a loaf pan|in a food processor|on a wire rack|in a pie plate|on a floured board|in a heavy pot
in a double boiler|in a muffin tin|in a mixing bowl|in hot oil|in cold water|in salted water
under the broiler|on waxed paper|in a jar|in a colander|in the freezer""",
    "until": """golden|golden brown|tender|soft|thick|smooth|bubbly|crisp|firm|fluffy|done|melted
translucent|heated through|fragrant|set|light brown|no longer pink|just tender|it boils|doubled in size
a toothpick comes out clean|well blended|the sauce thickens|cool enough to handle|stiff peaks form
almost dry|creamy|the edges are brown|easily pierced|reduced""",
    "unit": """cup|cups|tsp.|Tbsp.|teaspoons|tablespoons|oz.|lb.|c.|cloves of|slices of|pieces of|cans of
pinches of|sticks of|pounds of|ounces of|packages of|sprigs of|drops of""",
    "amount": """1|2|3|1/2|1/4|3/4|1 1/2|2 1/2|4|2/3|1/3|5|6|8|about 1|2 to 3|10|12|1/8|14|16|20|3 1/2
half the|the other""",
    "minutes": """10|5|30|20|15|3|2|45|1|40|25|60|35|8|12|4|50|6|7|18|90|10 to 15|20 to 25|5 to 7|30 to 35
8 to 10|2 to 3""",
    "degrees": "350|375|400|325|425|300|450|275|250|500|180|160|200|220|140|165",
    "then": """then|meanwhile|next|when cool|when done|finally|after that|before serving|at the end
if needed|if desired""",
    "them": """the mixture|the sauce|the batter|the dough|half of it|everything|the rest|the filling
the meat|it|the broth""",
}
WORDS_ZH = {
    "short": """出锅|备用|翻炒均匀|装盘|关火|捞出|拌匀|搅拌均匀|盖上锅盖|大火收汁|翻炒|洗净|完成|起锅|小火
热锅|炒香|热油|开吃|出锅即可|继续翻炒|起锅烧油|大火烧开|沥干水分|摆盘|调味|翻面|放凉|收汁|焯水|倒出|热锅凉油
搅匀|转小火|即可|揉成团""",
    "add": """加入|放入|加|放|倒入|下入|撒上|倒|下|撒|淋上|再加|再放|加点|放点|淋入|调入|铺上|再倒入|先放
先下|裹上|抹上|拌入|最后加入|然后放入|接着倒入|依次加入|继续加入|同时放入""",
    "do": """煮|炒|炖|焖|蒸|煎|炸|烤|腌|翻炒|煸炒|焯|泡|烧|熬|卤|爆炒|揉|搅拌|醒发|冷藏|静置|浸泡|发酵|烘烤
加热|收汁|煨|腌制|炒制|预热|滑炒|冷冻""",
    "cut": """切片|切丝|切块|切丁|切段|切末|洗净|去皮|切碎|拍碎|切好|剁碎|泡发|打散|焯水|洗净切块|切成小块
切成薄片|切小段|去皮切丁|去籽|剁成末|切滚刀块|撕成小朵|擦成丝|切成条|改刀|压成泥|过水|沥干|化开|斩块
对半切开|清洗干净|用盐搓洗|去蒂""",
    "place": """锅里|锅中|碗里|碗中|盆里|盘子里|油锅里|热锅里|砂锅里|烤盘上|蒸锅里|平底锅里|高压锅里|容器里
面团里|汤里|冷水里|沸水里|另起锅|电饭锅里|保鲜袋里|案板上|烤箱里|微波炉里|模具里|炒锅里|盘底|杯子里|打蛋盆里
料理机里|凉水中|开水中|油温六成热时""",
    "fire": """小火|大火|中火|中小火|文火|转小火|改大火|开大火|转中火|调小火|旺火|最小火|全程小火|中大火
烧开后""",
    "result": """变色|金黄|断生|出香味|软烂|入味|熟透|两面金黄|浓稠|出水|酥脆|变软|出汁|收干|八成熟|起泡
透明|冒烟|沸腾|表面微焦|粘稠|出油|出沙|无颗粒|光滑|两倍大|变白|发黄|汤汁变浓|七成热|水分收干|能插进筷子""",
    "number": """1|2|3|5|10|半|一|两|15|20|4|三|几|50|100|8|6|200|30|300|150|四|500|250|12|40|60|80|400|25|7
120|75""",
    "unit": "勺|克|大勺|小勺|g|ml|碗|茶匙|个|片|根|毫升|汤匙|滴|杯|瓣|块|把|颗|两|小把|斤|段|粒",
    "minutes": """10分钟|5分钟|20分钟|2分钟|3分钟|30分钟|1分钟|15分钟|半小时|一小时|几分钟|40分钟|一会儿
8分钟|1小时|两分钟|6分钟|45分钟|25分钟|十分钟|30秒|4分钟|12分钟|7分钟|2小时|一分钟|半个小时|50分钟|三分钟
五分钟|15秒|二十分钟|一晚上|35分钟|18分钟|90分钟""",
    "then": """然后|再|接着|最后|先|这时|之后|等|同时|继续|一边|随后|提前|把火关掉|不用放油|根据个人口味
喜欢的话|第二天""",
    "them": "肉|水|汤汁|面团|调料|酱汁|它们|所有材料|剩下的|料汁|蛋液|面糊|馅料|食材|另一半|配菜|油|淀粉水",
}
# Weight and form; {food} is a common food, {any} one of the lexicon.
FORMS_EN = """6 {short}
5 {do} {minutes} minutes
4 {add} {food}
3 {cut} {food}
4 {do} until {until}
3 {do} {place}
5 {add} {amount} {unit} {food}
5 {do} {food} {place}
4 {do} {place} for {minutes} minutes
5 {do} at {degrees} for {minutes} minutes or until {until}
8 {add} {food} and {any}
9 {do} {any} {how} until {until}
9 {then} {add} {any} and {do}
12 {add} {amount} {unit} {any} {place}
9 {cut} {food} and {any} {how}
6 {then} {do} {them} {place} until {until}
6 {do} {any} {place} for {minutes} minutes"""
FORMS_ZH = """8 {short}
5 {food}
5 {add}{food}
5 {food}{cut}
4 {do}至{result}
4 {any}
4 {fire}{do}{minutes}
5 {food}{number}{unit}
3 {any}{cut}
4 {place}{add}{food}
4 {food}{food}{cut}
7 {add}{number}{unit}{any}
6 {then}{add}{any}{do}{minutes}
5 {place}{add}{food}和{any}
6 {any}{any}{cut}
7 {add}{food}和{any}{do}
5 {fire}{do}至{any}{result}
4 把{any}放{place}{do}{minutes}
6 {any}{number}{unit}{cut}
6 {add}{food}、{any}、{food}"""


class Sentences:
    """Sentences of one language, as bytes; `encode` makes them of a text, the same in whatever text it stands."""

    def __init__(
        self, language: int, common: Sequence[str], encode: Callable[[str], bytes], signs: Sequence[str]
    ) -> None:
        words = (WORDS_EN, WORDS_ZH)[language]
        weighted = {name: _skewed(text.replace("\n", "|").split("|")) for name, text in words.items()}
        weighted |= {"food": _skewed(common), "any": _skewed(list(_lexicon(("en", "zh")[language])))}
        self._forms: list[list[list[bytes]]] = []
        for line in (FORMS_EN, FORMS_ZH)[language].splitlines():
            weight, _, form = line.partition(" ")
            pieces = [
                [encode(before + word) for word in (weighted[slot] if slot else [""])]
                for before, slot, _, _ in Formatter().parse(form)
            ]
            self._forms += [pieces] * int(weight)
        assert (
            max(prod(map(len, form)) for form in self._forms) * len(self._forms) * 1000 * len(EACH[0])
            < 1 << BITS
        )
        self._join, self._end = encode(JOINS[language]), encode(END[language])
        self._signs = [encode(sign) for sign in signs]
        self._each, self._capital = EACH[language], not language

    def of_recipe(self, numbers: Sequence[int], decorated: float) -> list[bytes]:
        """The sentences that NUMBERS numbers of BITS bits stand for; a share `decorated` begins with a sign."""
        count = STEPS[numbers[0] % len(STEPS)]
        return [
            self._sentence(numbers[start : start + MOST], decorated)
            for start in range(1, 1 + count * MOST, MOST)
        ]

    def _sentence(self, numbers: Sequence[int], decorated: float) -> bytes:
        first, which = divmod(numbers[0], 1000)
        first, place = divmod(first, len(self._each))
        count = self._each[place]
        text = self._join.join([self._clause(first), *map(self._clause, numbers[1:count])]) + self._end
        if self._capital:
            text = text[:1].upper() + text[1:]
        return self._signs[which % len(self._signs)] + text if which < 1000 * decorated else text

    def _clause(self, number: int) -> bytes:
        number, which = divmod(number, len(self._forms))
        words = []
        for piece in self._forms[which]:
            number, place = divmod(number, len(piece))
            words.append(piece[place])
        return b"".join(words)


def _skewed(words: Sequence[str]) -> list[str]:
    """The words, the first of them many times."""
    return [word for rank, word in enumerate(words) for _ in range(1 + COMMON // (rank + 3))]


def _lexicon(language: str) -> Iterator[str]:
    """The foods of the lexicon, each once."""
    with FOODS_FILE.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        yield from dict.fromkeys(row[language] for row in rows if row["kind"] == "ingredient")
