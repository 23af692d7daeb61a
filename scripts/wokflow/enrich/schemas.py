"""Tables of stage enrich."""

import pyarrow as pa

from wokflow.frame.columns import STRINGS, Reason, column
from wokflow.ingest.schemas import PAGES

REASONS = {
    "broken_record": Reason("The line of the table of entities is no JSON object in the form of Wikidata's."),
    "no_item": Reason(
        "It is no item of Wikidata, but a property or a lexeme; or its number has more than 15 digits.",
        by_design=True,
    ),
    "duplicate": Reason("The table of entities has this item before, as where two dumps were joined."),
    "no_mention": Reason("No item of the table of entities is mentioned in the sentence.", by_design=True),
    "no_category": Reason(
        "Items are mentioned, but none has a category of culture-specific items.", by_design=True
    ),
    "no_country": Reason(
        "Items of such a category are mentioned, but none has a country of origin.", by_design=True
    ),
    "outside": Reason("A program's mention does not lie in its sentence."),
    "unknown_item": Reason(
        "A program's mention, or an annotation, is of an item that the table of entities lacks."
    ),
    "overlap": Reason(
        "A program's mention, or an annotation, overlaps another one, which is longer, or before it, or has a higher "
        "score.",
        by_design=True,
    ),
    "no_words": Reason("An annotation of a published file has no words."),
    "not_in_sentence": Reason("The sentence lacks the words of its annotation in a published file."),
}
QID = "The item's id in Wikidata, as Q13276."
SENTENCE_ID = "Source of sentences and row number in it, as camt:12; rows count from 0."
CATEGORY = "Its category of culture-specific items (Yao et al. 2024, 3.1)."
TOPICS = "Topics of WikiProjects (Yao et al. 2024, Table 9)"
DECIDING = f"{TOPICS}, the one that decides the category first."


def _list(fields: list[pa.Field]) -> pa.DataType:
    return pa.list_(pa.field("element", pa.struct(fields), nullable=False))


TEXTS = _list(
    [
        pa.field("lang", pa.string(), nullable=False),
        pa.field("label", pa.string()),
        pa.field("description", pa.string()),
        pa.field("aliases", STRINGS, nullable=False),
        pa.field("foreign", STRINGS, nullable=False),
        pa.field("title", pa.string()),
        pa.field("summary", pa.string()),
    ]
)
MENTIONED = _list(
    [
        pa.field("qid", pa.string(), nullable=False),
        pa.field("start", pa.int32(), nullable=False),
        pa.field("end", pa.int32(), nullable=False),
        pa.field("mention", pa.string(), nullable=False),
        pa.field("category", pa.string(), nullable=False),
    ]
)

ENTITIES = pa.schema(
    [
        column("qid", pa.string(), QID),
        column("sitelinks", pa.int32(), "How many Wikis have a page on it."),
        column("instance_of", STRINGS, "Ids of the classes that it is an instance of (P31)."),
        column("subclass_of", STRINGS, "Ids of the classes that it is a subclass of (P279)."),
        column("origins", STRINGS, "Ids of its countries of origin (P495); ended ones only if all are."),
        column("countries", STRINGS, "Ids of the countries that it belongs to (P17), likewise."),
        column("topics", STRINGS, f"{TOPICS}, as the file has them."),
        column(
            "texts",
            TEXTS,
            "By language: label, description, aliases, names for all languages that are in another script "
            "(foreign), title of the page and summary.",
        ),
    ]
)
REJECTED = pa.schema(
    [
        column("row", pa.int64(), "Number of the entity in the file, from 0."),
        column("reason", pa.string(), "One of the reasons below."),
        column("raw", pa.string(), "The beginning of the line."),
    ]
)
MENTIONS = pa.schema(
    [
        column("sentence_id", pa.string(), SENTENCE_ID),
        column("start", pa.int32(), "Where the mention begins: characters of the source sentence, from 0."),
        column("end", pa.int32(), "Where it ends: the first character behind it."),
        column("mention", pa.string(), "The words of the sentence."),
        column("qid", pa.string(), QID),
        column("score", pa.float32(), "How much speaks for this item among all of that name, 0 to 1."),
        column("candidates", pa.int32(), "How many items have that name; 1 where a program linked it."),
    ]
)
CATEGORIES = pa.schema(
    [
        column("qid", pa.string(), QID),
        column("topics", STRINGS, DECIDING),
        column("category", pa.string(), f"{CATEGORY} Null: none of its topics has one.", nullable=True),
    ]
)
LOOKUPS = pa.schema(
    [
        column("qid", pa.string(), QID),
        column("lang", pa.string(), "The language of what follows."),
        column("label", pa.string(), "Its label.", nullable=True),
        column("description", pa.string(), "Its description.", nullable=True),
        column("aliases", STRINGS, "Other names."),
        column("title", pa.string(), "Title of its page in the Wikipedia of the language.", nullable=True),
        column("summary", pa.string(), "First paragraph of that page.", nullable=True),
        column(
            "country_qid",
            pa.string(),
            "Id of its country of origin: of P495, else of P17; of several, see docs/items.md.",
            nullable=True,
        ),
        column("country_of_origin", pa.string(), "The country's name in the language.", nullable=True),
    ]
)
ITEMS = pa.schema(
    [
        column("qid", pa.string(), QID),
        column("lang", pa.string(), "The language of label, description, aliases and so on."),
        column("label", pa.string(), "Its label.", nullable=True),
        column("description", pa.string(), "Its description.", nullable=True),
        column("aliases", STRINGS, "Other names."),
        column("category", pa.string(), CATEGORY),
        column("topics", STRINGS, DECIDING),
        column("country_of_origin", pa.string(), "Name of its country of origin in English, or its id."),
        column("country_qid", pa.string(), "Id of its country of origin."),
        column("translations", STRINGS, "Its names in the language: the label, then aliases, each once."),
        column("explanation", pa.string(), "First paragraph of its page in the language.", nullable=True),
    ]
)
SENTENCES = pa.schema(
    [
        column("sentence_id", pa.string(), SENTENCE_ID),
        column("source", pa.string(), "The sentence that mentions items."),
        column("target", pa.string(), "Its translation."),
        column(
            "items", MENTIONED, "The items in the order of their mentions; offsets as in enrich/mentions."
        ),
    ]
)
REJECTED_SENTENCES = pa.schema(
    [
        column("corpus", pa.string(), "The source of sentences."),
        column("source_row", pa.int64(), "Row number in the source, from 0."),
        column("reason", pa.string(), "One of the reasons below."),
        column("detail", pa.string(), "The items that are mentioned, or what is wrong.", nullable=True),
        column("raw", pa.string(), "The sentence's id, or a program's line."),
    ]
)
STATISTICS = pa.schema(
    [
        column("corpus", pa.string(), "The source of sentences."),
        column("lang_pair", pa.string(), "Language of the source and of the target, as en-zh."),
        column("sentences", pa.int64(), "Sentences that mention an item."),
        column("counts", pa.int64(), "Mentions of items."),
        column("types", pa.int64(), "Different items that are mentioned."),
        column("translations", pa.int64(), "Mentions of items that have a name in the target language."),
        column("translated_types", pa.int64(), "Different items with such a name."),
    ]
)
SHARES = pa.schema(
    [
        column("corpus", pa.string(), "The source of sentences."),
        column("kind", pa.string(), "What is counted: category, topic (of several, the first) or country."),
        column("name", pa.string(), "Which of these."),
        column("count", pa.int64(), "Mentions of items that are of it."),
    ]
)
LINK_QUALITY = pa.schema(
    [
        column("corpus", pa.string(), "The source of sentences, of kind camt."),
        column("links", pa.string(), "all: every link. kept: those of items with a category and a country."),
        column("same", pa.string(), "words: a link has the words of an annotation. item: and its item, too."),
        column("annotations", pa.int64(), "Annotations whose words the sentence has."),
        column("unplaced", pa.int64(), "Annotations without words in the sentence, and overlapping ones."),
        column("linked", pa.int64(), "Links in all sentences that were read."),
        column("found", pa.int64(), "Links that are annotated."),
        column("recall", pa.float64(), "Share of the annotations that are linked.", nullable=True),
        column("recall_low", pa.float64(), "Lower end of its interval (Wilson, 95 %).", nullable=True),
        column("recall_high", pa.float64(), "Upper end.", nullable=True),
        column(
            "precision",
            pa.float64(),
            "Share of the links that are annotated. Annotations are not complete, so it is a lower bound.",
            nullable=True,
        ),
        column("precision_low", pa.float64(), "Lower end of its interval.", nullable=True),
        column("precision_high", pa.float64(), "Upper end.", nullable=True),
    ]
)

SCHEMAS = {
    "enrich/entities": ENTITIES,
    "enrich/rejects/entities": REJECTED,
    "enrich/mentions/{corpus}": MENTIONS,
    "enrich/rejects/mentions/{corpus}": REJECTED_SENTENCES,
    "enrich/categories": CATEGORIES,
    "enrich/lookups": LOOKUPS,
    "enrich/pages": PAGES,
    "enrich/items": ITEMS,
    "enrich/sentences/{corpus}": SENTENCES,
    "enrich/rejects/{corpus}": REJECTED_SENTENCES,
    "enrich/statistics": STATISTICS,
    "enrich/shares": SHARES,
    "enrich/link_quality/{corpus}": LINK_QUALITY,
}
