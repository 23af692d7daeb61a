"""Ratings of people in figures, as those of models are."""

from wokflow.evaluate.ratings import evaluate_ratings
from wokflow.evaluate.settings import PeopleSettings, RatingsSettings
from wokflow.frame.job import Job


def evaluate_people(
    *,
    tasks: str,
    ratings: str,
    means: str,
    agreement: str,
    differences: str,
    dimensions: str,
    calibration: str,
    settings: PeopleSettings,
    job: Job,
) -> None:
    """Write the figures of a study's raters, as evaluate_ratings does."""
    evaluate_ratings(
        tasks=tasks,
        ratings=[ratings],
        means=means,
        agreement=agreement,
        differences=differences,
        dimensions=dimensions,
        calibration=calibration,
        settings=RatingsSettings(bootstrap=settings.bootstrap),
        job=job,
    )
