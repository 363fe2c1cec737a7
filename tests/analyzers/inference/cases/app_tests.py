import unittest

import numpy as np
import pytest
import torch

import app
from app import Net as Network
from app import build, drop, normalise

SIZE = 4


def test_net():
    model = Network(SIZE * 2)
    x = torch.rand(5, 16).float()
    model(x, torch.zeros(5).long())


@pytest.mark.parametrize(("n", "rate"), [(1, 0.5), (2, 0.25)])
def test_build(n, rate):
    build(n, rate)


def test_more():
    build(64, rate=0.1, name="b")
    with pytest.raises(ValueError):
        build(-5, 3.0)
    app.Sub(16).helper(9)
    Network.fixed(5)


class TestDrop(unittest.TestCase):
    def setUp(self):
        self.x = torch.ones(2, 3)

    def test_drop(self):
        drop(self.x, 0.5)
        drop(torch.ones(4, 3).unsqueeze(0), p=0.2)
        self.assertRaises(ValueError, lambda: drop(self.x, 7))


def test_normalise():
    for size in (8, 16):
        normalise(np.random.rand(size, size, 3), np.random.rand(3).astype("float32"))
