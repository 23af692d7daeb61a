"""A key holds what a step's result depends on, by role, and a job reads its settings from it."""

import json
from pathlib import Path

from wokflow.frame.arguments import Arguments
from wokflow.frame.code import code_digests, package_versions
from wokflow.frame.cutoffs import Cutoff
from wokflow.frame.digests import path_digest
from wokflow.frame.keys import read_key, rule_key


def cutoff(digest: Path) -> Cutoff:
    return Cutoff("match_titles", str(digest.with_suffix(".parquet")), str(digest), {"corpus": "xiachufang"})


def test_a_key_is_canonical_json_with_all_its_parts(tmp_path: Path) -> None:
    (tmp_path / "xiachufang.sha256").write_text("1a\n")
    (tmp_path / "words.tsv").write_text("粥\tcongee\n", encoding="utf-8")
    before = [cutoff(tmp_path / "xiachufang.sha256")]
    resources = {"words": str(tmp_path / "words.tsv"), "more": [], "none": None}
    key = rule_key("match.pair", Arguments({"b": 1, "a": ["粥", None]}, resources), before, raw="known")
    parts = json.loads(key)
    assert parts["step"] == "match.pair"
    assert set(parts) == {
        *("step", "settings", "layout", "resources", "code", "packages", "cutoffs", "format"),
    }
    assert parts["settings"] == {"a": ["粥", None], "b": 1}
    assert parts["code"] == code_digests("wokflow.match.pair")
    assert parts["packages"] == package_versions("wokflow.match.pair")
    assert parts["resources"] == {"words": path_digest(str(tmp_path / "words.tsv")), "raw": "known"}
    assert len(parts["cutoffs"]) == 1
    assert key == json.dumps(parts, sort_keys=True, ensure_ascii=False)
    assert read_key(key) == ("match.pair", parts["settings"])


def test_resources_count_by_role_and_content_wherever_they_lie(tmp_path: Path) -> None:
    for name, text in {"one": "1", "same": "1", "two": "2"}.items():
        (tmp_path / name).write_text(text)

    def key(**resources: str) -> str:
        paths = {role: str(tmp_path / name) for role, name in resources.items()}
        return rule_key("match.pair", Arguments(resources=paths))

    assert key(words="one") == key(words="same")
    assert len({key(words="one"), key(words="two"), key(verbs="one"), key()}) == 4


def test_options_do_not_count_and_the_layout_does() -> None:
    plain = rule_key("match.pair", Arguments({"k": 1}))
    assert rule_key("match.pair", Arguments({"k": 1}, options={"device": "cpu"})) == plain
    assert rule_key("match.pair", Arguments({"k": 1}, layout={"parts": 2})) != plain
    assert rule_key("match.pair", Arguments({"k": "1"})) != plain


def test_the_digest_of_a_cutoff_counts(tmp_path: Path) -> None:
    digest = tmp_path / "xiachufang.sha256"
    keys = set()
    for text in ("1a", "1b"):
        digest.write_text(text)
        keys.add(rule_key("match.pair", Arguments(), [cutoff(digest)]))
    assert len(keys) == 2
