"""The language that items have a name in wherever they are known."""

# English: what countries are called in, what Table 9 has topics of, and whose capitals tell names of one thing from
# common nouns.
NAMING = "en"
