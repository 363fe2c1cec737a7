"""Runs reproducers as an author would: pytest, in a fresh process, in the project."""

import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

SITE = Path(pytest.__file__).parents[1]
# without the plugins of installed packages: finding them takes longer than what is run
PYTEST = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "--disable-plugin-autoload")
WITHOUT_SDK = (
    "pytest",
    "_pytest",
    "py.py",
    "pluggy",
    "iniconfig",
    "packaging",
    "pygments",
    "PIL",
    "pillow.libs",
    "numpy",
    "numpy.libs",
)


def bare_site(folder: Path) -> Path:
    """A folder of packages that lacks every Google client."""
    folder.mkdir(parents=True)
    for name in WITHOUT_SDK:
        if (SITE / name).exists():
            (folder / name).symlink_to(SITE / name)
    return folder


def run(folder: Path, site: Path | None = None) -> dict[str, str | None]:
    """The failure (or ``None``) of every test file in ``folder``, by test name.

    ``site`` takes the place of the installed packages.
    """
    environment = {"PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1"}
    if site:
        environment["PYTHONPATH"] = str(site)
    flags = ["-S"] if site else []
    done = subprocess.run(
        [
            *(sys.executable, *flags, *PYTEST),
            "--junitxml=result.xml",
            *sorted(path.name for path in folder.glob("test_*.py")),
        ],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert (folder / "result.xml").exists(), done.stdout + done.stderr
    return {
        case.get("name", ""): next((part.get("message") for part in case), None)
        for case in ET.parse(folder / "result.xml").iter("testcase")
    }
