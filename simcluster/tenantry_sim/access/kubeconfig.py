"""Kubeconfig files for the embedded cluster."""

import base64
import json
import os
from pathlib import Path
from typing import Any

from tenantry_sim.access.certificates import Pair


def _data(pem: bytes) -> str:
    return base64.b64encode(pem).decode()


def by_token(token: str) -> dict[str, Any]:
    """The user entry of somebody with a bearer token; nothing for an empty one."""
    return {"token": token} if token else {}


def by_certificate(pair: Pair) -> dict[str, Any]:
    """The user entry of somebody with a client certificate."""
    return {"client-certificate-data": _data(pair.certificate), "client-key-data": _data(pair.key)}


def document(url: str, authority: bytes, user: dict[str, Any], namespace: str = "default") -> dict[str, Any]:
    """A kubeconfig with one cluster, one user and one context, all named `sim`."""
    cluster: dict[str, Any] = {"server": url}
    if authority:
        cluster["certificate-authority-data"] = _data(authority)
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "sim", "cluster": cluster}],
        "users": [{"name": "sim", "user": user}],
        "contexts": [{"name": "sim", "context": {"cluster": "sim", "user": "sim", "namespace": namespace}}],
        "current-context": "sim",
    }


def write(path: str | Path, content: dict[str, Any]) -> None:
    """Write a kubeconfig (JSON is YAML), readable by its owner only."""
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        json.dump(content, file, indent=2)
        file.write("\n")
