"""Fresh reports in each format, as the command line renders them."""

import json

from worker.report.report_formats import RenderOptions, render


def to_text(report, artifacts=None, *, colour=False):
    return render("text", report, artifacts, RenderOptions(colour=colour))


def to_markdown(report, artifacts=None):
    return render("markdown", report, artifacts)


def to_json(report, artifacts=None, relative_to=None):
    return render("json", report, artifacts, RenderOptions(relative_to))


def to_junit(report):
    return render("junit", report)


def to_sarif(report, artifacts=None):
    return render("sarif", report, artifacts)


def sarif_document(report, artifacts=None):
    return json.loads(to_sarif(report, artifacts))
