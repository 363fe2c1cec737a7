"""Each oracle finds a wrong kernel and is silent on the right one."""

from typing import Any

import pytest
import torch
from torch.nn import functional

from analyzers.guest.relations.libraries.library_registry import library
from analyzers.guest.relations.oracles.call_values import may_write
from analyzers.guest.relations.oracles.documented_ranges import RANGES
from analyzers.guest.relations.oracles.exemptions import EXEMPT
from analyzers.guest.relations.oracles.oracle_registry import CHEAP, ORACLES, judge_call
from analyzers.guest.relations.relation_types import (
    CRASH,
    EXCEPTION,
    STATUS,
    SUCCESS,
    VALUE,
    LiveCall,
    Relation,
)

TORCH = library("torch")


def made(*shape: int, seed: int = 0, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    drawn = torch.Generator().manual_seed(seed)
    return torch.randn(shape, generator=drawn).to(dtype)


def found(
    live: LiveCall, oracle: str | None = None, relations: tuple[Relation, ...] = ()
) -> list[tuple[str, str]]:
    chosen = None if oracle is None else [oracle]
    outcome, disagreements = judge_call(live, TORCH, relations, chosen)
    assert outcome.status == SUCCESS
    assert all(item.api == live.api and item.related for item in disagreements)
    return [(item.relation, item.rule) for item in disagreements]


def call(api: str, *arguments: Any, wrong: Any = None, **keywords: Any) -> LiveCall:
    return LiveCall(api, wrong or TORCH.function(api), list(arguments), keywords)


def off_by_one(function: Any) -> Any:
    def kernel(*given: Any, **named: Any) -> Any:
        return function(*given, **named) + 1

    return kernel


def wrong_dtype(function: Any) -> Any:
    def kernel(*given: Any, **named: Any) -> Any:
        return function(*given, **named).double()

    return kernel


def loses_nan(function: Any) -> Any:
    def kernel(*given: Any, **named: Any) -> Any:
        return function(*given, **named).nan_to_num()

    return kernel


def first_is_wrong(function: Any) -> Any:
    def kernel(*given: Any, **named: Any) -> Any:
        value = function(*given, **named).clone()
        value.view(-1)[0] *= 1.01
        return value

    return kernel


@pytest.mark.parametrize("fault", [off_by_one, wrong_dtype, first_is_wrong])
@pytest.mark.parametrize("name", ["sigmoid", "logsumexp", "cumsum"])
def test_references_find_wrong_kernels(name: str, fault: Any) -> None:
    arguments = [made(3, 4)] if name == "sigmoid" else [made(3, 4), 1]
    right = call(f"torch.{name}", *arguments)
    assert found(right, "reference") == []
    wrong = call(f"torch.{name}", *arguments, wrong=fault(right.function))
    assert found(wrong, "reference") == [("reference", VALUE)]


def test_references_find_a_lost_nan() -> None:
    given = torch.tensor([1.0, float("nan")])
    assert found(call("torch.maximum", given, made(2)), "reference") == []
    wrong = call("torch.maximum", given, made(2), wrong=loses_nan(torch.maximum))
    assert found(wrong, "reference") == [("reference", VALUE)]


def test_decompositions_find_a_wrong_operator() -> None:
    given = made(3, 4)
    assert found(call("torch.nn.functional.silu", given), "decomposition") == []
    implementations = torch.library.Library("aten", "IMPL")
    try:
        implementations.impl("silu", off_by_one(torch.tanh), "CPU")
        wrong = call("torch.nn.functional.silu", given)
        assert found(wrong, "decomposition") == [("decomposition", VALUE)]
    finally:
        implementations._destroy()  # pyright: ignore[reportPrivateUsage]


def test_numpy_finds_a_kernel_that_its_relatives_share() -> None:
    given = torch.tensor([[1.0, 2.0], [3.0, float("nan")]])
    right = call("torch.flip", given, (0, 1))
    assert found(right, "numpy") == []
    wrong = call("torch.flip", given, (0, 1), wrong=off_by_one(torch.flip))
    assert found(wrong, "numpy") == [("numpy", VALUE)]
    assert found(call("torch.amax", given, 1), "numpy") == []
    wrong = call("torch.amax", given, 1, wrong=loses_nan(torch.amax))
    assert found(wrong, "numpy") == [("numpy", VALUE)]


@pytest.mark.parametrize(
    "known",
    [
        call("torch.true_divide", torch.tensor([1, 2, 2**40 + 1]), 3),
        call("torch.exp", torch.tensor([1, -3], dtype=torch.int8)),
        call("torch.add", made(3, dtype=torch.bfloat16), torch.tensor(0.1), alpha=2),
        call("torch.var", made(3, 4), 1, correction=0),
        call("torch.sum", torch.tensor([200, 100], dtype=torch.uint8)),
        call("torch.cumsum", torch.tensor(1.0), 0),
        call("torch.where", torch.tensor([True, False]), made(2), 5),
        call("torch.Tensor.where", made(2), torch.tensor([True, False]), made(2)),
        call("torch.clamp", made(4), None, 0.5),
        call("torch.add", made(2, dtype=torch.complex64), 1),
        call("torch.any", torch.zeros(2, 0), 1),
        call("torch.pow", torch.tensor([2, 3]), 2),
    ],
    ids=lambda known: known.api,
)
def test_numpy_says_nothing_of_right_kernels(known: LiveCall) -> None:
    assert found(known, "numpy") == []


def spoils(function: Any) -> Any:
    def kernel(given: torch.Tensor, *others: Any) -> torch.Tensor:
        value = function(given, *others)
        given.detach().numpy()[...] = 0
        return value

    return kernel


def test_arguments_must_stay_what_they_were() -> None:
    assert found(call("torch.softmax", made(3, 4), 1), "arguments") == []
    wrong = call("torch.softmax", made(3, 4), 1, wrong=spoils(torch.softmax))
    assert found(wrong, "arguments") == [("arguments", VALUE)]


@pytest.mark.parametrize(
    "known",
    [
        call("torch.Tensor.add_", made(3), 1),
        call("torch.add", made(3), 1, out=made(3)),
        call("torch.nn.functional.relu", made(3), inplace=True),
        call("torch.nn.functional.embedding", torch.tensor([1]), made(3, 2), max_norm=0.1),
        call("torch.nn.functional.batch_norm", made(4, 2), made(2), made(2).abs(), training=True),
        call("torch.sqrt", torch.ones(1).expand(1)),
    ],
    ids=lambda known: known.api,
)
def test_arguments_may_be_written_where_that_is_told(known: LiveCall) -> None:
    assert found(known, "arguments") == []


def test_float64_finds_a_kernel_that_loses_digits() -> None:
    def imprecise(given: torch.Tensor) -> torch.Tensor:
        return torch.exp(given.half() if given.dtype == torch.float32 else given).to(given.dtype)

    assert found(call("torch.exp", made(9)), "float64") == []
    assert found(call("torch.exp", made(9), wrong=imprecise), "float64") == [("float64", VALUE)]


def test_results_that_jump_are_no_disagreement() -> None:
    given = torch.tensor([0.3]) / torch.tensor([0.1])
    assert found(call("torch.floor", given)) == []
    assert found(call("torch.floor_divide", torch.tensor([0.6]), torch.tensor([0.2]))) == []


def test_meta_finds_another_shape_and_dtype() -> None:
    def by_kind(given: torch.Tensor, dim: int) -> torch.Tensor:
        fake = type(given) is not torch.Tensor
        return torch.sum(given, dim, keepdim=fake)

    assert found(call("torch.sum", made(3, 4), 1), "meta") == []
    assert found(call("torch.sum", made(3, 4), 1, wrong=by_kind), "meta") == [("meta", VALUE)]


def test_strides_find_a_kernel_that_reads_memory_in_order() -> None:
    def in_order(given: torch.Tensor) -> torch.Tensor:
        return torch.exp(torch.as_strided(given, given.shape, given.contiguous().stride()))

    assert found(call("torch.exp", made(3, 4)), "strides") == []
    assert found(call("torch.exp", made(3, 4), wrong=in_order), "strides") == [("strides", VALUE)]


def test_strides_find_a_kernel_that_is_wrong_on_expanded_inputs() -> None:
    def unless_expanded(given: torch.Tensor) -> torch.Tensor:
        return torch.exp(given) + (1 if 0 in given.stride() else 0)

    wrong = call("torch.exp", made(3, 4), wrong=unless_expanded)
    assert found(wrong, "strides") == [("strides", VALUE)]


def test_vmap_finds_a_wrong_batching() -> None:
    def unbatched(given: torch.Tensor) -> torch.Tensor:
        batched = "BatchedTensor" in repr(given)
        return torch.cumsum(given, 0) * (2 if batched else 1)

    assert found(call("torch.cumsum", made(5), 0), "vmap") == []
    assert found(call("torch.cumsum", made(5), wrong=unbatched), "vmap") == [("vmap", VALUE)]


def test_out_finds_what_is_written_wrongly() -> None:
    def writes_in_order(given: Any, *, out: Any = None) -> Any:
        """exp(input, *, out=None)"""
        value = torch.exp(given)
        if out is None:
            return value
        out.resize_(value.shape)
        torch.as_strided(out, value.shape, value.stride()).copy_(value)
        return out

    assert found(call("torch.exp", made(3, 4)), "out") == []
    wrong = call("torch.exp", made(3, 4), wrong=writes_in_order)
    assert found(wrong, "out") == [("out", VALUE)]


def test_in_place_finds_the_variant_that_differs() -> None:
    right = call("torch.nn.functional.elu", made(3, 4))
    assert found(right, "in-place") == []

    def elu(given: torch.Tensor, inplace: bool = False) -> torch.Tensor:
        return given.mul_(2) if inplace else functional.elu(given)

    wrong = call("torch.nn.functional.elu", made(3, 4), wrong=elu)
    assert found(wrong, "in-place") == [("in-place", VALUE)]
    wrong = call("torch.exp", made(3, 4), wrong=off_by_one(torch.exp))
    assert found(wrong, "in-place") == [("in-place", VALUE)]


def test_in_place_finds_memory_that_overlaps() -> None:
    assert found(call("torch.Tensor.exp_", made(3, 3)), "overlap") == []
    assert found(call("torch.Tensor.fill_", made(3, 3), 2.0), "overlap") == []

    def careless(given: torch.Tensor) -> torch.Tensor:
        for row in given:
            row.add_(1)
        return given

    wrong = call("torch.Tensor.exp_", made(3, 3), wrong=careless)
    assert found(wrong, "overlap") == [("overlap", STATUS)]


def test_gradients_find_a_wrong_backward() -> None:
    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, given: torch.Tensor) -> torch.Tensor:
            ctx.save_for_backward(given)
            return given**3

        @staticmethod
        def backward(ctx: Any, *slopes: Any) -> Any:
            return slopes[0] * 2 * ctx.saved_tensors[0] ** 2

    given = made(2, 3)
    assert found(call("torch.tanh", given), "gradient") == []
    assert found(call("torch.nn.functional.relu", torch.zeros(3)), "gradient") == []
    assert found(call("torch.round", given), "gradient") == []
    wrong = call("torch.pow", given, wrong=Wrong.apply)
    assert found(wrong, "gradient") == [("gradient", VALUE)]


def cube(bend: float = 6.0, pull: float = 3.0) -> Any:
    """x³ by a function whose gradient is right; its derivative, with 6 and 3."""

    class Slope(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, given: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
            ctx.save_for_backward(given, weight)
            return 3 * given**2 * weight

        @staticmethod
        def backward(ctx: Any, *slopes: Any) -> Any:
            given, weight = ctx.saved_tensors
            return slopes[0] * bend * given * weight, slopes[0] * pull * given**2

    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, given: torch.Tensor) -> torch.Tensor:
            ctx.save_for_backward(given)
            return given**3

        @staticmethod
        def backward(ctx: Any, *slopes: Any) -> Any:
            return Slope.apply(ctx.saved_tensors[0], slopes[0])

    return Cube.apply


@pytest.mark.parametrize("fault", [{"bend": 5.0}, {"bend": -6.0}, {"pull": 2.0}])
def test_gradients_find_a_wrong_double_backward(fault: dict[str, float]) -> None:
    given = made(2, 3)
    assert found(call("torch.pow", given, wrong=cube()), "gradient") == []
    wrong = call("torch.pow", given, wrong=cube(**fault))
    disagreements = judge_call(wrong, TORCH, (), ["gradient"])[1]
    assert [each.related for each in disagreements] == ["finite differences of its gradient"]


@pytest.mark.parametrize("more", [0, 1])
def test_a_gradient_that_refuses_to_be_differentiated_is_none_to_judge(more: int) -> None:
    class Once(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, given: torch.Tensor) -> torch.Tensor:
            ctx.save_for_backward(given)
            return given**3

        @staticmethod
        @torch.autograd.function.once_differentiable
        def backward(  # pyright: ignore[reportIncompatibleMethodOverride]
            ctx: Any, *slopes: Any
        ) -> Any:
            return slopes[0] * 3 * ctx.saved_tensors[0] ** 2

    def once(given: torch.Tensor) -> torch.Tensor:
        return Once.apply(given) + more * given**2

    assert found(call("torch.pow", made(2, 3), wrong=once), "gradient") == []


@pytest.mark.parametrize(
    "known",
    [
        call("torch.relu", torch.tensor([0.0, -1.0, 2.0])),
        call("torch.prod", torch.tensor([0.0, 1.5, 2.0])),
        call("torch.pow", torch.tensor([0.0, 2.0]), 2),
        call("torch.nn.functional.huber_loss", torch.tensor([1.0, 3.0]), torch.zeros(2)),
        call("torch.linalg.slogdet", made(3, 3)),
        call("torch.nn.functional.layer_norm", made(2, 3), [3], made(3), made(3)),
        call("torch.linalg.vector_norm", torch.zeros(3)),
        call("torch.Tensor.bfloat16", made(3)),
        call("torch.nn.init.constant_", made(3), 0.5),
        call("torch.nn.init.constant", made(3), 0.5),
        LiveCall("torch.nn.Linear", torch.nn.Linear, [3, 2], {}, [made(4, 3)]),
    ],
    ids=lambda known: known.api,
)
def test_gradients_say_nothing_of_right_double_backwards(known: LiveCall) -> None:
    assert found(known, "gradient") == []


def test_documentation_finds_silent_acceptance() -> None:
    api, given = "torch.svd_lowrank", made(5, 5)
    outcome, disagreements = judge_call(call(api, given, 2, -1), TORCH, (), ["documentation"])
    assert (outcome.status, len(disagreements)) == (SUCCESS, 1)
    assert disagreements[0].rule == STATUS
    assert disagreements[0].expected.status == EXCEPTION
    assert found(call(api, given, 2, 1), "documentation") == []


def test_documentation_knows_the_parameters_of_layers() -> None:
    api, given = "torch.nn.CrossEntropyLoss", [made(2, 3), torch.tensor([0, 1])]
    layer = torch.nn.CrossEntropyLoss
    wrong = LiveCall(api, layer, [], {"label_smoothing": -1.0}, given)
    assert found(wrong, "documentation") == [("documentation", STATUS)]
    right = LiveCall(api, layer, [], {"label_smoothing": 0.1}, given)
    assert found(right, "documentation") == []


@pytest.mark.parametrize("row", RANGES, ids=lambda row: f"{row.api}-{row.parameter}")
def test_documentation_says_what_is_quoted(row: Any) -> None:
    assert row.quote in " ".join(TORCH.function(row.api).__doc__.split())


def test_relations_find_the_target_that_differs() -> None:
    relation = Relation("torch.relu", "torch.clamp", "torch.clamp(input, min=0)", VALUE)
    other = Relation("torch.exp", "torch.expm1", "torch.expm1(input)", VALUE)
    right = call("torch.relu", made(4))
    assert found(right, VALUE, (relation, other)) == []
    wrong = call("torch.relu", made(4), wrong=off_by_one(torch.relu))
    assert found(wrong, VALUE, (relation,)) == [(VALUE, VALUE)]


def test_errors_disagree_with_nothing_but_internal_assertions() -> None:
    outcome, disagreements = judge_call(call("torch.add", made(2), made(3)), TORCH)
    assert (outcome.status, disagreements) == (EXCEPTION, [])

    def asserting(*_: Any) -> None:
        raise RuntimeError("false INTERNAL ASSERT FAILED at here, please report a bug")

    wrong = call("torch.add", made(2), made(2), wrong=asserting)
    assert [item.rule for item in judge_call(wrong, TORCH)[1]] == [CRASH]


@pytest.mark.parametrize(
    ("api", "arguments"),
    [
        ("torch.empty", [(64,)]),
        ("torch.empty_like", [torch.zeros(64)]),
        ("torch.rand", [3]),
        ("torch.bernoulli", [torch.full((1,), 0.5)]),
        ("torch.nn.functional.dropout", [torch.ones(2)]),
        ("torch.Tensor.normal_", [torch.zeros(2)]),
    ],
)
def test_random_and_unwritten_results_disagree_with_nothing(api: str, arguments: Any) -> None:
    wrong = call(api, *arguments)
    assert found(wrong) == []


def test_random_weights_of_a_layer_are_no_draw() -> None:
    class Wrong(torch.nn.Linear):
        def forward(self, input: torch.Tensor) -> torch.Tensor:  # noqa: A002
            return super().forward(input) + (input.dtype == torch.float64)

    assert found(LiveCall("torch.nn.Linear", torch.nn.Linear, [3, 2], {}, [made(3)])) == []
    wrong = LiveCall("torch.nn.Linear", Wrong, [3, 2], {}, [made(3)])
    assert found(wrong) == [("float64", VALUE)]


@pytest.mark.parametrize("alpha", [float("nan"), float("inf")])
def test_a_plain_number_that_is_no_number_leaves_the_value_open(alpha: float) -> None:
    alone = torch.tensor(-1.5)
    empty = (torch.zeros(1, 0), torch.zeros(0, 1))
    assert found(call("torch.addmm", alone, *empty, alpha=alpha)) == []


def test_nested_tensors_have_no_shape_to_be_asked_for() -> None:
    nested = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)])
    assert not may_write(call("torch.Tensor.add_", nested, 1), torch.ones(2))


def test_arguments_are_left_as_they_were() -> None:
    given = made(3)
    kept = given.clone()
    judge_call(call("torch.Tensor.exp_", given), TORCH)
    assert torch.equal(given, kept)


def test_what_a_disagreement_is_related_to_does_not_depend_on_values() -> None:
    wrong = off_by_one(torch.logsumexp)
    said = {
        judge_call(call("torch.logsumexp", made(2, 3, seed=seed), 1, wrong=wrong), TORCH)[1][
            0
        ].related
        for seed in range(3)
    }
    assert said == {"torch._refs.logsumexp(self, dim, keepdim)"}


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_cuda_says_nothing_without_a_gpu() -> None:
    wrong = call("torch.exp", made(3), wrong=off_by_one(torch.exp))
    assert found(wrong, "cuda") == []


def test_oracles_are_known_by_name() -> None:
    assert set(CHEAP) < set(ORACLES)
    assert {oracle for oracle, _, _ in EXEMPT} <= {*ORACLES, "*", "ties"}
    with pytest.raises(KeyError):
        judge_call(call("torch.exp", made(3)), TORCH, (), ["no such oracle"])
