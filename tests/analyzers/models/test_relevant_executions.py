"""Which executions a project's code and declared packages make relevant."""

import pytest

from analyzers.models.relevant_executions import relevance


def uses(code, path="run.py"):
    found = relevance({path: f"import torch\n{code}\n"}, "torch")
    return {name: str(use) for name, use in found.uses.items() if name != "eager"}


@pytest.mark.parametrize(
    ("code", "execution"),
    [
        ("torch.onnx.export(m, x, 'm.onnx')", "onnxruntime"),
        ("torch.onnx.export(m, x, 'm.onnx', dynamo=True)", "onnxruntime"),
        ("torch.onnx.export(m, x, 'm.onnx', dynamo=False)", "onnxruntime-torchscript"),
        ("from torch.onnx import export\nexport(m, x, 'm.onnx')", "onnxruntime"),
        ("import onnxruntime as ort", "onnxruntime"),
        ("torch.jit.trace(m, x)", "jit-trace"),
        ("torch.jit.script(m)", "jit-script"),
        ("from torch.export import export\nexport(m, (x,))", "export"),
        ("fast = torch.compile(m)", "inductor"),
        ("m.compile(mode='max-autotune')", "inductor"),
        ("from openvino import Core", "openvino"),
        ("m.half()", "float16"),
        ("m.to(torch.bfloat16)", "bfloat16"),
        ("with torch.autocast('cuda', dtype=torch.float16): pass", "float16"),
        ("m.cuda()", "cuda"),
        ("m.to(device='cuda:0')", "cuda"),
        ("m.to(memory_format=torch.channels_last)", "channels-last"),
    ],
)
def test_code_that_runs_models_otherwise(code, execution):
    assert set(uses(code)) == {execution}


@pytest.mark.parametrize(
    "code",
    [
        "m.compile(optimizer='adam', loss='mse')",
        "re.compile('x')",
        "y = x.half_life()",
        "m.to('cpu')",
        "# torch.onnx.export(m, x)",
        "@torch.autocast('cuda', enabled=False)\ndef f(): pass",
    ],
)
def test_code_that_only_looks_like_it(code):
    assert uses(code) == {}


def test_tests_of_the_project_make_nothing_relevant():
    assert uses("torch.compile(m)", "tests/test_net.py") == {}


def test_places_are_told():
    assert uses("fast = torch.compile(m)") == {"inductor": "`torch.compile` (run.py:2)"}


def test_declared_packages_advise():
    texts = {"pyproject.toml": '[project]\ndependencies = [\n "torch", "onnxruntime>=1.20"]\n'}
    found = relevance(texts, "torch")
    assert "onnxruntime" not in found.uses
    assert str(found.declared["onnxruntime"]) == "`onnxruntime` (pyproject.toml:3)"


@pytest.mark.parametrize("line", ["onnxruntime-extensions", "my-onnx", "onnx-simplifier==1"])
def test_other_packages_are_others(line):
    assert "onnxruntime" not in relevance({"requirements.txt": f"{line}\n"}, "torch").declared


def test_what_is_quick_or_used_runs_first():
    assert relevance({"a.py": "import torch\ntorch.compile(m)"}, "torch").executions == (
        "eager",
        "onednn-off",
        "inductor",
        "decompositions",
        "onnxruntime",
    )
    older = relevance({"a.py": "import torch\ntorch.onnx.export(m, x, dynamo=False)"}, "torch")
    assert "onnxruntime" not in older.executions


def test_keras_models_run_on_backends():
    found = relevance({"a.py": "import os\nos.environ['KERAS_BACKEND'] = 'jax'"}, "keras")
    assert found.executions == ("keras-torch", "keras-jax", "keras-numpy", "keras-tensorflow")
    assert set(found.uses) == {"keras-jax"}


def test_backends_of_a_configuration_gate_and_declared_ones_advise():
    text = """[project]
dependencies = ["keras", "torch>=2", "numpy"]
[project.optional-dependencies]
tpu = ["jax"]
[tool.pytest_env]
KERAS_BACKEND = "numpy"
"""
    found = relevance({"pyproject.toml": text}, "keras")
    assert {name: use.line for name, use in found.uses.items()} == {"keras-numpy": 6}
    assert {name: use.line for name, use in found.declared.items()} == {
        "keras-torch": 2,
        "keras-jax": 4,
    }
