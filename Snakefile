# Results: results/export/pairs/{zh-en,en-zh} (released shards), results/report/page/index.html (open it in a browser),
# and every stage's tables under results/<stage>/. Config: config/README.md. What a run will do: make plan.
import sys
from pathlib import Path

from snakemake.utils import min_version

min_version("9.27")
sys.path.insert(0, str(Path(workflow.basedir) / "scripts"))


configfile: "config/config.yaml"


include: "rules/common.smk"
include: "rules/frontiers.smk"
include: "rules/ingest.smk"
include: "rules/match.smk"
include: "rules/export.smk"
include: "rules/report.smk"


rule all:
    default_target: True
    input:
        expand(f"{RESULTS}/export/pairs/{{direction}}", direction=DIRECTIONS),
        f"{RESULTS}/report/page/index.html",
