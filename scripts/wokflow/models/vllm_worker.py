"""Continues texts with vLLM, in a Python that has it: reads JSON lines from stdin and answers each on stdout.

The first line has the arguments of vllm.LLM; the answer is vLLM's version. Each further line has `rows` of token ids
and, as `sampling`, the arguments of vllm.SamplingParams for each row; the answer has the token ids that continue each
row. All other output goes to stderr. This file imports nothing from the package.
"""

import importlib
import json
import os
import sys
from pathlib import Path
from typing import Any


def main() -> None:
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # vLLM and its processes print to stdout, too
    here = Path(__file__).resolve().parent
    sys.path[:] = [folder for folder in sys.path if Path(folder).resolve() != here]
    vllm = importlib.import_module("vllm")
    engine = vllm.LLM(**json.loads(sys.stdin.readline()))
    answer: Any = vllm.__version__
    while True:
        print(json.dumps(answer), file=out, flush=True)
        if not (line := sys.stdin.readline()):
            return
        asked = json.loads(line)
        prompts = [{"prompt_token_ids": row} for row in asked["rows"]]
        sampling = [vllm.SamplingParams(**each) for each in asked["sampling"]]
        outputs = engine.generate(prompts, sampling, use_tqdm=False)
        answer = [list(each.outputs[0].token_ids) for each in outputs]


if __name__ == "__main__":
    main()
