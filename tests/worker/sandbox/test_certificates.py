"""The certificate that a guest's stand-in server shows, and what could be done with its key."""

from cryptography import x509
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from worker.sandbox.certificates import certificate


def test_what_a_guest_holds_signs_nothing():
    """One private key is handed out: it is not the authority's, and its server is none."""
    made = certificate(("vision.googleapis.com", "*.amazonaws.com"))
    authority = x509.load_pem_x509_certificate(made.authority.encode())
    server = x509.load_pem_x509_certificate(made.certificate.encode())
    given = load_pem_private_key(made.key.encode(), None).public_key()
    assert given == server.public_key() != authority.public_key()
    server.verify_directly_issued_by(authority)
    limits = server.extensions.get_extension_for_class(x509.BasicConstraints)
    usage = server.extensions.get_extension_for_class(x509.KeyUsage)
    assert (limits.value.ca, usage.value.key_cert_sign) == (False, False)
    assert "".join((made.authority, made.certificate, made.key)).count("PRIVATE KEY") == 2
