"""Values that reach a layer through containers, merges and helpers are seen where they arrive."""

import pytest

from analyzers.assembly.assembly_analyzer import AssemblyAnalyzer
from analyzers.assembly.layer_tables import load
from analyzers.assembly.model_probes import CallProber
from analyzers.assembly.parameter_flow import flows, function_of, layers_of
from analyzers.assembly.watched_flows import watched_flows
from analyzers.vocabulary import ExplorationResult, Probe, RecipeArgument, RecordedCalls
from tests.analyzers.properties.revisions import PATH, TwoRevisions, target

LAYERS = load("2.13.0+cpu")
HEAD = """from dataclasses import dataclass
from types import SimpleNamespace

from torch import nn

DEFAULTS = {"dim": 4, "eps": 1e-5}


@dataclass
class Config:
    dim: int = 4
    eps: float = 1e-5


def norm(cfg):
    return nn.LayerNorm(cfg["dim"], eps=cfg["eps"])


def slim(eps):
    return nn.LayerNorm(4, eps)


"""


def seen(body, parameters="cfg", **recipes):
    text = f"{HEAD}def build({parameters}):\n    {body}\n"
    bench = TwoRevisions(text, text)
    arguments = {name: RecipeArgument(recipe) for name, recipe in recipes.items()}
    trier = CallProber(target("build"), bench, Probe(f"{PATH}::build", arguments, ()))
    function = function_of(text, "build")
    read = list(flows(function, layers_of(function, text, LAYERS)))
    found = list(watched_flows(read, function, trier, LAYERS))
    return {(e.given, e.source, e.built.api.name, e.parameter.name) for e in found}


@pytest.mark.parametrize(
    ("body", "recipe", "source"),
    [
        ("return nn.LayerNorm(4, eps=cfg['eps'])", "{'eps': 1e-05}", "cfg['eps']"),
        ("return nn.LayerNorm(4, cfg.get('eps', 1e-6))", "{}", "cfg.get('eps', 1e-06)"),
        ("return nn.LayerNorm(4, cfg.get('eps') or 1e-6)", "{}", "cfg.get('eps', 1e-06)"),
        (
            "return nn.LayerNorm(4, cfg['eps'] if 'eps' in cfg else 1e-6)",
            "{'dim': 4}",
            "cfg.get('eps', 1e-06)",
        ),
        ("return nn.LayerNorm(4, cfg.setdefault('eps', 1e-6))", "{}", "cfg.get('eps', 1e-06)"),
        (
            "merged = {**DEFAULTS, **cfg}\n    return nn.LayerNorm(4, merged['eps'])",
            "{}",
            "cfg.get('eps', 1e-05)",
        ),
        ("return norm(cfg)", "{'dim': 4, 'eps': 1e-05}", "cfg['eps']"),
        ("return norm(vars(cfg))", "Config(dim=4)", "cfg.eps"),
        ("return slim(**{'eps': cfg.eps})", "SimpleNamespace(eps=1e-05)", "cfg.eps"),
    ],
)
def test_value_is_seen_whatever_way_it_takes(body, recipe, source):
    assert seen(body, cfg=recipe) == {("cfg", source, "torch.nn.LayerNorm", "eps")}


@pytest.mark.parametrize(
    ("body", "recipe"),
    [
        ("return nn.LayerNorm(4, eps=cfg.eps)", "Config(eps=1e-05)"),  # it is read
        ("return nn.LayerNorm(4, eps=abs(cfg['eps']) * 2)", "{'eps': 1e-05}"),
        ("return nn.LayerNorm(4, eps=1e-5) if cfg['eps'] else None", "{'eps': 1e-05}"),
        ("return nn.LayerNorm(4)", "{'dim': 4}"),
    ],
)
def test_other_values_are_not_seen(body, recipe):
    assert seen(body, cfg=recipe) == set()


class RecordedRevisions(TwoRevisions):
    def record(self, target, probes):
        return RecordedCalls("torch", "2.13.0+cpu")


SLIM = f"{HEAD}def build(eps=1e-5):\n    return nn.Sequential(nn.Linear(3, 4), slim(eps))\n"
TRAIN = {"train.py": "from net import build\n\nnet = build(eps=options.eps)\n"}


@pytest.mark.parametrize(
    ("base", "absent"),
    [(SLIM, False), (SLIM.replace(", slim(eps)", ", slim(1e-5)"), True)],
)
def test_boundary_behind_a_helper_is_new_where_head_alone_hands_it_on(base, absent):
    bench = RecordedRevisions(base, SLIM, TRAIN)
    (found,) = AssemblyAnalyzer().examine(target("build"), bench)
    assert (found.rule, found.evidence["api"]) == (
        "assembly/unchecked-boundary",
        "torch.nn.LayerNorm",
    )
    assert found.line == SLIM.splitlines().index("    return nn.LayerNorm(4, eps)") + 1
    assert found.absent_on_base is absent


def test_value_that_the_helper_refuses_is_not_told():
    refusing = SLIM.replace("def slim(eps):", "def slim(eps):\n    assert eps >= 0")
    assert (
        list(AssemblyAnalyzer().examine(target("build"), RecordedRevisions(SLIM, refusing, TRAIN)))
        == []
    )


KEYED = (
    f"{HEAD}def build(cfg):\n"
    "    return nn.Sequential(nn.Linear(3, 4), nn.LayerNorm(4, eps=cfg['eps']))\n"
)
READ = """import yaml

from net import build

net = build(yaml.safe_load(open("net.yaml")))
"""


class UsualRevisions(RecordedRevisions):
    """Two revisions on which an exploration ends with the project's own call."""

    def explore(self, target, exploration):
        call = Probe(target.id, {"cfg": RecipeArgument("{'eps': 1e-05}")}, ())
        return ExplorationResult(executions=1, passing=(call,))


def test_key_of_a_configuration_that_is_read_is_told():
    checked = KEYED.replace("    return nn.S", "    assert cfg['eps'] >= 0\n    return nn.S")
    calls = {"train.py": READ, "demo.py": "from net import build\n\nbuild({'eps': 1e-5})\n"}
    bench = UsualRevisions(checked, KEYED, calls)
    (found,) = AssemblyAnalyzer().examine(target("build"), bench)
    assert found.rule == "assembly/unchecked-boundary"
    assert "cfg['eps']=-1.0" in found.title
