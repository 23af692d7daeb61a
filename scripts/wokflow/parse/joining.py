"""Joining and recutting tokens that their neighbours show to be cut wrongly."""

from collections.abc import Iterator
from dataclasses import replace

from wokflow.parse import lexemes as lx
from wokflow.parse.lattice import FOOD, NUMBER, OTHER, TOOL, TRICKY, VERB, Lexicon, Token

QUANTITY = lx.AMOUNTS | lx.MEASURES | lx.ASPECT  # between a verb and its object


def merged(tokens: list[Token], lexicon: Lexicon) -> list[Token]:
    """Join verbs with what completes them (炒 + 香, 焯 + 烫); 盖 behind 开 or 盖上 is a lid."""
    found: list[Token] = []
    for token in recut(fragrant(tokens, lexicon), lexicon):
        last = found[-1] if found else None
        if last and last.text in lx.LIDDED and token.text in lexicon.tools:
            found.append(noun(token.text, token.start, lexicon.tools[token.text], TOOL))
        elif last and last.kind == VERB and last.end == token.start and completes(last, token):
            name = lexicon.verb_class(last.text + token.text) or last.cls
            found[-1] = Token(VERB, last.text + token.text, last.start, token.end, name)
        else:
            found.append(token)
    return [hot_oil(found, index, lexicon) for index in range(len(found))]


def hot_oil(tokens: list[Token], index: int, lexicon: Lexicon) -> Token:
    """热油 is a noun where something is done with it (淋一勺热油, 把热油, 热油浇在), else it means to heat oil."""
    token = tokens[index]
    if token.kind != OTHER or token.text not in lx.HEATED or token.text[-1] not in lexicon.foods:
        return token
    after = tokens[index + 1].text if index + 1 < len(tokens) else ""
    before = index - 1
    while before >= 0 and (tokens[before].kind == NUMBER or tokens[before].text in QUANTITY):
        before -= 1
    if not (after[:1] in lx.POURING or (before >= 0 and takes(tokens[before].text))):
        return token
    if (name := lexicon.listed_foods.get(token.text)) is not None:
        return noun(token.text, token.start, name)
    return replace(token, kind=FOOD, cls=lexicon.foods[token.text[-1]], core=(token.end - 1, token.end))


def takes(text: str) -> bool:
    """Whether a noun must follow: 把, 用, 倒, 浇上."""
    adding = text in lx.ADDING or (text[:-1] in lx.ADDING and text[-1] in lx.RESULTS)
    return adding or text in lx.DISPOSAL | lx.INSTRUMENT


def noun(text: str, start: int, name: str, kind: str = FOOD) -> Token:
    end = start + len(text)
    return Token(kind, text, start, end, name, (start, end))


def completes(verb: Token, token: Token) -> bool:
    """Whether a token is the second half of the verb before it."""
    if token.text in lx.DIRECTIONS or (token.text in ("去", "来") and verb.text[-1] in lx.PATHS):
        return True
    if len(token.text) != 1 or len(verb.text) > 1 or token.kind in (FOOD, TOOL, NUMBER):
        return False
    if token.kind == VERB and (verb.text in TRICKY or token.text in lx.COOKING_SECOND):
        return verb.text not in TRICKY
    return token.text in lx.RESULTS - lx.STATES or token.text in ("出", "入")


def fragrant(tokens: list[Token], lexicon: Lexicon) -> list[Token]:
    """爆 + 香葱 is 爆香 + 葱: who flash-fries does it for the smell."""
    found: list[Token] = []
    for token in tokens:
        verb = found[-1] if found else None
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
            found[-1] = Token(VERB, fried, verb.end - 1, verb.end + 1, name)
            if verb.text[0] == "油" and "油" in lexicon.foods:
                found.insert(-1, noun("油", verb.start, lexicon.foods["油"]))
            found.append(noun("葱", token.start + 1, lexicon.foods["葱"]))
        else:
            found.append(token)
    return found


def recut(tokens: list[Token], lexicon: Lexicon) -> Iterator[Token]:
    """加热 + 水 is 加 + 热水, 放水 + 里 is 放 + 水 + 里, 放 + 油炸 is 放 + 油 + 炸."""
    for index, token in enumerate(tokens):
        before = tokens[index - 1].text if index else ""
        after = tokens[index + 1].text if index + 1 < len(tokens) else ""
        if token.text == "水" and before == "加热" and _has(lexicon, "加", "热水"):
            yield noun("热水", token.start - 1, lexicon.foods["热水"])
        elif token.text == "加热" and after == "水" and _has(lexicon, "加", "热水"):
            yield Token(VERB, "加", token.start, token.start + 1, lexicon.verbs["加"])
        elif (
            token.kind == VERB
            and token.text[1:] == "水"
            and after in lx.LOCATION
            and _has(lexicon, token.text[0], "水")
        ):
            yield Token(VERB, token.text[0], token.start, token.start + 1, lexicon.verbs[token.text[0]])
            yield noun("水", token.start + 1, lexicon.foods["水"])
        elif (
            token.kind == VERB
            and token.text[0] == "油"
            and before in lx.ADDING
            and _has(lexicon, token.text[1:], "油")
        ):
            yield noun("油", token.start, lexicon.foods["油"])
            yield Token(VERB, token.text[1:], token.start + 1, token.end, lexicon.verbs[token.text[1:]])
        else:
            yield token


def _has(lexicon: Lexicon, verb: str, food: str) -> bool:
    return verb in lexicon.verbs and food in lexicon.foods
