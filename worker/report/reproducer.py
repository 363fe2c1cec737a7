"""A finding as a pytest file that needs neither network, key nor Assayer."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from typing import Any

from analyzers.catalogue import load_catalogue
from analyzers.catalogue.api_descriptions import data_files, register_cache
from analyzers.guest.protocol.input_paths import PAGE, REQUEST, SERVICE
from analyzers.vocabulary import (
    Alike,
    BranchOutcome,
    Constant,
    Crashes,
    Criterion,
    Exchange,
    Finding,
    Goal,
    Json,
    Misses,
    Mixes,
    Repeats,
    Turns,
    Violates,
    Written,
)
from worker.report.decision_location import DecisionLocation, decision_location
from worker.report.http_answers import addresses, http_answers, keys
from worker.report.program_reproducer import program_of, program_test
from worker.report.property_reproducer import example_test, is_drawn, needs_makers
from worker.report.report_templates import fill, literal
from worker.report.reproducer_calls import (
    comment,
    constants,
    forms,
    printable,
    reproducer_calls,
    roots,
    things,
)

_SCALARS = {
    "string": "str",
    "bytes": "bytes",
    "bool": "bool",
    "float": "float",
    "double": "double",
}
_BATCH = {"BatchAnnotateImagesResponse": {"responses": "[AnnotateImageResponse]"}}


@dataclass(slots=True)
class AnswerSchema:
    """Fields by message and members by enum; types are Python's, ``double``, or in brackets."""

    messages: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])
    enums: dict[str, dict[str, int]] = field(default_factory=dict[str, dict[str, int]])


def answer_schema(exchanges: Iterable[Exchange]) -> AnswerSchema:
    """Return the schema of the messages in the answers, and of those that stand in them once."""
    found = AnswerSchema()
    apis = load_catalogue().apis
    for exchange in exchanges:
        api = apis.get(exchange.api)
        if api is not None and api.schema:
            _collect(api.schema.replace(".types.", ".").replace("_v", ".v"), exchange.answer, found)
    if "AnnotateImageResponse" in found.messages:
        found.messages.update(_BATCH)
    return found


@cache
def _schemas() -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    messages: dict[str, Any] = {}
    enums: dict[str, Any] = {}
    for entry in data_files("schemas", ".json"):
        document = json.loads(entry.read_text("utf-8"))
        messages.update(document["messages"])
        enums.update(document.get("enums", {}))
    return messages, enums


register_cache(_schemas.cache_clear)


def _collect(name: str, value: Json, found: AnswerSchema) -> None:
    messages, _ = _schemas()
    fields: Mapping[str, Any] = messages.get(name, {})
    if fields and _short(name) not in found.messages:
        found.messages[_short(name)] = {key: _kind(spec, found) for key, spec in fields.items()}
        for spec in fields.values():
            if not spec.get("repeated"):
                _collect(spec["type"], None, found)
    for key, item in value.items() if isinstance(value, Mapping) else ():
        spec = fields.get(key) or fields.get(f"{key}_")
        inner = item if isinstance(item, Sequence) and not isinstance(item, str) else [item]
        for each in inner:
            if spec and isinstance(each, Mapping):
                _collect(spec["type"], each, found)


def _kind(spec: Mapping[str, Any], found: AnswerSchema) -> str:
    name = str(spec.get("type", ""))
    messages, enums = _schemas()
    if name in enums:
        kind = _short(name)
        found.enums[kind] = dict(enums[name])
    elif name in messages or "." in name:
        kind = _short(name)
    else:
        kind = _SCALARS.get(name, "int" if "int" in name else "")
    return f"[{kind}]" if spec.get("repeated") else kind


def _short(name: str) -> str:
    """Return the name from its first capital on: ``Entity.Type``."""
    return ".".join(part for part in name.split(".") if part[:1].isupper())


TEMPLATE = "reproducer.py.j2"
MOST_VARIABLES = 20
_SDKS = {"vision": ("vision",), "language": ("language", "language_v1", "language_v2")}
_LEGACY = {"vision": "LegacyVision", "language": "LegacyLanguage"}
_BLANK_LINES = re.compile(r"\n{4,}")
_VARIABLE = re.compile(r"""os\.environ\[\s*['"](\w+)['"]\s*\]""")
_REST = re.compile(r"googleapis\.com|googleapiclient|apiclient\.discovery")
_UNSHOWN = frozenset({PAGE, SERVICE})
"""Places of inputs that no reproducer fills."""
_FLASK = re.compile(r"^\s*(?:from|import) flask\b", re.MULTILINE)
_MODULES = [
    "ast",
    "asyncio",
    "base64",
    "builtins",
    "inspect",
    "io",
    "json",
    "os",
    "re",
    "reprlib",
    "struct",
    "sys",
    "zlib",
]

_THIRD = {
    "cv2": r"cv2, \"VideoCapture\"",
    "flask": r"flask\.Flask\(",
    "numpy": r"numpy\.",
    "pytest": r"pytest\.MonkeyPatch",
}
_NAMES = {
    "contextlib": ("ExitStack",),
    "enum": ("IntEnum",),
    "pathlib": ("Path",),
    "types": ("FunctionType", "MethodType", "ModuleType"),
    "unittest.mock": ("MagicMock",),
    "PIL": ("Image",),
}


def test_name(finding: Finding) -> str:
    """``test_<rule>_<fingerprint>``, an identifier."""
    return f"test_{re.sub(r'[^0-9a-zA-Z]+', '_', finding.rule)}_{finding.fingerprint}"


def reproducer(
    finding: Finding, sources: Mapping[str, str], apis: Sequence[str] = ()
) -> str | None:
    """Return the text of a pytest file that fails where ``finding`` stands.

    ``sources`` are the head texts by path; ``apis`` stand in for recorded answers.  ``None`` where
    there is nothing to run: no function of its own, another client, or a condition not found.
    """
    program = program_of(finding)
    if program is not None:
        alone = program_test(finding, program, test_name(finding))
        return None if alone is None else _file(finding, alone)
    if is_drawn(finding):
        drawn = example_test(finding, sources, test_name(finding), _variables(sources))
        if drawn is not None:
            return _file(finding, drawn)
    path, _, _ = finding.target.partition("::")
    families = _families(finding, apis)
    sent = http_answers(finding, sources[path]) if families is None and path in sources else None
    if sent is not None:
        finding, families = sent, ()
    goal = _goal(finding)
    source = sources.get(goal.path) if goal else None
    place = decision_location(goal, source) if goal and source is not None else None
    runnable = _loadable(finding) and (sent is not None or not _asks_rest(sources, path))
    unseen = (place is None and _goal(finding)) or _is_unseen(finding.criterion)
    unseen = unseen or needs_makers(finding) or not _UNSHOWN.isdisjoint(roots(finding))
    if not runnable or families is None or unseen:
        return None
    body = _body(finding, families, place, sources)
    return _file(finding, f"{_imports(body)}\n\n{body.lstrip()}")


def _file(finding: Finding, body: str) -> str:
    text = f"{_heading(finding)}\n\n{body}"
    return _BLANK_LINES.sub("\n\n\n", text).rstrip("\n") + "\n"


def _body(
    finding: Finding,
    families: tuple[str, ...],
    place: DecisionLocation | None,
    sources: Mapping[str, str],
) -> str:
    path, _, function = finding.target.partition("::")
    schema = answer_schema(e for probe in finding.probes for e in probe.script or ())
    own = sources.get(finding.target.partition("::")[0], "")
    sent = [] if families else addresses(finding)
    return fill(
        TEMPLATE,
        target_path=path,
        target_function=function,
        whole_module=function in ("<module>", "__main__"),
        run_name="__main__" if function == "__main__" else "under_test",
        place=literal(asdict(place)) if place else None,
        test_name=test_name(finding),
        cases=reproducer_calls(finding),
        constants=constants(finding),
        forms=forms(finding),
        roots=(roots(finding) | ({REQUEST} if _FLASK.search(own) else set())),
        things=things(finding),
        drawn=False,
        django=any("django" in text for text in sources.values()),
        families=families,
        sdks=tuple(sdk for family in families for sdk in _SDKS[family]),
        addresses=sent,
        keys=keys(finding) if sent else {},
        answered=bool(families or sent),
        legacy=_legacy(families, sources),
        messages=literal(schema.messages),
        enums=literal(schema.enums),
        variables=_variables(sources),
        **_criterion(finding),
    )


def _loadable(finding: Finding) -> bool:
    path, _, function = finding.target.partition("::")
    goal = _goal(finding)
    whole = goal is None or goal.clause is None
    watched = whole and not isinstance(finding.criterion, Repeats | Alike | Violates | Written)
    return watched and "<locals>" not in function and path.endswith(".py")


def _goal(finding: Finding) -> Goal | None:
    return next(iter(finding.criterion.goals), None)


def _is_unseen(criterion: Criterion) -> bool:
    return isinstance(criterion, Turns) and (
        bool(criterion.branches)
        or any("inputs/" in outcome for outcome in (*criterion.before, *criterion.after))
    )


def _families(finding: Finding, apis: Sequence[str]) -> tuple[str, ...] | None:
    """Return the Google client families in play; ``None`` for a client we cannot stand in for."""
    exchanges = [exchange for probe in finding.probes for exchange in probe.script or ()]
    if any("Delivery" in exchange.answer for exchange in exchanges):
        return None
    asked = {exchange.api for exchange in exchanges} or set(apis)
    parts = [api.split(".") for api in sorted(asked)]
    if any(p[0] != "google" or len(p) < 3 or p[1] not in _SDKS for p in parts):
        return None
    return tuple(dict.fromkeys(p[1] for p in parts))


def _asks_rest(sources: Mapping[str, str], path: str) -> bool:
    own = sources.get(path, "")
    texts = [own] if _REST.search(own) else list(sources.values())
    return any(_REST.search(text) for text in texts) and not any(
        "google.cloud" in text for text in texts
    )


def _legacy(families: tuple[str, ...], sources: Mapping[str, str]) -> dict[str, str]:
    texts = list(sources.values())
    return {
        family: _LEGACY[family]
        for family in families
        if any(re.search(rf"\b{family}\.Client\b", text) for text in texts)
    }


def _variables(sources: Mapping[str, str]) -> list[str]:
    """Environment variables without which the project does not load."""
    found = {name for text in sources.values() for name in _VARIABLE.findall(text)}
    return sorted(found)[:MOST_VARIABLES]


def _criterion(finding: Finding) -> dict[str, object]:
    criterion = finding.criterion
    values: dict[str, object] = {"criterion": type(criterion).__name__.lower()}
    match criterion:
        case Crashes():
            return {**values, "exception": printable(criterion.exception)}
        case Misses():
            values["threshold"] = float(criterion.threshold)
        case Mixes():
            values["threshold"] = float(criterion.threshold)
            values["positives"] = int(criterion.positives)
        case Turns():
            return {**values, "before": literal(list(criterion.before))}
        case Repeats() | Alike() | Violates() | Written():
            return values
        case Constant():
            pass
    return {**values, "outcome": str(criterion.goal.outcome is BranchOutcome.TRUE)}


def _imports(body: str) -> str:
    plain = [f"import {name}" for name in _MODULES if _uses(body, rf"{name}[.,]")]
    plain += [f"import importlib.{part}" for part in ("machinery", "util")]
    chosen: dict[str, list[str]] = {
        module: [name for name in names if _uses(body, name)] for module, names in _NAMES.items()
    }
    others = [
        f"from {module} import {', '.join(names)}" for module, names in chosen.items() if names
    ]
    third = [line for line in others if line.startswith("from PIL")]
    third[:0] = [f"import {module}" for module, use in _THIRD.items() if _uses(body, use)]
    standard = sorted(plain) + [line for line in others if line not in third]
    return "\n".join(standard) + ("\n\n" + "\n".join(third) if third else "")


def _uses(body: str, pattern: str) -> bool:
    return re.search(rf"(?<![\w.\"]){pattern}", body) is not None


def _heading(finding: Finding) -> str:
    said = [finding.title, "", *finding.message.splitlines(), ""]
    said += [f"    python -m pytest {test_name(finding)}.py", ""]
    said += [
        "Run it in the folder of the repository: it fails where the defect is and passes"
        " where it is fixed. It needs pytest and the project's own dependencies, no network"
        f" and no key{_recorded(finding)}.",
        "",
        f"{finding.rule} {finding.fingerprint}, found by Assayer.",
    ]
    return "\n".join(comment(line) for line in said)


def _recorded(finding: Finding) -> str:
    if program_of(finding) is not None:
        return ""
    if is_drawn(finding):
        return "; with Hypothesis it draws more inputs where it is told to"
    simulated = any(probe.simulated for probe in finding.probes)
    return f"; the answers of the ML API are {'simulated' if simulated else 'recorded'} below"
