"""What was planted, and where: each is to be found once, and none in the clean twin."""

from dataclasses import dataclass

from tests.end_to_end.repositories import PROJECTS


@dataclass(frozen=True)
class Planted:
    """A defect at the line of ``path`` that says ``code``."""

    project: str
    rule: str
    level: str
    status: str
    path: str
    code: str
    target: str

    @property
    def line(self) -> int:
        text = (PROJECTS / self.project / "planted" / self.path).read_text(encoding="utf-8")
        (number,) = [n for n, line in enumerate(text.splitlines(), 1) if self.code in line]
        return number

    def __str__(self) -> str:
        return f"{self.rule} {self.status} at {self.path}:{self.line}"


def _desk(rule: str, level: str, status: str, target: str, code: str, path: str = "") -> Planted:
    path = path or target.partition("::")[0]
    return Planted("desk", rule, level, status, path, code, target)


DESK = (
    _desk(
        "cloud/crash",
        "failure",
        "new",
        "desk/receipts.py::merchant",
        'first = words[0].description.split("\\n")[0]',
    ),
    _desk("cloud/dead-branch", "failure", "new", "desk/receipts.py::is_refund", 'or "CREDIT"'),
    _desk("cloud/dead-branch", "warning", "new", "desk/receipts.py::is_paid", '"PAID IN FULL"'),
    _desk("cloud/mixed-sentiment", "failure", "new", "desk/comments.py::is_friendly", "> -0.8"),
    _desk("cloud/crash", "failure", "new", "desk/comments.py::strength", "/ len("),
    _desk("cloud/crash", "failure", "existing", "desk/archive.py::shelf", "letter = words[0]"),
    _desk(
        "cloud/crash", "failure", "existing", "desk/post/letters.py::sender", "words_on(path)[0]"
    ),
    _desk("cloud/crash", "failure", "new", "desk/post/letters.py::is_urgent", "split()[0]"),
    _desk(
        "cloud/dead-branch",
        "failure",
        "new",
        "desk/contracts.py::tray",
        '"SIGNATURE"',
        "desk/rules.py",
    ),
    _desk("cloud/dead-branch", "warning", "new", "desk/intake.py::drawer", '"INVOICE"'),
)
PICTURES = (
    Planted(
        "pictures", "cloud/low-recall", "failure", "new", "watch.py", '"Fire"', "watch.py::alarm"
    ),
    Planted(
        "pictures",
        "cloud/unknown-label",
        "warning",
        "new",
        "watch.py",
        '"Pants"',
        "watch.py::outfit",
    ),
)
ALL = DESK + PICTURES
SOUND = (
    "desk/comments.py::reply_to",
    "desk/receipts.py::has_total",
)
