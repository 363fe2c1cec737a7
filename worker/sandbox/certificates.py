"""A certificate for the servers that a guest's proxy stands in for; only our guests trust it.

The authority's key is never kept; the server's key lies in the guest, where it opens nothing.
"""

from __future__ import annotations

import datetime
import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

DAY = datetime.timedelta(days=1)
LIFE = 3650 * DAY


@dataclass(frozen=True, slots=True)
class Certificate:
    """PEM texts: the authority to trust, the server's certificate and its key."""

    authority: str
    certificate: str
    key: str


@cache
def certificate(hosts: tuple[str, ...]) -> Certificate:
    """A certificate for ``hosts`` (``*.`` for any first label), made once a process."""
    signing, serving = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    authority_name = _name("Assayer throw-away authority")
    authority = (
        _builder(authority_name, authority_name, signing.public_key(), signing.public_key())
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(authority=True), critical=True)
        .sign(signing, hashes.SHA256())
    )
    server = (
        _builder(_name("Assayer proxy"), authority_name, serving.public_key(), signing.public_key())
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(authority=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.SubjectAlternativeName(_names(hosts)), critical=False)
        .sign(signing, hashes.SHA256())
    )
    return Certificate(_pem(authority), _pem(server), _key(serving))


def _builder(
    subject: x509.Name,
    issuer: x509.Name,
    key: ec.EllipticCurvePublicKey,
    signer: ec.EllipticCurvePublicKey,
) -> x509.CertificateBuilder:
    now = datetime.datetime.now(datetime.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - DAY)
        .not_valid_after(now + LIFE)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key), critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(signer),
            critical=False,
        )
    )


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _names(hosts: Sequence[str]) -> list[x509.GeneralName]:
    loopback = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
    return [*map(x509.DNSName, hosts), loopback]


def _usage(*, authority: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not authority,
        key_cert_sign=authority,
        crl_sign=authority,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


def _pem(made: x509.Certificate) -> str:
    return made.public_bytes(serialization.Encoding.PEM).decode()


def _key(key: ec.EllipticCurvePrivateKey) -> str:
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    ).decode()
