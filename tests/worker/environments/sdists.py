"""Source distributions whose build backend lies in them, and wheels as it makes them."""

import base64
import hashlib
import io
import zipfile

PYPROJECT = """\
[build-system]
requires = {requires!r}
build-backend = "backend"
backend-path = ["."]
"""
BACKEND = """\
import base64, hashlib, os, socket, sys, sysconfig, time, zipfile

FILE, FILES, DYNAMIC = {file!r}, {files!r}, {dynamic!r}


def get_requires_for_build_wheel(settings=None):
    return DYNAMIC


def build_wheel(folder, settings=None, metadata=None):
{before}
    with zipfile.ZipFile(os.path.join(folder, FILE), "w") as archive:
        for path, text in FILES.items():
            archive.writestr(path, text)
    return FILE
"""


def recorded(name, version, files):
    """The texts of a wheel, with its metadata and a right RECORD."""
    info = f"{name}-{version}.dist-info"
    texts = {
        **files,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    return {**texts, f"{info}/RECORD": record(texts) + f"{info}/RECORD,,\n"}


def record(texts):
    """The lines of a RECORD."""
    lines = []
    for path, text in texts.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=")
        lines.append(f"{path},sha256={digest.decode()},{len(text.encode())}\n")
    return "".join(lines)


def zipped(texts):
    """A zip of texts by path."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, text in texts.items():
            archive.writestr(path, text)
    return content.getvalue()


def buildable(name, version, **wishes):
    """The files of a source distribution.

    Wishes: ``before``, lines that run before the wheel is made; ``requires``;
    ``dynamic``; ``files`` of the wheel; ``file``, its name.
    """
    module = {f"{name}.py": f"VERSION = {version!r}\n"}
    before = wishes.get("before", "pass").strip().splitlines()
    backend = BACKEND.format(
        file=wishes.get("file", f"{name}-{version}-py3-none-any.whl"),
        files=wishes.get("files") or recorded(name, version, module),
        dynamic=wishes.get("dynamic", []),
        before="\n".join(f"    {line}" for line in before),
    )
    return {
        "pyproject.toml": PYPROJECT.format(requires=wishes.get("requires", [])),
        "backend.py": backend,
    }
