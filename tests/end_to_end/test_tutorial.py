"""docs/tutorial.md, followed to the letter: what it shows is what ``assayer check`` prints."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.end_to_end.commandline import AMPLE, ASSAYER, LONGEST

PAGE = (Path(__file__).parents[2] / "docs/tutorial.md").read_text("utf-8")
PYTHON = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
SHOWN = re.findall(r"^```text\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
# counts depend on how many inputs the machine's engines and fonts allow
COUNT = re.compile(r"\d+")


def with_functions(text: str, functions: str) -> str:
    """Replace the text's functions by those that the page shows, from the first of them on."""
    name = re.match(r"def (\w+)", functions)[1]
    return text[: text.index(f"def {name}(")] + functions


@pytest.mark.slow
def test_tutorial_shows_what_the_check_says(tmp_path):
    def run(*command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=LONGEST
        )

    def git(*arguments: str) -> None:
        run("git", "-c", "user.name=you", "-c", "user.email=you@example.org", *arguments)

    def check() -> tuple[int, str]:
        ended = run(str(ASSAYER), "check", "--offline", "--quiet", "--inputs", "5", *AMPLE)
        return ended.returncode, ended.stdout

    file = tmp_path / "receipts.py"
    first, buggy, mended = PYTHON
    file.write_text(first)
    git("init", "-b", "main")
    git("add", ".")
    git("commit", "-m", "Sort receipts")
    git("switch", "-c", "refunds")
    file.write_text(with_functions(first, buggy))
    git("commit", "-a", "-m", "Recognise refunds")
    status, said = check()
    assert status == 1, said
    assert missing(SHOWN[0], said) == []
    file.write_text(with_functions(first, mended))
    status, said = check()
    assert status == 0, said
    assert missing(SHOWN[1], said) == []


def missing(shown: str, said: str) -> list[str]:
    """Return the lines of the page that the check did not print, numbers and wrapping aside."""
    printed = COUNT.sub("#", " ".join(said.split()))
    return [
        line for line in shown.splitlines() if COUNT.sub("#", " ".join(line.split())) not in printed
    ]
