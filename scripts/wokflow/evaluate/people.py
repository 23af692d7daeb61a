"""Statistics of people's ratings, as of those of models."""

from collections.abc import Sequence

from wokflow.evaluate.ratings import evaluate_ratings
from wokflow.evaluate.settings import PeopleSettings, RatingsSettings
from wokflow.frame.job import Job


def evaluate_people(
    *, tasks: str, ratings: str, figures: Sequence[str], settings: PeopleSettings, job: Job
) -> None:
    """Write the statistics of a study's ratings, as evaluate_ratings does."""
    same = RatingsSettings(bootstrap=settings.bootstrap)
    evaluate_ratings(tasks=tasks, ratings=[ratings], figures=figures, settings=same, job=job)
