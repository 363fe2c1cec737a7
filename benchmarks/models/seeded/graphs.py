"""What a wrong exporter writes: changes of a node of a graph of ONNX."""

from __future__ import annotations

from typing import Any

from onnx import helper, numpy_helper


def _attribute(node: Any, name: str) -> Any:
    return next((each for each in node.attribute if each.name == name), None)


def _set(node: Any, name: str, value: Any) -> None:
    old = _attribute(node, name)
    if old is not None:
        node.attribute.remove(old)
    node.attribute.append(helper.make_attribute(name, value))


def _numbers(graph: Any, name: str) -> Any:
    for each in graph.initializer:
        if each.name == name:
            return numpy_helper.to_array(each).copy()
    for node in graph.node:
        if name in node.output and node.op_type == "Constant":
            return numpy_helper.to_array(node.attribute[0].t).copy()
    return None


def _input(graph: Any, node: Any, index: int, numbers: Any) -> None:
    """Let an input of a node be other numbers."""
    name = f"{node.input[index]}_wrong_{len(graph.initializer)}"
    graph.initializer.append(numpy_helper.from_array(numbers, name))
    node.input[index] = name


def pads_shifted(_graph: Any, node: Any) -> None:
    """What is padded before is padded behind."""
    pads = list(_attribute(node, "pads").ints)
    if any(pads):
        half = len(pads) // 2
        more = [each + 1 for each in pads[half:]]
        _set(node, "pads", [*(max(0, each - 1) for each in pads[:half]), *more])


def pads_one_sided(_graph: Any, node: Any) -> None:
    """An even window begins one before the image, and the last column is in none."""
    pads = list(_attribute(node, "pads").ints)
    half = len(pads) // 2
    _set(node, "pads", [*(each + 1 for each in pads[:half]), *pads[half:]])


def beta_lost(_graph: Any, node: Any) -> None:
    """The bias has the factor zero."""
    _set(node, "beta", 0.0)


def alpha_off(_graph: Any, node: Any) -> None:
    """The product has a factor that is a little more than one."""
    _set(node, "alpha", 1.0001)


def default_epsilon(_graph: Any, node: Any) -> None:
    """``epsilon`` is not the layer's own."""
    _set(node, "epsilon", 1e-3 if _attribute(node, "epsilon").f < 5e-4 else 1e-5)


def inputs_swapped(_graph: Any, node: Any) -> None:
    """The last two inputs change places."""
    node.input[-1], node.input[-2] = node.input[-2], node.input[-1]


def axis_before(_graph: Any, node: Any) -> None:
    """The axis is one too low."""
    axis = _attribute(node, "axis").i
    _set(node, "axis", axis - 1 if axis < 0 else max(0, axis - 1))


def softsign(_graph: Any, node: Any) -> None:
    """Another function of that shape."""
    node.op_type = "Softsign"


def mean_for_max(_graph: Any, node: Any) -> None:
    """The mean instead of the largest."""
    node.op_type = "ReduceMean"


def difference_for_sum(_graph: Any, node: Any) -> None:
    """The second is taken away."""
    node.op_type = "Sub"


def gelu_by_tanh(_graph: Any, node: Any) -> None:
    """The approximation by tanh."""
    _set(node, "approximate", "tanh")


def rows_shifted(graph: Any, node: Any) -> None:
    """A table's rows begin one later."""
    numbers = _numbers(graph, node.input[0])
    if numbers is not None and numbers.ndim == 2:
        _input(graph, node, 0, numbers[[0, *range(len(numbers) - 1)]])


def channel_bias_lost(graph: Any, node: Any) -> None:
    """The last element of the bias is zero."""
    numbers = _numbers(graph, node.input[2]) if len(node.input) > 2 else None
    if numbers is not None:
        numbers[-1] = 0.0
        _input(graph, node, 2, numbers)


def weights_rounded(graph: Any, node: Any) -> None:
    """Weights are stored in float16."""
    numbers = _numbers(graph, node.input[1])
    if numbers is not None:
        _input(graph, node, 1, numbers.astype("float16").astype("float32"))


def bound_moved(graph: Any, node: Any) -> None:
    """The lower bound is a hundredth higher."""
    numbers = _numbers(graph, node.input[1])
    if numbers is not None:
        _input(graph, node, 1, numbers + numbers.dtype.type(0.01))


def pixels_asymmetric(_graph: Any, node: Any) -> None:
    """Coordinates are those of an older opset."""
    _set(node, "coordinate_transformation_mode", "asymmetric")


def pads_counted(_graph: Any, node: Any) -> None:
    """Padding counts where it does not, and the other way round."""
    old = _attribute(node, "count_include_pad")
    _set(node, "count_include_pad", 0 if old is not None and old.i else 1)


def reset_before(_graph: Any, node: Any) -> None:
    """The reset gate is applied before the product, as Keras and not as torch has it."""
    old = _attribute(node, "linear_before_reset")
    _set(node, "linear_before_reset", 0 if old is not None and old.i else 1)


def slope_default(_graph: Any, node: Any) -> None:
    """The slope is ONNX's default."""
    _set(node, "alpha", 0.01)
