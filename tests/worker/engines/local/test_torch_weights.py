"""Files of PyTorch are read as PyTorch reads them, and nothing in them is run."""

import collections
import pickle

import numpy as np
import pytest
import torch

from worker.engines.local.torch_weights import read_weights


def written(tmp_path, state):
    file = tmp_path / "weights.pth"
    torch.save(state, file, _use_new_zipfile_serialization=False)
    return file.read_bytes()


def test_tensors_are_those_that_were_saved(tmp_path):
    torch.manual_seed(7)
    module = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3), torch.nn.BatchNorm2d(8))
    state = module.state_dict()
    state["turned"] = torch.rand(4, 5, 6).permute(2, 0, 1)
    state["part"] = torch.arange(12.0).view(3, 4)[1:, 2:]
    read = read_weights(written(tmp_path, state))
    assert set(read) == set(state)
    for name, tensor in state.items():
        assert np.array_equal(read[name], tensor.numpy()), name


class Harmful:
    def __reduce__(self):
        return (open, ("harm", "w"))


def test_nothing_is_called(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    state = collections.OrderedDict(a=torch.zeros(2), b=Harmful())
    content = written(tmp_path, state)
    with pytest.raises((ValueError, KeyError, IndexError, TypeError)):
        read_weights(content)
    assert not (tmp_path / "harm").exists()


def test_other_files_are_refused():
    with pytest.raises((ValueError, KeyError, IndexError)):
        read_weights(b"".join(pickle.dumps([n], 2) for n in range(5)))
