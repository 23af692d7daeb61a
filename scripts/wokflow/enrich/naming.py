"""The language in which items always have a name looked up."""

# English: the language of countries' names and of the topics in Table 9. Its capitals tell proper from common nouns.
NAMING = "en"
