"""The one pipeline of the command line and of the hosted bot."""

from __future__ import annotations

import time

from analyzers.catalogue.api_descriptions import add_folder
from analyzers.coverage import conclude
from analyzers.vocabulary import Conclusion, Cost, Report
from worker.check.check_plan import (
    CheckListener,
    CheckPlan,
    CheckRequest,
    CheckResult,
    KeepPartial,
    plan_check,
)
from worker.check.ignored_findings import ignored_findings
from worker.check.witness_notes import with_witness_note
from worker.settings.operator_settings import Settings
from worker.system.python_parser import parse_newer_pythons
from worker.system.tracing import phase


def check(
    request: CheckRequest,
    settings: Settings,
    listener: CheckListener,
    keep: KeepPartial | None = None,
) -> CheckResult:
    """Test what changed between two revisions of a checkout.

    Raises ``UsageError`` for wrong usage or configuration, ``MachineError``
    where this machine cannot do it, and ``GpuNeededError`` where another one
    shall; everything else, our own failures too, stands in the report.  On
    ``KeyboardInterrupt`` the report is partial; ``keep`` takes it as it grows.
    """
    began = time.monotonic()
    parse_newer_pythons()
    if settings.catalogue.folder is not None:
        add_folder(settings.catalogue.folder)
    plan = plan_check(request, settings, listener, keep)
    listener.detected(plan.found.targets)
    if plan.found.targets:
        # analyzers, engines and sandbox, which a change without ML does without
        with phase("load analyzers"):
            from worker.check.plan_run import run_plan  # noqa: PLC0415

        report = run_plan(plan, request, settings, listener, began)
    else:
        report = _untouched(plan, listener, began)
    return CheckResult(report, plan.changes.sources, plan.changes.base_sources)


def _untouched(plan: CheckPlan, listener: CheckListener, began: float) -> Report:
    """Return the report where nothing is to be run: what the text shows is all."""
    changes = plan.changes
    skipped = (*changes.skipped, *plan.found.skipped)
    findings = tuple(with_witness_note(each, {}, ()) for each in plan.read)
    for finding in findings:
        listener.found(finding)
    ignored = ignored_findings(findings, plan.configuration, changes.sources)
    gate = Conclusion(plan.configuration.gate)
    return Report(
        repository=changes.repository,
        base=changes.base,
        head=changes.head,
        conclusion=conclude((*findings, *skipped), tested=(), gate=gate, ignored=ignored),
        findings=findings,
        ignored=ignored,
        skipped=skipped,
        files=len(changes.changes),
        cost=Cost(seconds=time.monotonic() - began),
    )
