"""The meaning of dependency schemes' relations for the readers of trees.

Models name relations by schemes of their own. A reader of actions asks little: does a word describe a noun, as
another noun (盘子 in 盘子里的水), a number or a measure; is it the verb of a relative clause (切 in 切好的豆腐); or
does it negate its head. So each scheme maps its relations to these few roles, and all others to OTHER.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from wokflow.frame.job import UserError

ROOT, ATTRIBUTE, RELATIVE, NEGATION, OTHER = "root", "attribute", "relative", "negation", "other"
DESCRIBES = (ATTRIBUTE, RELATIVE)
UNKNOWN = frozenset({"", "_", "dep"})  # relations without meaning, which any model may have


@dataclass(frozen=True)
class Scheme:
    """A scheme by its published list of relations: the roles of some, and all `others`.

    `subtypes`: a relation with a colon that the list lacks counts as the part before the colon (nmod:any as nmod).
    """

    name: str
    roles: Mapping[str, str]
    others: frozenset[str]
    subtypes: bool = False

    def role(self, relation: str) -> str | None:
        """The role of a relation, whose case does not matter at the root; None if the scheme has no such relation."""
        if relation.lower() == "root":
            return ROOT
        if relation in UNKNOWN or relation in self.others:
            return OTHER
        if relation in self.roles:
            return self.roles[relation]
        base, colon, _ = relation.partition(":")
        return self.role(base) if colon and self.subtypes else None


def _roles(**by_role: str) -> dict[str, str]:
    return {relation: role for role, relations in by_role.items() for relation in relations.split()}


def _others(relations: str) -> frozenset[str]:
    return frozenset(relations.split())


SCHEMES = (
    # Universal Dependencies: version 2 (https://universaldependencies.org/u/dep), and version 1 as CoreNLP converts
    # the Chinese Treebank, which spaCy's zh_core_web models and HanLP's UDC models have: nmod:prep is below a verb.
    Scheme(
        "Universal Dependencies",
        _roles(
            attribute="nmod nmod:assmod nmod:poss compound compound:nn amod nummod clf det mark:clf",
            relative="acl",
            negation="neg",
        ),
        _others(
            "nsubj obj iobj csubj ccomp xcomp obl vocative expl dislocated advcl advmod discourse aux cop "
            "mark case appos conj cc fixed flat list parataxis orphan goeswith reparandum punct dobj "
            "nsubjpass csubjpass auxpass foreign mwe name remnant etc erased nmod:prep nmod:tmod nmod:topic "
            "nmod:range compound:vc compound:vv compound:vo compound:dir compound:ext compound:svc "
            "compound:lvc"
        ),
        subtypes=True,
    ),
    # Stanford Dependencies of Chinese (Chang et al. 2009), which HanLP's CTB models have.
    Scheme(
        "Stanford Dependencies",
        _roles(
            attribute="nn amod assmod nummod ordmod clf det",
            relative="rcmod vmod",
            negation="neg",
        ),
        _others(
            "punct nsubj conj dobj advmod prep pobj cpm assm cc ccomp lobj range asp tmod plmod attr mmod "
            "loc top pccomp etc lccomp xsubj rcomp comod prtmod ba dvpm dvpmod prnmod cop pass nsubjpass"
        ),
    ),
    # PKU Multi-view Chinese Treebank (Qiu et al. 2014), of HanLP's PMT models. 的 is head of what is before it.
    Scheme(
        "PKU Multi-view Treebank",
        _roles(root="HED", attribute="ATT DE NUM QUN"),
        _others(
            "ACT ADV APP CMP COO COS DEI DI FOC IC IOB IS ISC LAD MT POB PUN PUS QUC QUCC RAD RADC RED SBV "
            "TPC VOB VV"
        ),
    ),
)


def scheme_of(relations: Collection[str], model: str) -> Scheme:
    """The scheme that has all relations of a model. Raises UserError, naming those that are left, if none has."""
    left = {
        scheme.name: sorted(relation for relation in set(relations) if scheme.role(relation) is None)
        for scheme in SCHEMES
    }
    name, unknown = min(left.items(), key=lambda item: len(item[1]))
    if unknown:
        raise UserError(
            f"The relations of {model} follow no known scheme. Nearest is {name}, which has no "
            f"{', '.join(unknown[:8])}{', ...' if len(unknown) > 8 else ''}. Known schemes: {', '.join(left)}. "
            "Choose another model (parse.dependencies.model) or treebank (parse.parser.treebanks)."
        )
    return next(scheme for scheme in SCHEMES if scheme.name == name)


def roles_of(scheme: Scheme, relations: Sequence[str]) -> tuple[str, ...]:
    """The role of each relation."""
    return tuple(scheme.role(relation) or OTHER for relation in relations)
