"""Which names of a file recipes may use."""

import pytest

from analyzers.vocabulary import (
    Died,
    ExplorationResult,
    Failure,
    LiteralArgument,
    Probe,
    RecipeArgument,
    Run,
    SearchResult,
    Witness,
)
from worker.executor.recipe_names import RecipeNames

TEXT = """\
import os
import torch.nn as nn
import pack.models
from torch import float32
from pack.models import Net
from .colours import Colour
from subprocess import run as start

try:
    import json
except ImportError:
    json = None

if True:
    def inner(): ...

shell = os.system
table = [os.system][0]
for each in [os.system]: ...
LIMIT = 3

class Config: ...

def gen(n):
    hidden = os
    return hidden
"""
MODELS = """\
import os
import pack.models as again
from .parts import *
from .parts import Outer as Other
from subprocess import Popen as Process

class Net: ...
"""
PARTS = "import shutil\nclass Outer: ...\nPoint = namedtuple('Point', 'x y')\n"
NAMES = RecipeNames(
    "pack/app.py",
    {
        "pack/app.py": TEXT,
        "pack/models.py": MODELS,
        "pack/colours.py": "class Colour: ...",
        "pack/parts.py": PARTS,
    },
)


@pytest.mark.parametrize(
    "recipe",
    [
        "tensor((1,), at={(0,): nan})",
        "Net(gen(3))",
        "Colour.RED",
        "Config.default()",
        "Colour.RED.value",
        "pack.models.Outer(1)",
        "pack.models.Other(pack.models.Point(1, 2))",
        "pack.models.again.Net(3)",
        "config(of='argparse', size=1)",
        "config(of=pack.models.Net, size=1)",
        "pack.models.Net(3)",
        "[LIMIT, inner(1)]",
        "float32",
        "nn.functional.relu",
        "config(of=Config)",
        "3",
    ],
)
def test_name_of_the_project_may_be_used(recipe):
    assert NAMES.knows(Probe("t", {"x": RecipeArgument(recipe)}))


@pytest.mark.parametrize(
    "recipe",
    [
        "os.system('id')",
        "[1, {2: os.system('id')}]",
        "start(['id'])",
        "json.loads('1')",
        "shell('id')",
        "shell",
        "nn.Linear(1, 2)",
        "eval('1')",
        "open('/etc/passwd')",
        "hidden",
        "unknown",
        "config(of=unknown)",
        "no recipe",
        "gen.attribute()",
        "Config.maker.method()",
        "LIMIT()",
        "table()",
        "each('id')",
        "gen(os.system, 'id')",
        "function(returns=os.system)",
        "config(of=os.system, command='id')",
        "config(start, args='id')",
        "config(of=nn.Linear, inputs=3)",
        "pack.models.os.system('id')",
        "pack.models.os",
        "pack.models.Process('id')",
        "config(of=pack.models.Process, args='id')",
        "pack.parts.shutil.rmtree",
        "pack.models()",
        "pack.models.absent()",
    ],
)
def test_other_name_may_not_be_used(recipe):
    assert not NAMES.knows(Probe("t", {"n": LiteralArgument("1"), "x": RecipeArgument(recipe)}))


def test_inputs_with_other_names_are_left_out():
    good, bad = (
        Probe("t", {"x": RecipeArgument(recipe)}) for recipe in ("Net()", "os.system('id')")
    )
    failures = tuple(Failure(probe, Run(Died(11))) for probe in (bad, good))
    known = NAMES.known(
        ExplorationResult(executions=4, failures=failures, passing=(good, bad), failing=(bad, good))
    )
    assert [failure.probe for failure in known.failures] == [good]
    assert (known.passing, known.failing, known.executions) == ((good,), (good,), 4)


def test_text_that_cannot_be_read_binds_nothing():
    names = RecipeNames("app.py", {"app.py": "def broken("})
    assert not names.knows(Probe("t", {"x": RecipeArgument("broken")}))
    assert names.knows(Probe("t", {"x": RecipeArgument("tensor((1,))")}))


@pytest.mark.parametrize(
    ("recipe", "kept"),
    [
        ("{'Records': [{'body': 'a text'}]}", True),
        ("config(read=coroutine(b'x'), name='y', at=path('text', '.txt'))", True),
        ("Net(size=1)", True),
        ("imported('os', 'system')", False),
        ("constructed('os', 'system', 'true')", False),
        ("function(float32)", False),
        ("start('true')", False),
        ("os.system('true')", False),
    ],
)
def test_search_may_find_plain_values_alone(recipe: str, kept: bool) -> None:
    probe = Probe("t", {"event": RecipeArgument(recipe)}, ())
    found = NAMES.searched(SearchResult(probe, witnesses=(Witness("goal", probe, True),)))
    assert (found.template == probe) is kept
    assert bool(found.witnesses) is kept
    assert bool(found.obstacle) is not kept
