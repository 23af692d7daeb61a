"""Joins and resegments tokens whose neighbours show that the lattice segmented them wrongly."""

from collections.abc import Iterator
from dataclasses import replace

from wokflow.parse import lexemes as lx
from wokflow.parse.lattice import FOOD, JOIN, NUMBER, OTHER, TOOL, VERB, WORD, Lexicon, Token, noun_like

AMOUNT = lx.AMOUNTS | lx.MEASURES | lx.TASTES
VERB_TO_OBJECT = lx.AMOUNTS | lx.MEASURES | lx.ASPECT  # between a verb and its object


def merged(tokens: list[Token], lexicon: Lexicon) -> list[Token]:
    """The tokens with verbs joined to their complements (炒 + 香, 焯 + 烫); 盖 behind 开 or 盖上 is a lid."""
    joined: list[Token] = []
    for token in recut(halved(fragrant(oiled(hot_pot(tokens, lexicon), lexicon), lexicon), lexicon), lexicon):
        last = joined[-1] if joined else None
        if last and last.text in lx.LIDDED and token.text in lexicon.tools:
            joined.append(noun(token.text, token.start, lexicon.tools[token.text], TOOL))
        elif last and last.text in lx.LIDDED and token.text == "盖":  # 盖上盖煮
            joined.append(replace(token, kind=WORD))
        elif last and last.kind == VERB and last.end == token.start and completes(last, token):
            name = lexicon.verb_class(last.text + token.text) or last.cls
            joined[-1] = Token(VERB, last.text + token.text, last.start, token.end, name)
        elif last and token.text in lx.SCATTERED and (scattered := scatters(last, token, lexicon)):
            joined[-1] = Token(VERB, last.text + token.text, last.start, token.end, scattered)
        else:
            joined.append(token)
    return [verb_or_noun(joined, index, lexicon) for index in range(len(joined))]


def verb_or_noun(tokens: list[Token], index: int, lexicon: Lexicon) -> Token:
    """热油 or a verb outside the glossary, as a noun if something is done with it: 放入刺, 淋一勺热油, 热油浇在."""
    token = tokens[index]
    heated = token.text in lx.HEATED and token.text[-1] in lexicon.foods
    if not (heated and token.kind in (OTHER, VERB)) and not (
        token.kind == OTHER and noun_like(token.text, lexicon)
    ):
        return token
    after = tokens[index + 1].text if index + 1 < len(tokens) else ""
    before = index - 1
    while before >= 0 and (tokens[before].kind == NUMBER or tokens[before].text in VERB_TO_OBJECT):
        before -= 1
    if not ((heated and after[:1] in lx.POURING) or (before >= 0 and takes(tokens[before].text))):
        return token
    for kind, listed in ((FOOD, lexicon.foods), (TOOL, lexicon.tools)):
        if (name := listed.get(token.text)) is not None:
            return noun(token.text, token.start, name, kind)
    return replace(token, kind=FOOD, cls=lexicon.foods[token.text[-1]], core=(token.end - 1, token.end))


def takes(text: str) -> bool:
    """Whether a noun must follow this word: 把, 用, 倒, 浇上."""
    adding = text in lx.ADDING or (text[:-1] in lx.ADDING and text[-1] in lx.RESULTS)
    return adding or text in lx.DISPOSAL | lx.INSTRUMENT or text[0] in lx.LEAVING


def noun(text: str, start: int, name: str, kind: str = FOOD) -> Token:
    end = start + len(text)
    return Token(kind, text, start, end, name, (start, end))


def food_token(text: str, start: int, lexicon: Lexicon) -> Token:
    return noun(text, start, lexicon.foods[text])


def verb_token(text: str, start: int, lexicon: Lexicon) -> Token:
    return Token(VERB, text, start, start + len(text), lexicon.verbs[text])


def completes(verb: Token, token: Token) -> bool:
    """Whether a token is the second half of the verb before it."""
    if token.text in lx.DIRECTIONS | lx.FRAGRANT or (
        token.text in ("去", "来") and verb.text[-1] in lx.PATHS
    ):
        return True
    if len(token.text) != 1 or len(verb.text) > 1 or token.kind in (FOOD, TOOL, NUMBER):
        return False
    if token.kind == VERB and (verb.text in lx.TRICKY or token.text in lx.COOKING_SECOND):
        return verb.text not in lx.TRICKY | lx.COVERING
    return token.text in lx.RESULTS - lx.STATES or token.text in ("出", "入")


def oiled(tokens: list[Token], lexicon: Lexicon) -> list[Token]:
    """热 + 油泡 as 热油 + 泡, and 用 + 油泡 as 用 + 油 + 泡: here a food's name that begins with 油 is not one."""
    joined: list[Token] = []
    for token in tokens:
        last, rest = joined[-1] if joined else None, token.text[1:]
        oil = token.text[0] == "油" and "油" in lexicon.foods
        oily = oil and rest in lexicon.verbs
        cut = token.kind == FOOD and (oily or (oil and rest in lexicon.foods))
        sauce = last.text[:-1] if last and last.kind == FOOD and last.text[-1] == "酱" else ""
        if last and token.text == "油" and sauce in lexicon.foods and last.end == token.start:  # 蚝油酱 + 油
            joined[-1] = food_token(sauce, last.start, lexicon)
            joined.append(noun("酱油", token.start - 1, lexicon.foods.get("酱油", token.cls)))
            continue
        if oily and token.kind == VERB and last and last.text in lx.DISPOSAL:  # 把 + 油炸 + 香
            joined.append(food_token("油", token.start, lexicon))
        elif oily and token.kind == VERB and last and last.text == "过" and "过油" in lexicon.verbs:
            joined[-1] = Token(VERB, "过油", last.start, token.start + 1, lexicon.verbs["过油"])
        elif cut and last and last.end == token.start and (name := lexicon.foods.get(last.text + "油")):
            joined[-1] = noun(last.text + "油", last.start, name)
        elif cut and last and last.end == token.start and last.text in lx.TASTES:
            core = token.start, token.start + 1
            joined[-1] = Token(FOOD, last.text + "油", last.start, core[1], lexicon.foods["油"], core)
        elif cut and last and last.text in lx.INSTRUMENT:
            joined.append(food_token("油", token.start, lexicon))
        else:
            joined.append(token)
            continue
        if rest in lexicon.verbs:
            joined.append(verb_token(rest, token.start + 1, lexicon))
        else:
            joined.append(food_token(rest, token.start + 1, lexicon))  # 冷 + 油葱
    return joined


def scatters(verb: Token, token: Token, lexicon: Lexicon) -> str | None:
    """The class of a verb with the result 散 and its grains behind it: 滑 + 散籽."""
    joined = verb.kind in (VERB, OTHER) and verb.end == token.start and not noun_like(token.text, lexicon)
    return lexicon.verb_class(f"{verb.text}散") if joined else None


def fragrant(tokens: list[Token], lexicon: Lexicon) -> list[Token]:
    """爆 + 香葱 as 爆香 + 葱: behind verbs of flash-frying 香 is the result, not a part of the name."""
    joined: list[Token] = []
    for token in tokens:
        verb = joined[-1] if joined else None
        if (
            verb
            and verb.kind == VERB
            and verb.text[-1] in lx.FLASH_FRYING
            and verb.end == token.start
            and token.text == "香葱"
            and "葱" in lexicon.foods
        ):
            fried = f"{verb.text[-1]}香"
            name = lexicon.verb_class(fried) or verb.cls
            joined[-1] = Token(VERB, fried, verb.end - 1, verb.end + 1, name)
            if verb.text[0] == "油" and "油" in lexicon.foods:
                joined.insert(-1, food_token("油", verb.start, lexicon))
            joined.append(food_token("葱", token.start + 1, lexicon))
        else:
            joined.append(token)
    return joined


def halved(tokens: list[Token], lexicon: Lexicon) -> list[Token]:
    """放 + 入锅 as 放入 + 锅, 翻 + 炒出香味 as 翻炒出香味: a listed verb that begins inside the verb before it.

    The verb before has one character, and with the first of the next it is a listed verb. The rest is a vessel or a
    food, a vessel with a verb of its own (入锅蒸), a lid, a result, or a manner of what follows (烧 + 开小火).
    """
    joined: list[Token] = []
    for token in tokens:
        longer = _longer(joined[-1], token, lexicon) if joined else None
        rest = _rest(token, lexicon) if longer else None
        if longer and token.kind == FOOD:
            joined[-1:] = [longer, *(rest or [token])]
        elif longer and rest is not None:
            joined[-1:] = [longer, *rest]
        elif longer and (token.text[1:] in lx.LONG_RESULTS or token.text[1:2] == "出"):
            joined[-1] = replace(longer, text=longer.text + token.text[1:], end=token.end)
        else:
            joined.append(token)
    return joined


def _longer(verb: Token, token: Token, lexicon: Lexicon) -> Token | None:
    """The verb with the first character of the verb behind it, if that is a listed verb: 放 + 入."""
    text = verb.text + token.text[0]
    if not (verb.kind == VERB and len(verb.text) == 1 and verb.end == token.start):
        return None
    if token.kind == FOOD:  # 翻 + 炒芝麻
        dish = (
            (token.text[0] in lx.DISH_VERBS or text == "洗净")
            and text in lexicon.verbs
            and token.text[1:] in lexicon.foods
        )
        return Token(VERB, text, verb.start, token.start + 1, lexicon.verbs[text]) if dish else None
    if token.kind != VERB:
        return None
    if text not in lexicon.verbs and (token.text[0] != "入" or verb.text in lx.TRICKY):
        return None
    return Token(VERB, text, verb.start, token.start + 1, lexicon.verb_class(text) or verb.cls)


def _rest(token: Token, lexicon: Lexicon) -> list[Token] | None:
    """What is left of a verb without its first character, as tokens; None if that is no word of its own."""
    rest, start = token.text[1:], token.start + 1
    if rest in lexicon.foods:
        return [food_token(rest, start, lexicon)]
    if rest in lx.MANNER or rest == "盖":  # 盖 + 上盖: 盖上 with its lid
        return [Token(WORD, rest, start, token.end)]
    for end in range(len(rest), 0, -1):
        vessel, after = rest[:end], rest[end:]
        if vessel in lexicon.tools and (not after or after in lexicon.verbs):
            verb = [Token(VERB, after, start + end, token.end, lexicon.verbs[after])] if after else []
            return [noun(vessel, start, lexicon.tools[vessel], TOOL), *verb]
    return None


def hot_pot(tokens: list[Token], lexicon: Lexicon) -> list[Token]:
    """冷 + 锅热 + 油 as 锅 + 热油, 一 + 锅热 + 水 as 一锅 + 热水."""
    joined: list[Token] = []
    for token in tokens:
        last = joined[-1] if joined else None
        if not (last and last.text == "锅热" and token.text in ("水", "油") and token.text in lexicon.foods):
            joined.append(token)
            continue
        start, text = last.start + 1, f"热{token.text}"
        if len(joined) > 1 and joined[-2].kind == NUMBER:
            joined[-1:] = [
                Token(WORD, "锅", last.start, start),
                noun(text, start, lexicon.foods[token.text]),
            ]
        elif text in lexicon.verbs and "锅" in lexicon.tools:
            joined[-1:] = [
                noun("锅", last.start, lexicon.tools["锅"], TOOL),
                Token(VERB, text, start, token.end, lexicon.verbs[text]),
            ]
        else:
            joined.append(token)
    return joined


def recut(tokens: list[Token], lexicon: Lexicon) -> Iterator[Token]:
    """加热 + 水 as 加 + 热水, 放水 + 里 as 放 + 水 + 里, 放 + 油炸 as 放 + 油 + 炸, 冷 + 水烧开 as 冷水 + 烧开."""
    for index, token in enumerate(tokens):
        before = tokens[index - 1].text if index else ""
        after = tokens[index + 1].text if index + 1 < len(tokens) else ""
        makes = (
            not before
            and token.kind == FOOD
            and token.text[0] == "调"
            and _has(lexicon, "调", token.text[1:])
        )
        if makes and (not after or tokens[index + 1].kind == JOIN):  # 调料汁：生抽、醋
            yield verb_token("调", token.start, lexicon)
            yield food_token(token.text[1:], token.start + 1, lexicon)
        elif _fries_until(token, after, lexicon) or _adds_to_water(token, after, lexicon):
            yield verb_token(token.text[0], token.start, lexicon)
            yield food_token(token.text[1:], token.start + 1, lexicon)
        elif token.text == "热" and _heats_amount(tokens[index + 1 : index + 4], lexicon):
            yield replace(token, kind=VERB, cls=lexicon.verbs["加热"])
        elif before and _heats_water(tokens[index - 1], token, lexicon):
            water = before + "水"
            yield food_token(water, token.start - len(before), lexicon)
            yield verb_token(token.text[1:], token.start + 1, lexicon)
        elif after and _heats_water(token, tokens[index + 1], lexicon):
            continue
        elif token.text == "水" and _adds_water(before, lexicon) and tokens[index - 1].end == token.start:
            water = before[-1] + "水"
            yield food_token(water, token.start - 1, lexicon)
        elif after == "水" and _adds_water(token.text, lexicon) and tokens[index + 1].start == token.end:
            yield verb_token(token.text[0], token.start, lexicon)
        elif (
            token.kind == VERB
            and token.text[0] in lx.MEDIA
            and _added(tokens, index)
            and _has(lexicon, token.text[1:], token.text[0])
        ):
            yield food_token(token.text[0], token.start, lexicon)
            yield verb_token(token.text[1:], token.start + 1, lexicon)
        else:
            yield token


def _added(tokens: list[Token], index: int) -> bool:
    """Whether a verb of adding stands before the token, or before its amount: 放入适量的水烧开."""
    before = index - 1
    whole = len(tokens[index].text) > 2
    while whole and before > 0 and (tokens[before].kind == NUMBER or tokens[before].text in AMOUNT):
        before -= 1
    return index > 0 and tokens[before].text in lx.ADDING


def _fries_until(token: Token, after: str, lexicon: Lexicon) -> bool:
    """Whether the name of a dish is a verb with its object, since a result follows: 煎豆腐 in 煎豆腐到两面金黄."""
    dish = token.kind in (FOOD, WORD, OTHER) and token.text[0] in lx.DISH_VERBS and after in ("到", "至")
    return dish and _has(lexicon, token.text[0], token.text[1:])


def _heats_amount(ahead: list[Token], lexicon: Lexicon) -> bool:
    """Whether 热 has an amount of oil or water behind it, and so is a verb: 热1大匙油."""
    amount = (
        bool(ahead) and (ahead[0].kind == NUMBER or ahead[0].text in lx.AMOUNTS) and "加热" in lexicon.verbs
    )
    return amount and any(token.kind == FOOD and token.text[-1] in "油水" for token in ahead)


def _adds_to_water(token: Token, after: str, lexicon: Lexicon) -> bool:
    """Whether something goes into the water of a verb: 放水 in 放水里."""
    into = token.kind == VERB and token.text[1:] == "水" and after in lx.LOCATION
    return into and _has(lexicon, token.text[0], "水")


def _heats_water(word: Token, verb: Token, lexicon: Lexicon) -> bool:
    """Whether 水 belongs to the word before a verb that begins with it: 冷 + 水烧开."""
    adjacent = word.kind == WORD and word.end == verb.start
    water = adjacent and verb.kind == VERB and verb.text[0] == "水"
    return water and _has(lexicon, verb.text[1:], word.text + "水")


def _adds_water(text: str, lexicon: Lexicon) -> bool:
    """Whether, before 水, the second character belongs to it: 加热水, 放凉水."""
    return text in lx.WATERED and _has(lexicon, text[0], text[1] + "水")


def _has(lexicon: Lexicon, verb: str, food: str) -> bool:
    return verb in lexicon.verbs and food in lexicon.foods
