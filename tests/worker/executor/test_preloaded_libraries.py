"""What guests may have imported before the project, and when nothing may be."""

import pytest

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
        "import os\nos.environ['OMP_NUM_THREADS'] = '4'\nimport torch\n",
        "import os\nos.environ.setdefault('TORCH_LOGS', 'all')\nimport torch\n",
        "import os\nos.environ.update(settings)\nimport torch\n",
        "from os import environ\nenviron['A'] = 'b'\nimport torch\n",
        "import os\nenv = os.environ\nimport torch\n",
        "import os\nos.putenv('A', 'b')\nimport torch\n",
        "from dotenv import load_dotenv\nload_dotenv()\nimport torch\n",
        "import sys\nsys.modules['flash_attn'] = None\nimport torch\n",
        "import sys\nsys.meta_path.insert(0, Finder())\nimport torch\n",
        "import helpers\nimport torch\n",
    ],
)
def test_nothing_is_imported_first_where_the_project_may_change_the_import(text):
    texts = {"app.py": text, "helpers.py": "import os\nos.environ['A'] = 'b'\n"}
    assert preloaded_libraries("app.py", texts) is None


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
