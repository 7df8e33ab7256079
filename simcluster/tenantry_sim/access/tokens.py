"""Service account tokens: JSON web tokens that the server signs and knows again."""

import base64
import binascii
import hashlib
import hmac
import json
from collections.abc import Mapping
from typing import Any

from tenantry_sim.access.users import ACCOUNT_PREFIX, User, account_groups, user
from tenantry_sim.clock import stamp
from tenantry_sim.kinds import shapes
from tenantry_sim.kinds.rules import prune_nulls
from tenantry_sim.status import Cause, invalid, not_found
from tenantry_sim.store.records import Object, encode
from tenantry_sim.world import World

ISSUER = "https://kubernetes.default.svc"
_HOUR = 3600
_SHORTEST = 600
_LONGEST = 1 << 32


def _pack(part: bytes) -> str:
    return base64.urlsafe_b64encode(part).decode().rstrip("=")


def _unpack(part: str) -> bytes:
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))


class AccountTokens:
    """Issues and checks tokens of service accounts. A token dies with its account, its pod, or of old age."""

    def __init__(self, world: World, key: bytes) -> None:
        self._world = world
        self._key = key

    def _sign(self, text: str) -> str:
        return _pack(hmac.digest(self._key, text.encode(), hashlib.sha256))

    def issue(self, claims: Mapping[str, Any]) -> str:
        """A signed token with these claims."""
        text = f"{_pack(encode({'alg': 'HS256', 'typ': 'JWT'}))}.{_pack(encode(claims))}"
        return f"{text}.{self._sign(text)}"

    def known(self, token: str) -> User | None:
        """The service account whose live token this is; None for every other text."""
        text, _, signature = token.rpartition(".")
        if not text or not hmac.compare_digest(signature.encode(), self._sign(text).encode()):
            return None
        try:
            claims = json.loads(_unpack(text.partition(".")[2]))
        except (binascii.Error, ValueError):
            return None
        if ISSUER not in claims["aud"] or claims["exp"] <= self._world.clock.now():
            return None
        about = claims["kubernetes.io"]
        space, account = about["namespace"], about["serviceaccount"]
        if not self._alive("/serviceaccounts", space, account):
            return None
        extra = {"authentication.kubernetes.io/credential-id": (f"JTI={claims['jti']}",)}
        if "pod" in about:
            if not self._alive("/pods", space, about["pod"]):
                return None
            extra["authentication.kubernetes.io/pod-name"] = (about["pod"]["name"],)
            extra["authentication.kubernetes.io/pod-uid"] = (about["pod"]["uid"],)
        return user(claims["sub"], account_groups(space), account["uid"], extra)

    def _alive(self, key: str, namespace: str, reference: Mapping[str, str]) -> bool:
        record = self._world.find(key, reference["name"], namespace)
        return record is not None and record.uid == reference["uid"]

    def request(self, namespace: str, name: str, document: Object) -> Object:
        """The answer to a TokenRequest. Raises ApiError: 404 without the account, 422 for a bad wish."""
        shapes.check("TokenRequest", prune_nulls(document))
        account = self._world.find("/serviceaccounts", name, namespace)
        if account is None:
            raise not_found("serviceaccounts", "", name)
        spec = document.get("spec") or {}
        seconds = spec.get("expirationSeconds", _HOUR)
        if not isinstance(seconds, int) or not _SHORTEST <= seconds <= _LONGEST:
            word = "less than 10 minutes" if isinstance(seconds, int) and seconds < _SHORTEST else "larger than 2^32"
            why = f"Invalid value: {seconds}: may not specify a duration {word}"
            cause = Cause("FieldValueInvalid", why, "spec.expirationSeconds")
            raise invalid("TokenRequest", "authentication.k8s.io", "", [cause])
        audiences = list(spec.get("audiences") or [ISSUER])
        about: dict[str, Any] = {"namespace": namespace, "serviceaccount": {"name": name, "uid": account.uid}}
        bound = spec.get("boundObjectRef") or None
        if bound is not None and bound.get("kind") == "Pod":
            pod = self._world.find("/pods", bound.get("name", ""), namespace)
            if pod is None:
                raise not_found("pods", "", bound.get("name", ""))
            about["pod"] = {"name": pod.name, "uid": pod.uid}
        now = self._world.clock.now()
        return {
            "kind": "TokenRequest",
            "apiVersion": "authentication.k8s.io/v1",
            "metadata": {"name": name, "namespace": namespace, "creationTimestamp": stamp(now)},
            "spec": {"audiences": audiences, "expirationSeconds": seconds, "boundObjectRef": bound},
            "status": {
                "token": self.issue(self._claims(about, audiences, int(now), seconds)),
                "expirationTimestamp": stamp(now + seconds),
            },
        }

    def _claims(self, about: dict[str, Any], audiences: list[str], now: int, seconds: int) -> dict[str, Any]:
        name = f"{ACCOUNT_PREFIX}{about['namespace']}:{about['serviceaccount']['name']}"
        times = {"iat": now, "nbf": now, "exp": now + seconds}
        return {
            "iss": ISSUER,
            "sub": name,
            "aud": audiences,
            "jti": self._world.uid(),
            **times,
            "kubernetes.io": about,
        }
