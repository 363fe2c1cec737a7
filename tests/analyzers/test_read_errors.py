"""Names that are read unbound: what the text of a file shows without a run."""

import textwrap

import pytest

from analyzers.criteria import is_written
from analyzers.source_checks import AskedAnswers, read_changes
from analyzers.source_checks.raising_calls import raising_calls
from analyzers.source_checks.unbound_names import unbound_names
from analyzers.vocabulary import ChangeSet
from worker.executor.execution_context import apply_suggestion

FIELDS = frozenset({"label_annotations", "Labels"})


def read(code):
    return [(u.way, u.name, u.function) for u in unbound_names(textwrap.dedent(code))]


UNDEFINED = {
    "forgotten import": "import sys\ndef f():\n    return json.loads(sys.argv[1])",
    "in the file itself": "import sys\nload_dotenv()\ndef f(): return sys",
    "return annotation": "import sys\ndef f(x) -> Optional[str]: return sys",
    "in the main block": "import sys\nif __name__ == '__main__':\n    run()",
    "after another handler": "import sys\ndef f():\n    try:\n        g()\n    except ValueError:\n"
    "        return sys",
}


@pytest.mark.parametrize("name", UNDEFINED)
def test_name_that_nothing_binds_is_read(name):
    assert [way for way, _, _ in read(UNDEFINED[name])] == ["undefined"]


SPARED = {
    "no imports": "def f(path):\n    return client.label_detection(image=path)",
    "star import": "from tools import *\ndef f(): return helper()",
    "exec": "import sys\nexec(open('x').read())\ndef f(): return helper()",
    "Python 2": "import sys\ndef f(x): return unicode(x) if sys.version_info < (3,) else x",
    "version branch": "import sys\nif sys.version_info[0] < 3:\n    text = unichr2(8)",
    "caught": "import sys\ntry:\n    spam\nexcept NameError:\n    spam = sys",
    "notebook": "import sys\nget_ipython().magic('x')",
    "late annotations": "from __future__ import annotations\ndef f(x) -> Optional[str]: return x",
    "annotated local": "import sys\ndef f():\n    x: Optional[str] = None\n    return sys, x",
    "type checking": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    x: Missing",
    "comprehension": "import sys\ndef f(xs): return [x for x in xs if x in sys.argv]",
    "match": "import sys\ndef f(v):\n    match v:\n        case {'a': a, **rest}:\n"
    "            return a, rest, sys",
    "no syntax": "import sys\ntext =\n",
    "decorator that supplies it": "import tool\n@tool.register(imports=['csv'])\n"
    "def f(x):\n    return csv.reader(x)",
    "parser that exits": "import sys\ndef f(parser):\n    try:\n        x = sys.argv.index('a')\n"
    "    except ValueError:\n        parser.error('no')\n    return x",
}


@pytest.mark.parametrize("name", SPARED)
def test_name_that_something_may_bind_is_left_alone(name):
    assert read(SPARED[name]) == []


FAILED = """
    import sys
    def f(client, image):
        try:
            response = client.detect_labels(Image=image)
            print(response)
        except Exception as error:
            {handler}
        return response["Labels"]
"""


@pytest.mark.parametrize("handler", ["print(error)", "pass", "sys.stderr.write(str(error))"])
def test_swallowed_failure_leaves_a_name_unbound(handler):
    assert read(FAILED.format(handler=handler)) == [("failed", "response", "f")]


@pytest.mark.parametrize(
    "handler", ["raise", "return None", "sys.exit(1)", "response = {'Labels': []}"]
)
def test_handler_that_leaves_or_binds_is_left_alone(handler):
    assert read(FAILED.format(handler=handler)) == []


PAGE = """
    import streamlit as st
    {kind}
        try:
            shown = st.write_stream(client.answers())
        except Exception as error:
            {handler}
        {read}
"""


@pytest.mark.parametrize("kind", ["if st.chat_input():", "if __name__ == '__main__':"])
@pytest.mark.parametrize(
    ("handler", "use", "ways"),
    [
        ("st.error(error)", "print(shown)", ["failed"]),
        ("st.error(shown)", "pass", ["handler"]),
        ("st.stop()", "print(shown)", []),
        ("shown = ''", "print(shown)", []),
        ("st.error(error)", "pass", []),
        ("st.error(error)", "def g(): return shown", []),
    ],
)
def test_page_reads_what_a_failed_request_left_unbound(kind, handler, use, ways):
    code = PAGE.format(kind=kind, handler=handler, read=use)
    assert [way for way, _, _ in read(code) if way != "undefined"] == ways


LOOP = """
    def f(answer):
        {before}
        for label in answer.label_annotations:
            best = label.description
        {after}
"""


def test_loop_over_an_empty_answer_leaves_a_name_unbound():
    assert read(LOOP.format(before="pass", after="return best")) == [("empty", "best", "f")]
    loop_variable = LOOP.format(before="pass", after="return label.description")
    assert ("empty", "label", "f") in read(loop_variable)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("best = None", "return best"),
        ("best: str = ''", "return best"),
        ("pass", "return best if answer.label_annotations else None"),
        ("pass", "return answer.label_annotations and best"),
        ("pass", "if answer.label_annotations: return best"),
        ("pass", "else: best = ''\n        return best"),
        ("pass", "return [best for best in 'ab']"),
        ("pass", "return lambda: best"),
        ("global best", "return best"),
    ],
)
def test_name_that_a_condition_guards_is_left_alone(before, after):
    names = [name for _, name, _ in read(LOOP.format(before=before, after=after))]
    assert "best" not in names


CHAIN = """
    def f(answer):
        if {one}:
            mood = 1
        elif {other}:
            mood = 2
        return mood
"""


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("answer.score > 0", "answer.score < 0"),
        ("answer.score > 0.5", "answer.score < 0.5"),
        ("answer['Sentiment'] == 'POSITIVE'", "answer['Sentiment'] == 'NEGATIVE'"),
        ("answer.name in ('Dog', 'Cat')", "answer.name == 'Bird'"),
        ("0 <= answer.score < 0.3", "0.3 < answer.score <= 1"),
    ],
)
def test_value_that_no_branch_expects_leaves_a_name_unbound(one, other):
    assert read(CHAIN.format(one=one, other=other)) == [("other", "mood", "f")]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("answer.score >= 0", "answer.score < 0"),
        ("answer.score > 0", "answer.score <= 0"),
        ("answer", "not answer"),
        ("answer.count % 2 == 0", "answer.count % 2 == 1"),
        ("answer.count % 10 == 0", "answer.count % 10 == 0"),
        ("'A' in answer.path", "'B' in answer.path"),
        ("answer.score > 0", "answer.magnitude > 0"),
        ("answer is None", "answer is not None"),
    ],
)
def test_conditions_that_may_cover_everything_are_left_alone(one, other):
    assert read(CHAIN.format(one=one, other=other)) == []


def findings(code, lines=(), base=""):
    code = textwrap.dedent(code)
    changes = ChangeSet("here", "b" * 40, None, (), {"app.py": code}, {"app.py": base})
    answers = {"app.py": AskedAnswers(FIELDS, frozenset(lines))}
    return list(read_changes(changes, {"app.py": {"f"}}, {"app.py"}, answers=answers)), code


def test_finding_is_read_again_in_other_texts():
    (finding,), code = findings(FAILED.format(handler="pass"))
    assert (finding.rule, finding.level, finding.line) == ("code/error", "warning", 9)
    assert {"exception", "raised_at", "inputs"} <= finding.evidence.keys()
    assert is_written(finding.criterion, f"# a comment\n\n{code}")
    assert not is_written(finding.criterion, code.replace("pass", "return None"))


def test_missing_import_of_the_standard_library_is_suggested():
    (finding,), code = findings("import sys\n\ndef f():\n    return json.loads(sys.argv[1])\n")
    assert finding.level == "failure"
    changed = apply_suggestion(code, finding.suggestion)
    assert changed.startswith("import json\nimport sys\n")
    assert not is_written(finding.criterion, changed)


def test_what_was_there_before_is_left_alone_in_other_functions():
    code = "import sys\ndef f(): return h1\ndef other(): return h2\n"
    found = {f.evidence["message"]: f.status for f in findings(code, base=code)[0]}
    assert found == {"name 'h1' is not defined": "existing"}
    found = {f.evidence["message"]: f.status for f in findings(code, base="import sys\n")[0]}
    assert found == dict.fromkeys(["name 'h1' is not defined", "name 'h2' is not defined"], "new")


def test_loop_over_something_else_than_an_answer_is_left_alone():
    code = "def f(rows):\n    for row in rows:\n        last = row\n    return last\n"
    assert findings(code)[0] == []


def test_chain_counts_where_it_asks_about_an_answer():
    code = CHAIN.format(one="answer.score > 0", other="answer.score < 0")
    assert findings(code)[0] == []
    assert [found.evidence["way"] for found in findings(code, lines=(3,))[0]] == ["other"]


@pytest.mark.parametrize(
    ("call", "exception"),
    [
        ("open(path, 'rw')", "ValueError"),
        ("open(path, mode='xb+t')", "ValueError"),
        ("json.load('data.json')", "AttributeError"),
        ("json.dump(path, f'{path}.json')", "AttributeError"),
        ("pickle.load(os.path.join(path, 'x'))", "AttributeError"),
        ("re.findall('(a', path)", "re.error"),
        ("datetime.strptime(path, '%Y-%Q')", "ValueError"),
        ("'{} of {}'.format(path)", "IndexError"),
        ("'{name}: {mood}'.format(name=path)", "KeyError"),
        ('\'{"mood": ""} {text}\'.format(text=path)', "KeyError"),
        ("'%s of %s' % (path,)", "TypeError"),
    ],
)
def test_call_that_always_raises_is_read(call, exception):
    imports = "import json, os, pickle, re; from datetime import datetime"
    code = f"{imports}\ndef f(path):\n    return {call}\n"
    assert [found.exception for found in raising_calls(code)] == [exception]
    (finding,), code = findings(code)
    assert (finding.level, finding.line) == ("failure", 3)
    assert is_written(finding.criterion, f"\n{code}")
    assert not is_written(finding.criterion, code.replace("return", "return None #"))


@pytest.mark.parametrize(
    "call",
    [
        "open(path, 'rb')",
        "open(path, 'r+b')",
        "open(path, mode)",
        "json.load(open(path))",
        "json.load(path)",
        "re.findall('(a)', path)",
        "datetime.strptime(path, '%Y-%m')",
        "'{} of {}'.format(*path)",
        "'{0} of {0}'.format(path)",
        "'{name}'.format(**path)",
        "'{{}} {}'.format(path)",
        "'%d%%' % (path,)",
        "'%(a)s' % path",
        "'%s' % path",
        "'%*d' % (3, path)",
    ],
)
def test_call_that_may_succeed_is_left_alone(call):
    assert raising_calls(f"def f(path, mode):\n    return {call}\n") == []


IN_HANDLER = """
    def f(client, text):
        {before}
        try:
            answer = {call}
            done = answer.text
        except {caught} as error:
            {handler}
"""
ASKING = {
    "before": "",
    "call": "client.ask(text)",
    "caught": "Exception",
    "handler": "print(answer)",
}


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"caught": "(ValueError, openai.RateLimitError)"},
        {"call": "await client.ask(text)"},
        {"call": "client(text)"},
        {"handler": "raise ValueError(answer.text) from error"},
    ],
)
def test_handler_of_a_failed_request_reads_what_it_did_not_give(changed):
    code = IN_HANDLER.format(**ASKING | changed).replace("def f", "async def f")
    assert read(code) == [("handler", "answer", "f")]


@pytest.mark.parametrize(
    "changed",
    [
        {"before": "answer = None"},
        {"caught": "ValueError"},
        {"call": "str(text)"},
        {"call": "time.time()"},
        {"handler": "print(answer if 'answer' in locals() else text)"},
        {"handler": "if 'answer' in locals(): print(answer)"},
        {"handler": "answer = None; print(answer)"},
        {"handler": "print(error, text)"},
        {"call": "client.ask(text); client.done = answer", "handler": "print(client)"},
    ],
)
def test_handler_that_may_read_what_is_there_is_left_alone(changed):
    assert read(IN_HANDLER.format(**ASKING | changed)) == []


def test_handler_that_reads_what_is_bound_around_the_function_is_left_alone():
    code = """
        def f(client):
            seen = client.start()
            def inner(text):
                try:
                    seen.result = client.ask(text)
                except Exception:
                    seen.stop()
            return inner
    """
    assert read(code) == []


FLAG = """
    class Saver:
        def save(self, place, plain):
            {before}
            if {test}:
                path = place.stamped()
                self.write(path)
            return {used}
"""
SETTING = {"before": "pass", "test": "self.stamped", "used": "str(path)"}


def test_setting_that_alone_decides_leaves_a_name_unbound():
    assert read(FLAG.format(**SETTING)) == [("flag", "path", "Saver.save")]
    (found,), _ = findings(FLAG.format(**SETTING).replace("save(self", "f(self"), base="")
    assert (found.level, found.line) == ("warning", 8)
    assert "whenever `self.stamped` is false" in found.message


@pytest.mark.parametrize(
    "changed",
    [
        {"before": "path = None"},
        {"before": "if not self.stamped: return None"},
        {"before": "self.stamped = place.known()"},
        {"used": "str(path) if self.stamped else ''"},
        {"used": "str(place)"},
        {"test": "plain"},
        {"test": "self.stamped > 3 and plain"},
        {"test": "place.stamped()"},
    ],
)
def test_setting_that_something_else_knows_is_left_alone(changed):
    assert read(FLAG.format(**SETTING | changed)) == []
