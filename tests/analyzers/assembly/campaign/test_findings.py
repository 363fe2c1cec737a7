"""What is told of values that are taken."""

from dataclasses import replace

import pytest

from analyzers.assembly.campaign.findings import finding, is_backed
from analyzers.assembly.campaign.minimal import Minimal
from analyzers.assembly.campaign.suspecting import Suspicion
from analyzers.assembly.campaign.witnessing import DIED, TAKEN, Witness
from analyzers.assembly.constraints import Parameter
from analyzers.assembly.disassembly import Argument
from analyzers.vocabulary import Level
from tests.analyzers.assembly.campaign.benches import WHERE

CALL = Minimal("torch.nn.Dropout", (Argument("p", "-1.0"),), ("torch.randn((2, 3))",))
P = Parameter("p", ("float",), "0.5", low=0.0, high=1.0, said_by="probing", quote="NaN")
SUSPICION = Suspicion(CALL, P, "-1.0", 7, ("boundary checking: p at line 7",), in_place=True)


@pytest.mark.parametrize(
    ("said_by", "quote", "witness", "told"),
    [
        ("probing", "NaN", Witness(TAKEN), False),
        ("signature", "", Witness(TAKEN), False),
        ("documentation", "", Witness(TAKEN), False),
        ("documentation", "between 0 and 1", Witness(TAKEN), True),
        ("error", "p has to be positive", Witness(TAKEN), True),
        ("probing", "", Witness(TAKEN, "NaN"), True),
        ("probing", "", Witness(TAKEN, same="0.0"), True),
        ("signature", "", Witness(DIED, detail="SIGSEGV"), True),
    ],
)
def test_only_what_is_backed_is_told(said_by, quote, witness, told):
    parameter = replace(P, said_by=said_by, quote=quote)
    assert is_backed(replace(SUSPICION, parameter=parameter), witness) is told


def test_sides_of_a_range_are_other_findings():
    above = replace(SUSPICION, value="2.0")
    both = [finding(each, Witness(TAKEN, "NaN"), WHERE) for each in (SUSPICION, above)]
    assert len({each.fingerprint for each in both}) == 2


def test_crashes_weigh_more():
    found = finding(SUSPICION, Witness(DIED, detail="SIGSEGV"), WHERE)
    assert (found.level, found.line) == (Level.FAILURE, 7)
    assert found.title == "torch.nn.Dropout(p=-1.0) kills the process"


def test_legal_range_is_told():
    found = finding(SUSPICION, Witness(TAKEN, "NaN", " * 100"), WHERE)
    assert "[0, 1]" in found.message
    assert "torch.randn((2, 3)) * 100" in found.reproducer
