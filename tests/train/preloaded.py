"""What the processes that tests kill have imported before they start."""

import accelerate
import torch
import transformers
import wokflow.train.model
import wokflow.train.trainers
from transformers import BartForConditionalGeneration, PreTrainedTokenizerFast

__all__ = [
    "BartForConditionalGeneration",
    "PreTrainedTokenizerFast",
    "accelerate",
    "torch",
    "transformers",
    "wokflow",
]
