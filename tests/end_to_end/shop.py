"""A small project at GitHub, and the changes that people propose to it."""

from pathlib import Path

from tests.github_double import GithubDouble, Repo

DEMO = Path(__file__).parent.parent.parent / "worker/demo/application/base/expenses"
CONFIGURATION = b"inputs = 4\n"
COMMENTS = "shop/comments.py"
RECEIPTS = "shop/receipts.py"

CRASHES = '''"""How strongly is a comment worded?"""

from .cloud import sentiment_of


def intensity(comment):
    response = sentiment_of(comment)
    strength = response.document_sentiment.magnitude / len(response.sentences)
    return "strong" if strength > 0.6 else "calm"
'''
GUARDED = CRASHES.replace(
    "    strength =", '    if not response.sentences:\n        return "calm"\n    strength ='
)
# a guest skips sleeps of 0.1 s or more
GOES_ON = CRASHES.replace("from .cloud", "import time\n\nfrom .cloud").replace(
    "    response =", "    for _ in range(20):\n        time.sleep(0.09)\n    response ="
)
MISREADS = '''"""What stands on a receipt?"""

from .cloud import Eyes


def merchant(path):
    annotations = Eyes().annotations(path)
    return annotations[0].description.split("\\n")[0]


def is_refund(path):
    text = " ".join(found.description for found in Eyes().annotations(path))
    if "REFUND" in text or "CREDIT NOTE":
        return True
    return False
'''


def base(more: dict[str, str | bytes] | None = None) -> dict[str, str | bytes]:
    """What stands on ``main``."""
    return {
        "shop/__init__.py": "",
        "shop/cloud.py": (DEMO / "cloud.py").read_bytes(),
        ".github/assayer.toml": CONFIGURATION,
        "README.md": "# Shop\n",
        **(more or {}),
    }


def shop(github: GithubDouble, name: str, *, private: bool = False, **more: str | bytes) -> Repo:
    """A repository with the shop; ``more`` are files by their paths."""
    return github.repository(name, private=private, files=base(more))
