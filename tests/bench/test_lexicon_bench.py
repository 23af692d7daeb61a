"""How many titles the lexicon translates in a second, against cutting them into words by jieba alone."""

import json
from itertools import islice
from pathlib import Path

from tests.bench import measure
from tests.bench.measure import Call, Clock, isolated

ROUNDS = {"tiny": 1, "small": 3, "full": 3}
SIZES = {"tiny": 2_000, "small": 100_000, "full": 1_000_000}  # rows of the corpus the titles are from
LEXICON, JIEBA = "Wokflow's lexicon", "jieba, words only"
FOLDER = measure.ROOT / "resources" / "lexicon"


def test_lexicon(data: Path) -> None:
    titles = data / "titles.json"
    isolated(Call(make_titles, {"out": str(titles), "rows": SIZES[measure.scale()]}))
    given = {"titles": str(titles)}
    contenders = {LEXICON: Call(translate, given), JIEBA: Call(cut, given)}
    measured = measure.in_turn(contenders, ROUNDS[measure.scale()])
    count, other = (results[0].outcome for results in measured.values())
    assert count == other > 0
    rows = [
        [
            name,
            f"{measure.middle(results, 'wall'):.2f}",
            f"{count / measure.middle(results, 'wall'):,.0f}",
            f"{measure.middle(results, 'peak'):,.0f}",
            f"{measure.ratio(results, measured[JIEBA]):.2f}",
        ]
        for name, results in measured.items()
    ]
    measure.publish(
        "lexicon",
        "Translation by the lexicon",
        f"""{count:,} distinct Chinese titles of a made-up corpus become English names, on one thread (a
        run on more cores shares them out by `match.translate.shards`). For comparison, jieba only
        cuts the same titles into words. {measure.repeat("test_lexicon_bench.py")}""",
        measure.machine("jieba"),
        measure.table(["contender", "s", "titles/s", "peak MiB", "times jieba"], rows),
    )


def make_titles(clock: Clock, out: str, rows: int) -> None:
    """Write the distinct titles of a corpus, decorated as cooks write them."""
    from tests.bench import corpora

    raw = Path(out).with_suffix(".raw")
    corpora.xiachufang(raw, rows, dirt=0)
    with raw.open(encoding="utf-8") as file:
        titles = dict.fromkeys(json.loads(line)["name"] for line in islice(file, rows))
    raw.unlink()
    Path(out).write_text(json.dumps(list(titles)), encoding="utf-8")


def translate(clock: Clock, titles: str) -> int:
    from wokflow.match.lexicon import Lexicon

    texts, lexicon = json.loads(Path(titles).read_text(encoding="utf-8")), Lexicon.load(FOLDER)
    with clock:
        return sum(bool(lexicon.translate(text)) for text in texts)


def cut(clock: Clock, titles: str) -> int:
    import jieba

    texts = json.loads(Path(titles).read_text(encoding="utf-8"))
    jieba.initialize()
    with clock:
        return sum(bool(jieba.lcut(text)) for text in texts)
