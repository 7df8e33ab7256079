"""A certificate authority of the cluster's own, and what it signs: the server's certificate and those of users."""

import datetime
import ipaddress
import ssl
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

_YEARS = datetime.timedelta(days=3650)
_SLACK = datetime.timedelta(hours=1)
"""How far back a certificate begins to count, for clocks that disagree."""


@dataclass(frozen=True)
class Pair:
    """A certificate and its private key, both as PEM."""

    certificate: bytes
    key: bytes


def _name(common: str, organizations: Sequence[str] = ()) -> x509.Name:
    parts = [x509.NameAttribute(NameOID.ORGANIZATION_NAME, o) for o in organizations]
    return x509.Name([*parts, x509.NameAttribute(NameOID.COMMON_NAME, common)])


def _alternative(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def _key_pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


class Authority:
    """Signs certificates with a key that exists in this process only."""

    def __init__(self, now: datetime.datetime, name: str = "tenantry-sim-ca") -> None:
        """`now` is the time, with a zone, at which certificates begin to count; they last ten years."""
        self._now = now
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._subject = _name(name)
        builder = self._builder(self._subject, self._key.public_key())
        builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        builder = builder.add_extension(_usage(signs=True), critical=True)
        identifier = x509.SubjectKeyIdentifier.from_public_key(self._key.public_key())
        certificate = builder.add_extension(identifier, critical=False).sign(self._key, hashes.SHA256())
        self.pem: bytes = certificate.public_bytes(serialization.Encoding.PEM)
        """The authority's own certificate."""

    def _builder(self, subject: x509.Name, key: ec.EllipticCurvePublicKey) -> x509.CertificateBuilder:
        builder = x509.CertificateBuilder(issuer_name=self._subject, subject_name=subject, public_key=key)
        builder = builder.serial_number(x509.random_serial_number())
        return builder.not_valid_before(self._now - _SLACK).not_valid_after(self._now + _YEARS)

    def _issue(self, subject: x509.Name, usage: x509.ObjectIdentifier, hosts: Sequence[str]) -> Pair:
        key = ec.generate_private_key(ec.SECP256R1())
        builder = self._builder(subject, key.public_key())
        builder = builder.add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        builder = builder.add_extension(_usage(signs=False), critical=True)
        builder = builder.add_extension(x509.ExtendedKeyUsage([usage]), critical=False)
        issuer = x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key())
        builder = builder.add_extension(issuer, critical=False)
        if hosts:
            names = x509.SubjectAlternativeName([_alternative(h) for h in hosts])
            builder = builder.add_extension(names, critical=False)
        certificate = builder.sign(self._key, hashes.SHA256())
        return Pair(certificate.public_bytes(serialization.Encoding.PEM), _key_pem(key))

    def server(self, hosts: Sequence[str]) -> Pair:
        """A certificate for a server that is reached under these names and addresses."""
        return self._issue(_name(hosts[0]), ExtendedKeyUsageOID.SERVER_AUTH, hosts)

    def client(self, user: str, groups: Sequence[str] = ()) -> Pair:
        """A certificate by which a user is known: the user as common name, the groups as organizations."""
        return self._issue(_name(user, groups), ExtendedKeyUsageOID.CLIENT_AUTH, ())


def _usage(signs: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs,
        crl_sign=signs,
        encipher_only=False,
        decipher_only=False,
    )


def server_context(pair: Pair, authority: bytes = b"") -> ssl.SSLContext:
    """TLS settings of a server; with an authority, clients may show a certificate that it signed."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with tempfile.TemporaryDirectory() as folder:
        # The standard library reads keys from files only; the folder is readable by its owner alone.
        certificate, key = Path(folder) / "certificate.pem", Path(folder) / "key.pem"
        certificate.write_bytes(pair.certificate)
        key.write_bytes(pair.key)
        context.load_cert_chain(certificate, key)
    if authority:
        context.load_verify_locations(cadata=authority.decode())
        context.verify_mode = ssl.CERT_OPTIONAL
    return context
