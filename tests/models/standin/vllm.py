"""A stand-in for vLLM: what the worker calls of it, with vLLM's own names, computed by transformers on the CPU.

tests/models/test_writers.py holds its names against vLLM's, where that is installed.
"""

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

__version__ = "0.0.stand-in"


@dataclass(kw_only=True)
class SamplingParams:
    max_tokens: int | None = 16
    temperature: float = 1.0
    stop_token_ids: list[int] = field(default_factory=list)
    detokenize: bool = True
    seed: int | None = None


class LLM:
    def __init__(
        self,
        model: str,
        *,
        skip_tokenizer_init: bool = False,
        revision: str | None = None,
        trust_remote_code: bool = False,
        dtype: str = "auto",
        max_model_len: int | None = None,
        tensor_parallel_size: int = 1,
        gpu_memory_utilization: float = 0.92,
    ) -> None:
        from transformers import AutoModelForCausalLM

        print("a line on stdout, as vLLM prints many")
        if tensor_parallel_size > 1:
            raise RuntimeError("no room on the GPU")
        self._model: Any = AutoModelForCausalLM.from_pretrained(model, revision=revision)
        self._longest = max_model_len or 64

    def generate(
        self,
        prompts: list[dict[str, list[int]]],
        sampling_params: list[SamplingParams],
        *,
        use_tqdm: bool = True,
    ) -> list[Any]:
        return [self._one(*pair) for pair in zip(prompts, sampling_params, strict=True)]

    def _one(self, prompt: dict[str, list[int]], sampling: SamplingParams) -> Any:
        import torch

        row = torch.tensor([prompt["prompt_token_ids"]])
        assert row.shape[1] < self._longest
        if sampling.temperature:
            torch.manual_seed(sampling.seed or 0)
        written = self._model.generate(
            input_ids=row,
            attention_mask=torch.ones_like(row),
            max_new_tokens=sampling.max_tokens,
            eos_token_id=sampling.stop_token_ids,
            pad_token_id=0,
            **({"do_sample": True, "temperature": sampling.temperature} if sampling.temperature else {}),
        )
        return SimpleNamespace(
            outputs=[SimpleNamespace(token_ids=tuple(written[0, row.shape[1] :].tolist()))]
        )
