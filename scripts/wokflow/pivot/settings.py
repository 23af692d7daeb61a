"""The settings of stage pivot: config blocks pivot.*. Sections are those of Counterfactual Recipe Generation."""

from typing import Literal

from wokflow.frame.settings import Content, Field, FileOrFolder, Layout, Settings, Text, borrowed


class PairsSettings(Settings):
    path: FileOrFolder[Text] = "resources/pivot/dish_pairs.tsv"
    """The dish pairs: a tab-separated table with the columns base_dish, target_dish, ingredient_removed,
    ingredient_added (and base_english, target_english); the folder with the authors' dish_pairs.txt and
    changing_ingres.txt; or JSON (docs/pivot.md). The default has the paper's 50 pairs (Counterfactual Recipe
    Generation, table 7).
    """


class DishesSettings(Settings):
    pairs: Text = borrowed("pivot.pairs.path")
    corpus: Layout[Text] = "xiachufang"
    """The corpus whose recipes are compared: xiachufang, or counterfactual. The latter has recipes of base dishes
    alone: with it action scores need pivot.pivots.given.
    """
    least: int = Field(10, ge=1)
    """A name in the `dish` field of at least so many recipes is also looked for in the titles of recipes without a
    dish.
    """


class CandidatesSettings(Settings):
    pairs: Text = borrowed("pivot.pairs.path")
    alpha: float = Field(5, gt=1)
    """How many times as frequent an action must be in one dish as in the other (Counterfactual Recipe Generation,
    section 4.2).
    """
    tau_remove: float = Field(0.01, ge=0, le=1)
    """An action of the base dish in less than this share of the target dish's recipes is removed (section 4.2)."""
    tau_insert: float = Field(0.1, ge=0, le=1)
    """An action in more than this share of the target dish's recipes is inserted (section 4.2)."""
    least: float = Field(0.05, ge=0, le=1)
    """Actions in a smaller share of both dishes' recipes are left out; else people would be asked about every action
    that a single cook wrote.
    """
    recipes: int = Field(10, ge=1)
    """Frequency decides nothing about a pair if one of its dishes has fewer recipes with actions. 1 is the paper's
    rule.
    """
    level: float = Field(0.05, le=1, gt=0)
    """Frequency does not decide on an action if its p-value is larger, so that the difference may be chance: Fisher's
    exact test of its recipes in both dishes, corrected for the tests of the pair. 1 is the paper's rule: no test.
    """


class QuestionsSettings(Settings):
    ask_all: bool = False
    """Ask people also about actions that frequency decides, as in the paper's pilot study."""


class PivotsSettings(Settings):
    pairs: Text = borrowed("pivot.pairs.path")
    glossary: Text = borrowed("parse.glossary.path")
    answers: Content[tuple[Text, ...]] = ()
    """What people answered: copies of pivot/questions/questions.tsv that they filled in, or of annotate/criteria of a
    study (docs/annotate.md).
    """
    annotators: int = Field(3, ge=1)
    """Questions with fewer answers stay open (the paper asks three people or more)."""
    overrule: bool = False
    """Let people's answers count also where frequency decides."""
    given: Content[Text | None] = None
    """Pivot actions in place of mined ones: expert_pivots.json as the paper's authors published it, a .parquet table
    in the form of pivot/pivots, or a tab-separated table (docs/pivot.md). Null: they are mined.
    """


class OrdersSettings(Settings):
    pairs: Text = borrowed("pivot.pairs.path")
    glossary: Text = borrowed("parse.glossary.path")
    given: Content[Text | None] = None
    """Orders in place of tested ones: expert_pivots.json, a .parquet table in the form of pivot/orders, or a
    tab-separated table. Null: they are tested.
    """
    preset: Literal["strict", "paper"] = "strict"
    """How orders are estimated and when one is reported. strict: few false orders, by two tests, corrected for their
    number. paper: as in section 4.3. Each key below overrides the preset's value; null keeps it.
    """
    effect: float | None = Field(None, ge=0, le=1)
    """Least average causal effect of a constraint (tau_c; section 4.3) (strict 0.1, paper 0.1)."""
    level: float | None = Field(None, le=1, gt=0)
    """Significance level of the tests of an effect and of its order; 1 tests nothing (strict 0.01, paper 1)."""
    correct: bool | None = None
    """Adjust p-values for the number of tests of a dish pair (Benjamini and Hochberg) (strict true, paper false)."""
    units: int | None = Field(None, ge=1)
    """Least recipes with, and without, the cause (strict 5, paper 1)."""
    frequent: float | None = Field(None, ge=0, le=1)
    """Share of the dish's recipes that an action must occur in to be a cause, an effect or a confounder (strict
    0.05, paper 0).
    """
    confounders: int | None = Field(None, ge=0)
    """Largest number of confounders with a covariate of their own (strict 10, paper all)."""
    ridge: float | None = Field(None, gt=0)
    """Penalty of the regression behind the propensity scores (strict 1, paper 1)."""
    caliper: float | None = Field(None, gt=0)
    """Farthest match, in pooled standard deviations of the propensity's logit (strict 0.2, paper any)."""
    strata: int | None = Field(None, ge=1)
    """Strata of the propensity in the permutation test (strict 10, paper 10)."""
    overlap: float | None = Field(None, ge=0, le=1)
    """Least share of recipes that are comparable, and that have a match; with less, the data do not decide (strict
    0.5, paper 0).
    """
    balance: float | None = Field(None, ge=0)
    """Largest standardised difference of means after matching; with more, the data do not decide (strict 0.25, paper
    any).
    """


class MinedSettings(Settings):
    """Edits that runs of family mined are guided by: what recipes of other dishes do with the ingredient that a pair
    adds, and do not do with the one that it removes (docs/runs.md).
    """

    pairs: Text = borrowed("pivot.pairs.path")
    glossary: Text = borrowed("parse.glossary.path")
    recipes: Literal["untested", "others"] = "untested"
    """Which are compared. untested: those that models may learn from, of no dish of any pair. others: all but those
    of the pair's own two dishes, for corpora that have few others.
    """
    most: int = Field(2000, ge=1)
    """Recipes with either ingredient that are read for a pair."""
    least: int = Field(10, ge=1)
    """Nothing is claimed of an ingredient that fewer recipes name, nor of the order of actions that fewer have."""
    alpha: float = Field(5, gt=1)
    """How many times as frequent an action must be with one ingredient as with the other, as in pivot.candidates."""
    tau_remove: float = Field(0.01, ge=0, le=1)
    """An action in a smaller share of recipes with the added ingredient is removed."""
    tau_insert: float = Field(0.1, ge=0, le=1)
    """An action in a larger share of them is inserted."""
    frequent: float = Field(0.05, ge=0, le=1)
    """Actions in a smaller share of the recipes with either are left out."""
    level: float = Field(0.05, le=1, gt=0)
    """Fisher's exact test of a difference, corrected for the tests of the pair; 1 tests nothing."""
    order: float = Field(0.75, gt=0.5, le=1)
    """Of recipes with two actions, the least share with one before the other for that to be their order."""


class InstancesSettings(Settings):
    pairs: Text = borrowed("pivot.pairs.path")
    count: int = Field(50, ge=1)
    """Base recipes drawn for each dish pair (section 4.1)."""
    seed: int = Field(13, ge=0)
    """Seed of the draw."""
