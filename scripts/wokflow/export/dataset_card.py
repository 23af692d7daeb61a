"""README.md of a release: the dataset card for people and the Hugging Face hub, made only from the manifest."""

import re
from collections.abc import Iterator, Mapping
from textwrap import shorten
from typing import Any

import pyarrow as pa

from wokflow.export.attribution import plain
from wokflow.export.card_texts import BIASES, CITED, HELD, LIMITS, PAPERS, PROCESSING
from wokflow.export.forms import FORMS
from wokflow.export.gate_findings import GATES, counted
from wokflow.export.licences import ALLOWED, licences_held
from wokflow.export.manifest import Manifest, rows_of, shards
from wokflow.export.release_shards import shard_paths
from wokflow.export.subsets import RECORDS

LICENCES = re.compile(  # as the hub writes them; it knows no others
    r"apache-2\.0|bsd-[23]-clause|cc0-1\.0|cc-by-2\.5|cc-by(-nc(-sa)?)?-2\.0|cc-by(-nc)?(-sa)?-[34]\.0|"
    r"cc-by-nc-nd-3\.0|cc-by(-nc)?-nd-4\.0|"
    r"cdla-(permissive-[12]|sharing-1)\.0|gfdl|gpl-[23]\.0|mit|odbl|odc-by|pddl|unlicense"
)
SIZES = (
    (1_000, "n<1K"),
    (10_000, "1K<n<10K"),
    (100_000, "10K<n<100K"),
    (1_000_000, "100K<n<1M"),
    (10_000_000, "1M<n<10M"),
    (100_000_000, "10M<n<100M"),
)
SHOWN = (
    "match.translate",
    "match.embed",
    "match.pair",
    "match.split",
    "parse.actions",
    "enrich.link",
)  # steps
WIDTH = 200  # characters of a step's settings

TEMPLATE = """\
# {{ name }} {{ version }}

{% for subset in subsets -%}
- `{{ subset.name }}`{% if subset.of %} ({{ subset.of }}){% endif %}: {{ subset.description }} {{ subset.counts }}.
{% endfor %}
{%- if home_page %}
Home page: {{ home_page }}
{% endif %}
{%- if standoff and texts %}
**This is a stand-off release.** It has ids, offsets, digests and annotations, and no record of
{{ corpora }}.{{ held }} With your own copy of these, one command makes the full release; with the versions of
packages that `release.json` names, it has the same bytes that its makers have. The table of sources has the version
and the checksum of each file, and `ATTRIBUTION.md` the home pages, as far as they are known:

    wokflow rehydrate {{ folder }} \\
{% for source in texts %}        --source {{ source }}=YOUR_COPY \\
{% endfor %}        --to FULL
{% elif restricted %}
**Do not pass this copy on.** It holds text of {{ restricted }}, whose terms do not allow that.
{% endif %}
## Use

    from datasets import load_dataset
    load_dataset("{{ folder }}", "{{ first }}")  # this folder, or its name on a hub

Each subset is a folder of Parquet files under `data/`{% if jsonl %}; `jsonl/` has the same as JSON lines{% endif %}.
`wokflow verify {{ folder }}` compares everything with `SHA256SUMS` and `release.json`; `wokflow diff OLD NEW` says
what a new version adds, removes and changes. The command is installed with Wokflow, the workflow that made this
release (*Processing*).{% if empty %} Subsets without rows have no file: {{ empty }}.{% endif %}

| subset | split | rows | shards |
|---|---|---:|---:|
{% for row in splits -%}
| {{ row.subset }} | {{ row.split }} | {{ row.rows }} | {{ row.shards }} |
{% endfor %}
Pairs are split for training and testing. Every other subset is one split, `train` or `test`, with all its rows;
`records` has one for each corpus.

## Columns
{% if offsets %}
Offsets count characters (Unicode code points) from 0; an end is the first character behind. Indices are from 0, too.
{% endif %}
{% for subset in tables -%}
**{{ subset.name }}**

| column | type | what it is |
|---|---|---|
{% for column in subset.columns -%}
| {{ column.name }} | {{ column.type }} | {{ column.text }} |
{% endfor %}
{% endfor -%}
## Sources

| source | version | SHA-256 of the file | licence | what may be passed on |
|---|---|---|---|---|
{% for source in sources -%}
| {{ source.name }} | {{ source.version }} | {{ source.sha256 }} | {{ source.licence }} | {{ source.release }} |
{% endfor %}
{% if texts -%}
Ids such as `{{ texts[0] }}:12` are the source and the row in its file, from 0. `data/records` has the SHA-256 of the
cleaned text of every record, so that text that has changed since is noticed. It is not salted: no text can be read
from it, but whoever guesses a whole record, such as a short sentence, can tell that the guess is right.
{%- else -%}
Nothing here points at a record of a source.
{%- endif %}

## Processing

{% for dataset, text in processing -%}
- {{ dataset }}: {{ text }}
{% endfor %}
{% if settings -%}
| table | step | settings |
|---|---|---|
{% for row in settings -%}
| {{ row.table }} | {{ row.step }} | {{ row.settings }} |
{% endfor %}
{% endif -%}
Made with Wokflow {{ software }}, a workflow for research on recipes and translation across cultures. All settings are
in `release.json`, every step with its inputs in `provenance.jsonld`.

## From the sources to these rows

{% if accounts -%}
| step | rows in | rows out | rejected |
|---|---:|---:|---:|
{% for account in accounts -%}
| {{ account.step }} | {{ account.rows_in }} | {{ account.rows_out }} | {{ account.rejects }} |
{% endfor %}
Shards count the rows of their own table: a recipe has many actions, and may be in no pair
{%- if paired %}; a source with three targets is
three pairs, and one row in the table of splits{% endif %}.

{% endif -%}
The makers of this release have every rejected row with its reason.

## Personal information and known problems

No column names the authors of recipes or sentences; their texts may name people.

{% if findings -%}
The checks before a release have found:

{% for finding in findings -%}
- {{ finding.config or "the whole" }}: {{ finding.gate }}, {{ finding.times }}. {{ finding.forbidden }}
{% endfor %}
{% else -%}
The checks before a release have found nothing.

{% endif -%}
They look for mail addresses, telephone numbers, links, user names, damaged characters, ids that come twice, rows
that do not add up, and recipes, titles and texts on two sides of a split. They know patterns, no people: a name in a
sentence stays unnoticed.
{%- if standoff and texts %} **Personal data and damage were searched for in what this release holds, not in the text
that it points at.**
{%- endif %}

## Biases

{% for bias in biases -%}
- {{ bias }}
{% endfor %}
## Licence

Annotations (pairs, offsets, classes, scores and all else that stands in no source): {{ licence }}. The sources keep
their own licences; `ATTRIBUTION.md` has them, with the clauses.
{%- for limit in limits %} {{ limit }}{% endfor %}

## Citation

{% for paper in papers -%}
- {{ paper }}
{% endfor -%}
- This release: {{ name }} {{ version }}, made with Wokflow {{ software }}.

Cite the corpora, too: `ATTRIBUTION.md` names them.{% if contact %} Questions: {{ contact }}.{% endif %}
"""


def card(manifest: Manifest, sizes: Mapping[str, int], loaded: Mapping[str, int]) -> str:
    """The card in Markdown with a header in YAML. Text of the manifest is escaped, so that it never becomes markup.

    `sizes` has the bytes of the shards by path, `loaded` the bytes of their rows without compression.
    """
    from jinja2 import Environment, StrictUndefined

    environment = Environment(undefined=StrictUndefined, keep_trailing_newline=True, finalize=plain)
    subsets = {name: each for name, each in manifest["subsets"].items() if name != RECORDS}
    datasets = list(dict.fromkeys(each["dataset"] for each in subsets.values()))
    sources = manifest["sources"]
    texts = list(dict.fromkeys(name for each in subsets.values() for name in each["texts"]))
    forbidden = [name for name in texts if sources[name]["release"] == "ids"]
    tables = _tables(manifest["subsets"], full=manifest["mode"] == "full")
    filled = environment.from_string(TEMPLATE).render(
        name=manifest["name"],
        version=manifest["version"],
        folder=f"{manifest['name']}-{manifest['version']}",
        standoff=manifest["mode"] == "standoff",
        jsonl=manifest["jsonl"],
        restricted=", ".join(forbidden),
        corpora=", ".join(texts),
        held="".join(f" {HELD[dataset]}" for dataset in datasets if dataset in HELD),
        texts=texts,
        first=next((name for name, each in subsets.items() if each["splits"]), "(nothing)"),
        subsets=[
            {
                "name": name,
                "of": ", ".join(each["languages"]),
                "description": each["description"],
                "counts": counted(rows_of(each), "row"),
            }
            for name, each in manifest["subsets"].items()
        ],
        empty=", ".join(name for name, each in subsets.items() if not each["splits"]),
        tables=tables,
        offsets=any(
            re.search(r"\bend\b", f"{column['name']} {column['type']}")
            for table in tables
            for column in table["columns"]
        ),
        paired="pairs" in datasets,
        splits=[
            {"subset": name, "split": split, "rows": f"{sum(rows):,}", "shards": len(rows)}
            for name, each in manifest["subsets"].items()
            for split, rows in each["splits"].items()
        ],
        sources=[
            source
            | {"sha256": source["sha256"] or "", "licence": source["licence"] or "not known"}
            | {"release": ALLOWED[source["release"]]}
            for source in sources.values()
        ],
        processing=[(dataset, PROCESSING[dataset]) for dataset in datasets],
        settings=list(_settings(manifest["steps"])),
        biases=list(dict.fromkeys(bias for dataset in datasets for bias in BIASES[dataset])),
        limits=[LIMITS[dataset] for dataset in datasets if dataset in LIMITS],
        software=manifest["software"]["wokflow"],
        accounts=[
            {name: f"{value:,}" if isinstance(value, int) else value for name, value in each.items()}
            for each in manifest["accounts"]
        ],
        findings=[
            each | {"times": counted(each["count"], "time"), "forbidden": GATES.get(each["gate"], "")}
            for each in manifest["findings"]
        ],
        licence=manifest["licence_of_annotations"],
        papers=[PAPERS[paper] for paper in PAPERS if any(paper in CITED[dataset] for dataset in datasets)],
        contact=manifest["contact"],
        home_page=manifest.get("home_page", ""),
    )
    return f"---\n{_head(manifest, sizes, loaded)}---\n\n{filled}"


def _head(manifest: Manifest, sizes: Mapping[str, int], loaded: Mapping[str, int]) -> str:
    from huggingface_hub import DatasetCardData

    subsets = manifest["subsets"]
    total = sum(rows_of(each) for name, each in subsets.items() if name != RECORDS)
    held = {licence.lower() for licence in licences_held(manifest)}
    known = sorted(filter(LICENCES.fullmatch, held))
    other = len(known) < len(held)
    filled = {name: each for name, each in subsets.items() if each["splits"]}
    paths: dict[str, list[str]] = {name: [] for name in filled}
    for name, _, path, _ in shards(manifest):
        paths[name].append(path)
    data = DatasetCardData(
        pretty_name=manifest["name"],
        language=sorted({lang for each in subsets.values() for lang in each["languages"]}),
        license="other" if other else known,
        license_name="see-attribution" if other else None,
        license_link="ATTRIBUTION.md" if other else None,
        size_categories=next((name for limit, name in SIZES if total < limit), "n>100M"),
        tags=["recipes", "food", "culture", "wokflow"],
        configs=[
            {
                "config_name": name,
                "data_files": [
                    {"split": split, "path": f"data/{name}/{split}-*.parquet"} for split in each["splits"]
                ],
            }
            for name, each in filled.items()
        ],
        dataset_info=[
            {
                "config_name": name,
                "splits": [
                    {
                        "name": split,
                        "num_bytes": sum(loaded[path] for path in shard_paths(name, split, len(rows))),
                        "num_examples": sum(rows),
                    }
                    for split, rows in each["splits"].items()
                ],
                "download_size": sum(sizes[path] for path in paths[name]),
                "dataset_size": sum(loaded[path] for path in paths[name]),
            }
            for name, each in filled.items()
        ],
    )
    return data.to_yaml() + "\n"


def _settings(steps: Mapping[str, Mapping[str, Any]]) -> Iterator[dict[str, str]]:
    """The settings of the steps that a reader asks for first; those without a value are left out."""
    for table, job in steps.items():
        if job["step"] in SHOWN:
            text = ", ".join(
                f"{name}: {value}" for name, value in job["settings"].items() if value is not None
            )
            yield {"table": table, "step": job["step"], "settings": shorten(text, WIDTH, placeholder=" …")}


def _tables(subsets: Mapping[str, Mapping[str, Any]], *, full: bool) -> list[dict[str, Any]]:
    """The columns of each form, with the names of the subsets of that form."""
    named: dict[str, list[str]] = {}
    for name, subset in subsets.items():
        named.setdefault(subset["form"], []).append(name)
    return [
        {
            "name": ", ".join(names),
            "columns": [
                {
                    "name": field.name,
                    "type": _type(field.type),
                    "text": str((field.metadata or {}).get(b"description", b""), "utf-8"),
                }
                for field in FORMS[form].schema(full=full)
            ],
        }
        for form, names in named.items()
    ]


def _type(kind: pa.DataType) -> str:
    if pa.types.is_list(kind):
        return f"list of {_type(kind.value_type)}"
    if pa.types.is_struct(kind):
        return f"struct of {', '.join(field.name for field in kind)}"
    return str(kind)
