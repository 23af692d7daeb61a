"""Ratings of people in figures, as those of models are."""

from wokflow.evaluate.ratings import evaluate_ratings
from wokflow.frame.job import Job


def evaluate_people(
    *, tasks: str, ratings: str, means: str, agreement: str, differences: str, job: Job
) -> None:
    """Write the means, the agreement and the differences of a study's raters, as evaluate_ratings does."""
    evaluate_ratings(
        tasks=tasks, ratings=[ratings], means=means, agreement=agreement, differences=differences, job=job
    )
