"""Which calls of a library may stand in what people run."""

import pytest

from analyzers.relations.library_names import (
    harmless,
    harmless_template,
    harmless_words,
    is_line,
)


@pytest.mark.parametrize(
    "call",
    [
        "",
        "torch.lcm(torch.tensor([6], dtype=torch.int64), 4)",
        "torch.trunc(torch.tensor(1.5))",
        "torch.nn.Softshrink(0.5)(torch.tensor([1.0]))",
        "torch.nn.functional.huber_loss(torch.tensor([nan]), inf, reduction='none')",
        "torch.nn.TransformerEncoderLayer(8, 2, activation=torch.nn.functional.gelu)(6)",
        "torch.func.vmap(torch.func.grad(torch.sin))(torch.ones(2))",
        "torch.Tensor.expand(torch.tensor([1.0]), 3)",
        "torch.narrow(tensor((2, 3), seed=1), 0, slice(0, 1), complex(1, 2))",
        "numpy.linalg.norm(numpy.array([1.0], dtype=numpy.float32))",
        "jax.numpy.clip(jax.numpy.inf, 0, 1)",
        "keras.ops.relu(-1)",
    ],
)
def test_what_computes_is_harmless(call):
    assert harmless(call)


@pytest.mark.parametrize(
    "call",
    [
        "torch.load('a')",
        "torch.save(x, 'a')",
        "torch.os.system('id')",
        "torch.hub.load('a', 'b')",
        "torch.lcm(torch.hub.load('a', 'b'), 4)",
        "torch.Tensor.from_file('a')",
        "torch.nn.functional.os.system('id')",
        "torch.nn.Softshrink(torch.load('a'))(x)",
        "numpy.fromfile('a')",
        "numpy.savetxt('a', x)",
        "tensorflow.io.read_file('a')",
        "torch._C.PyTorchFileWriter('a')",
        "torch.PyTorchFileWriter('a')",
        "torch._refs.builtins.open('a', 'w')",
        "torch._refs.torch.os.remove('a')",
        "torch.vmap(torch.os.remove)('a')",
        "torch.vmap(open)('a')",
        "torch.Tensor.apply_(torch.ones(2), torch.hub.load)",
        "numpy.vectorize(numpy.os.remove)('a')",
        "keras.layers.TFSMLayer('a')(1)",
        "torch.lcm(x, y)",
        "torch.lcm((1).__class__, 2)",
        "torch.ones(2).numpy.os.remove('a')",
        "open('a')",
        "os.system('id')",
        "torch.compile(x)",
        "import os",
    ],
)
def test_what_acts_is_not(call):
    assert not harmless(call)


@pytest.mark.parametrize(
    "template",
    [
        "torch.cat(*tensors, dim=input.ndim)",
        "torch._refs.nn.functional.huber_loss(input, target)",
        "torch.nn.functional.softmax(input, _stacklevel=_stacklevel)",
    ],
)
def test_templates_have_parameters(template):
    assert harmless_template(template)
    assert not harmless(template)


@pytest.mark.parametrize(
    "template",
    [
        "torch.lcm(input.__class__, other)",
        "torch.lcm(input._base.data, 1)",
        "os.remove(input)",
        "input.numpy.os(1)",
        "torch.vmap(torch.os.remove)(input)",
    ],
)
def test_templates_of_other_things_are_not(template):
    assert not harmless_template(template)


def test_words_are_no_call():
    assert harmless_words("the same call on float64")
    assert harmless_words("torch.special.expit(input)")
    assert not harmless_words("torch.load(input)")


def test_a_line_is_one_expression_and_nothing_else():
    assert is_line("torch.lcm(6, 'é')")
    for text in (
        *("torch.lcm(6, 4)  # @all", "torch.lcm(6,\n4)", "torch.lcm(6, 4)\n", " torch.lcm(6, 4)"),
        *("torch.lcm(6, '\u202e')", "(torch.lcm(6, 4))", "torch.lcm(6,", "import os"),
    ):
        assert not is_line(text)
