"""What a model says behind contexts that it read once is what it says of the whole rows."""

import pytest
from wokflow.models.prefix import Prefix, log_probabilities

from tests.models import tiny

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.mark.parametrize("kind", ["gpt2", "llama", "bloom"])
@torch.inference_mode()
def test_contexts_of_several_lengths_are_read_once(kind: str) -> None:
    model = tiny.model(kind, 12)
    contexts = [[3, 4], [5], [6, 7, 8, 9]]
    behind = torch.tensor([[2, 3, 4], [5, 6, 7], [8, 9, 10]])
    prefix = Prefix(model, 0, contexts)
    alone = []
    for context, row in zip(contexts, behind.tolist(), strict=True):
        logits = model(input_ids=torch.tensor([[*context, *row]])).logits[0].log_softmax(1)
        alone.append([float(logits[len(context) - 1 + n, token]) for n, token in enumerate(row)])
    for _ in range(2):  # the second time from the contexts again
        found = log_probabilities(prefix, behind)
        torch.testing.assert_close(found, torch.tensor(alone), atol=1e-4, rtol=1e-4)


@torch.inference_mode()
def test_tokens_may_follow_one_by_one_and_as_vectors() -> None:
    model = tiny.model("gpt2", 12)
    prefix = Prefix(model, 0, [[3, 4], [5]])
    ids = torch.tensor([[2, 3, 4], [5, 6, 7]])
    whole = prefix.predictions(ids)
    vectors = model.get_input_embeddings()(ids)
    steps = [prefix.first, *(prefix.follow(inputs_embeds=vectors[:, n : n + 1])[:, -1] for n in range(2))]
    torch.testing.assert_close(torch.stack(steps, 1), whole, atol=1e-4, rtol=1e-4)
    prefix.forget()
    assert torch.equal(prefix.predictions(ids), whole)
