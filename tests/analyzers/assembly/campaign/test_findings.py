"""What is told of values that are taken."""

from dataclasses import replace

import pytest

from analyzers.assembly.campaign.library_findings import (
    DIED,
    TAKEN,
    ValueConsequence,
    finding,
    is_backed,
)
from analyzers.assembly.campaign.suspicions import MinimalCall, Suspicion
from analyzers.assembly.disassembly.blocks import BlockArgument
from analyzers.assembly.layer_tables import LayerParameter
from analyzers.vocabulary import Level
from tests.analyzers.assembly.campaign.benches import WHERE

CALL = MinimalCall("torch.nn.Dropout", (BlockArgument("p", "-1.0"),), ("torch.randn((2, 3))",))
P = LayerParameter("p", ("float",), "0.5", low=0.0, high=1.0, said_by="probing", quote="NaN")
SUSPICION = Suspicion(CALL, P, "-1.0", 7, ("boundary checking: p at line 7",), in_place=True)


@pytest.mark.parametrize(
    ("said_by", "quote", "witness", "told"),
    [
        ("probing", "NaN", ValueConsequence(TAKEN), False),
        ("signature", "", ValueConsequence(TAKEN), False),
        ("documentation", "", ValueConsequence(TAKEN), False),
        ("documentation", "between 0 and 1", ValueConsequence(TAKEN), True),
        ("error", "p has to be positive", ValueConsequence(TAKEN), True),
        ("probing", "", ValueConsequence(TAKEN, "NaN"), True),
        ("probing", "", ValueConsequence(TAKEN, same="0.0"), True),
        ("signature", "", ValueConsequence(DIED, detail="SIGSEGV"), True),
    ],
)
def test_only_what_is_backed_is_told(said_by, quote, witness, told):
    parameter = replace(P, said_by=said_by, quote=quote)
    assert is_backed(replace(SUSPICION, parameter=parameter), witness) is told


def test_sides_of_a_range_are_other_findings():
    above = replace(SUSPICION, value="2.0")
    both = [finding(each, ValueConsequence(TAKEN, "NaN"), WHERE) for each in (SUSPICION, above)]
    assert len({each.fingerprint for each in both}) == 2


def test_crashes_weigh_more():
    found = finding(SUSPICION, ValueConsequence(DIED, detail="SIGSEGV"), WHERE)
    assert (found.level, found.line) == (Level.FAILURE, 7)
    assert found.title == "torch.nn.Dropout(p=-1.0) kills the process"


def test_legal_range_is_told():
    found = finding(SUSPICION, ValueConsequence(TAKEN, "NaN", " * 100"), WHERE)
    assert "[0, 1]" in found.message
    assert "torch.randn((2, 3)) * 100" in found.reproducer
