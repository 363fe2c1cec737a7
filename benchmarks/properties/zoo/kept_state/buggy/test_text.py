import torch

from charlm import evaluate


def test_equal_batches():
    assert isinstance(evaluate([torch.zeros(2, 3, dtype=torch.long)] * 2), float)
