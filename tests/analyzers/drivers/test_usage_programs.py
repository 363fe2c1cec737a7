"""Programs by which a project says how it is used."""

import ast

import pytest

from analyzers.drivers.usage_programs import Kind, ProjectNames, drivers_of

NETS = '''
from torch import nn


class Net(nn.Module):
    """A net.

    >>> net = Net(4)
    >>> net(torch.zeros(2, 4)).shape
    torch.Size([2, 4])
    """
'''
README = """# Nets

```python
from nets import Net
net = Net(8)
```

Then:

```python
y = net(torch.randn(2, 8)).cuda()
```

```console
$ pip install nets
```
"""
TESTS = """
import pytest
import torch

from nets import Net


@pytest.fixture
def width():
    half = 4
    return 2 * half


@pytest.mark.parametrize(("rows", "flag"), [(1, True), (3, False)])
def test_shape(width, rows, flag):
    net = Net(width)
    with pytest.raises(ValueError):
        net(None)
    assert net(torch.zeros(rows, width)).shape == (rows, width)


def test_of_files(tmp_path):
    assert tmp_path
"""


def drivers(**texts):
    texts = {name.replace("__", "."): text for name, text in texts.items()}
    return list(drivers_of(texts, ProjectNames(texts)))


def test_blocks_of_documents_are_programs():
    first, second = drivers(README__md=README, nets__py=NETS.replace(">>>", "$"))
    assert (first.place, first.kind) == ("README.md:4", Kind.DOCUMENT)
    assert first.source == "from nets import Net\nnet = Net(8)"
    assert second.place == "README.md:11"
    assert "net = Net(8)\ny = net(torch.randn(2, 8))" in second.source
    assert "import torch\n" in second.source
    assert "cuda" not in second.source


def test_docstrings_are_programs_with_their_imports():
    (driver,) = drivers(nets__py=NETS)
    assert (driver.place, driver.kind) == ("nets.py:6", Kind.DOCSTRING)
    assert driver.source.split("\n") == [
        "from nets import Net",
        "import torch",
        "net = Net(4)",
        "net(torch.zeros(2, 4)).shape",
    ]


def test_tests_are_programs_with_their_fixtures_and_rows():
    first, second = drivers(test_nets__py=TESTS, nets__py="class Net: ...")
    assert (first.place, first.kind, first.fixed) == ("test_nets.py:15", Kind.TEST, 2)
    assert first.source.split("\n")[2:8] == [
        "half = 4",
        "width = 2 * half",
        "rows = 1",
        "flag = True",
        "net = Net(width)",
        "pass",
    ]
    assert "rows = 3" in second.source
    assert "pytest" not in first.source


@pytest.mark.parametrize("block", ["x = (", "", "...", "pip install nets"])
def test_what_is_no_program_is_left_out(block):
    assert drivers(README__md=f"```python\n{block}\n```\n") == []


def test_names_that_several_files_define_are_not_guessed():
    (driver,) = drivers(
        README__md="```python\nbuild(3)\n```\n",
        a__py="def build(x): ...",
        b__py="def build(x): ...",
    )
    assert driver.source == "build(3)"


def test_every_program_is_python():
    for driver in drivers(README__md=README, test_nets__py=TESTS, nets__py=NETS):
        ast.parse(driver.source)
