"""Hypothesis without limits of time: no test depends on a quiet machine."""

from hypothesis import HealthCheck, Phase, settings

settings.register_profile(
    "patient",
    deadline=None,
    max_examples=50,
    # explaining a failure takes as long as finding it
    phases=tuple(phase for phase in Phase if phase is not Phase.explain),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("patient")
