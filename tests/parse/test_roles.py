"""Schemes of relations: the lists that models are published with, and one clause drawn by each of them."""

import pytest
from wokflow.frame.job import UserError
from wokflow.parse.extract import Action, Parse, extract
from wokflow.parse.glossary import Glossary
from wokflow.parse.roles import ATTRIBUTE, OTHER, ROOT, SCHEMES, roles_of, scheme_of

UD, STANFORD, PMT = SCHEMES
# Of spaCy's zh_core_web_sm 3.8.0: https://spacy.io/models/zh#zh_core_web_sm-labels
ZH_CORE_WEB = (
    "ROOT acl advcl:loc advmod advmod:dvp advmod:loc advmod:rcomp amod amod:ordmod appos aux:asp aux:ba "
    "aux:modal aux:prtmod auxpass case cc ccomp compound:nn compound:vc conj cop dep det discourse dobj etc "
    "mark mark:clf name neg nmod nmod:assmod nmod:poss nmod:prep nmod:range nmod:tmod nmod:topic nsubj "
    "nsubj:xsubj nsubjpass nummod parataxis:prnmod punct xcomp"
)
# Of HanLP's models: https://hanlp.hankcs.com/docs/annotations/dep/
CTB = (
    "nn punct nsubj conj dobj advmod prep nummod amod pobj rcmod cpm assm assmod cc clf ccomp det lobj range "
    "asp tmod plmod attr mmod loc top pccomp etc lccomp ordmod xsubj neg rcomp comod vmod prtmod ba dvpm "
    "dvpmod prnmod cop pass nsubjpass dep root"
)
PKU = (
    "ACT ADV APP ATT CMP COO COS DE DEI DI FOC HED IC IOB IS ISC LAD MT NUM POB PUN PUS QUC QUCC QUN RAD RADC "
    "RED SBV TPC VOB VV"
)
UDC = f"{ZH_CORE_WEB} csubj"
UD_2 = (  # https://universaldependencies.org/u/dep/, with subtypes of UD_Chinese-GSDSimp
    "acl acl:relcl advcl advmod advmod:df amod appos aux aux:pass case case:loc cc ccomp clf compound "
    "compound:dir compound:ext compound:vo compound:vv conj cop csubj csubj:pass dep det discourse "
    "discourse:sp dislocated expl fixed flat flat:foreign flat:name goeswith iobj list mark mark:adv mark:rel "
    "nmod nmod:tmod nsubj nsubj:pass nummod obj obl obl:agent obl:patient obl:tmod orphan parataxis punct "
    "reparandum root vocative xcomp"
)


@pytest.mark.parametrize(
    ("scheme", "published"),
    [(UD, ZH_CORE_WEB), (UD, UDC), (UD, UD_2), (STANFORD, CTB), (PMT, PKU)],
    ids=["zh_core_web", "UDC", "UD 2", "CTB", "PMT"],
)
def test_each_published_relation_has_a_role(scheme: object, published: str) -> None:
    assert scheme_of(published.split(), "it") is scheme


def test_a_part_of_a_scheme_is_enough() -> None:
    assert scheme_of(["root", "punct", "rcmod", "lobj"], "it") is STANFORD
    assert scheme_of(["ROOT", "dep", "obj"], "it") is UD


@pytest.mark.parametrize("unknown", ["subject", "OBJ-1", "nmod prep", "nsubj:"])
def test_an_unknown_scheme_is_refused_by_name(unknown: str) -> None:
    if unknown == "nsubj:":  # behind a colon anything may stand
        assert scheme_of([unknown], "it") is UD
        return
    with pytest.raises(UserError, match=f"of mine follow no known scheme.* which has no {unknown}"):
        scheme_of(["nsubj", "obj", unknown], "mine")


def test_schemes_are_not_mixed() -> None:
    with pytest.raises(UserError, match="which has no VOB"):
        scheme_of(["nsubj", "obj", "VOB"], "mine")


def test_roles() -> None:
    assert roles_of(UD, ["ROOT", "nmod", "nmod:prep", "compound:vc", "_"]) == (
        ROOT,
        ATTRIBUTE,
        OTHER,
        OTHER,
        OTHER,
    )


GLOSSARY = Glossary(
    verbs=dict.fromkeys(["煎", "放", "放入", "切", "倒掉", "倒入", "翻炒"], "做"),
    ingredients={word: word for word in ["油", "牛肉", "豆腐", "水", "盐"]},
    tools={word: word for word in ["锅", "盘子", "碗"]},
    english={},
)
# Clauses, their words, and by scheme the head (from 1; 0 is the root) and the relation of each word.
CLAUSES = {
    "煎(油,牛肉)": (
        "用 油 煎 牛肉",
        {
            "UD 2": "2:case 3:obl 0:root 3:obj",
            "zh_core_web": "2:case 3:nmod:prep 0:ROOT 3:dobj",
            "CTB": "3:prep 1:pobj 0:root 3:dobj",
            "PMT": "3:ADV 1:POB 0:HED 3:VOB",
        },
    ),
    "放(锅,油)": (
        "锅 里 放 油",
        {
            "UD 2": "3:obl 1:case 0:root 3:obj",
            "zh_core_web": "3:nmod:prep 1:case 0:ROOT 3:dobj",
            "CTB": "2:lobj 3:loc 0:root 3:dobj",
            "PMT": "2:ATT 3:ADV 0:HED 3:VOB",
        },
    ),
    "放入(豆腐)": (
        "放入 切好 的 豆腐",
        {
            "UD 2": "0:root 4:acl:relcl 2:mark:rel 1:obj",
            "zh_core_web": "0:ROOT 4:acl 2:mark 1:dobj",
            "CTB": "0:root 4:rcmod 2:cpm 1:dobj",
            "PMT": "0:HED 3:DE 4:ATT 1:VOB",
        },
    ),
    "倒掉(水)": (
        "倒掉 盘子 里 的 水",
        {
            "UD 2": "0:root 5:nmod 2:case 2:case 1:obj",
            "zh_core_web": "0:ROOT 5:nmod:assmod 2:case 2:case 1:dobj",
            "CTB": "0:root 3:lobj 5:assmod 3:assm 1:dobj",
            "PMT": "0:HED 3:ATT 4:DE 5:ATT 1:VOB",
        },
    ),
    "倒入(水)": (
        "倒入 一 碗 水",
        {
            "UD 2": "0:root 4:nummod 2:clf 1:obj",
            "zh_core_web": "0:ROOT 4:nummod 2:mark:clf 1:dobj",
            "CTB": "0:root 3:nummod 4:clf 1:dobj",
            "PMT": "0:HED 3:NUM 4:QUN 1:VOB",
        },
    ),
    "翻炒(豆腐)": (
        "盘子 里 装 的 豆腐 翻炒",
        {
            "UD 2": "3:obl 1:case 5:acl:relcl 3:mark:rel 6:nsubj 0:root",
            "zh_core_web": "3:nmod:prep 1:case 5:acl 3:mark 6:nsubj 0:ROOT",
            "CTB": "2:lobj 3:loc 5:rcmod 3:cpm 6:nsubj 0:root",
            "PMT": "2:ATT 3:ADV 4:DE 5:ATT 6:SBV 0:HED",
        },
    ),
    "": (
        "不 放 盐",
        {
            "UD 2": "2:advmod 0:root 2:obj",
            "zh_core_web": "2:neg 0:ROOT 2:dobj",
            "CTB": "2:neg 0:root 2:dobj",
            "PMT": "2:ADV 0:HED 2:VOB",
        },
    ),
    "放(盐)": (
        "放 盐 防止 煎 豆腐",  # only what stands behind 防止 is negated, and 豆腐 is not put in
        {
            "UD 2": "0:root 1:obj 1:parataxis 3:xcomp 4:obj",
            "zh_core_web": "0:ROOT 1:dobj 1:conj 3:ccomp 4:dobj",
            "CTB": "0:root 1:dobj 1:conj 3:ccomp 4:dobj",
            "PMT": "0:HED 1:VOB 1:VV 3:VOB 4:VOB",
        },
    ),
    "翻炒(牛肉)": (
        "翻炒 牛肉 以免 煎 豆腐",
        {
            "UD 2": "0:root 1:obj 4:mark 1:parataxis 4:obj",
            "zh_core_web": "0:ROOT 1:dobj 4:advmod 1:conj 4:dobj",
            "CTB": "0:root 1:dobj 4:advmod 1:conj 4:dobj",
            "PMT": "0:HED 1:VOB 4:ADV 1:VV 4:VOB",
        },
    ),
}
DRAWN = [
    (words, actions, name, tree)
    for actions, (words, trees) in CLAUSES.items()
    for name, tree in trees.items()
]
BY_NAME = {"UD 2": UD, "zh_core_web": UD, "CTB": STANFORD, "PMT": PMT}


@pytest.mark.parametrize(("words", "actions", "name", "tree"), DRAWN)
def test_a_clause_means_the_same_by_each_scheme(words: str, actions: str, name: str, tree: str) -> None:
    heads, relations = zip(*(arc.split(":", 1) for arc in tree.split()), strict=True)
    parse = Parse(
        tuple(words.split()), tuple(int(head) - 1 for head in heads), roles_of(BY_NAME[name], relations)
    )
    clause = words.replace(" ", "")
    found = extract([clause], GLOSSARY, {clause: parse}, method="parser", style="house")[0]
    assert " ".join(map(shown, found)) == actions


def shown(action: Action) -> str:
    nouns = sorted((*action.ingredients, *action.tools), key=lambda noun: noun.start)
    return f"{action.verb}({','.join(noun.surface for noun in nouns)})"
