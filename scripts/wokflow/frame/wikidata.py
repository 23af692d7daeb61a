"""Constants of Wikidata and Wikipedia."""

import re

# The id of an item. Today's have up to ten digits; fifteen are exact in every table and every JSON parser.
QID = re.compile(r"Q[1-9][0-9]{0,14}")
ENTITIES = "entities"  # the name under which the table of entities is described like a source
PAGES = "pages_"  # begins the names, with a language, under which dumps of Wikipedia are described
