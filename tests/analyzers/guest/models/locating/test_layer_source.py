"""Layers as the text that makes them."""

import pytest
import torch
from torch import nn

from analyzers.guest.models.locating.layer_program import source_of

WRITTEN = """
torch.nn.Conv2d(3, 8, 3)
torch.nn.Conv2d(4, 8, (3, 1), stride=2, padding=1, groups=2, bias=False, padding_mode='circular')
torch.nn.Conv1d(4, 8, 3, padding='same')
torch.nn.ConvTranspose1d(3, 4, 3, stride=2, output_padding=1)
torch.nn.Linear(3, 4, bias=False)
torch.nn.LSTM(3, 4, num_layers=2, batch_first=True, bidirectional=True)
torch.nn.LSTM(3, 4, proj_size=2)
torch.nn.GRU(3, 4)
torch.nn.RNN(3, 4, nonlinearity='relu')
torch.nn.MultiheadAttention(8, 2, add_bias_kv=True, batch_first=True)
torch.nn.TransformerEncoderLayer(8, 2, dim_feedforward=16, activation='gelu', norm_first=True)
torch.nn.LayerNorm((8,), eps=0.001, bias=False)
torch.nn.BatchNorm2d(4, momentum=None)
torch.nn.GroupNorm(2, 4)
torch.nn.Embedding(10, 3, padding_idx=0)
torch.nn.MaxPool2d(3, stride=2, ceil_mode=True)
torch.nn.AvgPool2d(2, divisor_override=1)
torch.nn.AdaptiveAvgPool2d((1, 1))
torch.nn.Upsample(scale_factor=2.0, mode='bilinear')
torch.nn.Unflatten(1, (2, 2))
torch.nn.GELU(approximate='tanh')
torch.nn.Hardtanh(min_val=-2, max_val=3)
torch.nn.PReLU(num_parameters=4)
torch.nn.ConstantPad2d((1, 2, 3, 4), float("inf"))
torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU(inplace=True))
"""


@pytest.mark.parametrize("text", WRITTEN.split("\n")[1:-1])
def test_text_that_makes_a_layer_is_found_again(text):
    assert source_of(eval(text, {"torch": torch})) == text


class Own(nn.Linear):
    pass


def test_layers_of_others_have_no_text():
    assert source_of(Own(2, 3)) == ""
    assert source_of(nn.Sequential(nn.ReLU(), Own(2, 3))) == ""


def test_layers_that_were_changed_have_no_text():
    layer = nn.Linear(2, 3)
    layer.weight = nn.Parameter(torch.zeros(3, 5))
    assert source_of(layer) == ""
