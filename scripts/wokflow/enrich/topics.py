"""Topics of Wikipedia's pages from Wikimedia's topic service: Lift Wing's outlink-topic-model, or one like it.

The model predicts the topics of WikiProjects from the links of an article in any language. Its predecessor on the
English Wikipedia, drafttopic, is what Yao et al. 2024 used (3.2); the topics are the same.
"""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from wokflow.frame.polite import Client

LEAST = 0.05  # least score of requested topics, so that another threshold needs no new requests
LONGEST = 200  # characters of a topic's name

# Topics and their scores, the highest first; None: the service refuses the page.
Topics = list[tuple[str, float]] | None


class TopicService(Client[Topics]):
    """A client of a topic service; things are pages, written as LANGUAGE:TITLE."""

    example = "https://api.wikimedia.org/service/lw/inference/v1/models/outlink-topic-model:predict"
    advice = "Run again later, or without the service (enrich.categorise.backend: classes)."

    def request(self, asked: Sequence[str]) -> dict[str, Any]:
        """The page as JSON."""
        (page,) = asked
        lang, _, title = page.partition(":")
        return {"json": {"page_title": title, "lang": lang, "threshold": LEAST}}

    def read(self, content: bytes, headers: Mapping[str, str], asked: Sequence[str]) -> dict[str, Topics]:
        """The topics of the page. Raises ValueError if the answer is no prediction."""
        (page,) = asked
        return {page: read_topics(content)}

    def turned_down(self, asked: Sequence[str], status: int) -> dict[str, Topics] | None:
        """None for the page if it is a bad request: the service cannot judge it, or does not know its language."""
        return dict.fromkeys(asked) if status == 400 else None


def read_topics(content: bytes) -> list[tuple[str, float]]:
    """Topics and scores of an answer, the highest first. Raises ValueError if the answer is no prediction."""
    try:
        results = json.loads(content)["prediction"]["results"]
        scores = {_name(result["topic"]): _score(result["score"]) for result in results}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"no prediction ({type(error).__name__})") from error
    return sorted(scores.items(), key=lambda topic: (-topic[1], topic[0]))


def _name(topic: str) -> str:
    if not (0 < len(topic) <= LONGEST and topic.isprintable()):
        raise ValueError
    return topic


def _score(score: float) -> float:
    """The score, clipped to 0 and 1: fastText's may be a little above."""
    number = float(score)
    if not (math.isfinite(number) and -0.01 <= number <= 1.01):
        raise ValueError
    return min(max(number, 0.0), 1.0)


def likely(topics: Sequence[tuple[str, float]], threshold: float) -> list[str]:
    """The topics with a score of at least `threshold`, in their order."""
    return [topic for topic, score in topics if score >= threshold]
