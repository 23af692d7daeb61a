"""Tables of stage ingest."""

import pyarrow as pa

from wokflow.frame.columns import RECIPE_ID, STRINGS, Reason, column

REASONS = {
    "broken_record": Reason(
        "The bytes form no record: broken JSON, unbalanced quotes, a wrong number of fields."
    ),
    "invalid_utf8": Reason("The row is not valid UTF-8, or holds half a surrogate pair."),
    "nul_byte": Reason("The row holds a NUL byte."),
    "oversized_row": Reason("The row is longer than 16 MiB; raw holds its beginning."),
    "truncated_archive": Reason("The archive ends or breaks here; what lay behind could not be read."),
    "bad_list": Reason("A field that should hold a list of strings does not."),
    "wrong_type": Reason("A field holds another type than text."),
    "missing_field": Reason("The record lacks a field."),
    "repeated_field": Reason("The record holds a field more than once, so that its value is in doubt."),
    "empty_title": Reason("No title, or nothing of it is left after cleaning."),
    "empty_ingredients": Reason("No ingredients, or nothing of them is left after cleaning."),
    "empty_steps": Reason("No steps, or nothing of them is left after cleaning."),
    "duplicate": Reason(
        "Title, ingredients and steps, both sentences, or a page's number, equal those of an earlier row.",
        by_design=True,
    ),
    "no_partner": Reason(
        "The other file has no line more, or the aligner found no sentence that translates it."
    ),
    "broken_markup": Reason("The record's XML is broken, or nested too deeply."),
    "empty_side": Reason("One side of a pair of sentences has neither letters nor digits."),
    "identical_sides": Reason("Both sides are the same: nothing was translated."),
    "length_ratio": Reason(
        "One side is too long, or too much longer than the other (by how many times stands in detail)."
    ),
    "wrong_language": Reason(
        "A side is in another language, named in detail, or has no letter of its script."
    ),
    "other_namespace": Reason(
        "The page is no article: its namespace, named in detail, is not 0.", by_design=True
    ),
    "redirect": Reason("The page only leads to another one.", by_design=True),
    "no_summary": Reason("The page has no text."),
    "empty_text": Reason("The utterance has no text."),
    "duplicate_id": Reason("The dialogue has an utterance of that id before."),
    "no_order": Reason("The utterances of the dialogue do not reply to one another in a chain."),
    "dialogue_length": Reason(
        "The dialogue has fewer or more utterances than the config allows; their number stands in detail.",
        by_design=True,
    ),
    "unknown_utterance": Reason("The annotation is of an utterance that is not among the dialogues."),
    "bad_span": Reason("The words of the annotation do not stand at that place of the utterance."),
    "unknown_category": Reason("The annotation has a category that is none of the nine."),
    "bad_foreignness": Reason("The annotation has a degree of foreignness that is none of 1, 2 and 3."),
    "familiar": Reason("The item is common in the target culture: foreignness 1.", by_design=True),
}

RECIPES = pa.schema(
    [
        column("recipe_id", pa.string(), RECIPE_ID),
        column("corpus", pa.string(), "recipenlg, xiachufang or counterfactual."),
        column("lang", pa.string(), "en or zh."),
        column("title", pa.string(), "Title, cleaned."),
        column("ingredients", STRINGS, "Ingredient lines with amounts, cleaned."),
        column("steps", STRINGS, "Steps in order, cleaned."),
        column("dish", pa.string(), "The dish the corpus says this is a recipe of.", nullable=True),
        column("url", pa.string(), "Where the corpus found the recipe.", nullable=True),
        column("source_row", pa.int64(), "Row number in the source, from 0."),
    ]
)
REJECTS = pa.schema(
    [
        column("corpus", pa.string(), "The source, as the config names it."),
        column("source_row", pa.int64(), "Row number in the source, from 0."),
        column("reason", pa.string(), "One of the reasons below."),
        column("detail", pa.string(), "What was found, where it helps.", nullable=True),
        column("raw", pa.string(), "The record as read; bytes that are no UTF-8 as \\xNN."),
    ]
)

SENTENCES = pa.schema(
    [
        column("sentence_id", pa.string(), "Source of sentences and row number in it, as camt:12."),
        column("corpus", pa.string(), "The source, as the config names it."),
        column("lang_pair", pa.string(), "Language of the source and of the target, as en-zh."),
        column("source", pa.string(), "The sentence, cleaned."),
        column("target", pa.string(), "Its translation, cleaned."),
        column("source_row", pa.int64(), "Row number in the file, from 0."),
    ]
)
PAGES = pa.schema(
    [
        column("page_id", pa.int64(), "The page's number in its Wikipedia."),
        column("revision_id", pa.int64(), "The revision that was read."),
        column("title", pa.string(), "The page's title."),
        column("qid", pa.string(), "The item of Wikidata that the page is on.", nullable=True),
        column("summary", pa.string(), "The first paragraph, as plain text."),
        column("lang", pa.string(), "Language of the Wikipedia."),
    ]
)

DIALOGUE_ID = column("dialogue_id", pa.string(), "The dialogue, as its file names it.")
POSITION = column("position", pa.int32(), "Place of the utterance in its dialogue, from 0.")
UTTERANCES = pa.schema(
    [
        DIALOGUE_ID,
        POSITION,
        column("utterance_id", pa.string(), "Its id, where the file has one.", nullable=True),
        column("speaker", pa.string(), "Who speaks."),
        column("text", pa.string(), "What is said, as read; of a note without text of its own, the note."),
        column("source_row", pa.int64(), "Line in the file, or row of a CSV, from 0."),
    ]
)
ANNOTATIONS = pa.schema(
    [
        DIALOGUE_ID,
        POSITION,
        column("start", pa.int32(), "Where the item begins: characters of the utterance's text, from 0."),
        column("end", pa.int32(), "Where it ends: the first character behind it."),
        column("text", pa.string(), "The item's words."),
        column(
            "category",
            pa.string(),
            "One of the nine (Singh et al. 2024, section 4), as resources/dialogues has them.",
        ),
        column(
            "foreignness", pa.int32(), "2: known in the target culture, though foreign; 3: largely unknown."
        ),
        column(
            "level",
            pa.string(),
            "Hall's level of culture, where the file has it: technical, formal or informal.",
            nullable=True,
        ),
        column("annotator", pa.string(), "Who marked it."),
        column("source_row", pa.int64(), "Line in the file, or row of a CSV, from 0."),
    ]
)

SCHEMAS = {
    "ingest/recipes/{corpus}": RECIPES,
    "ingest/rejects/{corpus}": REJECTS,
    "ingest/sentences/{corpus}": SENTENCES,
    "ingest/pages/{lang}": PAGES,
    "ingest/utterances": UTTERANCES,
    "ingest/annotations": ANNOTATIONS,
}
