"""AWS Signature Version 4 of a POST, in its headers.

https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html

Own code: botocore brings 30 MB of service descriptions for this one function,
awscrt a native event loop, requests-aws4auth another HTTP client, and
google-auth's signer takes the service's name from the host, which a stand-in
does not have.  AWS's published examples are the tests.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from urllib.parse import quote, urlsplit

_ALGORITHM = "AWS4-HMAC-SHA256"


@dataclass(frozen=True, slots=True)
class Signer:
    """Signs with one access key for one ``service`` in one ``region``.

    ``token`` is that of temporary credentials.
    """

    key_id: str
    secret: str = field(repr=False)
    region: str
    service: str
    token: str | None = field(default=None, repr=False)

    def headers(
        self, url: str, body: bytes, headers: Mapping[str, str], moment: datetime | None = None
    ) -> dict[str, str]:
        """``headers``, in lower case, and those that sign a POST of ``body`` to ``url``.

        The address has no query.  ``moment`` is now where it is not given; a
        signature holds for five minutes around it.
        """
        time = (moment or datetime.now(UTC)).strftime("%Y%m%dT%H%M%SZ")
        parts = urlsplit(url)
        signed = {name.lower(): value for name, value in headers.items()}
        signed |= {"host": parts.netloc, "x-amz-date": time}
        if self.token:
            signed["x-amz-security-token"] = self.token
        names = ";".join(sorted(signed))
        request = "\n".join(
            (
                "POST",
                quote(parts.path or "/", safe="/-_.~"),
                "",
                *(f"{name}:{' '.join(signed[name].split())}" for name in sorted(signed)),
                "",
                names,
                hashlib.sha256(body).hexdigest(),
            )
        )
        scope = f"{time[:8]}/{self.region}/{self.service}/aws4_request"
        told = "\n".join((_ALGORITHM, time, scope, hashlib.sha256(request.encode()).hexdigest()))
        signature = hmac.new(self._key(time[:8]), told.encode(), hashlib.sha256).hexdigest()
        credential = f"Credential={self.key_id}/{scope}"
        authorization = f"{_ALGORITHM} {credential}, SignedHeaders={names}, Signature={signature}"
        return {**signed, "authorization": authorization}

    def _key(self, day: str) -> bytes:
        key = f"AWS4{self.secret}".encode()
        for part in (day, self.region, self.service, "aws4_request"):
            key = hmac.new(key, part.encode(), hashlib.sha256).digest()
        return key
