"""What else recipes call an ingredient: 土豆 where the dish says 土豆丝."""

from wokflow.parse.glossary import Glossary

CUTS = frozenset("片丁丝块条段末泥球粒茸蓉肉仁")  # last characters of names that say how the food is cut


def aliases(name: str, glossary: Glossary) -> frozenset[str]:
    """The name, and words of the glossary that mean the same food: its parts, and longer names.

    Parts are what stands before the cut (鱼 of 鱼片), what begins the name in two characters or more, and what
    ends it and is of its class: 胡萝卜 is no 萝卜. Longer names have a cut behind it (鸡块), or something before it
    (小土豆); where it has a single character, they must be of its class, since 田鸡 is no 鸡.
    """
    words, kind = glossary.ingredients, glossary.ingredients.get(name)
    head = name[:-1] if name[-1] in CUTS and name[:-1] in words else name
    found = {name, head}
    for word, other in words.items():
        part = (name.startswith(word) and (len(word) > 1 or other == kind)) or (
            name.endswith(word) and other == kind
        )
        cut = word.startswith(head) and word[len(head) :] in CUTS
        longer = word.endswith(head) and (len(head) > 1 or other == kind)
        if part or cut or longer:
            found.add(word)
    return frozenset(found)
