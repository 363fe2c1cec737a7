"""Executions that a project's code makes relevant (they may gate), or that it declares (advice)."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from analyzers.inference.facts import parse_module
from analyzers.models.model_classes import KERAS, full_name

DEFAULT = ("eager", "onednn-off", "decompositions", "onnxruntime")
TESTS = re.compile(
    r"(?:^|/)(?:tests?|testing|benchmarks?)/|(?:^|/)(?:test_[^/]*|conftest|[^/]*_test)\.py$"
)
_DECLARING = re.compile(
    r"(?:^|/)(?:pyproject\.toml|setup\.(?:py|cfg)|Pipfile|environment\.ya?ml"
    r"|[\w.-]*requirements[\w.-]*(?:/[\w.-]+)?\.(?:txt|in))$"
)
_PACKAGES = {
    "onnxruntime": "onnxruntime",
    "onnx": "onnxruntime",
    "onnxscript": "onnxruntime",
    "optimum": "onnxruntime",
    "openvino": "openvino",
}
_QUICK = ("eager", "onednn-off", "channels-last", "bfloat16", "float16")
"""Executions that take milliseconds, and so run first."""
_INSTEAD = {"onnxruntime": "onnxruntime-torchscript"}
"""What need not run where a project uses something else for the same."""
_KERAS_BACKENDS = ("torch", "jax", "numpy", "tensorflow")
_KERAS_PACKAGES = {name: f"keras-{name}" for name in ("torch", "jax", "tensorflow")}
_KERAS_BACKEND = re.compile(
    rf"KERAS_BACKEND[\"']?\s*[:=]\s*[\"']?(?P<name>{'|'.join(_KERAS_BACKENDS)})\b"
)
_HALF = ("torch.float16", "torch.half")
_CAPTURES = {
    "torch.jit.trace": "jit-trace",
    "torch.jit.script": "jit-script",
    "torch.export.export": "export",
}


@dataclass(frozen=True, slots=True)
class ExecutionUse:
    """A place where a project uses an execution, as it is told."""

    path: str
    line: int
    text: str

    def __str__(self) -> str:
        """``torch.onnx.export`` (export.py:12)."""
        return f"`{self.text}` ({self.path}:{self.line})" if self.line else f"{self.text}"


@dataclass(frozen=True, slots=True)
class Relevance:
    """The executions to run, quickest first: ``uses`` gate, ``declared`` advise."""

    executions: tuple[str, ...]
    uses: Mapping[str, ExecutionUse]
    declared: Mapping[str, ExecutionUse]

    def use(self, execution: str) -> ExecutionUse | None:
        """Return where the project uses an execution, or the mathematics that it compares."""
        return self.uses.get(execution)


def relevance(texts: Mapping[str, str], framework: str) -> Relevance:
    """Return what is relevant for a model of a framework, by the project's texts."""
    uses: dict[str, ExecutionUse] = {}
    for path, text in texts.items():
        if path.endswith(".py") and not TESTS.search(path):
            for execution, use in _used(path, text):
                uses.setdefault(execution, use)
    if framework == KERAS:
        uses = {**dict(_configured(texts)), **uses}
        ours = {name: use for name, use in uses.items() if name.startswith("keras-")}
        backends = tuple(f"keras-{name}" for name in _KERAS_BACKENDS)
        return Relevance(backends, ours, dict(_declared(texts, _KERAS_PACKAGES)))
    declared = dict(_declared(texts, _PACKAGES))
    ours = {name: use for name, use in uses.items() if not name.startswith("keras-")}
    quick = [name for name in _QUICK if name in DEFAULT or name in ours]
    others = [name for name in DEFAULT if _INSTEAD.get(name, "") not in ours]
    chosen = [*quick, *ours, *others]
    ours.setdefault("eager", ExecutionUse("", 0, "the model as it is"))
    return Relevance(tuple(dict.fromkeys([*chosen, *declared])), ours, declared)


def _used(path: str, text: str) -> Iterator[tuple[str, ExecutionUse]]:
    if not any(word in text for word in _WORDS):
        return
    tree = parse_module(text)
    if tree is None:
        return
    for node in ast.walk(tree):
        for execution, said in _uses(node, tree):
            yield execution, ExecutionUse(path, getattr(node, "lineno", 0), said)


_WORDS = (
    "onnx", "compile", "half", "bfloat16", "float16", "autocast", "cuda", "channels_last",
    "openvino", "KERAS_BACKEND", "set_backend", "trace", "script", "export",
)  # fmt: skip


def _uses(node: ast.AST, tree: ast.Module) -> Iterator[tuple[str, str]]:
    if isinstance(node, ast.Call):
        yield from _called(node, tree)
    elif isinstance(node, ast.Import | ast.ImportFrom):
        module = (node.module or "") if isinstance(node, ast.ImportFrom) else ""
        for name in (module, *(each.name for each in node.names)):
            execution = _PACKAGES.get(name.partition(".")[0])
            if execution is not None and name.partition(".")[0] in ("onnxruntime", "openvino"):
                yield execution, f"import {name.partition('.')[0]}"
    elif isinstance(node, ast.Assign) and any(
        "KERAS_BACKEND" in ast.unparse(target) for target in node.targets
    ):
        yield from _backend(node.value)


def _called(node: ast.Call, tree: ast.Module) -> Iterator[tuple[str, str]]:
    written = ast.unparse(node.func)
    name = full_name(tree, written)
    method = written.rpartition(".")[2]
    if name in ("torch.onnx.export", "torch.onnx.dynamo_export"):
        yield _exporter(node), "torch.onnx.export"
    elif name in _CAPTURES:
        yield _CAPTURES[name], name
    elif name == "torch.compile" or (method == "compile" and _is_module_compile(node)):
        yield "inductor", "torch.compile"
    elif name.startswith("openvino.") or name == "torch.export.openvino":
        yield "openvino", name
    elif name.endswith("autocast") and "enabled=False" not in ast.unparse(node):
        half = any(each in ast.unparse(node) for each in _HALF)
        yield ("float16" if half else "bfloat16"), name
    elif method in ("half", "bfloat16", "cuda") and not node.args and "." in written:
        yield {"half": "float16"}.get(method, method), f".{method}()"
    elif method == "to":
        yield from _moved(node)
    elif method in ("set_backend", "putenv") or name == "os.environ.setdefault":
        yield from _backend(*(node.args[-1:] if "BACKEND" in ast.unparse(node) else node.args[:1]))


def _exporter(node: ast.Call) -> str:
    for keyword in node.keywords:
        if keyword.arg == "dynamo" and isinstance(keyword.value, ast.Constant):
            return "onnxruntime" if keyword.value.value else "onnxruntime-torchscript"
    return "onnxruntime"


def _is_module_compile(node: ast.Call) -> bool:
    return not node.args and {each.arg for each in node.keywords} <= {
        "mode", "fullgraph", "dynamic", "backend", "options"
    } and bool(node.keywords)  # fmt: skip


def _moved(node: ast.Call) -> Iterator[tuple[str, str]]:
    said = ast.unparse(node)
    given = [*node.args, *(each.value for each in node.keywords)]
    for each in given:
        text = ast.unparse(each)
        if isinstance(each, ast.Constant) and str(each.value).startswith("cuda"):
            yield "cuda", said[-40:]
        elif text in _HALF:
            yield "float16", f".to({text})"
        elif text == "torch.bfloat16":
            yield "bfloat16", f".to({text})"
        elif text == "torch.channels_last":
            yield "channels-last", f".to(memory_format={text})"


def _backend(*values: ast.expr) -> Iterator[tuple[str, str]]:
    for value in values:
        if isinstance(value, ast.Constant) and value.value in _KERAS_BACKENDS:
            yield f"keras-{value.value}", f"KERAS_BACKEND={value.value}"


def _declared(
    texts: Mapping[str, str], packages: Mapping[str, str]
) -> Iterator[tuple[str, ExecutionUse]]:
    for path, text in _declaring(texts):
        for package, execution in packages.items():
            found = re.search(
                rf"(?m)(?:^|[\s\"'\[,]){package}(?:-gpu|\[[\w,-]*\])?(?![\w.-])", text
            )
            if found is not None:
                yield execution, ExecutionUse(path, _line(text, found.start() + 1), package)


def _configured(texts: Mapping[str, str]) -> Iterator[tuple[str, ExecutionUse]]:
    for path, text in _declaring(texts):
        for found in _KERAS_BACKEND.finditer(text):
            name = found["name"]
            yield (
                f"keras-{name}",
                ExecutionUse(path, _line(text, found.start()), f"KERAS_BACKEND={name}"),
            )


def _declaring(texts: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    return ((path, text) for path, text in texts.items() if _DECLARING.search(path))


def _line(text: str, place: int) -> int:
    return text.count("\n", 0, place) + 1
