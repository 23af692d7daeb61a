"""Which of several countries an item is from."""

from collections.abc import Collection
from typing import Self

from wokflow.enrich.entities import number_of
from wokflow.enrich.lists import read_table
from wokflow.frame.job import UserError
from wokflow.frame.wikidata import QID


class Countries:
    """The countries of each language, in an order; a country belongs to the first language that has it."""

    def __init__(self, of_language: dict[str, list[str]]) -> None:
        self._of_language = of_language
        self._language: dict[str, str] = {}
        for lang, countries in of_language.items():
            for country in countries:
                self._language.setdefault(country, lang)

    @classmethod
    def read(cls, path: str) -> Self:
        """The table of regions (lang, country_qid). Raises UserError where it lacks a column or an id is none."""
        of_language: dict[str, list[str]] = {}
        for line, lang, country in read_table(path, "lang", "country_qid"):
            if not QID.fullmatch(country):
                raise UserError(f"{path}, line {line}: country_qid must be an id such as Q148.")
            of_language.setdefault(lang, []).append(country)
        return cls(of_language)

    def chosen(self, countries: Collection[str]) -> str:
        """The one with the lowest number or, if others are of its language too, the first of these in the table."""
        lowest = min(countries, key=number_of)
        alike = self._of_language.get(self._language.get(lowest, ""), ())
        return next((country for country in alike if country in countries), lowest)
