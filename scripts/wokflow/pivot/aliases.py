"""Other names of an ingredient in recipes: 土豆 where the dish says 土豆丝."""

from wokflow.parse.glossary import Glossary

CUTS = frozenset("片丁丝块条段末泥球粒茸蓉肉仁")  # last characters of names that say how the food is cut


def aliases(name: str, glossary: Glossary) -> frozenset[str]:
    """The name, and words of the glossary that mean the same food: its parts, and longer names.

    Parts are the word before a cut (鱼 of 鱼片), a beginning of two characters or more, and an ending of the same
    class (胡萝卜 is no 萝卜). Longer names add a cut (鸡块) or characters in front (小土豆); those of a single
    character must be of its class (田鸡 is no 鸡).
    """
    words, kind = glossary.ingredients, glossary.ingredients.get(name)
    head = name[:-1] if name[-1] in CUTS and name[:-1] in words else name
    names = {name, head}
    for word, other in words.items():
        part = (name.startswith(word) and (len(word) > 1 or other == kind)) or (
            name.endswith(word) and other == kind
        )
        cut = word.startswith(head) and word[len(head) :] in CUTS
        longer = word.endswith(head) and (len(head) > 1 or other == kind)
        if part or cut or longer:
            names.add(word)
    return frozenset(names)
