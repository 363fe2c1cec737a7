"""Files taken apart and assembled anew, run by the real torch."""

import ast
import io
from contextlib import redirect_stdout

import pytest
import torch

from analyzers.assembly.campaign.assembly_campaign import AssemblyCampaign
from analyzers.criteria import DEATH
from analyzers.guest.assembly.construction_words import accepts_call
from analyzers.vocabulary import Crashes, Skipped, Violates
from tests.analyzers.assembly.campaign.benches import KNOWN, WHERE, HereBench, known

APP = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 6)
        self.norm = nn.LayerNorm(6, eps=1e-5)
        self.act = nn.ReLU()
        self.last = nn.Linear(6, 3)

    def forward(self, x):
        return self.last(self.act(self.norm(self.first(x))))
"""
SCRIPT = (
    APP
    + """

if __name__ == "__main__":
    model = Net()
    criterion = nn.CrossEntropyLoss()
    for step in range(3):
        loss = criterion(model(torch.rand(5, 4)), torch.tensor([0, 1, 2, 0, 1]))
        loss.backward()
"""
)


def examined(text, *names, nodes=60, **more):
    bench = HereBench(text, **more)
    campaign = AssemblyCampaign(known(*names or KNOWN), nodes=nodes)
    return list(campaign.examine(WHERE, bench)), campaign, bench


@pytest.fixture(scope="module")
def script():
    return examined(SCRIPT)


def keys(found):
    return {(each.evidence["api"], each.evidence["parameter"]) for each in found}


def test_missing_checks_are_found_where_the_layers_are(script):
    found, _, _ = script
    lines = {each.evidence["parameter"]: each.line for each in found}
    assert lines["eps"] == SCRIPT[: SCRIPT.index("nn.LayerNorm")].count("\n") + 1
    assert lines["label_smoothing"] == SCRIPT[: SCRIPT.index("CrossEntropy")].count("\n") + 1


def test_what_comes_of_a_value_is_seen_and_not_only_read(script):
    found, _, _ = script
    comes = {each.evidence["parameter"]: each.evidence["consequence"] for each in found}
    assert comes["eps"] == "NaN"
    assert comes["label_smoothing"] == "taken as 0.0"


def test_nothing_is_said_of_sizes_and_of_what_is_refused(script):
    found, _, _ = script
    assert keys(found) <= {
        ("torch.nn.LayerNorm", "eps"),
        ("torch.nn.CrossEntropyLoss", "label_smoothing"),
        ("torch.nn.MultiheadAttention", "dropout"),
    }
    assert len({each.fingerprint for each in found}) == len(found)


def test_each_finding_is_its_own_test(script):
    found, _, _ = script
    for each in found:
        (probe,) = each.probes
        assert each.criterion == Violates(*probe.ensures)
        call = ast.parse(each.criterion.condition, mode="eval").body
        assert accepts_call(None, ast.literal_eval(call.args[0])) is not None


def test_programs_show_what_comes_of_a_value(script):
    found, _, _ = script
    programs = {each.evidence["parameter"]: each.reproducer for each in found}
    names = {}
    exec(compile(programs["eps"], "program.py", "exec"), names)
    assert torch.isnan(names["output"]).any()
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(compile(programs["label_smoothing"], "program.py", "exec"), {})
    first, second = printed.getvalue().split()
    assert first == second


def test_programs_have_the_inputs_that_show_it():
    text = APP.replace("LayerNorm(6", "BatchNorm1d(6")
    found, _, _ = examined(text, "Linear", "ReLU", "BatchNorm1d")
    assert keys(found) == {("torch.nn.BatchNorm1d", "momentum")}
    for each in found:
        names = {}
        exec(compile(each.reproducer, "program.py", "exec"), names)
        assert (names["layer"].running_var < 0).any()


def test_layers_that_fit_nowhere_are_tried_alone():
    tail = "\n\nif __name__ == '__main__':\n    Net()(torch.rand(5, 4)).sum().backward()\n"
    found, campaign, _ = examined(APP + tail, "Linear", "ReLU", "MultiheadAttention")
    (one,) = found
    assert keys(found) == {("torch.nn.MultiheadAttention", "dropout")}
    assert one.evidence["in_place"] is False
    assert one.evidence["derivation"][-1].endswith("alone")
    assert "torch.nn.MultiheadAttention" in campaign.alone
    assert "torch.nn.MultiheadAttention" not in campaign.ran


def test_loss_that_no_assembled_file_has_runs_as_it_is_documented():
    found, campaign, _ = examined(APP, "Linear", "ReLU", "L1Loss")
    assert "torch.nn.L1Loss" in campaign.alone
    assert "torch.nn.L1Loss" not in campaign.apis
    assert all(api == "torch.nn.LayerNorm" for api, _ in keys(found))


def test_checks_that_are_there_are_no_findings(monkeypatch):
    plain = torch.nn.LayerNorm.__init__

    def checked(self, normalized_shape, eps=1e-5, *given, **more):
        if eps < 0:
            raise ValueError(f"eps must not be negative: {eps}")
        plain(self, normalized_shape, eps, *given, **more)

    monkeypatch.setattr(torch.nn.LayerNorm, "__init__", checked)
    found, campaign, bench = examined(SCRIPT, "Linear", "LayerNorm", "ReLU")
    assert found == []
    assert "torch.nn.LayerNorm" in campaign.ran
    assert any("eps=-1.0" in text for text in bench.texts)


def test_crashes_come_first():
    found, _, _ = examined(SCRIPT, deadly="label_smoothing=2.0")
    assert found[0].rule == "assembly/state"
    assert found[0].criterion == Crashes(DEATH, "", "")
    assert "SIGSEGV" in found[0].message
    assert {each.rule for each in found[1:]} == {"assembly/unchecked-boundary"}


def test_models_that_nothing_runs_are_called():
    found, campaign, bench = examined(APP)
    assert ("torch.nn.LayerNorm", "eps") in keys(found)
    assert {"torch.nn.Linear", "torch.nn.LayerNorm"} <= campaign.ran
    assert any("Net()" in text for text in bench.texts)


def test_same_seed_gives_same_files(script):
    _, _, bench = script
    _, _, again = examined(SCRIPT)
    assert again.texts == bench.texts


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (APP.replace("(self)", "(self, width)", 1), "nobody says how"),
        ("import torch\n", "nobody says how"),
        ("import torch\ndef f(:\n", "cannot be read"),
    ],
)
def test_what_cannot_be_run_is_told(text, reason):
    (skipped,), _, _ = examined(text)
    assert isinstance(skipped, Skipped)
    assert reason in skipped.reason


def test_unknown_version_is_told():
    campaign = AssemblyCampaign(lambda version: {})
    (skipped,) = campaign.examine(WHERE, HereBench(SCRIPT))
    assert "nothing is known" in skipped.reason
