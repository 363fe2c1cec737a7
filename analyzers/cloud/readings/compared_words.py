"""Words of conditions that the API never answers, or in another capitalisation.

Read only where a condition compares the very field that holds the API's words: what the
code has changed before is for a run to tell.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from difflib import SequenceMatcher

from analyzers import catalogue
from analyzers.catalogue import Api, Grade
from analyzers.cloud import messages
from analyzers.cloud.conditions.condition_comparisons import Comparison, comparisons
from analyzers.cloud.conditions.static_facts import constant, constants
from analyzers.cloud.readings.target_text import TargetText
from analyzers.cloud.source_edits import assigned, scope_of
from analyzers.rules.cloud_rules import UNKNOWN_LABEL
from analyzers.vocabulary import Finding

ALIKE = 0.85
_MOST_STEPS = 4


def compared_words(source: TargetText) -> Iterator[Finding]:
    """Yield the words that a target compares an answer's field with and that it never holds."""
    seen: set[tuple[str, int, str]] = set()
    for comparison in comparisons(source.target, source.bench):
        field = _field(comparison)
        for word in _words(comparison) if field else ():
            found = _meant(word, field, source)
            key = comparison.goal.path, comparison.goal.line, word
            if found is None or key in seen:
                continue
            seen.add(key)
            yield _finding(source, comparison, word, *found)


def _field(comparison: Comparison) -> str:
    """Return the name of the field that is compared as it is answered, or nothing."""
    if not isinstance(comparison.operator, ast.Eq | ast.NotEq | ast.In | ast.NotIn):
        return ""
    for subject, other in comparison.sides:
        is_word = constant(other, comparison.names) is not None
        if is_word and isinstance(comparison.operator, ast.In | ast.NotIn):
            return ""
        listed = constants(other, comparison.names) is not None and other is comparison.right
        if is_word or listed:
            return _last_step(comparison, subject)
    return ""


def _last_step(comparison: Comparison, node: ast.expr) -> str:
    for _ in range(_MOST_STEPS):
        match node:
            case ast.Attribute(attr=name) | ast.Subscript(slice=ast.Constant(value=str(name))):
                return _plain(name)
            case ast.Call(func=ast.Attribute(attr="get"), args=[ast.Constant(value=str(name))]):
                return _plain(name)
            case ast.Name(id=name):
                values = assigned(scope_of(comparison.source, node), name)
                if len(values) != 1:
                    return ""
                node = values[0]
            case _:
                return ""
    return ""


def _plain(name: str) -> str:
    return name.replace("_", "").casefold()


def _words(comparison: Comparison) -> Iterator[str]:
    for side in (comparison.left, comparison.right):
        one, several = constant(side, comparison.names), constants(side, comparison.names)
        yield from sorted(v for v in several or () if isinstance(v, str))
        if isinstance(one, str):
            yield one


def _meant(word: str, field: str, source: TargetText) -> tuple[Api, str] | None:
    """Return the API whose field it is and the word that it answers instead, if one is near."""
    matching = [api for api in source.apis.values() if field in _fields(api)]
    if len(matching) != 1:
        return None
    (api,) = matching
    meant = _labelled(word, api) or _classified(word, field, api)
    text = source.bench.source(source.target.path)
    return None if meant is None or f'"{meant}"' in text or f"'{meant}'" in text else (api, meant)


def _fields(api: Api) -> frozenset[str]:
    paths = [path for meaning in api.says for path in meaning.at]
    return frozenset(_plain(path.rpartition(".")[2].partition("[")[0]) for path in paths)


def _labelled(word: str, api: Api) -> str | None:
    if api.vocabulary is None:
        return None
    vocabulary = catalogue.vocabulary(api.vocabulary)
    grade = vocabulary.grade(word)
    if grade is Grade.CASE:
        return vocabulary.canonical(word)
    nearest = next(iter(vocabulary.closest(word, 1)), None) if grade is Grade.UNKNOWN else None
    return nearest if nearest is not None and _is_slip(word, nearest) else None


def _classified(word: str, field: str, api: Api) -> str | None:
    """Return the class of a closed list that a word is another spelling of.

    Google's clients answer members of enums, which is another matter.
    """
    for meaning in api.says:
        ours = any(_plain(path.rpartition(".")[2]) == field for path in meaning.at)
        if not (ours and meaning.closed) or api.provider.startswith("google."):
            continue
        if word not in meaning.readings:
            alike = (name for name in meaning.readings if _is_slip(word, name))
            return next(alike, None)
    return None


def _is_slip(word: str, other: str) -> bool:
    """Return whether two words differ in capitals alone, or in a letter or two of many."""
    if any(character.isdigit() for character in word + other) and len(word) < 8:
        return word.casefold() == other.casefold()
    return SequenceMatcher(a=word.casefold(), b=other.casefold()).ratio() >= (
        ALIKE if len(word) > 6 and word[:1].casefold() == other[:1].casefold() else 1.0
    )


def _finding(
    source: TargetText, comparison: Comparison, word: str, api: Api, meant: str
) -> Finding:
    vocabulary = api.vocabulary or api.name
    case = word.casefold() == meant.casefold()
    grade = Grade.CASE if case else Grade.UNKNOWN
    node = comparison.source.parents[comparison.left]
    return source.finding(
        UNKNOWN_LABEL,
        comparison.goal.path,
        comparison.source,
        node,
        messages.read_word(comparison.text, api.name, word, meant, case=case),
        {"label": word, "vocabulary": vocabulary, "closest": meant, "grade": grade.value},
        f"word:{word}",
    )
