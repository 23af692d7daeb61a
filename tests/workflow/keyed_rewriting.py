"""Settings of families that rewrite by a causal model, with values, and whether they count in the key."""

OF_ALL_REWRITING: dict[str, tuple[object, bool]] = {
    "batch": (2, True),
    "max_source_tokens": (32, True),
    "device": ("cpu", False),
    "precision": ("float32", True),
    "remote_code": (True, True),
    "revision": ("main", True),
    "shards": (2, False),  # other jobs with the same key
}
OF_REWRITING: dict[str, dict[str, tuple[object, bool]]] = {
    "delorean": {"mix": (0.5, True), "step": (0.1, True), "passes": ([2], True), "backward": ([3], True)},
    "educat": {
        "steps": (9, True),
        "burn_in": (3, True),
        "candidates": (5, True),
        "odds": ([1, 1, 1], True),
        "cooling": (1, True),
        "least": (0, True),
        "shortest": (1, True),
        "coherence": ("ratio", True),
        "corrected": ("all", True),
    },
    "mined": {"insertions": (1, True)},
}
