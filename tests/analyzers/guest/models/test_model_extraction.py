"""The model of a call is a copy that executions can compare."""

import pytest
import torch
from torch import nn

from analyzers.guest.models.model_extraction import NoModel, model_of, prepared


class ConvNormNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 2, 3)
        self.norm = nn.BatchNorm2d(2)

    def forward(self, x, scale=1.0):
        return self.norm(self.conv(x)) * scale


def test_the_instance_of_a_forward_is_the_model_of_its_inputs():
    net, x = ConvNormNet(), torch.rand(1, 1, 5, 5, dtype=torch.float64)
    model = model_of(net, net.double()(x), (x,), {"scale": 2.0})
    assert model.module is not net
    assert (model.module.training, net.training) == (False, True)
    assert model.inputs[0].dtype == torch.float32
    assert model.module.conv.weight.dtype == torch.float32
    assert model.keywords == {"scale": 2.0}


@pytest.mark.parametrize(
    "wrap", [lambda net: net, lambda net: (net, 3), lambda net: {"net": [net]}]
)
def test_what_a_function_returns_has_the_model_in_it(wrap):
    model = model_of(None, wrap(ConvNormNet()))
    assert type(model.module) is ConvNormNet
    assert model.inputs == ()


def test_a_constructed_model_is_not_called_with_its_constructors_arguments():
    net = ConvNormNet()
    assert model_of(net, net, (3,)).inputs == ()


def test_another_method_is_of_what_it_returns():
    with pytest.raises(NoModel, match="neither"):
        model_of(ConvNormNet(), 3, (1, 2, 3, 4))


def test_statistics_that_no_batch_moved_can_be_told_apart_and_repeat():
    first, again = prepared(ConvNormNet()).module.norm, prepared(ConvNormNet()).module.norm
    assert not (first.running_mean == 0).any()
    assert torch.equal(first.running_var, again.running_var)


def test_trained_statistics_stay():
    net = ConvNormNet()
    net.norm.running_mean.fill_(0.25)
    assert (prepared(net).module.norm.running_mean == 0.25).all()


def test_lazy_layers_take_the_shape_of_the_inputs():
    model = prepared(nn.Sequential(nn.LazyLinear(3)), (torch.rand(2, 5),))
    assert model.module[0].weight.shape == (3, 5)


def test_lazy_layers_that_no_input_fits_are_told():
    with pytest.raises(NoModel, match="lazy"):
        prepared(nn.Sequential(nn.LazyConv2d(3, 3)), (torch.rand(2),))


def test_memory_that_was_never_written_gets_numbers():
    net = nn.Linear(3, 2)
    net.weight.data.fill_(float("nan"))
    first = prepared(net).module.weight
    assert first.isfinite().all()
    assert torch.equal(first, prepared(net).module.weight)


def test_weights_that_are_nowhere_are_told():
    with pytest.raises(NoModel, match="meta"):
        prepared(nn.Linear(3, 2, device="meta"))
