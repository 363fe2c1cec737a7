"""Functions that use a deep-learning framework."""

from __future__ import annotations

import textwrap

import pytest

from analyzers.catalogue import load_catalogue
from analyzers.detection import detect
from analyzers.vocabulary import ChangeSet, Reason
from tests.analyzers.detection.detection_cases import changed, everything

NET = """
    import torch
    import torch.nn.functional as F
    from torch import nn

    from settings import WIDTH
    from sizes import half

    class Block(nn.Module):
        scale = 2

        def __init__(self, width):
            super().__init__()
            self.conv = nn.Conv2d(3, width, 3)
            self.act = nn.ReLU()

        def __repr__(self):
            return "Block"

        def forward(self, x):
            return self.act(self.conv(x))

        def doubled(self, x):
            return self.forward(x) * self.scale

    class Head(Block):
        def last(self, x):
            return self.act(x)

    def build():
        return Block(WIDTH)

    def pooled(x):
        return F.avg_pool2d(x, half(4))

    def name(path):
        return path.split("/")[-1]

    def outer(x):
        def inner(y):
            return torch.relu(y)
        return inner(x)

    if __name__ == "__main__":
        print(build())
"""
FILES = {
    "net.py": textwrap.dedent(NET),
    "settings.py": "WIDTH = 8\nTITLE = 'net'\n",
    "sizes.py": "def half(n):\n    return n // 2\n",
}


def after(path: str, old: str, new: str) -> dict[str, Reason]:
    assert old in FILES[path]
    head = FILES | {path: FILES[path].replace(old, new)}
    return {target.function: target.reason for target in changed(FILES, head).targets}


def apis(files: dict[str, str]) -> dict[str, tuple[str, ...]]:
    return {target.function: target.apis for target in everything(files).targets}


def alone(code: str) -> dict[str, tuple[str, ...]]:
    return apis({"a.py": textwrap.dedent(code)})


# ------------------------------------------------------------ what is named


def test_everything_that_uses_a_framework_is_a_target():
    assert apis(FILES) == {
        "Block.__init__": ("torch.nn.Conv2d", "torch.nn.ReLU"),
        "Block.forward": ("torch.nn.Conv2d", "torch.nn.ReLU"),
        "Block.doubled": ("torch.nn.Conv2d", "torch.nn.ReLU"),
        "Head.last": ("torch.nn.ReLU",),
        "build": ("torch.nn.Conv2d", "torch.nn.ReLU"),
        "pooled": ("torch.nn.functional.avg_pool2d",),
        "outer": ("torch.relu",),
        "__main__": ("torch.nn.Conv2d", "torch.nn.ReLU"),
    }


def test_target_has_no_goals_and_the_files_of_its_callees():
    found = {target.function: target for target in everything(FILES).targets}
    pooled = found["pooled"]
    assert (pooled.goals, pooled.files) == ((), ("net.py", "sizes.py"))
    assert [(c.function, c.line) for c in found["outer"].calls] == [("outer.<locals>.inner", 41)]
    assert (found["build"].line, found["build"].end_line) == (30, 31)


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("from torch.nn import functional as f\ndef g(x): return f.relu(x)", "functional.relu"),
        ("from torch.nn.modules.conv import Conv2d\ndef g(): return Conv2d(1, 2, 3)", "Conv2d"),
        ("import torch\ndef g(x: torch.Tensor): return x.view(1)", "Tensor.view"),
        ("import torch\ndef g(x: 'torch.Tensor | None'): return x.view(1)", "Tensor.view"),
        ("import torch.nn as n\nnet = n.Linear(1, 2).eval()\ndef g(x): return net(x)", "Linear"),
        ("def g(x):\n    import torch\n    return torch.abs(x)", "abs"),
        ("import torch\ndef g(x):\n    f = torch.nn.GELU()\n    return f(x)", "GELU"),
        (
            "import torch\nfrom torch import nn\n"
            "def g(x, act=nn.ELU):\n    layer = act()\n    return layer(x)",
            "ELU",
        ),
    ],
)
def test_names_are_canonical(code, names):
    (found,) = alone(code)["g"]
    assert found.startswith("torch.")
    assert found.endswith(names)


def test_methods_of_unknown_values_have_no_name():
    code = """
        import torch

        def step(model, x: torch.Tensor):
            x = model(x)
            torch.abs(x)
            return x.view(1), model.fit(x)
    """
    assert alone(code) == {"step": ("torch.abs",)}


def test_attribute_of_unknown_value_is_no_method_of_the_base():
    code = """
        from torch import nn

        class Net(nn.Module):
            def __init__(self, inner):
                super().__init__()
                self.inner = inner

            def forward(self, x):
                return self.inner(x), self.parameters()
    """
    assert alone(code)["Net.forward"] == ("torch.nn.Module.parameters",)


def test_keras_and_jax_are_frameworks():
    code = """
        import jax.numpy as jnp
        from tensorflow import keras
        from tensorflow.keras.layers import Dense

        def a(x):
            return jnp.sum(x)

        def b():
            return keras.Sequential([Dense(1)])
    """
    assert alone(code) == {
        "a": ("jax.numpy.sum",),
        "b": ("tensorflow.keras.Sequential", "tensorflow.keras.layers.Dense"),
    }


# --------------------------------------------------------- what is no target


@pytest.mark.parametrize(
    "code",
    [
        "import numpy as np\ndef f(x): return np.sum(x)",
        "def f(torch): return torch.relu(1)",
        "import torch\ndef f(x): return x + 1",
        "import torch\ndef f(x): ...",
        "import torch\nx = torch.zeros(3)",
        "import torch\nfrom abc import abstractmethod\n"
        "class A(torch.nn.Module):\n    @abstractmethod\n    def f(self): return 1",
        "import os\n\ndef f(x):\n    '''uses torch'''\n    return os.path.join(x)",
    ],
)
def test_what_touches_nothing_is_no_target(code):
    assert alone(code) == {}


@pytest.mark.parametrize("path", ["tests/net.py", "conftest.py", "setup.py", "test_net.py"])
def test_tests_and_set_up_are_no_targets(path):
    code = "import torch\nimport pytest\n\ndef test_it():\n    assert torch.zeros(1) == 0\n"
    assert apis({path: code}) == {}


def test_copied_library_is_no_target():
    code = "import torch\n\ndef f(x):\n    return torch.relu(x)\n"
    names = ("numpy", "requests", "six")
    assert apis({f"lib/{name}/__init__.py": code for name in names}) == {}


def test_numbers_count_beside_a_framework():
    numbers = "import numpy as np\n\ndef mean(x):\n    return np.mean(x)\n"
    user = "import torch\nimport numbers_\n\ndef f(x):\n    return torch.relu(x)\n"
    assert "mean" not in apis({"numbers_.py": numbers, "b.py": user.replace("import numbers_", "")})
    assert "mean" in apis({"numbers_.py": numbers, "b.py": user})
    assert "mean" in apis({"a.py": numbers + "\n#@arg(x): ints()\ndef f(x):\n    return x\n"})


# ---------------------------------------------------------------- the change


def test_changed_function_is_a_target():
    assert after("net.py", "x, half(4)", "x, half(6)") == {"pooled": Reason.CHANGED}


@pytest.mark.parametrize(
    ("path", "old", "new", "functions"),
    [
        ("net.py", "scale = 2", "scale = 3", {"Block.doubled"}),
        ("net.py", "nn.ReLU()", "nn.ELU()", {"Block.__init__", "Block.forward", "Head.last"}),
        ("net.py", "torch.relu(y)", "torch.abs(y)", {"outer"}),
        ("net.py", "print(build())", "print(build(), 1)", {"__main__"}),
        ("settings.py", "WIDTH = 8", "WIDTH = 9", {"build"}),
    ],
)
def test_users_of_what_changed_are_targets(path, old, new, functions):
    assert after(path, old, new) == dict.fromkeys(functions, Reason.CHANGED)


def test_changed_class_head_changes_all_methods():
    found = after("net.py", "class Head(Block)", "class Head(Block, object)")
    assert found == {"Head.last": Reason.CHANGED}


def test_changed_function_that_one_with_tensors_calls_is_a_target_and_so_is_its_caller():
    found = after("sizes.py", "n // 2", "n / 2")
    assert found == {"half": Reason.CHANGED, "pooled": Reason.CALLS_CHANGED}


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("net.py", 'split("/")[-1]', 'split("/")[-2]'),
        ("net.py", 'return "Block"', 'return "block"'),
        ("net.py", "def build():\n", "def build():\n    # a comment\n"),
        ("settings.py", "TITLE = 'net'", "TITLE = 'nets'"),
    ],
)
def test_harmless_change_selects_nothing(path, old, new):
    assert after(path, old, new) == {}


def test_new_file_and_package_reexport():
    base = {"pkg/__init__.py": "from .sizes import half\n", "pkg/sizes.py": FILES["sizes.py"]}
    head = base | {"use.py": "import torch\nimport pkg\ndef f(): return torch.zeros(pkg.half(2))\n"}
    assert [target.id for target in changed(base, head).targets] == ["use.py::f"]
    altered = head | {"pkg/sizes.py": FILES["sizes.py"].replace("//", "/")}
    found = {target.id: target.reason for target in changed(head, altered).targets}
    assert found == {"pkg/sizes.py::half": Reason.CHANGED, "use.py::f": Reason.CALLS_CHANGED}


# ------------------------------------------------------------- annotations

ANNOTATED = """
#@arg(n): ints(min=1)
def f(n):
    return n + 1

#@generator
def small():
    return 1

#@arg(n): objs(small)
def g(n):
    return n

#@exclude
#@arg(n): ints()
def h(n):
    return n

def plain(n):
    return n
"""


def test_annotated_functions_are_targets():
    assert set(apis({"a.py": ANNOTATED})) == {"f", "g"}


def test_changed_annotation_is_a_change():
    head = ANNOTATED.replace("min=1", "min=0")
    assert [t.function for t in changed({"a.py": ANNOTATED}, {"a.py": head}).targets] == ["f"]


def test_changed_generator_makes_what_it_draws_for_a_target():
    head = ANNOTATED.replace("return 1\n", "return 2\n")
    (target,) = changed({"a.py": ANNOTATED}, {"a.py": head}).targets
    assert (target.function, target.reason) == ("g", Reason.CALLS_CHANGED)


def test_broken_annotation_is_a_target_and_other_words_are_none():
    assert set(alone("#@arg(n): nonsense(\ndef f(n): return n")) == {"f"}
    assert alone("#@returns: something good\ndef f(n): return n") == {}
    assert alone("# @param n: a number\ndef f(n): return n") == {}


@pytest.mark.parametrize(
    ("code", "function"),
    [
        ("#@module_test\nx = 1\nprint(x)\n", "<module>"),
        ("#@module_test\nif __name__ == '__main__':\n    print(1)\n", "__main__"),
    ],
)
def test_module_test_makes_main_code_a_target(code, function):
    assert set(apis({"a.py": code})) == {function}


# ------------------------------------------------------------- with others


def test_function_that_does_both_is_one_target():
    code = """
        import boto3
        import torch

        def gate(image):
            answer = boto3.client("rekognition").detect_labels(Image=image)
            if answer["Labels"][0]["Confidence"] > 80:
                return torch.zeros(1)
            return None
    """
    (target,) = everything({"a.py": textwrap.dedent(code)}).targets
    assert target.apis == ("aws.rekognition.detect_labels", "torch.zeros")
    assert len(target.goals) == 2


def named(*ids: str):
    numbers = {"n.py": "import numpy as np\ndef mean(x): return np.mean(x)\n"}
    changes = ChangeSet("repository", "base", None, (), FILES | numbers, {})
    return detect(changes, load_catalogue(), only=ids)


def test_named_functions_are_the_only_targets():
    found = named("net.py::outer.<locals>.inner", "net.py::build", "n.py::mean")
    assert [target.id for target in found.targets] == [
        "n.py::mean",
        "net.py::build",
        "net.py::outer",
    ]
    assert found.skipped == ()


def test_named_function_without_ml_is_skipped_with_a_reason():
    found = named("net.py::name", "net.py::nowhere", "gone.py::f")
    assert found.targets == ()
    assert {entry.target for entry in found.skipped} == {
        "net.py::name",
        "net.py::nowhere",
        "gone.py::f",
    }
    assert all("no ML call" in entry.reason for entry in found.skipped)


def test_unparsable_file_is_skipped_once():
    found = changed({}, {"a.py": "import torch\nprint 'x'\n", "b.py": "import torch\nimport a\n"})
    assert [entry.target for entry in found.skipped] == ["a.py"]


def test_recursion_and_circles_end():
    code = """
        import torch
        from torch import nn

        class A(nn.Module):
            def __init__(self, b=None):
                self.b = b or B(self)
                self.c = self.b.a

            def forward(self, x):
                return self.b(self.c(x))

        class B(A):
            def __init__(self, a):
                self.a = a.b

        class C(C): pass

        def f(x):
            y = x = f(x)
            return f(y) + torch.zeros(1)
    """
    assert "f" in alone(code)


HELPERS = """
    import torch

    def smoothed(x, eps=1e-5):
        return (x + eps) / x.sum(dim=-1, keepdim=True)

    def split(x, ops):
        return ops.split(x, 2, axis=-1)

    def first(words):
        return words.split()[0]
"""


def found_in(source):
    found = everything({"helpers.py": textwrap.dedent(source)})
    return {target.function for target in found.targets}


def test_method_of_tensors_makes_a_helper_a_target():
    assert found_in(HELPERS) == {"smoothed", "split"}


def test_method_of_tensors_tells_nothing_without_a_framework():
    assert not found_in(HELPERS.replace("import torch", "import math"))


@pytest.mark.parametrize("said", ["tensor, pattern", "x: Tensor, pattern", "x: 'np.ndarray'"])
def test_parameter_that_is_an_array_by_its_name_or_type_makes_a_target(said):
    code = f"""
        from backends import backend_of

        def turned({said}):
            return backend_of(1).turn(2)

        def words(pattern):
            return pattern.split()
    """
    files = {"ops.py": textwrap.dedent(code), "backends.py": "import torch\nimport ops\n"}
    assert {target.function for target in everything(files).targets} == {"turned"}


LAYERS = """
    import torch
    from torch import nn

    class Scale(nn.Module):
        def __init__(self):
            super().__init__()

        def forward(self, x):
            return x * 2

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.ModuleList([nn.ModuleList([Scale()])])

        def forward(self, x):
            for (layer,) in self.layers:
                x = layer(x)
            return x

    def _smoothed(x):
        return x.mean(dim=-1)

    def smooth(x):
        return _smoothed(x)

    if __name__ == "__main__":
        print(Model()(torch.ones(2)))
"""


@pytest.mark.parametrize(
    ("old", "new", "inner", "outer"),
    [
        ("x * 2", "x * 3", "Scale.forward", "Model.forward"),
        ("dim=-1", "dim=0", "_smoothed", "smooth"),
    ],
)
def test_code_that_exercises_what_changed_comes_behind_it(old, new, inner, outer):
    base = {"net.py": textwrap.dedent(LAYERS)}
    head = {"net.py": base["net.py"].replace(old, new)}
    reasons = {each.function: each.reason for each in changed(base, head).targets}
    assert list(reasons.items()) == [(inner, Reason.CHANGED), (outer, Reason.CALLS_CHANGED)]


BASES = """
    import torch
    from torch import nn

    class Loss(nn.Module):
        def __init__(self, reduction="mean"):
            super().__init__()
            self.reduction = reduction

        def forward(self, x, target):
            loss = self._of(x)
            return loss.sum() / target.size(0)

        def _of(self, x):
            return self.loss(x)
"""
SQUARES = """
    from losses import Loss

    class Squares(Loss):
        def loss(self, x):
            return x.square()

    class Halves(Squares):
        pass

    class Plain(Squares):
        def forward(self, x, target):
            return x
"""


@pytest.mark.parametrize("loss", ["", "raise NotImplementedError"])
def test_method_that_its_class_cannot_run_is_tested_as_subclasses_inherit_it(loss):
    bases, squares = textwrap.dedent(BASES), textwrap.dedent(SQUARES)
    bases += f"\n    def loss(self, x):\n        {loss}\n" if loss else ""
    base = {"losses.py": bases, "squares.py": squares}
    head = base | {"losses.py": bases.replace("size(0)", "size(0) + 1")}
    found = changed(base, head).targets
    expected = [f"squares.py::{name}.forward" for name in ("Halves", "Squares")]
    assert sorted(each.id for each in found) == expected
    assert {each.reason for each in found} == {Reason.CALLS_CHANGED}
    assert all("losses.py" in each.files for each in found)
    lines = {each.function: (each.line, each.end_line) for each in found}
    assert lines["Squares.forward"] == (4, 6)


def test_method_that_its_class_can_run_stays_the_target():
    bases = textwrap.dedent(BASES) + "\n    def loss(self, x):\n        return x\n"
    base = {"losses.py": bases, "squares.py": textwrap.dedent(SQUARES)}
    head = base | {"losses.py": bases.replace("size(0)", "size(0) + 1")}
    ids = [each.id for each in changed(base, head).targets if each.reason is Reason.CHANGED]
    assert ids == ["losses.py::Loss.forward"]


def test_method_that_a_base_class_calls_is_run_by_what_the_class_inherits():
    base = {"losses.py": textwrap.dedent(BASES), "squares.py": textwrap.dedent(SQUARES)}
    head = base | {"squares.py": base["squares.py"].replace("x.square()", "x.square() * 2")}
    reasons = {each.id: each.reason for each in changed(base, head).targets}
    assert reasons["squares.py::Squares.forward"] is Reason.CALLS_CHANGED


def test_inherited_method_can_be_named():
    sources = {"losses.py": textwrap.dedent(BASES), "squares.py": textwrap.dedent(SQUARES)}
    changes = ChangeSet("repository", "base", None, (), sources, {})
    found = detect(changes, load_catalogue(), only=["squares.py::Halves.forward"]).targets
    assert [each.id for each in found] == ["squares.py::Halves.forward"]


APPLIED = """
    import torch
    from torch.autograd import Function

    class Double(Function):
        @staticmethod
        def forward(ctx, x):
            return x + x

    class Quadruple(Double):
        @staticmethod
        def forward(ctx, x):
            return super().forward(ctx, x) * 2

    def double(x):
        return Double.apply(x)
"""


def test_function_of_autograd_is_run_by_what_applies_it():
    before = textwrap.dedent(APPLIED)
    after = before.replace("x + x", "2 * x")
    found = changed({"net.py": before}, {"net.py": after}).targets
    assert [(each.function, each.reason) for each in found] == [
        ("Double.forward", Reason.CHANGED),
        ("double", Reason.CALLS_CHANGED),
    ]


def test_changes_of_a_numerical_project_are_compared_with_base():
    code = "import numpy as np\n\ndef mean(x):\n    return np.mean(x)\n"
    base = {f"numbers/part{number}.py": code for number in range(8)}
    head = base | {"numbers/part3.py": code.replace("np.mean", "np.median")}
    assert [each.id for each in changed(base, head).targets] == ["numbers/part3.py::mean"]
    assert not everything(head).targets
    small = dict(list(head.items())[3:])
    assert not changed({path: base[path] for path in small}, small).targets


def test_documented_arrays_are_numbers_though_the_code_names_none():
    text = '''def mean(x, metric, **given):
    """Mean of matrices.

    Parameters
    ----------
    x : ndarray, shape (n, n)
    """
    return metric(x, **given)
'''
    code = f"import numpy as np\nEYE = np.eye(2)\n\n{text}"
    base = {f"numbers/part{number}.py": code for number in range(8)}
    head = base | {"numbers/part3.py": code.replace("**given", "*given")}
    assert [each.id for each in changed(base, head).targets] == ["numbers/part3.py::mean"]
    base = {path: each.replace("ndarray", "text") for path, each in base.items()}
    head = {path: each.replace("ndarray", "text") for path, each in head.items()}
    assert not changed(base, head).targets


MEASURES = """
def dice(pred, target):
    inter = (pred * target).sum()
    return 2 * inter / (pred.sum() + target.sum()).clamp(min=1)


def mean(x, mask):
    total = x * mask
    return total.mean() / mask


def warn(logger, text):
    logger.log(1, text)
    return text.split(",")
"""


def test_function_that_calls_methods_of_tensors_needs_no_import_beside_a_framework():
    head = FILES | {"measures.py": MEASURES}
    lost = MEASURES.replace(".clamp(min=1)", "").replace("/ mask", "/ (mask + 1)")
    found = changed(head, head | {"measures.py": lost.replace('","', '";"')}).targets
    assert {target.function for target in found} == {"dice", "mean"}


def test_helper_of_another_library_is_none_of_ours():
    head = FILES | {"measures.py": "import pandas\n" + MEASURES}
    assert not changed(head, head | {"measures.py": head["measures.py"] + "\n# more\n"}).targets
    lost = head["measures.py"].replace(".clamp(min=1)", "")
    assert not changed(head, head | {"measures.py": lost}).targets
