"""Inputs are found for modules of which nobody says what they take."""

import importlib

import pytest
import torch
from torch import nn

from analyzers.guest.inputs.recipes import evaluate, parse
from analyzers.guest.models.torch_inputs import NoTorchInputs, inputs_for
from benchmarks.models.zoo import MODELS


def values_for(module):
    return evaluate(parse(inputs_for(module)), {})


@pytest.mark.parametrize("name", MODELS)
def test_models_of_the_zoo_run_on_what_is_found(name):
    torch.manual_seed(0)
    module = importlib.import_module(f"benchmarks.models.zoo.{name}").build()
    found = inputs_for(module, seconds=60)
    assert module.training
    values = evaluate(parse(found), {})
    with torch.no_grad():
        assert module.eval()(*values).isfinite().all()


class Ratings(nn.Module):
    def __init__(self):
        super().__init__()
        self.item_embedding = nn.Embedding(7, 4)
        self.user_embedding = nn.Embedding(100, 4)

    def forward(self, user, item):
        return (self.user_embedding(user) * self.item_embedding(item)).sum(-1)


def test_parameters_are_fed_to_layers_of_their_name():
    recipe = inputs_for(Ratings())
    assert recipe == (
        "(tensor((2, 8), 'int64', seed=1, high=99), tensor((2, 8), 'int64', seed=2, high=6),)"
    )


class Masked(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(50, 8)
        self.layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)

    def forward(self, tokens, padding_mask):
        hidden = self.layer(self.embedding(tokens), src_key_padding_mask=padding_mask)
        return hidden[~padding_mask].mean()


def test_masks_hide_not_everything():
    found = values_for(Masked())
    assert found[1].dtype == torch.bool
    assert Masked().eval()(*found).isfinite()


class Packed(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(6, 5, batch_first=True)

    def forward(self, x, lengths):
        packed = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True)
        return self.rnn(packed)[1]


def test_lengths_fit_the_sequence():
    found = values_for(Packed())
    assert found[0].shape == (2, 8, 6)
    assert found[1].tolist() == [8, 8]


class Diffusion(nn.Module):
    def __init__(self):
        super().__init__()
        self.time = nn.Embedding(10, 4)
        self.conv = nn.Conv2d(4, 4, 3, padding=1)

    def forward(self, x, t, scale: float = 1.0):
        return self.conv(x * scale) + self.time(t)[:, :, None, None]


def test_times_are_indices_of_the_batch():
    found = values_for(Diffusion())
    assert [tuple(each.shape) for each in found] == [(2, 4, 8, 8), (2,)]


class Exact(nn.Module):
    def forward(self, x):
        assert x.shape[-2:] == (224, 224)
        return x.mean((2, 3))


class Stem(nn.Sequential):
    def __init__(self):
        super().__init__(Exact(), nn.Linear(3, 2))


def test_sizes_are_tried_until_one_is_taken():
    assert values_for(Stem())[0].shape[-2:] == (224, 224)


class Impossible(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 2)

    def forward(self, graph):
        return self.fc(graph.nodes())


def test_what_takes_no_tensors_is_told_with_its_error():
    with pytest.raises(NoTorchInputs, match="nodes"):
        inputs_for(Impossible())


def test_lazy_layers_stay_as_they_are():
    module = nn.Sequential(nn.LazyConv2d(4, 3), nn.Flatten(), nn.LazyLinear(2))
    assert values_for(module)[0].shape == (2, 3, 8, 8)
    assert nn.parameter.is_lazy(module[0].weight)
