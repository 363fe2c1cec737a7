import torch

from decoder import up_and_join


def test_joined():
    small, skip = torch.rand(2, 4, 8, 8), torch.rand(2, 3, 16, 16)
    assert up_and_join(small, skip).shape == (2, 7, 16, 16)


def test_joined_oblong():
    assert up_and_join(torch.rand(1, 4, 4, 6), torch.rand(1, 4, 8, 12)).shape == (1, 8, 8, 12)
