"""What guests may have imported before the project, and when nothing may be."""

import pytest

from worker.executor import preloaded_libraries as preloaded_libraries_module
from worker.executor.preloaded_libraries import preloaded_libraries


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import torch\n", {"torch"}),
        ("import torch.nn.functional as F\nfrom torch import nn\n", {"torch"}),
        ("from scipy.signal import welch\nimport numpy as np\n", {"scipy.signal", "numpy"}),
        ("import json, PIL.Image\n", {"PIL.Image"}),
        ("import boto3\nfrom google.cloud import vision\n", set()),
        ("def f():\n    import torch\n", set()),
        ("try:\n    import torch\nexcept ImportError:\n    torch = None\n", set()),
        ("if TYPE_CHECKING:\n    import torch\n", set()),
        (
            "import os\nKEY = os.environ['KEY']\nimport torch\n",
            {"torch"},
        ),
        ("import os\nos.environ['OMP_NUM_THREADS'] = '4'\nimport torch\n", {"torch"}),
        (
            "import os\nos.environ.setdefault('CUDA_VISIBLE_DEVICES', '0')\nimport torch\n",
            {"torch"},
        ),
        (
            "import sys, torch\nfrom importlib.util import module_from_spec\n"
            "module = module_from_spec(spec)\nsys.modules[spec.name] = module\n",
            {"torch"},
        ),
        ("import os, torch\ncall(env={**os.environ, 'A': 'b'})\n", {"torch"}),
        ("import os, torch\nenv = os.environ.copy()\n", {"torch"}),
        ("import sys, torch\nload(sys.modules[__name__])\n", {"torch"}),
        ("import sys, torch\nsys.modules[__name__] = Lazy()\n", {"torch"}),
        ("import sys, torch\nsys.modules[f'{__name__}.old'] = new\n", {"torch"}),
        ("import sys, torch\nif sys.modules[name] == torch: pass\n", {"torch"}),
        ("import torch\nfrom einops import rearrange\n", {"torch", "einops", "torch._dynamo"}),
        ("import torch\nfrom torch import optim\n", {"torch", "torch._dynamo"}),
        ("import einx\n", set()),
        ("this is no Python\n", set()),
    ],
)
def test_slow_libraries_of_the_top_level_are_imported_first(text, expected):
    assert preloaded_libraries("app.py", {"app.py": text}) == expected


@pytest.mark.parametrize(
    "text",
    [
        "import os\nos.environ['TORCH_LOGS'] = 'all'\nimport torch\n",
        "import os\nos.environ.setdefault('TORCH_LOGS', 'all')\nimport torch\n",
        "import os\nos.environ.update(settings)\nimport torch\n",
        "from os import environ\nenviron['A'] = 'b'\nimport torch\n",
        "import os\nenv = os.environ\nimport torch\n",
        "import os\nos.putenv('A', 'b')\nimport torch\n",
        "from dotenv import load_dotenv\nload_dotenv()\nimport torch\n",
        "import sys\nsys.modules['flash_attn'] = None\nimport torch\n",
        "import sys\nsys.modules[name] = stub\nimport torch\n",
        "import sys\nsys.modules.pop('torch', None)\nimport torch\n",
        "import sys\ndel sys.modules['torch']\nimport torch\n",
        "import sys\nloaded = sys.modules\nimport torch\n",
        "import sys\nsys.meta_path.insert(0, Finder())\nimport torch\n",
        "import helpers\nimport torch\n",
    ],
)
def test_nothing_is_imported_first_where_the_project_may_change_the_import(text):
    texts = {"app.py": text, "helpers.py": "import os\nos.environ['A'] = 'b'\n"}
    assert preloaded_libraries("app.py", texts) == set()


def test_libraries_of_the_projects_own_modules_count():
    texts = {
        "app.py": "from pkg import models\nfrom .beside import g\n",
        "beside.py": "import pandas\n",
        "pkg/__init__.py": "import numpy\n",
        "pkg/models.py": "import torch\nfrom . import layers\n",
        "pkg/layers.py": "import torchvision\n",
        "other.py": "import sklearn\n",
    }
    found = preloaded_libraries("app.py", texts)
    assert found == {"pandas", "numpy", "torch", "torchvision"}


@pytest.mark.parametrize("own", ["torch.py", "torch/__init__.py", "src/torch/nn.py"])
def test_modules_of_the_project_are_no_libraries(own):
    assert preloaded_libraries("app.py", {"app.py": "import torch\n", own: ""}) == set()


def test_hidden_libraries_are_not_imported():
    assert preloaded_libraries("app.py", {"app.py": "import torch\n"}, ("torch",)) == set()


def test_package_around_a_file_says_whether_the_compiler_is_drawn():
    texts = {"net/__init__.py": "from net.vq import VQ\n", "net/vq.py": "import einx\n"}
    texts["net/utils.py"] = "import torch\n"
    assert preloaded_libraries("net/utils.py", texts) == {"torch", "torch._dynamo"}


def _many_files(last: str) -> dict[str, str]:
    names = [f"m{n}" for n in range(preloaded_libraries_module.MOST_FILES + 5)]
    texts = {f"src/net/{name}.py": "import torch\n" for name in names}
    texts["src/net/__init__.py"] = "".join(f"from . import {name}\n" for name in names)
    texts["src/net/m0.py"] = last
    texts["src/net/tests/test_net.py"] = "import os\nos.environ['TORCH_LOGS'] = 'all'\n"
    return texts


def test_large_package_is_read_whole_for_what_changes_an_import():
    found = preloaded_libraries("src/net/__init__.py", _many_files("import numpy\n"))
    assert "torch" in found
    deciding = _many_files("import os\nos.environ['TORCH_LOGS'] = 'all'\n")
    assert preloaded_libraries("src/net/__init__.py", deciding) == set()
