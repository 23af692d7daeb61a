"""Tables of stage lexicon."""

import pyarrow as pa

from wokflow.frame.columns import STRINGS, column

MEASURES = CSLS, COSINE = "csls", "cosine"

WORD = [
    column("word_id", pa.string(), "A hash of the word and its neighbours; sheets go by it."),
    column("word", pa.string(), "The Chinese word."),
    column("count", pa.int64(), "How often it stands in the Chinese corpus."),
    column("meanings", STRINGS, "What it means in English by the dictionary; may be none."),
]
MEASURE = column("measure", pa.string(), "csls or cosine.")

NEIGHBOURS = pa.schema(
    [
        *WORD,
        MEASURE,
        column("rank", pa.int32(), "1 is the nearest."),
        column("neighbour", pa.string(), "The English word."),
        column("similarity", pa.float64(), "By the measure."),
        column(
            "literal",
            pa.bool_(),
            "Whether it is a literal translation by the dictionary; null where no meaning has a vector.",
            nullable=True,
        ),
    ]
)
MARKS = pa.schema(
    [
        column("word_id", pa.string(), "The word, as in lexicon/neighbours."),
        column("annotator", pa.string(), "Who marked it."),
        column("literal", STRINGS, "The neighbours that are literal translations, by either measure."),
        column("kind", pa.string(), "cultural or accidental: why there is none.", nullable=True),
    ]
)
WORDS = pa.schema(
    [
        *WORD,
        column("nearest", STRINGS, "Its English neighbours by CSLS, the nearest first."),
        column(
            "by_dictionary",
            pa.bool_(),
            "Whether one of these is literal by the dictionary; null where no meaning has a vector.",
            nullable=True,
        ),
        column("annotators", pa.int32(), "How many people marked it."),
        column("literal", STRINGS, "Those of `nearest` that most of them call literal."),
        column("by_people", pa.bool_(), "Whether there is one; null where nobody marked it.", nullable=True),
        column(
            "kind",
            pa.string(),
            "Of a word without one: cultural, accidental, or undecided where no majority says so.",
            nullable=True,
        ),
    ]
)
PRECISION = pa.schema(
    [
        MEASURE,
        column("judge", pa.string(), "dictionary or people."),
        column("neighbours", pa.int32(), "k of Precision@k."),
        column("words", pa.int32(), "Words that the judge can tell of."),
        column("found", pa.int32(), "Those with a literal translation among their neighbours."),
        column("precision", pa.float64(), "Their share; null without words.", nullable=True),
        column("low", pa.float64(), "Lower end of Wilson's interval of 95 %.", nullable=True),
        column("high", pa.float64(), "Upper end.", nullable=True),
        *(
            column(name, pa.int32(), f"Words without one that are {name} by people.", nullable=True)
            for name in ("cultural", "accidental", "undecided")
        ),
        column(
            "alpha", pa.float64(), "Krippendorff's alpha of people: whether a word has one.", nullable=True
        ),
    ]
)
PICTURE = pa.schema(
    [
        column("lang", pa.string(), "zh or en."),
        column("word", pa.string(), "The word."),
        column("meaning", pa.string(), "What a named Chinese word means.", nullable=True),
        column("x", pa.float64(), "Its place along the first principal component of the words shown."),
        column("y", pa.float64(), "The second."),
        column("named", pa.bool_(), "Whether its name stands in the picture: words of seed pairs."),
    ]
)
SCHEMAS = {
    "lexicon/neighbours": NEIGHBOURS,
    "lexicon/picture": PICTURE,
    "lexicon/marks": MARKS,
    "lexicon/words": WORDS,
    "lexicon/precision": PRECISION,
}
