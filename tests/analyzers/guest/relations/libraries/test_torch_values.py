"""Torch's values as text, as copies, and as NumPy has them."""

import math
from typing import Any

import numpy
import pytest
import torch

from analyzers.guest.inputs.recipes import BadRecipe, evaluate, parse
from analyzers.guest.relations.libraries.library_registry import library

TORCH = library("torch")
RANDOM = torch.Generator().manual_seed(7)


def drawn(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.randn(*shape, generator=RANDOM, dtype=dtype)


def text(value: Any) -> str:
    return TORCH.recipe_of(value).source()


def again(value: Any) -> Any:
    return evaluate(parse(text(value)), TORCH.namespace)


def bits(tensor: torch.Tensor) -> list[int]:
    dense = tensor.detach().to_dense() if tensor.layout != torch.strided else tensor.detach()
    dense = dense.int_repr() if dense.is_quantized else dense.resolve_conj()
    return dense.contiguous().flatten().view(torch.uint8).tolist() if dense.numel() else []


def strides(tensor: torch.Tensor) -> list[int]:
    if tensor.layout != torch.strided:
        return []
    pairs = zip(tensor.shape, tensor.stride(), strict=True)
    return [step for size, step in pairs if size > 1 and tensor.numel()]


def look(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        about = (type(value), value.dtype, value.shape, value.layout, value.requires_grad)
        return (*about, strides(value), bits(value))
    if isinstance(value, (list, tuple)):
        return type(value), [look(item) for item in value]
    return type(value), repr(value)


VALUES = {
    "float32": drawn(3, 4),
    "float64": drawn(3, dtype=torch.float64),
    "float16": drawn(5).half(),
    "bfloat16": drawn(5).bfloat16(),
    "float8": drawn(4).to(torch.float8_e4m3fn),
    "complex64": drawn(3, dtype=torch.complex64),
    "complex128": drawn(2, 2, dtype=torch.complex128),
    "conjugate": drawn(3, dtype=torch.complex64).conj(),
    "bool": torch.tensor([True, False]),
    "int64": torch.tensor([2**63 - 1, -(2**63)]),
    "uint8": torch.tensor([0, 255], dtype=torch.uint8),
    "uint64": torch.tensor([2**64 - 1], dtype=torch.uint64),
    "special": torch.tensor([math.inf, -math.inf, -0.0, 1e-45, 3.4e38, 0.1]),
    "scalar": torch.tensor(0.1),
    "empty": torch.zeros(0),
    "empty matrix": torch.zeros((0, 3), dtype=torch.int32),
    "transposed": drawn(3, 4).t(),
    "every other": drawn(3, 4)[:, ::2],
    "inside": drawn(4, 4)[1:3, 1:3],
    "expanded": drawn(3, 1).expand(3, 4),
    "channels last": drawn(2, 3, 2, 2).to(memory_format=torch.channels_last),
    "gradient": drawn(3).requires_grad_(),
    "expanded gradient": drawn(3, 1).requires_grad_().expand(3, 2),
    "parameter": torch.nn.Parameter(drawn(2)),
    "frozen": torch.nn.Parameter(drawn(2), requires_grad=False),
    "large": torch.full((10, 10), 0.3),
    "large zeros": torch.zeros((9, 9), dtype=torch.int16),
    "large negative zeros": torch.full((70,), -0.0),
    "counting": torch.arange(100),
    "coo": torch.eye(3).to_sparse(),
    "csr": torch.eye(3).to_sparse_csr(),
    "quantized": torch.quantize_per_tensor(drawn(3), 0.1, 3, torch.quint8),
    "several": [torch.ones(1), None, (torch.zeros(2), 1.5)],
    "size": torch.Size((1, 2)),
    "dtype": torch.bfloat16,
    "device": torch.device("cpu"),
    "layout": torch.sparse_coo,
    "memory format": torch.channels_last,
    "slice": slice(1, None),
    "complex": 1 + 2j,
    "type": float,
    "names": {"a": True},
}


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.filterwarnings("ignore")
def test_a_value_is_made_again_from_its_text(name: str) -> None:
    value = VALUES[name]
    if not isinstance(value, dict):
        assert look(again(value)) == look(value)
    assert text(again(value)) == text(value)


def test_nan_stays_nan() -> None:
    assert text(torch.tensor([math.nan, 1.0])) == "torch.tensor([nan, 1.0])"
    assert again(torch.tensor([math.nan])).isnan().all()


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (torch.tensor([1.0, 0.1]), "torch.tensor([1.0, 0.1])"),
        (torch.tensor([[1], [2]]), "torch.tensor([[1], [2]])"),
        (torch.tensor(3, dtype=torch.int32), "torch.tensor(3, dtype=torch.int32)"),
        (torch.zeros(0, 3), "torch.zeros((0, 3))"),
        (torch.ones(1).expand(3), "torch.Tensor.expand(torch.tensor([1.0]), 3)"),
        (torch.full((9, 9), 0.5), "torch.full((9, 9), 0.5)"),
        (torch.ones(2).requires_grad_(), "torch.tensor([1.0, 1.0], requires_grad=True)"),
    ],
)
def test_it_is_what_a_person_would_write(value: Any, said: str) -> None:
    assert text(value) == said


@pytest.mark.parametrize(
    "value",
    [drawn(65), torch.zeros(2, device="meta"), len, iter([]), [torch.ones(1)] * 65, object()],
    ids=["long", "elsewhere", "callable", "generator", "many", "object"],
)
def test_what_has_no_text_is_refused(value: Any) -> None:
    with pytest.raises(BadRecipe):
        TORCH.recipe_of(value)


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.filterwarnings("ignore")
def test_a_copy_is_the_same_elsewhere(name: str) -> None:
    value = VALUES[name]
    copy = TORCH.copied(value)
    assert look(copy) == look(value)
    if isinstance(value, torch.Tensor) and value.layout == torch.strided and value.numel():
        assert copy.untyped_storage().data_ptr() != value.untyped_storage().data_ptr()


def test_writing_into_a_copy_leaves_the_value() -> None:
    value = [torch.zeros(2), {"a": torch.zeros(2)}]
    copy = TORCH.copied(value)
    copy[0].add_(1)
    copy[1]["a"].add_(1)
    assert not value[0].any()
    assert not value[1]["a"].any()


@pytest.mark.parametrize(
    ("name", "dtype", "wider"),
    [
        ("bfloat16", "bfloat16", "float32"),
        ("float16", "float16", "float32"),
        ("int64", "int64", "int64"),
        ("complex64", "complex64", "complex64"),
    ],
)
def test_numpy_has_the_elements(name: str, dtype: str, wider: str) -> None:
    found, shape, elements = TORCH.plain(VALUES[name])
    assert (found, shape) == (dtype, tuple(VALUES[name].shape))
    assert elements.dtype == numpy.dtype(wider)
    assert torch.equal(torch.from_numpy(elements).to(VALUES[name].dtype), VALUES[name])


@pytest.mark.filterwarnings("ignore")
def test_what_is_not_dense_is_made_dense() -> None:
    assert TORCH.plain(VALUES["csr"])[2].tolist() == torch.eye(3).tolist()


def test_random_numbers_start_anew() -> None:
    TORCH.seed()
    first = torch.rand(3)
    TORCH.seed()
    assert torch.equal(torch.rand(3), first)
