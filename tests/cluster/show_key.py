"""Prints what a job on a node has of some variables, as JSON, when keys were handed over to it."""

import json
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))

from wokflow.cluster.environment import load_keys

load_keys()
print(
    json.dumps([os.environ.get(name) for name in ("LAB_API_KEY", "HF_TOKEN", "OTHER_API_KEY", "SOMETHING")])
)
