"""The plan before a run: what changed, what follows, what waits for a frontier, what stays."""

from wokflow.plan import Job, Plan, difference, plan, render


def job(
    rule: str,
    reason: str = "",
    *,
    inputs: tuple[int, ...] = (),
    frontiers: tuple[int, ...] = (),
    key: str = "1",
) -> Job:
    return Job(rule, reason, '{"settings": {"a": 1}}', f'{{"settings": {{"a": {key}}}}}', inputs, frontiers)


def test_a_setting_is_shown_with_both_values_and_code_by_module() -> None:
    before = {"settings": {"k": 10, "gone": True}, "code": {"wokflow.match.pair": "aa"}}
    now = {"settings": {"k": 5}, "code": {"wokflow.match.pair": "bb"}}
    assert difference(before, now) == [
        "gone: true -> (nothing)",
        "k: 10 -> 5",
        "code wokflow.match.pair changed",
    ]


def test_behind_a_frontier_rules_only_may_run() -> None:
    jobs = [
        job("titles", "Params have changed since last execution: before: x now: y", key="2"),
        job("embed", frontiers=(0,)),
        job("vectors", inputs=(1,)),
        job("search", frontiers=(2,)),
        job("elsewhere"),
        job("all", "Input files updated by another job: x", inputs=(3,)),
    ]
    found = plan(jobs)
    assert dict(found.runs) == {"titles": 1}
    assert found.changes == {"titles": ["a: 1 -> 2"]}
    assert found.maybe == {"embed": {"titles"}, "vectors": {"embed"}, "search": {"vectors"}}
    assert found.stays == ["elsewhere"]


def test_a_changed_key_behind_a_frontier_surely_runs() -> None:
    found = plan([job("titles", "Missing output files: x"), job("embed", frontiers=(0,), key="2")])
    assert dict(found.runs) == {"titles": 1, "embed": 1}
    assert found.why == {"titles": {"output is missing"}, "embed": {"its key changed"}}


def test_nothing_to_do_is_said_in_one_line() -> None:
    assert render(Plan()) == "Nothing to do: all results are up to date."


def test_the_text_names_rules_with_their_reasons() -> None:
    text = render(plan([job("match_pair", "Input files updated by another job: x"), job("match_embed")]))
    assert "match_pair                 1  follows" in text
    assert text.endswith("Stays\n  match_embed")
