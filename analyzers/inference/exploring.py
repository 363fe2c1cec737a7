"""What is drawn of a target, and for how long: the same for all who explore it."""

from __future__ import annotations

from analyzers.inference.scripts import is_script, script_terms
from analyzers.inference.terms import Terms, terms_of
from analyzers.ports import Bench
from analyzers.vocabulary import Exploring, Target

SECONDS = 20.0
LEAST_SECONDS = 2.0
TIMEOUT = 5.0


def agreed(target: Target, bench: Bench) -> Terms:
    """The terms on which a function or a script can be tested; raises ``NoTermsError``."""
    return script_terms(target, bench) if is_script(target) else terms_of(target, bench)


def exploring_of(terms: Terms, target: Target, bench: Bench) -> Exploring:
    """How much to draw: what failed before comes first."""
    return Exploring(
        contract=terms.contract,
        generators=terms.generators,
        first=tuple(probe.arguments for probe in bench.kept(target)),
        examples=30 * bench.plan.inputs,
        seconds=max(LEAST_SECONDS, min(SECONDS, bench.remaining() / 2)),
        timeout=terms.timeout or TIMEOUT,
        seed=bench.plan.seed,
    )
