import torch

from wgan.critic import critic


def test_one_value_a_sample():
    assert critic(4)(torch.zeros(5, 4)).shape == (5, 1)
