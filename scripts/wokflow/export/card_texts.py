"""What a card says of each kind of dataset: papers, processing, biases, limits, text in a stand-off release."""

# The papers behind the methods, to be cited.
PAPERS = {
    "recipes": "Cao et al. (2024): Cultural Adaptation of Recipes. TACL 12, 80-99. https://doi.org/10.1162/tacl_a_00634",
    "actions": (
        "Liu et al. (2022): Counterfactual Recipe Generation: Exploring Compositional Generalization in a Realistic "
        "Scenario. EMNLP, 7354-7370. https://doi.org/10.18653/v1/2022.emnlp-main.497"
    ),
    "items": (
        "Yao et al. (2024): Benchmarking Machine Translation with Cultural Awareness. Findings of EMNLP, 13078-13096."
        " https://doi.org/10.18653/v1/2024.findings-emnlp.765"
    ),
}
CITED = {
    "pairs": ("recipes",),
    "silver": ("recipes",),
    "gold": ("recipes",),
    "actions": ("actions",),
    "pivots": ("actions",),
    "items": ("items",),
    "predictions": ("recipes", "actions", "items"),
}
PROCESSING = {
    "pairs": (
        "Titles are translated into one language and encoded; each recipe is paired with the nearest recipes of the "
        "other language whose similarity (cosine) reaches the threshold; recipes without such a neighbour are in no "
        "pair. A pair says that two titles mean nearly the same, not that two recipes do: expect pairs that a cook "
        "would not accept."
    ),
    "silver": "The names of a dish in both languages were looked up in the corpora; a person accepted each pair.",
    "gold": "Written by people for the other culture.",
    "actions": (
        "Each step is cut into clauses; verbs, ingredients and tools are found with a glossary (Wokflow's, or that "
        "of the setting parse.glossary), and classes are those of the glossary. Where an action does not name its "
        "food, it inherits from earlier ones."
    ),
    "pivots": (
        "Actions that recipes of one dish have much more often than those of another, by frequency or by people's "
        "answers; orders by the average effect of one action on the other."
    ),
    "items": (
        "Names in sentences are linked to Wikidata; items of a cultural category that have a country of origin are "
        "kept. Linking is automatic: expect wrong items, above all for names of several meanings."
    ),
    "predictions": "Output of the runs as it came, with their scores.",
}
_EATEN = (
    "The recipes are those that some people wrote down, and no picture of what two cultures eat: regions, classes "
    "and ages that write no recipes are missing. Nothing here knows of safety: amounts, temperatures and allergens "
    "may be wrong."
)
_ALIKE = (
    "Dishes that both languages have a name for are paired more often than those that only one of them knows."
)
_ACTED = "Actions, ingredients and tools that the glossary does not know are missing: those of rare dishes above all."
BIASES = {
    "pairs": (_EATEN, _ALIKE),
    "silver": (_EATEN, _ALIKE),
    "gold": (_EATEN, "An adaptation shows how the few people who wrote them cook."),
    "actions": (_EATEN, _ACTED),
    "pivots": (_EATEN, _ACTED),
    "items": ("Culture-specific items follow Wikidata, which knows some countries far better than others.",),
    "predictions": ("Models repeat the biases of what they have learnt from, and add to them.",),
}
LIMITS = {  # parts of a dataset that the licence of annotations may not cover
    "gold": (
        "Adaptations (gold) that are shown are derived from the recipes that they adapt: the licences of these reach "
        "them, too."
    ),
    "predictions": (
        "Predictions that are shown are derived from the sources that their models have read: the licences of these, "
        "and of the models, reach them, too."
    ),
}
HELD = {  # text in a stand-off release of a dataset
    "gold": (
        "Its adaptations (gold), where they are not null, are the texts that people have written from its recipes, "
        "and so are recipes that are in no corpus, if their licence is known: both are compared with no record."
    ),
    "predictions": (
        "Of its predictions, where they are not null, it has the parts between punctuation marks that stand in no "
        "record of these; the others are references. A part in which a system changed a character is shown."
    ),
}
