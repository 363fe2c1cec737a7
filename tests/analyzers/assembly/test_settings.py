"""Where a value may be set: not in tests, and not where it is looked at."""

import pytest

from analyzers.assembly.value_settings import FunctionParameter, settings

EPS = FunctionParameter("Net", "eps", 1)
CONFIG = FunctionParameter("Net", "config", 0)


@pytest.mark.parametrize(
    ("path", "text", "says"),
    [
        ("train.py", 'parser.add_argument("--eps", type=float)\n', "--eps"),
        ("train.py", '@click.option("--eps")\ndef main(eps): ...\n', "--eps"),
        ("train.py", 'main = click.option("--eps", type=float)(run)\n', "--eps"),
        ("conf.py", "@dataclass\nclass Model:\n    eps: float = 1e-5\n", "Model.eps"),
        ("conf.py", "class NetConfig:\n    eps: float = 1e-5\n", "NetConfig.eps"),
        ("net.yaml", "model:\n  eps: 1e-5\n", "eps: 1e-5"),
        ("net.toml", "[model]\neps = 1e-5\n", "eps = 1e-5"),
        ("net.json", '{\n  "eps": 1e-5\n}\n', '"eps": 1e-5'),
    ],
)
def test_places_where_a_value_is_set(path, text, says):
    assert [each.says for each in settings(CONFIG, {path: text}, field="eps")] == [says]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("train.py", 'parser.add_argument("--eps", type=positive)\n'),
        ("train.py", 'parser.add_argument("--eps", choices=[1e-5, 1e-6])\n'),
        ("train.py", 'parser.add_argument("--eps", type=float)\nassert args.eps > 0\n'),
        ("tests/train.py", 'parser.add_argument("--eps", type=float)\n'),
        ("broken.py", "def eps(\n"),
        ("plain.py", "class Plain:\n    eps: float = 1e-5\n"),
        ("net.yaml", "steps: 3\nsome_eps: 1\n"),
        ("notes.md", "eps: 3\n"),
    ],
)
def test_places_that_set_nothing(path, text):
    assert settings(CONFIG, {path: text}, field="eps") == ()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("net = Net(4, eps=options.eps)\n", "Net(eps=options.eps)"),
        ("net = Net(options.dim, options.epsilon)\n", "Net(options.dim, options.epsilon)"),
        ("net = Net(**options)\n", "Net(**options)"),
        ("net = models.Net(4, eps=float(c['eps']))\n", "Net(eps=float(c['eps']))"),
        ("net = Net(4, c.get('eps', 1))\n", "Net(4, c.get('eps', 1))"),
        ("def main(eps):\n    Net(4, eps)\n\nfire.Fire(main)\n", "Net(4, eps)"),
        ("@app.command()\ndef main(eps):\n    Net(4, eps)\n", "Net(4, eps)"),
    ],
)
def test_calls_that_give_a_value_from_elsewhere(text, says):
    (found,) = settings(EPS, {"train.py": text})
    assert (found.says, found.passed) == (says, True)


@pytest.mark.parametrize(
    "text",
    [
        "net = Net(4, eps=1e-6)\n",
        "net = Net(4, -1e-6)\n",
        "EPS = 1e-6\nnet = Net(4, eps=EPS if fast else 2 * EPS)\n",
        "net = Net(**{'dim': 4, 'eps': 1e-6})\n",
        "net = Net(options.dim)\n",
        "net = Net(*options.sizes, 4)\n",
        "net = Other(4, eps=options.eps)\n",
        "def build(eps=1e-6):\n    return Net(4, eps)\n",
        "class Outer:\n    def __init__(self, eps=1e-6):\n        self.net = Net(4, eps)\n",
        "if options.epsilon <= 0:\n    raise ValueError\nnet = Net(4, options.epsilon)\n",
        "assert c['eps'] > 0\nnet = Net(4, c['eps'])\n",
        "net = Net(\n",
    ],
)
def test_calls_that_give_what_is_written_down_or_looked_at(text):
    assert settings(EPS, {"train.py": text}) == ()
    assert settings(EPS, {"tests/train.py": "net = Net(4, options.eps)\n"}) == ()


def test_class_that_has_the_field_comes_first():
    option = {"a.py": 'parser.add_argument("--eps", type=float)\n'}
    owner = {"b.py": "@dataclass\nclass Sizes:\n    eps: float = 1e-5\n"}
    found = settings(CONFIG, option | owner, field="eps")
    assert [each.says for each in found] == ["Sizes.eps", "--eps"]


def test_value_that_is_handed_on_is_set_where_it_comes_from():
    inner = {"net.py": "def build(dim, eps=1e-6):\n    return Net(dim, eps)\n"}
    outer = {"train.py": "build(4, options.eps)\n"}
    assert settings(EPS, inner | {"train.py": "build(4)\n"}) == ()
    assert [each.path for each in settings(EPS, inner | outer)] == ["train.py"]
    around = {"net.py": "def build(eps):\n    return build(eps), Net(4, eps)\n"}
    assert settings(EPS, around) == ()


def test_value_of_the_same_name_counts_once_it_is_given():
    option = {"train.py": 'parser.add_argument("--eps", type=float)\n'}
    given = {"main.py": "net = Net(4, eps=options.eps)\n"}
    assert settings(EPS, option) == ()
    assert [each.path for each in settings(EPS, option | given)] == ["train.py", "main.py"]
