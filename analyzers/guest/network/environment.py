"""What the environment tells the tested code: whom to trust, keys that open nothing."""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
from pathlib import Path
from types import ModuleType
from typing import Any, Callable, Dict

TRUST = (
    *("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "AWS_CA_BUNDLE"),
    *("GRPC_DEFAULT_SSL_ROOTS_FILE_PATH", "NODE_EXTRA_CA_CERTS"),
)
KEYS: Dict[str, str] = {
    "AWS_ACCESS_KEY_ID": "ASSAYERISNOTAKEY0000",
    "AWS_SECRET_ACCESS_KEY": "assayer-is-not-a-key",
    "AWS_DEFAULT_REGION": "us-east-1",
    "OPENAI_API_KEY": "sk-assayer-is-not-a-key",
    "HF_TOKEN": "hf_assayer_is_not_a_key",
    "GOOGLE_CLOUD_PROJECT": "assayer",
    # what would look for a machine of the provider, and wait for it
    "AWS_EC2_METADATA_DISABLED": "true",
    "AWS_MAX_ATTEMPTS": "1",
    "NO_GCE_CHECK": "true",
}
ACCOUNT = {
    "type": "authorized_user",
    "client_id": "assayer",
    "client_secret": "assayer-is-not-a-key",
    "refresh_token": "assayer-is-not-a-key",
}


def give_keys(folder: Path) -> None:
    """Set what clients insist on before they ask anything."""
    for name, value in KEYS.items():
        os.environ.setdefault(name, value)
    account = folder / "account.json"
    account.write_text(json.dumps(ACCOUNT), encoding="utf-8")
    os.environ.setdefault("GOOGLE_APPLICATION_CREDENTIALS", str(account))


def give_trust(authority: Path) -> None:
    """Let every client trust the proxy's authority, and nobody else."""
    for name in TRUST:
        os.environ[name] = str(authority)


def proxies(port: int) -> Dict[str, str]:
    """The variables that lead a program through the proxy."""
    url = f"http://127.0.0.1:{port}"
    names = ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY")
    return {**dict.fromkeys(names, url), "no_proxy": "", "NO_PROXY": ""}


def lead_programs(variables: Dict[str, str], wake: Callable[[], None]) -> None:
    """Lead other programs and libraries in C through the proxy.

    They read the process's environment, ``os.environ`` does not change: Python's
    own clients are led by their sockets, so that they meet a refused connection
    as they would without a proxy.
    """
    library = ctypes.CDLL(None)
    for name, value in variables.items():
        library.setenv(name.encode(), value.encode(), 1)
    kind: Any = subprocess.Popen
    original: Callable[..., None] = kind.__init__

    def started(self: Any, *args: Any, **options: Any) -> None:
        wake()
        if options.get("env") is not None:
            options["env"] = {**variables, **options["env"]}
        original(self, *args, **options)

    kind.__init__ = started
    _patch_system(wake)


def _patch_system(wake: Callable[[], None]) -> None:
    module: Any = os
    original: Callable[[Any], int] = module.system

    def system(command: Any) -> int:
        wake()
        return original(command)

    module.system = system


def patch_certifi(authority: str) -> Callable[[ModuleType], None]:
    """What patches ``certifi``: the certificates that it brings are ours."""

    def patch(module: ModuleType) -> None:
        def contents() -> str:
            return Path(authority).read_text(encoding="ascii")

        vars(module).update(where=lambda: authority, contents=contents)

    return patch
