"""Made-up recipe corpora with the size and shape of RecipeNLG and XiaChuFang, for benchmarks.

A concept is a dish with a Chinese and an English title: flavour, technique, ingredient and form, where all
but the ingredient may be absent; some are odd dishes. Concepts follow a Zipf-Mandelbrot law, plain dishes
first; half the draws use an order of popularity common to both languages, half the language's own. A recipe
begins with the food of its title; clauses of its steps repeat as real ones do (`steps`). With one seed and dirt, a
short corpus is the beginning of a long one.

With `company` a share of the rows has a second food in the title (Garlic Beef with Leeks), which makes a hundred
times as many concepts.

With `crossed` each dish has three rarer foods of its own, and half of that share of the dishes is renamed (each
language has another title for it), half are namesakes (one title, but in each language another dish): `crossing`.

A share `dirt` of the rows (never the first) is spoilt in one of these ways (`draws` tells which): bad_utf8,
newline, nul (in the title; JSON: the newline escaped); crlf (ends the row); not_list (ingredients are text);
wrong_type (ingredients are numbers); empty_title, empty_ingredients, empty_steps; emoji_title (only emoji);
duplicate (the row before, byte for byte); broken (JSON: half a line; CSV: the last quote is missing, so that
a reader may swallow the next row unless it looks out for the running number).
"""

import argparse
import csv
import json
import random
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tests.bench.steps import BITS, FOODS_FILE, NUMBERS, Sentences

Ints = NDArray[np.int64]
EN, ZH = 0, 1
RARE = 700  # foods that some dishes are known by
CHUNK, LISTS = 20_000, 24_000  # rows drawn at once; pre-rendered texts of each sort
SKEW, FLAT = 0.95, 60.0  # the concept of rank r has the weight (r + FLAT) ** -SKEW
# part spoilt (0 title, 1 ingredients, 2 steps, 3 line end), its value in CSV and in JSON; %T is the title
SPOILT: dict[str, tuple[int, bytes, bytes]] = {
    "bad_utf8": (0, b"%T\xff\xc3(", b'"%T\xff\xc3("'),
    "newline": (0, b'"%T\n(part 2)"', b'"%T\\n(2)"'),
    "crlf": (3, b"\r\n", b"\r\n"),
    "nul": (0, b"%T\0", b'"%T\0"'),
    "empty_title": (0, b"", b'""'),
    "not_list": (1, b"salt and pepper to taste", '"盐、胡椒各少许"'.encode()),
    "wrong_type": (1, b'"[1, 2.5, 3]"', b"[1, 2.5, 3]"),
    "empty_ingredients": (1, b"[]", b"[]"),
    "empty_steps": (2, b"[]", b"[]"),
    "emoji_title": (0, "😋🍲❤️".encode(), '"😋🍲❤️"'.encode()),
}
KINDS, BROKEN, DUPLICATE = ("clean", "broken", "duplicate", *SPOILT), 1, 2

INGREDIENTS = """鸡肉:chicken|牛肉:beef|猪肉:pork|虾:shrimp|土豆:potato+es|西红柿:tomato+es|鸡蛋:egg+s
豆腐:tofu|鸡翅:chicken wing+s|鸡腿:chicken thigh+s|鸡胸肉:chicken breast+s|排骨:spare rib+s|牛腩:beef brisket
牛排:steak|五花肉:pork belly|里脊:pork tenderloin|羊肉:lamb|羊排:lamb chop+s|鸭肉:duck|火鸡:turkey|火腿:ham
培根:bacon|香肠:sausage+s|猪肉末:ground pork|牛肉末:ground beef|鱼片:fish fillet+s|三文鱼:salmon|鳕鱼:cod
鲈鱼:sea bass|茄子:eggplant|黄瓜:cucumber+s|胡萝卜:carrot+s|玉米:corn|南瓜:pumpkin|香菇:shiitake mushroom+s
西兰花:broccoli|菠菜:spinach|卷心菜:cabbage|大白菜:napa cabbage|洋葱:onion+s|青椒:green pepper+s|奶酪:cheese
四季豆:green bean+s|红薯:sweet potato+es|金枪鱼:tuna|鱿鱼:squid|章鱼:octopus|螃蟹:crab|龙虾:lobster
蛤蜊:clam+s|扇贝:scallop+s|生蚝:oyster+s|青口:mussel+s|豆腐皮:tofu skin|豆干:pressed tofu|山药:Chinese yam
芋头:taro|白萝卜:daikon|韭菜:Chinese chive+s|蒜薹:garlic scape+s|西葫芦:zucchini|彩椒:bell pepper+s
冬瓜:winter melon|苦瓜:bitter melon|丝瓜:luffa|秋葵:okra|莴笋:celtuce|豌豆:pea+s|豇豆:long bean+s
荷兰豆:snow pea+s|毛豆:edamame|蚕豆:fava bean+s|红豆:red bean+s|绿豆:mung bean+s|黑豆:black bean+s
黄豆:soybean+s|鹰嘴豆:chickpea+s|小扁豆:lentil+s|小白菜:bok choy|生菜:lettuce|芹菜:celery|花菜:cauliflower
芦笋:asparagus|竹笋:bamboo shoot+s|莲藕:lotus root|荸荠:water chestnut+s|甜菜根:beet+s|羽衣甘蓝:kale
海带:kelp|豆芽:bean sprout+s|紫菜:nori|木耳:wood ear mushroom+s|银耳:snow fungus|金针菇:enoki mushroom+s
口蘑:button mushroom+s|平菇:oyster mushroom+s|杏鲍菇:king oyster mushroom+s|牛油果:avocado+s|橄榄:olive+s
糯米:sticky rice|花生:peanut+s|核桃:walnut+s|腰果:cashew+s|杏仁:almond+s|板栗:chestnut+s|红枣:jujube+s
燕麦:oat+s|小米:millet|藜麦:quinoa|苹果:apple+s|梨:pear+s|香蕉:banana+s|菠萝:pineapple|芒果:mango+es
草莓:strawberry+ies|蓝莓:blueberry+ies|樱桃:cherry+ies|桃子:peach+es|蔓越莓:cranberry+ies|无花果:fig+s"""
TECHNIQUES = """炒:Stir-Fried|烤:Roasted|清蒸:Steamed|炭烤:Grilled|香煎:Pan-Fried|油炸:Deep-Fried|炖:Stewed
焖:Braised|焗:Baked|红烧:Red-Braised|慢炖:Slow-Cooked|烟熏:Smoked|白灼:Blanched|凉拌:Chilled|空气炸:Air-Fried
爆炒:Flash-Fried|干煸:Dry-Fried|酥炸:Crispy|酿:Stuffed|腌:Pickled|手撕:Shredded|铁板:Sizzling|砂锅:Clay Pot
干锅:Dry Pot|卤:Soy-Simmered"""
FLAVOURS = """蒜香:Garlic|蜜汁:Honey|香辣:Spicy|柠檬:Lemon|奶油:Creamy|糖醋:Sweet and Sour|黑椒:Black Pepper
咖喱:Curry|姜汁:Ginger|照烧:Teriyaki|酸辣:Hot and Sour|芝麻:Sesame|椒盐:Salt and Pepper|麻辣:Mala|孜然:Cumin
椰香:Coconut|五香:Five-Spice|葱油:Scallion Oil|蚝油:Oyster Sauce|豉汁:Black Bean Sauce|芥末:Mustard
罗勒:Basil|迷迭香:Rosemary|香茅:Lemongrass|沙茶:Satay"""
FORMS = """汤:Soup|沙拉:Salad|面:Noodles|炒饭:Fried Rice|煲:Casserole|馅饼:Pie|饺子:Dumplings|三明治:Sandwich
意面:Pasta|粥:Congee|披萨:Pizza|盖饭:Rice Bowl|卷饼:Wrap|串:Skewers|包子:Buns"""
PANTRY = """盐:salt|糖:sugar|黑胡椒:black pepper|黄油:butter|橄榄油:olive oil|生抽:light soy sauce|醋:vinegar
玉米淀粉:cornstarch|面粉:flour|牛奶:milk|淡奶油:heavy cream|鸡汤:chicken broth|蜂蜜:honey|香油:sesame oil
料酒:cooking wine|红椒粉:paprika|姜末:minced ginger|蒜末:minced garlic|葱花:scallions|辣椒面:chili flakes"""
EN_AMOUNTS = "1|2|3|1/2|1/4|3/4|1 1/2|2 1/2|½|¼|⅔|1⅓|2 to 3|3-4|about 1"
EN_UNITS = "tsp.|Tbsp.|teaspoons|tablespoons|c.|lb.|oz.|cups|c. chopped|(8 oz.) pkg.|lb. fresh"
EN_ENDS = "||||||||, divided| (optional)|, to taste|, plus more for serving| ★| ☆| ❤️"
ZH_AMOUNTS = """适量|少许|1勺|1/2茶匙|１大匙|15ml|½杯|5克☆|10克|适量（可不放）|50g|200 g|约300克|半斤|1份❤️
250克 ★"""
SIGNS = ("★ |☆ |❤️ |😋 ", "★|☆|❤️|😋😋")  # what a share DECORATED of the sentences begins with
BEFORE = (
    "Easy|Best|Mom's|Quick|Grandma's|Simple|Homemade|The Best|Classic|My Favorite|Easy, Light|\"Lazy\"",
    "家常|妈妈牌|【家常菜】|超简单的|快手|零失败|自制|❤️|外婆的|减脂餐｜|【下饭菜】|懒人版|★",
)
AFTER = (
    " Recipe| II| for Two|!| (Easy)| #2| - Quick and Easy| for a Crowd|, Southern Style| ❤️",
    "！|🍲|～|（附小贴士）|的做法|【超详细】|😋|！！|（宝宝版）|（简易版）|🔥🔥",
)
DECORATED = (1 / 150, 1 / 8)  # share of English and of Chinese lines that keep their pictures and rare signs
_RARE = re.compile(" ?[★☆❤😋😊\ufe0f]+$|[★☆❤😋😊\ufe0f]+ ?|[½¼⅔⅓]")
_COMMON = {"½": "1/2", "¼": "1/4", "⅔": "2/3", "⅓": " 1/3"}
KEYWORDS = "{}的做法|{}的家常做法|{}怎么做|{}怎么做好吃|{}的详细步骤"


def _split(text: str) -> list[str]:
    return text.replace("\n", "|").split("|")


def _pairs(text: str) -> list[tuple[str, str]]:
    return [(zh, en) for zh, _, en in (entry.partition(":") for entry in _split(text))]


FOODS = [(zh, en.replace("y+ies", "ies").replace("+", "")) for zh, en in _pairs(INGREDIENTS)]
_SINGULAR = [en.partition("+")[0].title() for _, en in _pairs(INGREDIENTS)]
_T, _L, _F = ([("", ""), *_pairs(text)] for text in (TECHNIQUES, FLAVOURS, FORMS))
BLOCK = len(FOODS) * len(_F)  # the dishes of one flavour and technique
CONCEPTS = BLOCK * len(_T) * len(_L)
# Three orders of the dishes of a block, the popular first: English, Chinese, common.
_RARITY = np.log(np.outer(np.arange(len(_F)) + 2, np.arange(len(FOODS)) + 6)).ravel()
_POPULAR = np.argsort(_RARITY + np.random.default_rng(0).normal(0, 0.7, (3, BLOCK)), kind="stable")


def titles(concept: int) -> tuple[str, str]:
    """The Chinese and the English title of a concept, undecorated."""
    second, concept = divmod(concept, CONCEPTS)
    i, (rest, f) = concept % len(FOODS), divmod(concept // len(FOODS), len(_F))
    flavour, technique, form = _L[rest // len(_T)], _T[rest % len(_T)], _F[f]
    words = flavour[1], technique[1], _SINGULAR[i] if f else FOODS[i][1].title(), form[1]
    zh, en = flavour[0] + technique[0] + FOODS[i][0] + form[0], " ".join(filter(None, words))
    return (
        (f"{FOODS[second - 1][0]}配{zh}", f"{en} with {FOODS[second - 1][1].title()}") if second else (zh, en)
    )


def _draw(
    lang: int, rows: int, seed: int, dirt: float, company: float
) -> Iterator[tuple[Ints, Ints, NDArray[np.double]]]:
    """For some rows at a time: the index into KINDS, the concept, ten numbers in [0, 1)."""
    low, high = FLAT ** (1 - SKEW), (CONCEPTS + FLAT) ** (1 - SKEW)
    for first in range(0, rows, CHUNK):
        u = np.random.default_rng([seed, lang, first // CHUNK]).random((14, CHUNK))[:, : rows - first]
        kinds = np.where(u[0] < dirt, 1 + (u[1] * (len(KINDS) - 1)).astype(np.int64), 0)
        kinds[: first == 0] = 0
        ranks = ((low + u[2] * (high - low)) ** (1 / (1 - SKEW)) - FLAT).astype(np.int64)
        block, within = np.divmod(ranks.clip(0, CONCEPTS - 1), BLOCK)
        concepts = block * BLOCK + _POPULAR[np.where(u[3] < 0.5, 2, lang), within]
        has, which = np.random.default_rng([seed, lang, first // CHUNK, 1]).random((2, CHUNK))[
            :, : rows - first
        ]
        second = np.where(has < company, 1 + (which**2 * len(FOODS)).astype(np.int64), 0)
        yield kinds, second * CONCEPTS + concepts, u[4:]


def draws(
    language: int, rows: int, *, seed: int = 0, dirt: float = 0.005, company: float = 0.0
) -> tuple[Ints, Ints]:
    """For each row of the corpus in a language (EN or ZH): index into KINDS, concept (even if dirty)."""
    found = np.empty((2, rows), np.int64)
    for k, chunk in enumerate(_draw(language, rows, seed, dirt, company)):
        found[:, k * CHUNK : (k + 1) * CHUNK] = chunk[:2]
    return found[0], found[1]


def crossing(language: int, concept: int, crossed: float) -> tuple[int, int]:
    """The concepts that a row's title and its contents are of: one, unless the dish is renamed or a namesake."""
    kind, other = random.Random(concept).random(), random.Random(f"{concept} {language}").randrange(CONCEPTS)
    if kind < crossed / 2:
        return other, concept
    return concept, concept if kind >= crossed else other


class _Texts:
    """Pre-rendered and encoded contents of JSON lists (for CSV with doubled quotes)."""

    def __init__(self, language: int, seed: int) -> None:
        self.language, self.rng = language, random.Random(2 * seed + language)
        pantry, rng = _pairs(PANTRY), self.rng
        self.heads = [self._line(food, True) for food in FOODS for _ in range(8)]  # (line, name of the food)
        pool = self.heads + [self._line(rng.choice(pantry), False) for _ in range(1600)]
        picked = (rng.sample(pool, rng.randint(*((3, 13), (2, 10))[language])) for _ in range(LISTS))
        self.ingredients = [tuple(map(b", ".join, zip(*some, strict=True))) for some in picked]
        self._quote = self._dump("")[: 1 + (language == EN)]
        common = [pair[1 - language] for pair in [*pantry, *FOODS]]
        self._sentences = Sentences(language, common, self._bare, _split(SIGNS[language]))
        self.rare: list[tuple[bytes, bytes]] = []
        noted = _numbers(language, seed, 0, LISTS, kind=3) if language == ZH else []
        self.notes = [b"".join(self._sentences.of_recipe(some, DECORATED[ZH])[:6]) for some in noted]

    def steps(self, numbers: Sequence[int]) -> bytes:
        """The sentences of a recipe as entries of a JSON list."""
        between = self._quote + b", " + self._quote
        sentences = self._sentences.of_recipe(numbers, DECORATED[self.language])
        return self._quote + between.join(sentences) + self._quote

    def add_rare(self) -> None:
        """Lines of the rarer foods, by which dishes are told apart."""
        with FOODS_FILE.open(encoding="utf-8", newline="") as file:
            named = {
                row["en"]: row["zh"] for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
            }
        pairs = [
            (zh, en) for en, zh in sorted(named.items()) if len(zh) > 1 and en.replace(" ", "").isalpha()
        ]
        self.rare = [self._line(pair, True) for pair in pairs[:: max(1, len(pairs) // RARE)][:RARE]]

    def _undecorated(self, text: str) -> str:
        """Few texts keep their pictures and rare signs, as in the real corpora."""
        if self.rng.random() < DECORATED[self.language]:
            return text
        return _RARE.sub(lambda found: _COMMON.get(found[0], ""), text)

    def _dump(self, text: str) -> bytes:
        dumped = json.dumps(text, ensure_ascii=self.language == EN)
        return (dumped.replace('"', '""') if self.language == EN else dumped).encode()

    def _bare(self, text: str) -> bytes:
        """A text as it stands within a JSON string."""
        return self._dump(text)[len(self._quote) : -len(self._quote)]

    def _line(self, item: tuple[str, str], food: bool) -> tuple[bytes, bytes]:
        name, choice = item[1 - self.language], self.rng.choice
        if self.language == EN:
            unit = choice(_split(EN_UNITS)[4:] if food else _split(EN_UNITS)[:5])
            text = f"{choice(_split(EN_AMOUNTS))} {unit} {name}{choice(_split(EN_ENDS))}"
        else:
            amount = choice(_split(ZH_AMOUNTS)[8:] if food else _split(ZH_AMOUNTS)[:12])
            text = choice(("{0}{1}", "{1}{0}", "{0} {1}")).format(name, amount)
        return self._dump(self._undecorated(text)), self._dump(name)


def _numbers(language: int, seed: int, chunk: int, rows: int, kind: int = 2) -> list[list[int]]:
    """What `Sentences.of_recipe` makes sentences of, for the first rows of a chunk; `kind` tells draws apart."""
    rng = np.random.default_rng([seed, language, chunk, kind])
    drawn: list[list[int]] = rng.integers(1 << BITS, size=(rows, NUMBERS)).tolist()
    return drawn


def _decorated(language: int, title: str, u: float, v: float, w: float) -> str:
    """A title as cooks write it: u decides on words before and after, v on the case, w on the words."""
    before, after = BEFORE[language].split("|"), AFTER[language].split("|")
    if language == EN:
        title = title.lower() if v < 0.12 else title.upper() if v > 0.95 else title
    if u < 0.2:
        title = before[int(w * len(before))] + " " * (language == EN) + title
    return title + after[int(w * 997) % len(after)] if 0.13 < u < 1 / 3 else title


def _own_foods(texts: _Texts, made: int) -> tuple[bytes, bytes]:
    """The lines of a dish's rarer foods, and their names."""
    lines = random.Random(f"foods of {made}").sample(texts.rare, 3)
    return b"".join(b", " + line for line, _ in lines), b"".join(b", " + name for _, name in lines)


def _row(
    texts: _Texts, number: int, kind: int, concept: int, made: int, u: list[float], steps: Sequence[int]
) -> bytes:
    own = _own_foods(texts, made) if texts.rare else (b"", b"")
    english, plain = texts.language == EN, titles(concept)[1 - texts.language]
    title = plain if kind else _decorated(texts.language, plain, *u[:3])
    head, other = texts.heads[made % len(FOODS) * 8 + int(u[3] * 8)], texts.ingredients[int(u[4] * LISTS)]
    bare, quote, end = english and not {",", '"'} & set(title), b'"%b"' if english else b"%b", b"\n"
    parts = [
        title.encode() if bare else b'"%b"' % title.replace('"', '""').encode(),
        quote % b"[%b, %b%b]" % (head[0], other[0], own[0]),
        quote % b"[%b]" % texts.steps(steps),
        end,
    ]
    if kind > DUPLICATE:
        part, *values = SPOILT[KINDS[kind]]
        parts[part] = values[not english].replace(b"%T", title.encode())
    if english:
        return b'%d,%b,%b,%b,www.example.org/recipes/%d,%b,"[%b, %b%b]%b%b' % (
            number,
            parts[0],
            parts[1],
            parts[2],
            int(u[6] * 10**6),
            b"Gathered" if u[7] < 0.74 else b"Recipes1M",
            head[1],
            other[1],
            own[1],
            b'"'[kind == BROKEN :],
            parts[3],
        )
    keywords = ", ".join([f'"{word.format(plain)}"' for word in KEYWORDS.split("|")[: 3 + int(u[7] * 3)]])
    line = (
        b'{"name": %b, "dish": "%b", "description": "%b", "recipeIngredient": %b, '
        b'"recipeInstructions": %b, "author": "author_%d", "keywords": [%b]}'
        % (
            parts[0],
            b"Unknown" if u[6] < 0.4 else plain.encode(),
            texts.notes[int(u[8] * LISTS)],
            parts[1],
            parts[2],
            int(u[9] ** 3 * 90_000),
            keywords.encode(),
        )
    )
    return (line[: len(line) // 2] if kind == BROKEN else line) + parts[3]


def _write(
    path: Path, language: int, rows: int, seed: int, dirt: float, company: float, crossed: float | None
) -> None:
    texts, last = _Texts(language, seed), b""
    if crossed is not None:
        texts.add_rare()
    with path.open("wb", buffering=1 << 20) as file:
        file.write(b",title,ingredients,directions,link,source,NER\n" if language == EN else b"")
        for k, (kinds, concepts, u) in enumerate(_draw(language, rows, seed, dirt, company)):
            steps = _numbers(language, seed, k, len(kinds))
            drawn = zip(kinds.tolist(), concepts.tolist(), u.T.tolist(), steps, strict=True)
            for number, (kind, concept, row, numbers) in enumerate(drawn, k * CHUNK):
                titled, made = crossing(language, concept, crossed) if crossed else (concept, concept)
                last = last if kind == DUPLICATE else _row(texts, number, kind, titled, made, row, numbers)
                file.write(last)


def recipenlg(
    path: Path,
    rows: int,
    *,
    seed: int = 0,
    dirt: float = 0.005,
    company: float = 0.0,
    crossed: float | None = None,
) -> None:
    """Write a full_dataset.csv, about 1,000 bytes a row."""
    _write(path, EN, rows, seed, dirt, company, crossed)


def xiachufang(
    path: Path,
    rows: int,
    *,
    seed: int = 0,
    dirt: float = 0.005,
    company: float = 0.0,
    crossed: float | None = None,
) -> None:
    """Write a recipe_corpus_full.json, a JSON object a line, about 1,200 bytes a row."""
    _write(path, ZH, rows, seed, dirt, company, crossed)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Write a made-up recipe corpus.")
    parser.add_argument("corpus", choices=("recipenlg", "xiachufang"))
    parser.add_argument("path", type=Path)
    parser.add_argument("rows", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--dirt", type=float, default=0.005, help="share of spoilt rows (%(default)s)")
    parser.add_argument(
        "--company", type=float, default=0.0, help="share of titles with a second food (%(default)s)"
    )
    given = parser.parse_args()
    language = (EN, ZH)[given.corpus == "xiachufang"]
    _write(given.path, language, given.rows, given.seed, given.dirt, given.company, None)
