"""Where a value may be set: not in tests, and not where it is looked at."""

import pytest

from analyzers.assembly.settings import settings


@pytest.mark.parametrize(
    ("path", "text", "says"),
    [
        ("train.py", 'parser.add_argument("--eps", type=float)\n', "--eps"),
        ("train.py", '@click.option("--eps")\ndef main(eps): ...\n', "--eps"),
        ("train.py", 'main = click.option("--eps", type=float)(run)\n', "--eps"),
        ("conf.py", "@dataclass\nclass Model:\n    eps: float = 1e-5\n", "Model.eps"),
        ("conf.py", "class NetConfig:\n    eps: float = 1e-5\n", "NetConfig.eps"),
        ("train.py", "net = Net(4, eps=options.eps)\n", "Net(eps=options.eps)"),
        ("train.py", "net = Net(**options)\n# eps\n", "Net(**options)"),
        ("net.yaml", "model:\n  eps: 1e-5\n", "eps: 1e-5"),
        ("net.toml", "[model]\neps = 1e-5\n", "eps = 1e-5"),
        ("net.json", '{\n  "eps": 1e-5\n}\n', '"eps": 1e-5'),
    ],
)
def test_places_where_a_value_is_set(path, text, says):
    assert [each.says for each in settings("eps", "Net", {path: text}, field=True)] == [says]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("train.py", "net = Net(4, eps=1e-6)\n"),
        ("train.py", "net = Other(4, eps=options.eps)\n"),
        ("train.py", 'parser.add_argument("--eps", type=positive)\n'),
        ("train.py", 'parser.add_argument("--eps", choices=[1e-5, 1e-6])\n'),
        ("train.py", 'parser.add_argument("--eps", type=float)\nassert args.eps > 0\n'),
        ("tests/train.py", 'parser.add_argument("--eps", type=float)\n'),
        ("test_net.py", "net = Net(4, eps=options.eps)\n"),
        ("broken.py", "def eps(\n"),
        ("plain.py", "class Plain:\n    eps: float = 1e-5\n"),
        ("net.yaml", "steps: 3\nsome_eps: 1\n"),
        ("notes.md", "eps: 3\n"),
    ],
)
def test_places_that_set_nothing(path, text):
    assert settings("eps", "Net", {path: text}, field=True) == ()


def test_value_of_the_same_name_counts_once_it_is_given():
    option = {"train.py": 'parser.add_argument("--eps", type=float)\n'}
    given = {"main.py": "net = Net(4, eps=options.eps)\n"}
    assert settings("eps", "Net", option) == ()
    assert [each.path for each in settings("eps", "Net", option | given)] == ["train.py", "main.py"]
