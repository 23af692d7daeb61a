"""What else recipes call an ingredient: 土豆 where the dish says 土豆丝."""

from wokflow.parse.glossary import Glossary

CUTS = frozenset("片丁丝块条段末泥球粒茸蓉")  # last characters of names that say how the food is cut


def aliases(name: str, glossary: Glossary) -> frozenset[str]:
    """The name, and words of the glossary that mean the same food: its parts, and longer names of its class.

    A part is what stands before the cut (鱼 of 鱼片), or else begins or ends the name; of a single character, it must
    be of the name's class, since 鸡 is another food than 鸡爪.
    """
    words, kind = glossary.ingredients, glossary.ingredients.get(name)
    head = name[:-1] if name[-1] in CUTS else name
    found = {name} | ({head} & words.keys())
    for word, other in words.items():
        part = name.startswith(word) or name.endswith(word)
        whole = word.startswith(head) or word.endswith(head)
        if (part and (len(word) > 1 or other == kind)) or (whole and other == kind):
            found.add(word)
    return frozenset(found)
