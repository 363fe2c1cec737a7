"""A program that shows what a library does, as a test that needs nothing of a project."""

from __future__ import annotations

import textwrap

from analyzers.judging import DEATH
from analyzers.vocabulary import Crashes, Finding
from worker.report.cases import comment

_IMPORT = "import "
_TAKEN = '''\
{imports}

def shown():
{body}

def {name}():
    """The library refuses it."""
    import pytest

    with pytest.raises((AssertionError, IndexError, RuntimeError, TypeError, ValueError)):
        shown()


if __name__ == "__main__":
    shown()
'''
_DIES = '''\
import subprocess
import sys
{imports}

def shown():
{body}

def {name}():
    """The process outlives it."""
    assert subprocess.run([sys.executable, __file__], check=False).returncode >= 0


if __name__ == "__main__":
    shown()
'''


def program_test(finding: Finding, program: str, name: str) -> str:
    """The text of a pytest file that fails where ``program`` shows ``finding``.

    A value that is to be refused is: the test fails as long as the program runs.  A process
    that dies: the test fails as long as that of the program does.  By itself the file runs
    the program.
    """
    lines = program.strip().splitlines()
    imports = [line for line in lines if line.startswith(_IMPORT)]
    body = textwrap.indent("\n".join(line for line in lines if line not in imports), "    ")
    criterion = finding.criterion
    dies = isinstance(criterion, Crashes) and criterion.exception == DEATH
    form = _DIES if dies else _TAKEN
    code = form.format(
        imports="\n".join(imports) + "\n", body=f"{body.strip(chr(10))}\n", name=name
    )
    return f"{_heading(finding, name)}\n\n{code}"


def _heading(finding: Finding, name: str) -> str:
    said = [
        finding.title,
        "",
        *finding.message.splitlines(),
        "",
        f"    python {name}.py             # what comes of it",
        f"    python -m pytest {name}.py   # fails as long as it does",
        "",
        f"{finding.rule} {finding.fingerprint}, found by Assayer.",
    ]
    return "\n".join(map(comment, said))
