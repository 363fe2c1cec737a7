"""Programs by which a project says how it is used."""

import ast
import json
import re

import pytest

from analyzers.drivers.registered_names import registered_names, registered_programs
from analyzers.drivers.tests_as_programs import tables
from analyzers.drivers.usage_programs import Driver, Kind, ProjectNames, drivers_of

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
    words = set(re.findall(r"\w+", " ".join(texts.values())))
    return list(drivers_of(texts, ProjectNames(texts), words))


def test_values_are_compared_as_they_are_in_place_of_nearly():
    text = "from pytest import approx\nfrom nets import Net\n\n\ndef test_one():\n"
    text += "    assert Net(4).size == approx(3, abs=1)\n"
    (found,) = drivers(**{"tests/test_nets.py": text})
    assert found.source.endswith("assert Net(4).size == 3")


def test_texts_without_a_wanted_word_are_not_read():
    texts = {"README.md": README, "tests/test_nets.py": TESTS}
    found = drivers_of(texts, ProjectNames(texts), ["parametrize"])
    assert {each.place.split(":")[0] for each in found} == {"tests/test_nets.py"}


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
        "try:",
    ]
    assert "rows = 3" in second.source
    assert "pytest" not in first.source


STARTED = """import torch


def build(n):
    return n


if __name__ == "__main__":
    x = build(torch.ones(3))
    print(x)
"""


def test_what_a_file_does_when_it_is_started_is_a_program():
    (driver,) = drivers(build__py=STARTED)
    assert (driver.place, driver.kind) == ("build.py:8", Kind.EXAMPLE)
    assert driver.source.split("\n") == [
        "from build import build",
        "import torch",
        "x = build(torch.ones(3))",
        "print(x)",
    ]


def test_files_of_examples_and_notebooks_are_programs():
    cells = [
        {"cell_type": "code", "source": ["%pip install nets\n", "net = Net(2)\n"]},
        {"cell_type": "markdown", "source": ["Then"]},
        {"cell_type": "code", "source": "net.cuda()"},
    ]
    texts = {
        "examples/run.py": "from nets import Net\nnet = Net(1)",
        "notebooks/nets.ipynb": json.dumps({"cells": cells}),
        "nets.py": "class Net: ...",
    }
    example, notebook = drivers_of(texts, ProjectNames(texts), ["net", "Net"])
    assert (example.place, example.source) == ("examples/run.py:1", texts["examples/run.py"])
    assert notebook.place == "notebooks/nets.ipynb:1"
    assert notebook.source.split("\n")[0] == "from nets import Net"
    assert "cuda" not in notebook.source


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


CONFTEST = """
import pytest
from nets import Net

from .sizes import WIDTH


@pytest.fixture(params=[3, 5])
def depth(request):
    return request.param + 1


@pytest.fixture
def net(depth):
    made = Net(depth, WIDTH)
    yield made
    made.close()
"""


def programs(**texts):
    texts = {f"tests/{name}.py": text for name, text in texts.items()}
    return [each.source.split("\n") for each in drivers_of(texts, ProjectNames(texts), ["test"])]


def test_fixtures_of_conftest_and_relative_imports_work_as_under_pytest():
    test = "# a test\nfrom ..helpers import made\n\n\ndef test_made(net):\n    assert made(net)\n"
    found = programs(
        **{"__init__": "", "unit/__init__": "", "unit/conftest": CONFTEST, "unit/test_nets": test}
    )
    assert found == [
        [
            "from nets import Net",
            "from tests.unit.sizes import WIDTH",
            "from tests.helpers import made",
            "depth = 3 + 1",
            "made = Net(depth, WIDTH)",
            "net = made",
            "assert made(net)",
        ]
    ]


def test_fixture_that_options_of_pytest_decide_is_a_known_one():
    conftest = (
        "import pytest\n\n\n@pytest.fixture()\ndef device(device_name):\n    return device_name\n"
    )
    test = "# a test\ndef test_made(device):\n    assert made(device)\n"
    (found,) = programs(conftest=conftest, test_nets=test)
    assert found[-2:] == ["device = 'cpu'", "assert made(device)"]


CASE = """import torch
from nets import dense


class NetCase:
    def setUp(self):
        self.rows = 4

    def test_made(self):
        assert dense(self.create())(torch.ones(self.rows))
"""


def test_tests_that_a_class_inherits_are_programs():
    test = (
        "# a test\nfrom nets import Net\nfrom tests.case import NetCase\n\n\n"
        "class TestNet(NetCase):\n    def create(self):\n        return Net(3)\n"
    )
    (found,) = programs(case=CASE, test_nets=test)
    assert found[:4] == [
        "import torch",
        "from nets import dense",
        "from nets import Net",
        "from tests.case import NetCase",
    ]
    assert found[-3:] == [
        "self = TestNet()",
        "self.setUp()",
        "assert dense(self.create())(torch.ones(self.rows))",
    ]


def test_class_without_instances_has_no_programs():
    case = (
        "# a test\nimport abc\n\n\nclass Case:\n    @abc.abstractmethod\n    def create(self):\n"
        "        ...\n\n    def test_made(self):\n        assert self.create()\n"
    )
    real = "\n\nclass TestReal(Case):\n    def create(self):\n        return 1\n"
    assert programs(test_case=case) == []
    assert [each[-2] for each in programs(test_case=case + real)] == ["self = TestReal()"]


def test_parameter_that_names_what_a_fixture_loads_is_no_value():
    test = (
        "import pytest\n\n\n@pytest.mark.parametrize('data', ['far'], indirect=True)\n"
        "def test_made(data):\n    assert data\n"
    )
    assert programs(test_nets=test) == []


def test_helpers_beside_a_test_are_found():
    test = "# a test\nfrom kit import width\n\n\ndef test_it():\n    assert width()\n"
    (found,) = programs(kit="def width(): return 2", test_nets=test)
    assert found[:3] == ["import sys", "sys.path.insert(0, 'tests')", "from kit import width"]


CASES = {
    "tests/cases.py": "from nets import Fast, Slow\n\nNETS = [(Slow, 1), (Fast, 2), (Slow, 3)]\n",
    "tests/test_all.py": "import pytest\nfrom tests.cases import NETS\n\n\n"
    "@pytest.fixture\ndef rows(count=4):\n    return [count]\n\n\n"
    "@pytest.mark.parametrize('case', NETS)\ndef test_all(case, rows):\n"
    "    assert case[0](case[1])(rows)\n",
}


def test_table_of_cases_hides_what_a_test_uses():
    listed = tables(CASES, ["Fast"])
    assert listed == {"NETS": {1: "(Fast, 2)"}}
    first, last = drivers_of(CASES, ProjectNames(CASES), ["Fast"], listed)
    assert "case = list(NETS)[1]\ncount = 4\nrows = [count]" in first.source
    assert "case = list(NETS)[-1]" in last.source


def test_device_of_all_tests_is_the_cpu():
    texts = {
        "tests/test_net.py": "import torch\nfrom tests import TEST_DEVICE\n\n\n"
        "def test_net():\n    x = torch.ones(3, device=TEST_DEVICE)\n"
    }
    (driver,) = drivers_of(texts, ProjectNames(texts), ["ones"])
    assert "TEST_DEVICE = 'cpu'\nx = torch.ones(3, device=TEST_DEVICE)" in driver.source
    assert driver.fixed == 3


SUITE = """
import pytest
from net import Net


class Base:
    width = 3

    def made(self):
        return Net(self.width)

    def test_base(self):
        assert Net(1)


class TestNet(Base):
    @pytest.fixture(autouse=True)
    def prepared(self):
        self.net = self.made()

    @pytest.fixture
    def depth(self):
        return 2

    @pytest.mark.slow
    def helper(self):
        return 1

    def test_deep(self, depth):
        assert self.net(depth)

    @pytest.mark.parametrize("width", [1, 2])
    def test_refusals(self, width):
        with pytest.raises(ValueError, match="wide"):
            Net(width)
"""


def test_method_brings_of_its_suite_what_it_uses():
    texts = {"test_net.py": SUITE}
    base, deep, first, last, inherited = drivers_of(texts, ProjectNames({}), ["depth"])
    assert deep.source == (
        "from net import Net\nclass Base:\n    width = 3\n\n    def made(self):\n"
        "        return Net(self.width)\n\nclass TestNet(Base):\n\n    def helper(self):\n"
        "        return 1\nself = TestNet()\nself.net = self.made()\ndepth = 2\n"
        "assert self.net(depth)"
    )
    assert deep.fixed == 3
    assert first.source == last.source.replace("width = 2", "width = 1")
    assert inherited.source.endswith("self.net = self.made()\nassert Net(1)")
    assert inherited.place == base.place


def test_expected_refusal_is_a_value():
    texts = {"test_net.py": SUITE.replace("(autouse=True)", "")}
    *_, last, _ = drivers_of(texts, ProjectNames({}), ["depth"])
    assert last.source == (
        "from net import Net\nwidth = 2\ntry:\n    Net(width)\nexcept Exception as error:\n"
        "    raised = type(error).__name__\nelse:\n    raised = ''"
    )


def test_names_of_a_test_are_global_to_the_functions_within():
    test = "def test_counts():\n    n = 0\n\n    def count():\n        nonlocal n\n        n += 1\n"
    (driver,) = drivers(test_net__py=test + "    count()\n")
    exec(compile(driver.source, "program", "exec"), found := {})
    assert found["n"] == 1


REGISTRY = """
@register
def {}(): ...


@register(kind="big")
@kit.cached
def {}(): ...


@kit.cached
def other(): ...
"""


def test_program_that_names_a_registered_function_is_made_to_name_a_changed_one():
    test = (
        "import kit\nimport pytest\n\n@pytest.mark.parametrize('name', kit.listed())\n"
        "def test_all(name):\n    kit.create(name)\n"
    )
    texts = {
        "nets.py": REGISTRY.format("small", "large"),
        "more.py": REGISTRY.format("tiny", "huge"),
        "README.md": "```python\nnet = create('small', 'other')\n```\n",
        "tests/test_kit.py": test,
    }
    registered = registered_names(texts, ["large", "other", "Net"])
    assert registered == {"large": {"small"}}
    drivers = list(drivers_of(texts, ProjectNames(texts), ["small", "listed"]))
    found = list(registered_programs(registered, drivers))
    assert [each.source for each in found] == [
        "net = create('large', 'other')",
        "import kit\nname = 'large'\nkit.create(name)",
    ]
    assert [each.says for each in found] == ["`'small'` is `'large'`", "`name` is `'large'`"]
    assert all(each.guessed and "large" in each.words for each in found)


def test_relative_imports_of_a_started_file_work_outside_its_package():
    text = "from .parts import part\nfrom .. import kit\n\nif __name__ == '__main__':\n"
    texts = {"pack/net/run.py": text + "    part(kit)\n"}
    (driver,) = drivers_of(texts, ProjectNames(texts), ["part"])
    assert driver.source == "from pack.net.parts import part\nfrom pack import kit\npart(kit)"


def test_rows_that_have_a_part_of_a_wanted_name_are_taken():
    test = (
        "import pytest\nfrom net import act\n\n@pytest.mark.parametrize('kind', ['tanh', 'none', "
        "'sigmoid', 'relu', 'normal'])\ndef test_act(kind):\n    act(kind)\n"
    )
    texts = {"tests/test_net.py": test}
    found = drivers_of(texts, ProjectNames(texts), ["act", "sigmoid_inv_act"])
    kinds = [each.source.split("\n")[1] for each in found]
    assert kinds == ["kind = 'tanh'", "kind = 'sigmoid'", "kind = 'normal'"]


def test_names_that_are_imported_alone_are_no_words_of_a_program():
    source = "from nets import (Net,\n    Other)\nimport torch.nn as nn\ny = Net(1)"
    words = Driver("test_net.py:1", Kind.TEST, source).words
    assert words == {"from", "nets", "y", "Net", "1"}
