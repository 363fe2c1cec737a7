"""Frameworks for tests of models: Keras on torch, one thread."""

import os
from collections.abc import Iterator

import pytest

os.environ.setdefault("KERAS_BACKEND", "torch")

import torch


@pytest.fixture(autouse=True, scope="session")
def one_thread() -> Iterator[None]:
    """What is computed is small: more threads only wait for each other."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
