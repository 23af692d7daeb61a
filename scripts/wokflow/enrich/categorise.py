"""Categories of culture-specific items, by the topics of WikiProjects (Yao et al. 2024, 3.1 and Table 9)."""

from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from wokflow.enrich.entities import number_of
from wokflow.enrich.lists import read_mapping
from wokflow.enrich.schemas import CATEGORIES
from wokflow.enrich.settings import CategoriseSettings
from wokflow.enrich.sparql import check
from wokflow.enrich.topics import TopicService, likely
from wokflow.frame import tables
from wokflow.frame.job import Job, Progress, UserError
from wokflow.frame.language_codes import wikipedia
from wokflow.frame.polite import Answers, known
from wokflow.frame.wikidata import QID
from wokflow.ingest.pages import may_exist

PEOPLE = "culture.biography."  # topics of people, who are no items
REGIONS = "geography.regions."  # topics of places, which nearly every page has
NEVER = frozenset(
    {"Q5", "Q6256", "Q3624078"}
)  # humans, countries, sovereign states: no items, whatever their topics
ANY = ".*"  # at the end of a topic: all topics below it
FAR = 20  # levels of classes above an item that are searched
NO_TOPIC = ""


def enrich_categorise(
    *, mentions: Sequence[str], entities: str, categories: str, settings: CategoriseSettings, job: Job
) -> None:
    """Write topics and category of each mentioned item as enrich/categories, ordered by the number of its id.

    An item has the topics that the table of entities gives it. If there are none, backend `service` asks a topic
    service at `endpoint` about the item's page, in the first of `languages` that has one, under the name of
    `contact`, and keeps answers in the folder `cache` (see topics.TopicService and polite.Client); topics with a
    score of at least `threshold` count. If there are still none, the item gets the topic of the nearest class above
    it in `classes` (qid, class, topic). `topics` (topic, category, note) has the category of each topic; people and
    countries, which items come from, have none. The topic that decides is written before the others (by_category).

    Raises UserError where a setting is missing or wrong, or the service does not answer.
    """
    by_service, progress = settings.backend == "service", job.progress
    category_of = read_topics(settings.topics)
    wanted = tables.scan(mentions, ["qid"]).unique().collect()
    columns = ["qid", "instance_of", "subclass_of", "topics", *(["texts"] if by_service else [])]
    rows = tables.scan(entities, columns)
    mentioned = rows.join(wanted.lazy(), on="qid", how="semi").collect()
    topics = {qid: given for qid, given in mentioned.select("qid", "topics").iter_rows() if given}
    if by_service:
        service = TopicService(settings, step="enrich.categorise", say=progress.say)
        if settings.cache is None:
            raise ValueError(
                "enrich.categorise without enrich.categorise.cache: its rule always names a folder"
            )
        answers = Answers(settings.cache, {"endpoint": service.endpoint})
        asked = pages_of(mentioned.filter(~pl.col("qid").is_in(list(topics))), settings.languages)
        topics |= of_service(service, answers, asked, settings.threshold, progress)
    left = mentioned.filter(~pl.col("qid").is_in(list(topics))).select("qid", "instance_of", "subclass_of")
    upwards = {qid: (*of, *below) for qid, of, below in left.iter_rows()}
    topics |= {qid: [topic] for qid, topic in nearest(upwards, rows, read_classes(settings.classes)).items()}
    none = {qid for qid, of in mentioned.select("qid", "instance_of").iter_rows() if NEVER.intersection(of)}
    decided = {qid: by_category(topics.get(qid, []), category_of) for qid in wanted["qid"]}
    made = pl.DataFrame(
        [
            (qid, decided[qid][0], None if qid in none else decided[qid][1])
            for qid in sorted(wanted["qid"], key=number_of)
        ],
        {"qid": pl.String, "topics": pl.List(pl.String), "category": pl.String},
        orient="row",
    )
    tables.write(categories, CATEGORIES, made, job.metadata)
    counted = made.group_by("category").len().sort("category", nulls_last=True)
    counts = ", ".join(f"{count} {name or 'without a category'}" for name, count in counted.iter_rows())
    progress.say(f"{made.height} items are mentioned: {counts}")


def pages_of(entities: pl.DataFrame, languages: Sequence[str]) -> dict[str, str]:
    """The page of each item that has one, as WIKIPEDIA:TITLE, in the first of the languages with a page."""
    check([], languages)
    pages = {}
    for qid, texts in entities.sort("qid").select("qid", "texts").iter_rows():
        titles = {text["lang"]: text["title"] for text in texts}
        named = (
            f"{wikipedia(lang)}:{titles[lang]}"
            for lang in languages
            if titles.get(lang) and may_exist(titles[lang])
        )
        if page := next(named, None):
            pages[qid] = page
    return pages


def of_service(
    service: TopicService, answers: Answers, pages: Mapping[str, str], threshold: float, progress: Progress
) -> dict[str, list[str]]:
    """The topics that the service gives for the pages of items; items without topics are absent."""
    answered = known(service, answers, list(dict.fromkeys(pages.values())), progress)
    refused = [page for page, topics in answered.items() if topics is None]
    if refused:
        progress.say(f"{len(refused)} pages are refused by {service.endpoint}, such as {refused[0]}")
    if refused and len(refused) == len(answered):
        raise UserError(
            f"{service.endpoint} refuses every page as a bad request, such as {refused[0]}. Is "
            f"enrich.categorise.endpoint right? Wikimedia's is {service.example}."
        )
    topics_of = {qid: likely(answered[page] or (), threshold) for qid, page in pages.items()}
    return {qid: topics for qid, topics in topics_of.items() if topics}


def category(topics: Sequence[str], category_of: Mapping[str, str]) -> str | None:
    """The category of the topic that decides (see by_category)."""
    return by_category(topics, category_of)[1]


def by_category(topics: Sequence[str], category_of: Mapping[str, str]) -> tuple[list[str], str | None]:
    """The topics, the one that decides before the others, and its category.

    The first topic that has a category decides, unless a topic of people comes before it. Topics of regions come
    last, wherever they stand: a dish has both Culture.Food and drink and Geography.Regions.Europe.Southern Europe.

    The table may name a topic with its group, as `Geography.Regions.*`. Capitals do not count: the paper writes
    Culture.Philosophy and Religion, the topic model Culture.Philosophy and religion.
    """
    known = {topic.lower(): name for topic, name in category_of.items()}
    for topic in sorted(topics, key=lambda topic: topic.lower().startswith(REGIONS)):
        if topic.lower().startswith(PEOPLE):
            break
        if name := next((known[name] for name in _names(topic.lower()) if name in known), None):
            return [topic, *(other for other in topics if other != topic)], name
    return [*topics], None


def _names(topic: str) -> Iterator[str]:
    yield topic
    parts = topic.split(".")
    for length in range(len(parts) - 1, 0, -1):
        yield ".".join(parts[:length]) + ANY


def nearest(
    upwards: Mapping[str, Sequence[str]], rows: pl.LazyFrame, topic_of: Mapping[str, str]
) -> dict[str, str]:
    """The topic of each item's nearest class with a topic; of equally near classes, the lowest id counts.

    `upwards` has the classes of each item, `rows` those above each class (qid, subclass_of). Above a class whose
    topic is empty nothing is searched.
    """
    topics: dict[str, str] = {}
    above: dict[str, Sequence[str]] = {}
    waiting = {qid: set(classes) for qid, classes in upwards.items()}
    passed: dict[str, set[str]] = {qid: {qid} for qid in upwards}
    for _ in range(FAR):
        for qid, classes in list(waiting.items()):
            known = sorted((name for name in classes if name in topic_of), key=number_of)
            if topic := next((topic_of[name] for name in known if topic_of[name] != NO_TOPIC), None):
                topics[qid] = topic
            waiting[qid] = classes - set(known)
            if topic or not waiting[qid]:
                del waiting[qid]
        missing = {name for classes in waiting.values() for name in classes} - above.keys()
        if missing:
            frame = rows.select("qid", "subclass_of").filter(pl.col("qid").is_in(sorted(missing))).collect()
            above |= dict.fromkeys(missing, ()) | dict(frame.iter_rows())
        for qid, classes in waiting.items():
            passed[qid] |= classes
            waiting[qid] = {parent for name in classes for parent in above[name]} - passed[qid]
        if not waiting:
            break
    return topics


def read_topics(path: str) -> dict[str, str]:
    """Category by topic."""
    return read_mapping(path, "topic", "category")


def read_classes(path: str) -> dict[str, str]:
    """Topic by class; empty for classes above which no topic is searched.

    Raises UserError for a class that is not an id like Q746549, which no item has.
    """
    topics = read_mapping(path, "qid", "topic")
    if wrong := next((name for name in topics if not QID.fullmatch(name)), None):
        raise UserError(f"{path}: qid {wrong!r} is not an id like Q746549.")
    return topics
