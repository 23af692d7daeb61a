"""What each way of rewriting makes of real recipes by one small model, and how much quicker batches are."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tests.bench import measure
from tests.bench.measure import Call, Clock, Measured
from tests.bench.test_beyond import H100_BYTES
from tests.bench.test_expert_pivots import read_rows

EACH = {"tiny": 1, "small": 1, "full": 10}  # recipes of a pair with pivot actions of experts
PAIRS = {"tiny": 2, "small": 12, "full": 30}
LEARN = {"tiny": 20, "small": 2500, "full": 2500}  # recipes that the model learns
EPOCHS = {"tiny": 0, "small": 12, "full": 12}
WIDTH, LAYERS, PLACES, LEARNT, RATE = 128, 2, 512, 8, 2e-3
ALONE = {"tiny": 1, "small": 2, "full": 12}  # recipes that are written one at a time
# Settings of the ways to rewrite that are not their defaults.
SETTINGS: dict[str, dict[str, dict[str, Any]]] = {
    "tiny": {"DELOREAN": {"passes": (2,), "backward": (1, 2)}, "EDUCAT": {"steps": 6, "burn_in": 3}}
}
RUNS = ("GPT-2 (D)", "GPT-2 (D+R)", "EDUCAT", "DELOREAN", "mined")
BATCH = 16
TIMES = 10  # times as quick in batches: what is wanted
MINED = {"tiny": 60, "small": 1250, "full": 2500}  # recipes whose actions are mined
SHOWN = 10  # recipes of each run that are printed
PROMPTS = {"GPT-2 (D+R)": "rewrite"}  # the others have dish
# The paper's GPT-2: width, layers, vocabulary. Seconds of a call are assumed: many small kernels, started one by one.
GPT2, GPT2_BATCH, CALL = (768, 12, 21_128), 256, 0.01
H100_BF16 = 989e12  # operations (dense) a second: data sheet of the SXM5
METRICS = {
    "coverage_added": "added is in",
    "coverage_replaced": "replaced is in",
    "bleu": "BLEU",
    "hard_f1": "F1",
    "hard_f1_insert": "F1 inserts",
    "hard_f1_remove": "F1 removes",
}


@dataclass
class Work:
    """What a model did for some recipes: calls, one after the other, tokens that it read, and rows of its logits."""

    recipes: int = 0
    calls: int = 0
    tokens: int = 0
    logits: int = 0

    def count(self, _: object, __: object, given: dict[str, Any], said: Any) -> None:
        """A hook of the model."""
        read = given["input_ids"] if given.get("input_ids") is not None else given["inputs_embeds"]
        self.calls += 1
        self.tokens += read.shape[0] * read.shape[1]
        self.logits += said.logits.shape[0] * said.logits.shape[1]

    def row(self, batch: int) -> list[str]:
        """The work for a recipe, and recipes a minute of an H100 with GPT-2, computed from it.

        At most: by products of weights with tokens in bfloat16, attention aside, or, if it takes longer, by memory:
        float32 logits written and read once, weights read in each call. Then, if a call takes at least CALL seconds.
        """
        width, layers, words = GPT2
        batch = min(batch, self.recipes)
        weights = layers * 12 * width**2
        calls = self.calls * batch / GPT2_BATCH
        moved = 8 * self.logits * words + 2 * calls * (weights + width * words)
        work = 2 * (self.tokens * weights + self.logits * width * words)
        least = max(work / H100_BF16, moved / H100_BYTES)
        if not least:  # no recipe needed the model
            return ["0", "0", "", ""]
        figures = [self.tokens / self.recipes, self.calls * batch / self.recipes]
        figures += [60 * self.recipes / each for each in (least, max(least, calls * CALL))]
        return [f"{each:,.0f}" for each in figures]


def test_rewriting(shared: Path, data: Path) -> None:
    folder, scale = shared / "real" / "counterfactual", measure.scale()
    if not (folder / "expert_pivots.json").exists():
        pytest.skip(f"{folder} has no expert_pivots.json")
    given: dict[str, Any] = {"data": str(data)}
    prompted = given | {"folder": str(folder), "settings": SETTINGS.get(scale, {})}
    counts = prepare(folder, data, PAIRS[scale], EACH[scale], LEARN[scale])
    measure.isolated(Call(mine, given | {"folder": str(folder), "most": MINED[scale]}))
    learnt = measure.isolated(Call(train, given | {"epochs": EPOCHS[scale]})).outcome
    together = {run: Call(write, prompted | {"run": run, "batch": BATCH}) for run in RUNS}
    alone = {run: Call(write, prompted | {"run": run, "batch": 1, "most": ALONE[scale]}) for run in RUNS}
    batches, single = (measure.in_turn(calls, 1) for calls in (together, alone))
    copied = scores(folder, data, None)
    rows, works = [["copy", *(f"{copied[name]:.1f}" for name in METRICS), "", "", ""]], []
    for run in RUNS:
        [many], [few] = batches[run], single[run]
        texts = many.outcome["texts"]
        print(f"  {run}:", *texts[:SHOWN], sep="\n    ", flush=True)
        figures = scores(folder, data, texts)
        fast, slow = rate(many), rate(few)
        rates = [f"{fast:,.1f}", f"{slow:,.1f}", f"{fast / slow:.1f}"]
        rows.append([run, *(f"{figures[name]:.1f}" for name in METRICS), *rates])
        works.append([run, *Work(**many.outcome["work"]).row(BATCH)])
    measure.publish(
        "rewriting",
        "Rewriting recipes by a small model",
        f"""{counts["instances"]} recipes of the paper's testbed, of {counts["pairs"]} pairs with pivot actions of
        experts, rewritten by one causal model of {LAYERS} layers and width {WIDTH}, a token a character, that learnt
        the other {counts["learnt"]:,} recipes in {EPOCHS[scale]} epochs (loss {learnt:.2f} a character at the end).
        The testbed has no recipe of a target dish, so the model knows a new ingredient only where other dishes have
        it: figures are far below those that a model of the whole corpus would have. To (D+R) the model often says
        nothing, since it never learnt such a request; an empty text removes all actions, so that F1 says little here.
        Values as in the paper's runs;
        (D) and (D+R) with 3 beams; mined: edits of {MINED[scale]:,} recipes, of each pair from other dishes. Actions
        by rules, definition `possible`, against the experts' pivots. Rates are recipes a minute of processor time in
        batches of {BATCH}, and one at a time ({ALONE[scale]} recipes); wanted are {TIMES} times. Texts are printed.
        {measure.repeat("test_rewriting.py")}""",
        measure.machine("torch", "transformers"),
        measure.table(["run", *METRICS.values(), "a minute, in batches", "one at a time", "times"], rows),
        f"""What an H100 would do is computed, not measured, from tokens that the model read (padding and beams too)
        and from its calls, one after the other, for a batch of {BATCH}: with the paper's GPT-2 in bfloat16 and
        {GPT2_BATCH} recipes at once, by arithmetic and memory alone; and if no call takes less than
        {1000 * CALL:g} ms, which is assumed.""",
        measure.table(
            ["run", "tokens a recipe", "calls", "H100, a minute", "with calls that take time"], works
        ),
    )


def rate(found: Measured) -> float:
    """Recipes a minute of processor time."""
    return 60 * len(found.outcome["texts"]) / found.cpu


def prepare(folder: Path, data: Path, pairs: int, each: int, most: int) -> dict[str, int]:
    """Write what is rewritten and what is learnt; the first recipes of a pair are not learnt."""
    experts = {
        (one["base"], one["target"])
        for one in json.loads((folder / "dish_pairs.json").read_text(encoding="utf-8"))
    } & with_pivots(folder)
    chosen: dict[tuple[str, str], list[str]] = {}
    learnt = []
    for base, target, text in read_rows(folder):
        kept = chosen.get((base, target), [])
        if (base, target) in experts and len(kept) < each and (kept or len(chosen) < pairs):
            chosen[base, target] = [*kept, text]
        else:
            learnt.append(f"{base}的做法如下。{text}")
    rows = [
        {"base": base, "target": target, "text": text}
        for (base, target), texts in chosen.items()
        for text in texts
    ]
    (data / "instances.json").write_text(json.dumps(rows), encoding="utf-8")
    learnt = learnt[:: max(len(learnt) // most, 1)][:most]
    (data / "learnt.json").write_text(json.dumps(learnt), encoding="utf-8")
    return {"instances": len(rows), "pairs": len(chosen), "learnt": len(learnt)}


def with_pivots(folder: Path) -> set[tuple[str, str]]:
    from wokflow.parse.glossary import read_glossary
    from wokflow.pivot.dishes import read_pairs
    from wokflow.pivot.given import Scope
    from wokflow.pivot.given_files import pivot_records

    scope = Scope(read_pairs(str(folder / "dish_pairs.json")), read_glossary(folder / "glossary.json"))
    return {scope.pair(record) for record in pivot_records(str(folder / "expert_pivots.json"))}


def mine(clock: Clock, data: str, folder: str, most: int) -> int:
    """Mine edits of the testbed's recipes into data/mined.parquet: of each pair from recipes of other dishes."""
    from wokflow.frame import tables
    from wokflow.frame.job import Job
    from wokflow.ingest.schemas import RECIPES
    from wokflow.parse.actions import parse_actions
    from wokflow.parse.settings import ActionsSettings
    from wokflow.pivot import schemas
    from wokflow.pivot.mined import pivot_mined
    from wokflow.pivot.settings import MinedSettings

    job, place = Job(), Path(data)
    texts = list(read_rows(Path(folder)))[:: max(2500 // most, 1)]
    rows = pl.DataFrame(
        [
            {"recipe_id": f"c:{number}", "corpus": "counterfactual", "source_row": number, "steps": [text]}
            | {"dish": base, "title": base, "lang": "zh", "ingredients": []}
            for number, (base, _, text) in enumerate(texts)
        ]
    )
    recipes, dishes, actions, rejects, corpus, mined = (
        str(place / f"{name}.parquet")
        for name in ("recipes", "dishes", "actions", "rejects", "corpus", "mined")
    )
    tables.write(recipes, RECIPES, pl.concat([tables.frame(RECIPES), rows], how="diagonal_relaxed"), {})
    tables.write(dishes, schemas.DISHES, rows.select("recipe_id", "dish", found_by=pl.lit("field")), {})
    tables.write_none(corpus, schemas.CORPUS, {})
    glossary, pairs = f"{folder}/glossary.json", f"{folder}/dish_pairs.json"
    with clock:
        read = ActionsSettings(glossary=glossary, style="house", method="rules")
        parse_actions(
            recipes=recipes, dependencies=(), actions=actions, rejects=rejects, settings=read, job=job
        )
        settings = MinedSettings(pairs=pairs, glossary=glossary, recipes="others")
        pivot_mined(actions=[actions], dishes=dishes, corpus=corpus, mined=mined, settings=settings, job=job)
    return tables.rows([mined])


def train(clock: Clock, data: str, epochs: int) -> float:
    """Train a model of the recipes into data/model; gives the loss of the last epoch."""
    import random

    import torch
    from transformers import GPT2Config, GPT2LMHeadModel

    from tests.models import tiny

    torch.set_num_threads(measure.THREADS)
    torch.manual_seed(13)
    texts = json.loads(Path(data, "learnt.json").read_text(encoding="utf-8"))
    known = Path(data, "instances.json").read_text(encoding="utf-8")
    mined = pl.read_parquet(f"{data}/mined.parquet")["phrases"].explode().drop_nulls()
    asked = (
        "请根据的菜谱，改写出的菜谱。加入放洗净"
        + "".join(mined)
        + "".join(value for row in json.loads(known) for value in row.values())
    )
    tokenizer = tiny.tokenizer(sorted({*"".join(texts), *asked}))
    config = GPT2Config(
        vocab_size=len(tokenizer),
        n_positions=PLACES,
        n_embd=WIDTH,
        n_layer=LAYERS,
        n_head=4,
        bos_token_id=None,
        eos_token_id=1,
        pad_token_id=0,
    )
    model = GPT2LMHeadModel(config)
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE)
    rows = sorted((row[:PLACES] for row in tokenizer(texts)["input_ids"]), key=len)
    batches = [rows[start : start + LEARNT] for start in range(0, len(rows), LEARNT)]
    draw, losses = random.Random(13), [0.0]
    with clock:
        for _ in range(epochs):
            losses = []
            for batch in draw.sample(batches, len(batches)):
                width = max(map(len, batch))
                ids = torch.tensor([row + [0] * (width - len(row)) for row in batch])
                loss = model(input_ids=ids, labels=ids.masked_fill(ids == 0, -100)).loss
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                losses.append(float(loss.detach()))
    for part in (model, tokenizer):
        part.save_pretrained(f"{data}/model")
    return sum(losses) / len(losses)


def write(
    clock: Clock,
    data: str,
    folder: str,
    settings: dict[str, dict[str, Any]],
    run: str,
    batch: int,
    most: int | None = None,
) -> dict[str, Any]:
    """What a run makes of the instances, in their order, or of some of all lengths, and the model's work."""
    import torch
    from wokflow.generate.asking import Asking
    from wokflow.generate.mined import rewrite
    from wokflow.generate.plans import Edits
    from wokflow.generate.prompts import Dialogue, Prompt
    from wokflow.generate.settings import DeloreanSettings, EducatSettings, MinedSettings
    from wokflow.models import delorean_passes, educat_chain
    from wokflow.models.decoding import decode_tokens
    from wokflow.models.sentence_rewriting import Original, Reader

    from tests.models import tiny

    torch.set_num_threads(measure.THREADS)
    model, tokenizer = tiny.loaded(f"{data}/model", "causal")
    reader = Reader(model, tokenizer)
    rows = json.loads(Path(data, "instances.json").read_text(encoding="utf-8"))
    order = sorted(range(len(rows)), key=lambda place: len(rows[place]["text"]))
    order = order[:: max(len(order) // most, 1)][:most] if most else order
    prompt = Prompt.read(f"resources/prompts/{PROMPTS.get(run, 'dish')}.txt")
    asking = Asking.of(tokenizer, "causal", Dialogue(prompt), PLACES // 2, "never")

    def ids(title: str) -> list[list[int]]:
        values = [
            {"title": row[title], "base": row["base"], "source": row["text"]}
            for row in (rows[place] for place in order)
        ]
        return asking.rows(values)[0]

    originals = [
        Original(asked, told, rows[place]["text"], (rows[place]["base"], rows[place]["target"]))
        for place, asked, told in zip(order, ids("target"), ids("base"), strict=True)
    ]

    def values(kind: type[Any], defaults: type[Any]) -> Any:
        own, fields = settings.get(run, {}), defaults.model_fields
        return kind(**{name: own.get(name, fields[name].default) for name in kind.__dataclass_fields__})

    passes, chain = (
        values(delorean_passes.Passes, DeloreanSettings),
        values(educat_chain.Chain, EducatSettings),
    )
    mined = {"mined": f"{data}/mined.parquet", "pairs": f"{folder}/dish_pairs.json"}
    edits = Edits.read(**mined, glossary=f"{folder}/glossary.json")
    written: list[str] = []
    work = Work(recipes=len(originals))
    model.register_forward_hook(work.count, with_kwargs=True)
    with clock:
        for start in range(0, len(originals), batch):
            some = originals[start : start + batch]
            if run == "DELOREAN":
                written += delorean_passes.rewrite(reader, some, passes, PLACES)
            elif run == "mined":
                most_inserted = MinedSettings.model_fields["insertions"].default
                written += rewrite(reader, some, edits, PLACES, most_inserted, batch)
            elif run == "EDUCAT":
                written += educat_chain.rewrite(reader, some, chain, PLACES, 13 + start)
            else:
                search = tiny.search(max_tokens=PLACES // 2, max_source_tokens=PLACES // 2, batch=batch)
                written += decode_tokens(model, tokenizer, [one.asked for one in some], "causal", search)
    texts = dict(zip(order, written, strict=True))
    return {"texts": [texts[place] for place in sorted(texts)], "work": asdict(work)}


def scores(folder: Path, data: Path, texts: list[str] | None) -> dict[str, float]:
    """The paper's metrics, by name, of texts of all instances; None: of the base recipes."""
    from wokflow.evaluate import surface
    from wokflow.evaluate.changes import Evaluator
    from wokflow.evaluate.expected import read_pivots
    from wokflow.evaluate.score_intervals import score
    from wokflow.frame.job import Job, Progress
    from wokflow.parse.glossary import read_glossary
    from wokflow.parse.other_texts import extractor
    from wokflow.pivot.dishes import read_pairs
    from wokflow.pivot.given import Scope, write_orders, write_pivots

    glossary, pairs = read_glossary(folder / "glossary.json"), read_pairs(str(folder / "dish_pairs.json"))
    files, job = [str(data / f"{name}.parquet") for name in ("pivots", "orders")], Job()
    experts, rejects = str(folder / "expert_pivots.json"), str(data / "rejects.parquet")
    scope = Scope(pairs, glossary)
    write_pivots(experts, scope, files[0], rejects, job)
    write_orders(experts, scope, *files, rejects, job)
    rows = pl.DataFrame(json.loads((data / "instances.json").read_text(encoding="utf-8")))
    rows = rows.rename({"base": "base_dish", "target": "target_dish"}).join(
        pairs, on=["base_dish", "target_dish"], how="left", maintain_order="left"
    )
    extract = extractor(glossary, "rules", "paper", None)
    of_pair = read_pivots(rows, files, glossary, extract, Progress())
    bases = rows["text"].to_list()
    expected = [of_pair[pair] for pair in rows.select("base_dish", "target_dish").iter_rows()]
    compare = Evaluator(bases, expected, extract, list, None, 0.9, "possible")
    found = texts or bases
    added, removed = rows["ingredient_added"].to_list(), rows["ingredient_removed"].to_list()
    metrics = [*surface.coverage(found, added, removed), *surface.bleu(found, bases), *compare(found)]
    return {one.name: score(one.some(one.counted)) for one in metrics if one.name in METRICS}
