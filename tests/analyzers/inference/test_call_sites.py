"""Which calls of a project are known wholly, and the expressions that make them again."""

import pytest

from analyzers.inference.constraint_sources.call_sites import project_call_sites
from analyzers.inference.function_lookup import find_function

NET = """import torch


def taken(x, n=1):
    return x * n


class Best:
    def __init__(self, limit):
        self.limit = limit

    def update(self, x):
        return x
"""
BEGIN = "import torch\nimport pytest\nimport numpy as np\nfrom net import taken, Best\n"


def whole(code, function="taken", path="run.py"):
    sources = {"net.py": NET, path: BEGIN + code}
    subject = find_function("net.py", function, sources)
    assert subject is not None
    return [dict(each.recipes) for each in project_call_sites(subject) if each.recipes is not None]


@pytest.mark.parametrize(
    ("code", "recipes"),
    [
        ("taken([1, 2], n=3)", {"x": "[1, 2]", "n": "3"}),
        ("taken({'a': (1,)})", {"x": "{'a': (1,)}"}),
        (
            "taken(torch.arange(4, dtype=torch.float32).reshape(2, 2))",
            {"x": "tensor((2, 2), dtype='float32', seed=0, low=0, high=3)"},
        ),
        ("taken(torch.zeros(2, 3))", {"x": "tensor((2, 3), dtype='float32', fill=0)"}),
        (
            "if __name__ == '__main__':\n    taken(np.full((2,), 7, dtype=np.uint8))",
            {"x": "array((2,), dtype='uint8', fill=7)"},
        ),
        (
            "taken(torch.tensor([5, 1]))",
            {"x": "tensor((2,), dtype='int64', at={(0,): 5, (1,): 1})"},
        ),
        (
            "def step(y):\n    taken(y.reshape(-1))\nstep(torch.randint(0, 9, (4, 2)))",
            {"x": "tensor((8,), dtype='int64', seed=0, low=0, high=8)"},
        ),
        ("taken(Best)", {"x": "Best"}),
        ("def near(y):\n    return y\ntaken(near)", {"x": "imported('run.py', 'near')"}),
        (
            "class Own(Best):\n    pass\ntaken(Own(3))",
            {"x": "constructed('run.py', 'Own', 3)"},
        ),
        ("taken(torch.float32)", {"x": "imported('torch', 'float32')"}),
        (
            "taken(torch.nn.Sequential(torch.nn.ReLU()))",
            {"x": "constructed('torch.nn', 'Sequential', constructed('torch.nn', 'ReLU'))"},
        ),
    ],
)
def test_call_that_is_known_wholly(code, recipes):
    assert whole(code) == [recipes]


@pytest.mark.parametrize(
    "code",
    [
        "import sys\nfound = [0]\nfor each in sys.argv:\n    found.append(1)\ntaken(found)",
        "import sys\nfound = 0\nfor each in sys.argv:\n    found = found + 1\ntaken(found)",
        "import sys\nfound = [0]\nwhile sys.argv[found[-1]]:\n    found.append(1)\ntaken(found)",
    ],
)
def test_unknown_loops_leave_unknown_values(code):
    assert whole(code) == []


def test_last_batch_is_the_smaller_one():
    found = whole("for each in torch.rand(33, 8).split(16):\n    taken(each)")
    assert [each["x"].partition("), ")[0] for each in found] == ["tensor((16, 8", "tensor((1, 8"]


def test_method_has_the_instance_that_it_is_called_on():
    assert whole("from net import Best\nBest(limit=3).update(1)", "Best.update") == [
        {"x": "1", "self": "Best(limit=3)"}
    ]


def test_fixture_is_what_a_test_is_given():
    code = "@pytest.fixture\ndef x():\n    return [1]\n\ndef test_it(x):\n    taken(x)\n"
    assert whole(code, path="test_run.py") == [{"x": "[1]"}]


@pytest.mark.parametrize(
    "code",
    [
        "def f(y):\n    taken(y)",
        "with pytest.raises(ValueError):\n    taken(3)",
        "def helper(y):\n    taken(y)\nwith pytest.raises(ValueError):\n    helper(3)",
        "try:\n    taken(3)\nexcept ValueError:\n    pass",
        "import sys\nif sys.argv:\n    taken(3)",
        "@pytest.mark.xfail\ndef test_it():\n    taken(3)",
        "taken(torch.rand(3) * open('x').read())",
        "taken(torch.tensor([1, 2]) + 1)",
        "taken(object())",
    ],
)
def test_call_that_is_not_known_wholly_or_may_not_be_made(code):
    assert whole(code) == []


def test_call_among_open_parameters_is_known_but_for_what_is_optional():
    code = "def test_it(device):\n    taken(torch.zeros(2, device=device), n=device)"
    sources = {"net.py": NET, "test_run.py": BEGIN + code}
    (site,) = project_call_sites(find_function("net.py", "taken", sources))
    assert site.recipes is None
    assert site.likely == {"x": "tensor((2,), dtype='float32', fill=0)"}


DOCUMENTED = NET.replace(
    "def taken(x, n=1):\n",
    'def taken(x, n=1):\n    """Multiply.\n\n    Example:\n        >>> x = torch.zeros(2)\n'
    '        >>> taken(x, n=3)\n        tensor([0., 0.])\n    """\n',
)


def of_docstrings(text):
    subject = find_function("net.py", "taken", {"net.py": text})
    assert subject is not None
    return list(project_call_sites(subject))


@pytest.mark.parametrize(
    ("shown", "other"),
    [
        ("tensor([0., 0.])", "Traceback (most recent call last):\n        ValueError: n"),
        ("n=3)", "n=3)  # doctest: +SKIP"),
    ],
)
def test_example_that_raises_or_is_skipped_is_none(shown, other):
    assert not of_docstrings(DOCUMENTED.replace(shown, other))


def test_example_in_a_docstring_is_a_call():
    (site,) = of_docstrings(DOCUMENTED)
    assert site.recipes == {"x": "tensor((2,), dtype='float32', fill=0)", "n": "3"}
    assert site.where == "net.py:9"
