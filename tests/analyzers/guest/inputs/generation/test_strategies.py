"""Every value drawn for a constraint meets it, and the constraint's values are all drawn from."""

import enum
import math
import re
import types

import numpy as np
import pytest
import torch

from analyzers.guest.annotations.syntax import parse as constraint
from analyzers.guest.inputs.generation.call_scope import CallScope, UnsatisfiableConstraint
from analyzers.guest.inputs.generation.strategies import strategy
from analyzers.guest.inputs.recipes import evaluate, makers, parse
from tests.analyzers.guest.inputs.generation.samples import drawn_calls, made, made_calls


def _float(low, high):
    return lambda x: type(x) is float and low <= x <= high


def _list(check, low, high):
    return lambda x: type(x) is list and low <= len(x) <= high and all(map(check, x))


def _int(low, high, step=1):
    return lambda x: type(x) is int and low <= x <= high and x % step == 0


def _tensor(dtype, low=-math.inf, high=math.inf):
    def check(x):
        within = x.dtype == getattr(torch, dtype) and x.device.type == "cpu"
        values = torch.view_as_real(x) if x.is_complex() else x
        return within and all(low <= value <= high for value in values.double().flatten().tolist())

    return check


SMALL = 2.0**-126
HOLDS = {
    "froms([0, 0.0, None, 'a'])": lambda x: x in (0, None, "a"),
    "froms({3, 1})": lambda x: x in (1, 3),
    "froms([[1], {'a': (2,)}])": lambda x: x in ([1], {"a": (2,)}),
    "bools()": lambda x: type(x) is bool,
    "ints()": _int(-(2**63), 2**63 - 1),
    "ints(min=3, max=9)": _int(3, 9),
    "ints(min=-5)": _int(-5, 2**63 - 1),
    "ints(max=-5)": _int(-(2**63), -5),
    "ints(min=10, max=40, multiple_of=8)": _int(16, 40, 8),
    "ints(min=-20, max=-1, multiple_of=7)": _int(-14, -7, 7),
    "floats()": lambda x: type(x) is float and math.isfinite(x),
    "floats(min=0, max=1)": _float(0, 1),
    "floats(min=0, max=1, exclude_min=True, exclude_max=True)": lambda x: 0 < x < 1,
    "floats(min=0.1, exclude_min=True)": lambda x: 0.1 < x < math.inf,
    "floats(max=0.1, exclude_max=True)": lambda x: -math.inf < x < 0.1,
    "floats(min=0.1, max=0.7, width=16)": lambda x: 0.1 <= x <= 0.7 and float(np.float16(x)) == x,
    "floats(min=0.1, max=0.7, width=32)": lambda x: 0.1 <= x <= 0.7 and float(np.float32(x)) == x,
    "floats(allow_nan=True, allow_inf=True)": lambda x: type(x) is float,
    "floats(min=2, allow_inf=True)": lambda x: x >= 2,
    "floats(min=2, max=3, allow_nan=True)": lambda x: math.isnan(x) or 2 <= x <= 3,
    "floats(min=1e-310, max=1e-309)": _float(1e-310, 1e-309),
    "strings()": lambda x: len(x) <= 16 and x.isprintable(),
    "strings(min_len=20)": lambda x: len(x) == 20,
    "strings(max_len=3, alphabet='ab')": lambda x: set(x) <= set("ab") and len(x) <= 3,
    "strings(pattern='[a-z]+-[0-9]{2}')": lambda x: re.fullmatch("[a-z]+-[0-9]{2}", x),
    "strings(pattern='a*', max_len=2, min_len=1)": lambda x: x in ("a", "aa"),
    "lists(ints(min=1, max=2), min_len=1, max_len=3)": _list(_int(1, 2), 1, 3),
    "lists(ints(min=1, max=4), min_len=4, max_len=4, unique=True)": lambda x: (
        sorted(x) == [1, 2, 3, 4]
    ),
    "lists(7, max_len=2)": _list(_int(7, 7), 0, 2),
    "lists()": _list(_int(-(2**63), 2**63), 0, 5),
    "tuples(3, ints(min=1, max=2), 'a')": lambda x: x in ((3, 1, "a"), (3, 2, "a")),
    "tuples()": lambda x: x == (),
    "int_lists(min_len=2, max_len=5, min=2, max=5)": _list(_int(2, 5), 2, 5),
    "float_lists(min_len=1, min=0, max=1, exclude_min=True)": _list(_float(SMALL / 1e300, 1), 1, 6),
    "bool_lists(max_len=2)": _list(lambda x: type(x) is bool, 0, 2),
    "string_lists(min_len=1, max_len=2)": _list(lambda x: type(x) is str, 1, 2),
    "dicts(keys=froms(['shape']), values=np_shapes(min_dims=1, max_dims=1))": (
        lambda x: list(x) in ([], ["shape"]) and all(len(value) == 1 for value in x.values())
    ),
    "dicts(keys=anys(1, True, 2), values=bools(), min_len=2)": lambda x: len(x) == 2,
    "dicts()": lambda x: all(type(key) is str and type(x[key]) is int for key in x),
    "anys(-1, ints(min=1, max=5), int_lists(min_len=2, max_len=5, min=2, max=5))": (
        lambda x: x == -1 or x in range(1, 6) or _list(_int(2, 5), 2, 5)(x)
    ),
    "anys(None, tensors(device='cuda:99'))": lambda x: x is None or x.is_cuda,
    "np_shapes()": lambda x: 1 <= len(x) <= 4 and all(1 <= size <= 8 for size in x),
    "np_shapes(min_dims=2)": lambda x: 2 <= len(x) <= 4,
    "np_shapes(min_dims=3, max_dims=3, min_side=5, max_side=200)": (
        lambda x: len(x) == 3 and all(5 <= size <= 200 for size in x) and math.prod(x) <= 2**16
    ),
    "np_shapes(max_dims=0)": lambda x: x == (),
    "np_arrays()": lambda x: x.dtype == np.float64 and (abs(x) <= 10).all(),
    "np_arrays(np_type=dtype('uint32'), shape=(25, 25, 3))": (
        lambda x: x.dtype == np.uint32 and x.shape == (25, 25, 3)
    ),
    "np_arrays(dtype=['uint8', 'half'], shape='3 n')": (
        lambda x: x.dtype in (np.uint8, np.float16) and x.shape[0] == 3
    ),
    "np_arrays(dtype='uint8', shape='64 64 3', contiguous=True)": lambda x: x.flags.c_contiguous,
    "np_arrays(dtype='bfloat16', shape='2', min=0.1, max=0.7)": (
        lambda x: ((x.astype(float) >= 0.1) & (x.astype(float) <= 0.7)).all()
    ),
    "tensors()": lambda x: x.dtype == torch.float32 and 1 <= x.ndim <= 4 and x.numel() <= 4096,
    "tensors(dtype='bool', shape='n')": _tensor("bool"),
    "tensors(dtype='bool', shape='n', min=1)": lambda x: x.all(),
    "tensors(dtype='long', shape='n', min=0, max=9)": _tensor("int64", 0, 9),
    "tensors(dtype='uint8', shape='n')": _tensor("uint8"),
    "tensors(dtype=torch.bfloat16, shape='n', min=0.1, max=0.7)": _tensor("bfloat16", 0.1, 0.7),
    "tensors(dtype='float16', shape='n', min=0.1, max=0.7)": _tensor("float16", 0.1, 0.7),
    "tensors(min=0, max=1, exclude_min=True, exclude_max=True)": _tensor(
        "float32", SMALL, 1 - 1e-9
    ),
    "tensors(min=5)": _tensor("float32", 5, 15),
    "tensors(max=-5)": _tensor("float32", -15, -5),
    "tensors(dtype='complex64', shape='n', min=-1, max=1)": _tensor("complex64", -1, 1),
    "tensors(dtype=froms(['int32', 'float64']), shape='n')": (
        lambda x: x.dtype in (torch.int32, torch.float64)
    ),
    "tensors(values='uniform', shape='n')": _tensor("float32", 0, 1),
    "tensors(values='probabilities', shape='b k')": (
        lambda x: torch.allclose(x.sum(-1), torch.ones(len(x))) and (x >= 0).all()
    ),
    "tensors(values='one_hot', shape='b k', dtype='int64')": (
        lambda x: ((x == 0) | (x == 1)).all() and (x.sum(-1) == 1).all()
    ),
    "tensors(values='labels', shape='b', max=3)": _tensor("int64", 0, 3),
    "tensors(values='labels', shape='b', dtype='float32')": (
        lambda x: ((x == 0) | (x == 1)).all() and x.dtype == torch.float32
    ),
    "tensors(values='sorted', shape='b n')": lambda x: (x.diff(dim=-1) >= 0).all(),
    "tensors(values='unique', shape='b n')": lambda x: x.unique().numel() == x.numel(),
    "tensors(values='unique', shape='n', dtype='bfloat16')": (
        lambda x: x.unique().numel() == x.numel()
    ),
    "tensors(values='unique', shape='n', dtype='int64', min=0, max=4)": (
        lambda x: x.unique().numel() == x.numel() and x.numel() <= 5
    ),
    "tensors(requires_grad=True)": lambda x: x.requires_grad and x.is_leaf,
    "tensors(contiguous=True)": lambda x: x.is_contiguous(),
    "tensors(contiguous=False)": lambda x: x.numel() == 1 or not x.is_contiguous(),
    "tensors(dtype=['int64', 'float32'], requires_grad=True)": lambda x: x.dtype == torch.float32,
    "tensors(shape=np_shapes(min_dims=2, max_dims=2))": lambda x: x.ndim == 2,
    "tensors(shape=froms([(2, 3), (4,)]))": lambda x: tuple(x.shape) in ((2, 3), (4,)),
    "tensors(shape=())": lambda x: x.ndim == 0,
    "tensors(shape='0 3')": lambda x: tuple(x.shape) == (0, 3),
    "tensors(shape=3)": lambda x: tuple(x.shape) == (3,),
    "tensors(shape=('b', 3, ints(min=8, max=64), '_'))": (
        lambda x: x.shape[1] == 3 and 8 <= x.shape[2] <= 64 and x.shape[3] <= 8
    ),
    "jax_arrays(dtype='float32', shape='a b', min=0)": lambda x: str(x.dtype) == "float32",
    "jax_arrays(values='labels', shape='a')": lambda x: str(x.dtype) == "int32",
}


@pytest.mark.parametrize("text", HOLDS)
def test_what_is_drawn_meets_the_constraint(text):
    values = made(text, count=12)
    assert values
    assert all(HOLDS[text](value) for value in values)


@pytest.mark.parametrize("text", list(HOLDS))
def test_recipes_are_read_as_written_and_make_the_same_again(text):
    for call in drawn_calls({"x": text}, count=3):
        source = call["x"].source()
        assert parse(source) == call["x"]
        one, other = (repr(evaluate(parse(source), {})) for _ in range(2))
        assert one == other


REACHED = {
    "floats(allow_nan=True, allow_inf=True)": [math.isnan, math.isinf],
    "floats(min=2, allow_inf=True)": [math.isinf],
    "ints(min=0, max=3)": [lambda x, n=n: x == n for n in range(4)],
    "anys(1, None, ints(min=7, max=7))": [lambda x, n=n: x == n for n in (1, None, 7)],
    "tensors(finite=False)": [lambda x: x.isnan().any(), lambda x: x.isinf().any()],
    "tensors(min=0, max=1)": [
        lambda x: (x == 0).any(),
        lambda x: (x == 1).any(),
        lambda x: x.unique().numel() > 10,
        lambda x: x.is_contiguous(),
        lambda x: not x.is_contiguous(),
        lambda x: x.numel() == 1,
    ],
    "tensors(requires_grad=bools())": [lambda x: x.requires_grad, lambda x: not x.requires_grad],
    "tensors(contiguous=bools())": [lambda x: x.is_contiguous(), lambda x: not x.is_contiguous()],
    "tensors(dtype=['int64', 'float32'])": [
        lambda x: x.is_floating_point(),
        lambda x: not x.is_floating_point(),
    ],
    "tensors(shape='...')": [lambda x, n=n: x.ndim == n for n in range(3)],
    "strings()": [lambda x: x == "", lambda x: not x.isascii()],
}


@pytest.mark.parametrize("text", REACHED)
def test_all_sorts_of_values_are_drawn(text):
    values = made(text, count=120)
    for sort in REACHED[text]:
        assert any(sort(value) for value in values)


class Color(enum.Enum):
    RED = 1
    BLUE = 2


def _scope():
    module = types.SimpleNamespace(relu=torch.relu)
    names = {"Color": Color, "zero": lambda: 0, "SIZES": [3, 5], "MOST": 4, "nn": module}
    return CallScope(
        {**names, "KINDS": [torch.relu, 1], "tensor": torch.tensor, "half": torch.float16}
    )


FROM_FILE = {
    "froms([0, 0.0, None, zero()])": {"0", "0.0", "None", "zero()"},
    "froms([nn.relu, Color.RED])": {"nn.relu", "Color.RED"},
    "froms(SIZES)": {"3", "5"},
    "froms(list(SIZES))": {"3", "5"},
    "froms(Color)": {"element(Color, 0)", "element(Color, 1)"},
    "froms(KINDS)": {"element(KINDS, 0)", "1"},
    "froms([MOST + 1, MOST * 2])": {"5", "8"},
    "ints(min=MOST, max=MOST)": {"4"},
    "tuples(MOST, froms([zero()]))": {"(MOST, zero())"},
    "tensors(shape=(MOST, 2), dtype=half, min=0, max=0, contiguous=True)": {
        "tensor((4, 2), dtype='float16')"
    },
}


@pytest.mark.parametrize("text", FROM_FILE)
def test_names_of_the_file_are_used(text):
    if "dtype=half" in text:
        found = {
            each.split(", seed")[0].split(", at")[0].rstrip(")") + ")" for each in _sources(text)
        }
    else:
        found = _sources(text)
    assert found == FROM_FILE[text]


def _sources(text):
    return {call["x"].source() for call in drawn_calls({"x": text}, _scope(), count=40)}


UNMET = {
    "froms([lambda: 0])": "literal",
    "froms([missing()])": "missing",
    "froms(MOST)": "no list",
    "froms([tensor([1])])": "literal",
    "ints(min=MOST, max=3)": "above",
    "ints(max=nn.none)": "none",
    "strings(pattern='(')": "pattern",
    "strings(min_len=1, alphabet='')": "alphabet",
    "tensors(device='cuda:99')": "cuda:99",
    "tensors(dtype='int64', requires_grad=True)": "gradient",
    "tensors(dtype='float16', min=100000)": "float16",
    "tensors(dtype='uint8', max=-1)": "uint8",
    "tensors(dtype='complex64', values='sorted')": "sorted",
    "tensors(dtype='int64', values='probabilities')": "int64",
    "tensors(min=0.1, max=0.3, values='labels')": "meets it",
    "tensors(shape='n-n')": "no size",
    "tensors(shape='2+')": "no dimension",
    "jax_arrays(dtype='float64')": "x64",
    "anys(tensors(dtype='uint8', max=-1))": "uint8",
}


@pytest.mark.parametrize("text", UNMET)
def test_what_cannot_be_met_is_said(text):
    with pytest.raises(UnsatisfiableConstraint, match=UNMET[text]):
        strategy(constraint(text), _scope())


def test_bounds_may_name_dimensions_and_arguments():
    calls = made_calls(
        {
            "labels": "tensors(dtype='int64', shape='b', min=0, max=k-1)",
            "logits": "tensors(shape='b k')",
            "at": "ints(min=0, max=b-1)",
            "sizes": "int_lists(min_len=k, max_len=k, min=1, max=b)",
            "pair": "tuples(b, 2*k)",
        }
    )
    for call in calls:
        b, k = call["logits"].shape
        assert call["labels"].shape == (b,)
        assert 0 <= call["labels"].min() <= call["labels"].max() < k
        assert 0 <= call["at"] < b
        assert len(call["sizes"]) == k
        assert call["pair"] == (b, 2 * k)
    assert len({call["logits"].shape for call in calls}) > 10


@pytest.mark.parametrize("text", ["ints(max=MOTS)", "tuples(MOTS, 1)", "lists(max_len=MOTS + k)"])
def test_a_name_that_nothing_has_is_said(text):
    with pytest.raises(UnsatisfiableConstraint, match="MOTS"):
        made_calls({"x": text, "y": "tensors(shape='b k')"}, _scope())


def test_dtypes_may_be_those_of_the_library():
    scope = CallScope({"torch": torch, "np": np, "KINDS": [torch.float32, "int64"]})
    for text in (
        "tensors(dtype=[torch.float32, torch.int64])",
        "tensors(dtype=KINDS)",
        "anys(np_arrays(dtype=np.float32), np_arrays(dtype=froms([np.int64])))",
    ):
        values = made(text, scope)
        assert {str(value.dtype).rpartition(".")[2] for value in values} == {"float32", "int64"}


def test_known_arguments_come_before_names_of_the_module():
    scope = CallScope({"n": 100}, arguments=frozenset({"n"}))
    found = strategy(constraint("ints(min=n, max=n)"), scope)
    scope.begin()
    scope.known["n"] = 3
    assert "builds" not in repr(found)
    from hypothesis import find, settings

    once = settings(database=None, max_examples=10)
    assert find(found, lambda _: True, settings=once).source() == "3"


def test_only_makers_of_arrays_are_called():
    for call in drawn_calls({"x": "anys(tensors(), np_arrays(), jax_arrays())"}):
        assert makers(call["x"]) <= {"tensor", "array", "jax_array"}
