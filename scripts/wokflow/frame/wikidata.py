"""What all stages know of Wikidata."""

import re

# The id of an item. Its number has ten digits today; one of fifteen is whole in every table and every JSON parser.
QID = re.compile(r"Q[1-9][0-9]{0,14}")
ENTITIES = "entities"  # the name under which the table of entities is described like a source
