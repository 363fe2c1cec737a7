"""How a program runs ``layer`` on ``inputs``, for each execution that a reader can repeat."""

from __future__ import annotations

from typing import Dict

_DECOMPOSED = """
from torch._decomp import decomposition_table
from torch.utils._python_dispatch import TorchDispatchMode


class Decomposing(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        rule = decomposition_table.get(func)
        found = rule(*args, **(kwargs or {})) if rule else NotImplemented
        return func(*args, **(kwargs or {})) if found is NotImplemented else found


with torch.no_grad(), Decomposing():
    found = layer(*inputs)"""

_ONNX = """
import onnxruntime

{export}
session = onnxruntime.InferenceSession("layer.onnx", providers=["CPUExecutionProvider"])
names = [each.name for each in session.get_inputs()]
found = session.run(None, {{name: each.numpy() for name, each in zip(names, inputs)}})"""

_LOW = """
def low(value):
    return value.to("cuda", torch.{dtype}) if value.is_floating_point() else value.cuda()


with torch.no_grad():
    found = layer.to("cuda", torch.{dtype})(*map(low, inputs)).cpu()"""

RUNNING: Dict[str, str] = {
    "eager": "with torch.no_grad():\n    found = layer(*inputs)",
    "onednn-off": (
        "with torch.no_grad(), torch.backends.mkldnn.flags(enabled=False):\n"
        "    found = layer(*inputs)"
    ),
    "decompositions": _DECOMPOSED,
    "inductor": "with torch.no_grad():\n    found = torch.compile(layer)(*inputs)",
    "onnxruntime": _ONNX.format(
        export='torch.onnx.export(layer, inputs, dynamo=True).save("layer.onnx")'
    ),
    "onnxruntime-torchscript": _ONNX.format(
        export='torch.onnx.export(layer, inputs, "layer.onnx", dynamo=False, opset_version=17)'
    ),
    "channels-last": (
        "format = torch.channels_last\n"
        "with torch.no_grad():\n"
        "    given = [x.to(memory_format=format) if x.dim() == 4 else x for x in inputs]\n"
        "    found = layer.to(memory_format=format)(*given)"
    ),
    "cuda": (
        "with torch.no_grad():\n    found = layer.cuda()(*[each.cuda() for each in inputs]).cpu()"
    ),
    "bfloat16": _LOW.format(dtype="bfloat16"),
    "float16": _LOW.format(dtype="float16"),
}
"""By name of the execution."""
