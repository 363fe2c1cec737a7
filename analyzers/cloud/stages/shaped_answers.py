"""Answers of language models in the shapes that the request allows, each tried on one call.

A plain answer must go through first.  Then the same call is made with the same answer in another
shape: what crashes only now crashes on the shape.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from analyzers import catalogue
from analyzers.catalogue import Api
from analyzers.catalogue.canonical_answers import values_at
from analyzers.cloud import messages
from analyzers.cloud.answer_crashes import ExecutedProbe, crash_finding
from analyzers.cloud.api_answers import FREE_FORM_TASKS, meaning_of, saying
from analyzers.cloud.branch_findings import NAME
from analyzers.cloud.declared_shapes import CONTROLS, ODD_JSON, SHAPES, AnswerShape
from analyzers.cloud.examination import Examination
from analyzers.cloud.exception_handlers import is_handled
from analyzers.criteria import crash_of, is_shown, outcome_of
from analyzers.rules.cloud_rules import MISUSE
from analyzers.source_checks.parsed_text import parsed
from analyzers.vocabulary import (
    Alike,
    ApiCall,
    Exchange,
    Finding,
    JsonObject,
    Level,
    Probe,
    Raised,
    Returned,
    Run,
    Verdict,
)

MOST_CONTROLS = 3
MOST_KEYS = 12
KIND = "lost-answer"
_LISTS = '["text", "more"]'
_TEXTS = ("Yes.", '{"answer": "text"}', _LISTS, "7", "one, two, three", "one\ntwo\nthree")


@dataclass(frozen=True, slots=True)
class ControlCall:
    """A call that a plain answer goes through, and the place of the varied one among all."""

    probe: Probe
    run: Run
    position: int

    @property
    def exchange(self) -> Exchange:
        """The exchange whose answer is varied."""
        return self.run.exchanges[self.position]

    def shaped(self, *names: str) -> Probe:
        """Return the call with the answer in a shape; what is asked afterwards gets plain ones."""
        given = list(self.run.exchanges)
        plain = replace(given[self.position], digest="")
        given[self.position] = _in_shape(given[self.position], *names)
        return replace(self.probe, script=(*given, plain))

    def took(self, run: Run) -> bool:
        """Return whether the request allowed the shape."""
        there = run.exchanges[self.position : self.position + 1]
        return bool(there) and there[0].answer != self.exchange.answer


def _in_shape(exchange: Exchange, *names: str) -> Exchange:
    return exchange.answering({"shape": " ".join(names), "of": exchange.answer})


def shaped_answers(look: Examination) -> Iterator[Verdict]:
    """Yield the crashes on legal shapes of a language model's answer, and answers that are lost."""
    asked = [api for api in look.asked if api.task in FREE_FORM_TASKS]
    if not asked or look.bench.remaining() <= 0:
        return
    controls = _controls(look, asked)
    told: set[tuple[object, int]] = set()
    for control in controls[:MOST_CONTROLS]:
        yield from _crashes(look, control, told)
    yield from _lost(look, controls)


# ----------------------------------------------------------------- controls


def _controls(look: Examination, asked: Sequence[Api]) -> list[ControlCall]:
    """Return calls that plain answers go through, those first that the search has led furthest."""
    names = {api.name for api in asked}
    found = [run for _, run in look.replayed]
    probes = [witness.probe for witness, _ in look.replayed]
    executed = list(zip(probes, found, strict=True))
    for padding in ((), ("padded",)):
        plain = [look.template.answered(script) for script in _scripts(look, asked, padding)]
        done = list(zip(plain, look.bench.run(plain), strict=True))
        look.plain += done
        executed += done
        through = [(p, r) for p, r in executed if isinstance(r.ending, Returned)]
        controls = [each for pair in through for each in controls_of(*pair, names)]
        if controls:
            return sorted(controls, key=lambda each: -len(each.run.hits))
    return []


def controls_of(probe: Probe, run: Run, names: set[str]) -> Iterator[ControlCall]:
    """Yield the first answer of a language model in a run, and the last."""
    places = [n for n, exchange in enumerate(run.exchanges) if exchange.api in names]
    for position in dict.fromkeys([*places[:1], *places[-1:]]):
        yield ControlCall(replace(probe, script=run.exchanges), run, position)


def _scripts(
    look: Examination, asked: Sequence[Api], padding: Sequence[str]
) -> Iterator[tuple[Exchange, ...]]:
    usual = catalogue.load_catalogue().ordinary
    for text in (*_objects(look), *_TEXTS):
        script: list[Exchange] = []
        for api in look.asked:
            meaning = meaning_of(api)
            exchange = Exchange(api.name, "", usual.get(api.name, {}))
            if api in asked and meaning is not None:
                plain = exchange.answering(saying(meaning, exchange.answer, text))
                exchange = _in_shape(plain, "plain", *padding)
            script.append(exchange)
        yield tuple(script)


def _objects(look: Examination) -> Iterator[str]:
    """Yield JSON with the keys that the code reads, if it parses any."""
    source = look.bench.source(look.target.path)
    keys = list(dict.fromkeys(_keys(parsed(source) or ast.Module([], []))))[:MOST_KEYS]
    values: tuple[object, ...] = ("text", 7, ["text"])
    for value in values if keys and "json" in source else ():
        yield json.dumps(dict.fromkeys(keys, value))


def _keys(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Subscript(slice=ast.Constant(value=str(key))):
                yield key
            case ast.Call(func=ast.Attribute(attr="get"), args=[ast.Constant(value=str(key)), *_]):
                yield key
            case _:
                pass


# ------------------------------------------------------------------ crashes


def _crashes(
    look: Examination, control: ControlCall, told: set[tuple[object, int]]
) -> Iterator[Finding]:
    written = _asks_for_json(control.run) and _is_json(control)
    shapes = [
        shape
        for shape in SHAPES
        if control.exchange.api in shape.declared and (written or not shape.written)
    ]
    odd = ODD_JSON if written else ()
    names = list(dict.fromkeys((*(shape.name for shape in shapes), *CONTROLS, *odd)))
    probes = [control.shaped(name) for name in names]
    runs = dict(zip(names, look.bench.run(probes), strict=True))
    asked = dict(zip(names, probes, strict=True))
    look.plain += ((asked[name], run) for name, run in runs.items() if control.took(run))
    for shape in shapes:
        run = runs[shape.name]
        ending = run.ending
        crash = crash_of(ending)
        if crash is None or not isinstance(ending, Raised) or not control.took(run):
            continue
        key = (crash, ending.line)
        beside = runs.get(shape.beside)
        other = beside is not None and (not control.took(beside) or _crash(beside) == key)
        if key in told or other or not shape.is_cause_of(ending):
            continue
        if is_caught(look, ending):
            continue
        told.add(key)
        look.crashes.note(run)
        yield shape_finding(look, shape, asked[shape.name].answered(run.exchanges), run)


def _crash(run: Run) -> tuple[object, int]:
    return crash_of(run.ending), run.ending.line if isinstance(run.ending, Raised) else 0


def is_caught(look: Examination, ending: Raised) -> bool:
    """Return whether some caller of the function, or of the target, handles what it raises."""
    names = {each.rpartition(".")[2] for each in (ending.function, look.target.function)}
    return any(is_handled(look.bench, name, ending.exception) for name in sorted(names))


def shape_finding(look: Examination, shape: AnswerShape, probe: Probe, run: Run) -> Finding:
    """Return the finding of a run that crashed on an answer in a shape."""
    crashed = crash_finding(look.target, probe, run)
    ending = run.ending
    assert isinstance(ending, Raised)
    api = next(each.api for each in reversed(run.exchanges) if each.api in shape.declared)
    call = _request(look, api)
    title, told = messages.shape_crash(
        ending.exception,
        ending.message,
        f"{ending.path}:{ending.line}",
        shape.words,
        shape.declared[api],
        messages.request_in_words(api, f"{call.path}:{call.line}" if call else "", shape.cause),
    )
    return replace(
        crashed,
        level=shape.level,
        title=title,
        message=told,
        evidence={
            **crashed.evidence,
            "shape": shape.name,
            "declared": shape.declared[api],
            "request": f"{call.path}:{call.line}" if call else "",
        },
    )


def _request(look: Examination, api: str) -> ApiCall | None:
    return next((call for call in look.target.calls if call.api == api), None)


# ------------------------------------------------------------- lost answers


def _lost(look: Examination, controls: Sequence[ControlCall]) -> Iterator[Finding]:
    """Yield the finding of JSON that is taken for no answer where the model fences it.

    The code must do something else with the plain JSON than with words, and with the fenced one
    the same as with words, asking no further question.
    """
    for control in controls:
        if not _asks_for_json(control.run) or not _is_json(control):
            continue
        probes = [control.shaped("fenced"), control.shaped("unreadable")]
        runs = look.bench.run(probes)
        if not all(map(control.took, runs)) or not is_shown(Alike(), runs):
            continue
        counts = {len(run.exchanges) for run in (control.run, *runs)}
        line = _parser(look)
        if len(counts) > 1 or outcome_of(control.run) == outcome_of(runs[0]) or line is None:
            continue
        done = zip(probes, runs, strict=True)
        yield _lost_finding(look, control, [(p.answered(r.exchanges), r) for p, r in done], line)
        return


def _asks_for_json(run: Run) -> bool:
    return any("json" in (asked.text or "").casefold() for asked in run.asked)


def _is_json(control: ControlCall) -> bool:
    api = catalogue.load_catalogue().apis[control.exchange.api]
    meaning = meaning_of(api)
    path = meaning.at[0] if meaning is not None else ""
    found = next(iter(values_at(control.exchange.answer, path)), None)
    try:
        return isinstance(json.loads(str(found)), dict | list)
    except (ValueError, RecursionError):
        return False


def _parser(look: Examination) -> int | None:
    """Return the line of the target's function that parses JSON."""
    lines = [
        node.lineno
        for node in ast.walk(parsed(look.bench.source(look.target.path)) or ast.Module([], []))
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("json.loads", "loads")
    ]
    own = [n for n in lines if look.target.line <= n <= look.target.end_line]
    return next(iter(own or lines), None)


_STRIPPING = frozenset(
    {"strip", "lstrip", "rstrip", "removeprefix", "removesuffix", "startswith", "split", "replace",
     "sub", "search", "match", "findall", "find", "index", "partition", "compile"}
)  # fmt: skip


def _strips_elsewhere(look: Examination) -> str | None:
    """Return the place of the project, outside its tests, where fences are taken off an answer."""
    for path in look.bench.paths():
        if not path.endswith(".py") or "test" in path or "```" not in look.bench.source(path):
            continue
        for node in ast.walk(parsed(look.bench.source(path)) or ast.Module([], [])):
            match node:
                case ast.Call(func=ast.Attribute(attr=name), args=args) if name in _STRIPPING:
                    if any(isinstance(a, ast.Constant) and "```" in str(a.value) for a in args):
                        return f"{path}:{node.lineno}"
                case _:
                    pass
    return None


def _lost_finding(
    look: Examination, control: ControlCall, done: Sequence[ExecutedProbe], line: int
) -> Finding:
    target, api = look.target, control.exchange.api
    elsewhere = _strips_elsewhere(look)
    plain, lost = (outcome_of(run) or "" for run in (control.run, done[0][1]))
    title, told = messages.lost_answer(api, f"{target.path}:{line}", plain, lost, elsewhere)
    answer: JsonObject = done[0][1].exchanges[control.position].answer
    return Finding(
        analyzer=NAME,
        rule=MISUSE.id,
        level=Level.FAILURE if elsewhere else Level.WARNING,
        path=target.path,
        line=line,
        end_line=line,
        symbol=target.id,
        target=target.id,
        title=title,
        message=told,
        evidence={
            "misuse": KIND,
            "api": api,
            "line": line,
            "answer": answer,
            "plain": plain,
            "fenced": lost,
            **({"sibling": elsewhere} if elsewhere else {}),
        },
        probes=tuple(probe for probe, _ in done),
        criterion=Alike(),
        input_kind=f"{KIND}:{api}",
    )
