"""What is told of old idioms, and what is not."""

from __future__ import annotations

import ast
import textwrap

import pytest

from analyzers.criteria import is_written
from analyzers.properties import removed
from analyzers.vocabulary import Finding, Level, Reason, Target


class TextsBench:
    """A project's texts, and nothing else."""

    def __init__(self, files: dict[str, str]) -> None:
        self._files = files

    def source(self, path: str) -> str:
        return self._files[path]

    def paths(self) -> list[str]:
        return list(self._files)


def found(code: str, function: str = "f", **others: str) -> list[Finding]:
    """The findings under one function of ``a.py``."""
    source = textwrap.dedent(code).lstrip("\n")
    lines = (1, source.count("\n") + 1)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef) and node.name == function:
            lines = (node.lineno, node.end_lineno)
    target = Target("a.py", function, *lines, Reason.CHANGED, ())
    texts = {name.replace("_txt", ".txt").replace("_py", ".py"): t for name, t in others.items()}
    return list(removed.findings(target, TextsBench({"a.py": source, **texts})))


def names(code: str, function: str = "f", **others: str) -> list[str]:
    return [finding.evidence["name"] for finding in found(code, function, **others)]


NUMPY = """
    import numpy as np

    def f(x):
        return np.zeros(3, dtype=np.float)
"""


def test_finding_says_what_to_write():
    (finding,) = found(NUMPY)
    assert (finding.rule, finding.level) == ("property/removed-api", Level.WARNING)
    assert (finding.path, finding.line, finding.symbol) == ("a.py", 4, "a.py::f")
    assert (finding.analyzer, finding.probes) == ("properties", ())
    assert finding.evidence["replacement"] == "float"
    assert finding.evidence["since"] == "1.24"
    assert "NumPy 1.24" in finding.message
    assert "`float`" in finding.message
    source = textwrap.dedent(NUMPY)
    assert is_written(finding.criterion, source)
    assert not is_written(finding.criterion, source.replace("np.float", "float"))


@pytest.mark.parametrize(
    ("before", "use", "after"),
    [
        (
            "import numpy as np",
            "np.zeros(1, np.float) + np.float(2)",
            "np.zeros(1, float) + float(2)",
        ),
        ("import numpy as np", "np.product(x)", "np.prod(x)"),
        ("import numpy", "numpy.AxisError", "numpy.exceptions.AxisError"),
        ("import jax", "jax.tree_map(g, x)", "jax.tree.map(g, x)"),
        ("import jax.numpy as jnp", "jnp.in1d(x, x)", "jnp.isin(x, x)"),
        (
            "from keras.layers import Dense",
            "Dense(output_dim=3, init='normal')",
            None,
        ),
        ("from keras.layers import Dense", "Dense(output_dim=3)", "Dense(units=3)"),
        (
            "from keras.models import Model",
            "Model(input=x, outputs=x)",
            "Model(inputs=x, outputs=x)",
        ),
        ("from PIL import Image", "x.resize(2, Image.ANTIALIAS)", "x.resize(2, Image.LANCZOS)"),
        ("import torchvision.transforms as T", "T.Scale(3)", "T.Resize(3)"),
        ("from keras import backend as K", "K.set_image_dim_ordering('tf')", None),
        ("import tensorflow as tf", "tf.placeholder(tf.float32)", None),
        ("import tensorflow as tf", "tf.log(x)", "tf.math.log(x)"),
        ("import tensorflow as tf", "tf.contrib.layers.flatten(x)", None),
        ("import torch", "torch.rfft(x, 1)", None),
        ("import torch", "torch.fft(x, 1)", None),
        ("from torch.autograd import Variable", "Variable(x, volatile=True)", None),
        ("import scipy.misc", "scipy.misc.imresize(x, 2)", None),
        ("import jax", "jax.ops.index_update(x, 0, 1)", None),
    ],
)
def test_use_in_the_function(before, use, after):
    told = found(f"{before}\n\ndef f(x):\n    return {use}\n")
    assert told
    suggestion = told[0].suggestion
    if after is None:
        assert suggestion is None or len(told) > 1
    else:
        assert suggestion is not None
        assert (suggestion.start_line, suggestion.end_line) == (4, 4)
        assert suggestion.replacement == f"    return {after}"


@pytest.mark.parametrize(
    ("line", "after"),
    [
        (
            "from keras.layers.convolutional import Conv2D",
            "from keras.layers import Conv2D",
        ),
        ("from keras.utils import np_utils", "from keras import utils as np_utils"),
        (
            "from keras.utils.np_utils import to_categorical",
            "from keras.utils import to_categorical",
        ),
        (
            "from keras.layers.normalization import BatchNormalization as B",
            "from keras.layers import BatchNormalization as B",
        ),
        ("from keras.layers.merge import concatenate", "from keras.layers import concatenate"),
        ("from numpy import product", "from numpy import prod as product"),
        ("from numpy import float", None),
        ("from keras.layers import Dense, merge", None),
        (
            "from sklearn.cross_validation import train_test_split",
            "from sklearn.model_selection import train_test_split",
        ),
        ("from sklearn.externals import joblib", None),
        ("import jax.experimental.stax as stax", None),
        ("from jax.experimental.maps import xmap", None),
    ],
)
def test_import_is_the_files(line, after):
    (finding,) = found(f"{line}\n\ndef f(x):\n    return 1\n")
    assert (finding.symbol, finding.line) == ("a.py::<module>", 1)
    assert (finding.suggestion.replacement if finding.suggestion else None) == after


def test_attribute_of_a_layer():
    code = """
        from keras.layers import Dense

        def f(x):
            layer = Dense(3)
            return layer(x), layer.W
    """
    (finding,) = found(code)
    assert finding.evidence["name"] == "keras.layers.Dense().W"
    assert finding.suggestion.replacement == "    return layer(x), layer.kernel"


def test_same_name_twice_is_one_finding_with_its_lines():
    (finding,) = found("import numpy as np\ndef f(x):\n    a = np.int(x)\n    return np.int(a)\n")
    assert finding.evidence["lines"] == [3, 4]


def test_other_functions_are_other_targets():
    code = NUMPY + "\n    def g(x):\n        return np.int(x)\n"
    assert names(code) == ["numpy.float"]
    assert names(code, "g") == ["numpy.int"]


def test_main_block_is_its_own_target():
    code = "import numpy as np\n\ndef f(x):\n    return x\n\n"
    code += "if __name__ == '__main__':\n    np.int(1)\n"
    assert names(code) == []
    assert [each.symbol for each in found(code, "__main__")] == ["a.py::__main__"]


# --------------------------------------------------------------------- traps


@pytest.mark.parametrize(
    "code",
    [
        "import numpy as np\ndef f(x): return np.float64(x), np.bool_(x), np.bool(x)",
        "import mine as np\ndef f(x): return np.float(x)",
        "def f(np): return np.float(1)",
        "import numpy as np\ndef f(x):\n    np = x\n    return np.float(1)",
        "from .numpy import float as number\ndef f(x): return number(x)",
        "import torch\ndef f(x): return torch.svd(x), torch.qr(x), torch.fft.fft(x)",
        "import torch\ndef f(x): return torch.nn.functional.upsample(x)",
        "import tensorflow.compat.v1 as tf\ndef f(x): return tf.placeholder(x)",
        "import tensorflow as tf\ndef f(x): return tf.compat.v1.placeholder(x)",
        "import tensorflow as tf\ntf = tf.compat.v1\ndef f(x): return tf.placeholder(x)",
        "import jax\ndef f(x): return jax.tree_util.tree_map(f, x)",
        "from keras.layers import Dense\ndef f(x): return Dense(3, kernel_initializer='normal')",
        "from keras.layers import Conv2D as C\ndef f(x): return mine(init=3)",
        "def f(x):\n    return x.W",
        "import numpy as np\ndef f(x): return 'np.float'  # np.float",
        "import numpy as np\nnp.float = float\ndef f(x): return np.float(x)",
        "import numpy as np\nsetattr(np, 'float', float)\ndef f(x): return np.float(x)",
    ],
)
def test_what_is_there_is_not_told(code):
    assert names(code) == []


@pytest.mark.parametrize(
    "code",
    [
        "try:\n    from keras.layers import merge\nexcept ImportError:\n    merge = None\n"
        "def f(x): return merge(x)",
        "try:\n    from keras.layers import add\nexcept ImportError:\n"
        "    from keras.layers import merge as add\ndef f(x): return add(x)",
        "import numpy as np\ndef f(x):\n    try:\n        return np.float(x)\n"
        "    except AttributeError:\n        return float(x)",
        "import numpy as np\ndef f(x): return np.float(x) if hasattr(np, 'float') else float(x)",
        "import numpy as np\ndef f(x):\n    if np.__version__ < '2':\n        return np.float(x)",
        "import torch\ndef f(x):\n    if hasattr(torch, 'linalg'):\n        return 1\n"
        "    return torch.symeig(x)",
        "import numpy as np\nOLD = hasattr(np, 'float') and np.float\ndef f(x): return x",
        "import keras\nif keras.__version__ < '2':\n    from keras.layers import merge\n"
        "def f(x): return x",
    ],
)
def test_guarded_uses_are_not_told(code):
    assert names(code) == []


@pytest.mark.parametrize(
    "code",
    [
        "import torch\nTORCH = tuple(map(int, torch.__version__.split('.')[:2]))\n"
        "NEW = TORCH > (1, 8)\n"
        "def f(x):\n    return x if NEW else torch.symeig(x)",
        "import torch\ntry:\n    from torch.linalg import solve\nexcept ImportError:\n"
        "    solve = None\ndef f(x):\n    if solve is not None:\n        return solve(x)\n"
        "    return torch.solve(x)",
        "import torch\ndef old():\n    return torch.__version__ < '1.8'\n"
        "def f(x):\n    if old():\n        return torch.symeig(x)\n    return x",
    ],
)
def test_names_that_know_versions_guard(code):
    assert names(code) == []


def test_versions_of_another_file_guard():
    code = (
        "import torch\nfrom compat import NEW\ndef f(x):\n    return x if NEW else torch.symeig(x)"
    )
    assert names(code, compat_py="import torch\nNEW = hasattr(torch, 'linalg')\n") == []
    assert names(code, compat_py="NEW = True\n") == ["torch.symeig"]


def test_pinned_projects_are_left_alone():
    assert names(NUMPY, requirements_txt="numpy==1.19.5\n") == []
    assert names(NUMPY, requirements_txt="numpy>=1.19\n") == ["numpy.float"]
    assert names(NUMPY, requirements_txt="tensorflow==1.15\n") == []


def test_a_module_of_the_project_is_not_the_library():
    assert names(NUMPY, numpy_py="float = int\n") == []


def test_what_another_file_puts_back_is_not_told():
    assert names(NUMPY, compat_py="import numpy as np\nnp.float = float\n") == []


def test_legacy_keras_is_left_alone():
    code = "from keras.layers.core import Dense\n\ndef f(x):\n    return x\n"
    assert names(code) == ["keras.layers.core"]
    assert names(code, main_py="os.environ['TF_USE_LEGACY_KERAS'] = '1'\n") == []


def test_python_2_is_nobodys_business_here():
    target = Target("a.py", "f", 1, 2, Reason.CHANGED, ())
    assert list(removed.findings(target, TextsBench({"a.py": "import numpy\nprint 'x'\n"}))) == []
