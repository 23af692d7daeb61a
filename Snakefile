# Results: results/export/pairs/{zh-en,en-zh} (released shards), results/report/page/index.html (open it in a browser),
# and every stage's tables under results/<stage>/. Config: config/README.md. What a run will do: make plan.
# One stage and what it needs: snakemake match, parse, pivot, train, evaluate. A glossary to begin with: snakemake parse_induce.
import sys
from pathlib import Path

from snakemake.utils import min_version

min_version("9.27")
sys.path.insert(0, str(Path(workflow.basedir) / "scripts"))


configfile: "config/config.yaml"


include: "rules/common.smk"
include: "rules/frontiers.smk"
include: "rules/runs.smk"
include: "rules/ingest.smk"
include: "rules/match.smk"
include: "rules/parse.smk"
include: "rules/pivot.smk"
include: "rules/train.smk"
include: "rules/generate.smk"
include: "rules/evaluate.smk"
include: "rules/export.smk"
include: "rules/report.smk"
include: "rules/cluster.smk"


rule all:
    default_target: True
    input:
        TARGETS.values(),


rule match:
    input:
        TARGETS["match"],


rule parse:
    input:
        TARGETS["parse"],


rule pivot:
    input:
        TARGETS["pivot"],


rule train:
    input:
        TARGETS["train"],


rule evaluate:
    input:
        TARGETS["evaluate"],
