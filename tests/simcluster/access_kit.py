"""A cluster over TLS with an administrator and some users, and a client for each."""

import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
from simcluster_client import Api

from tenantry_sim import SimCluster, SimConfig
from tenantry_sim.config import TokenUser

ADMIN = "admin-token"
USERS = (TokenUser("alice", "alice-token", ("team-a",), "u1"), TokenUser("bob", "bob-token"))
RBAC = "/apis/rbac.authorization.k8s.io/v1"
_GROUP = "rbac.authorization.k8s.io"
Rule = dict[str, Any]


def rule(verbs: str, resources: str, group: str = "", names: str = "") -> Rule:
    """A policy rule from words separated by spaces."""
    found: Rule = {"verbs": verbs.split(), "resources": resources.split(), "apiGroups": [group]}
    return {**found, "resourceNames": names.split()} if names else found


class Tenants:
    """A running cluster with clients by token."""

    def __init__(self, cluster: SimCluster, session: aiohttp.ClientSession) -> None:
        self.cluster = cluster
        self.session = session
        self.admin = self.by_token(ADMIN)

    def by_token(self, token: str, **headers: str) -> Api:
        more = {"Authorization": f"Bearer {token}", **headers} if token else headers
        return Headed(self.session, self.cluster.url, more)

    def acting_as(self, user: str, **more: str) -> Api:
        """The administrator in the role of somebody else."""
        return self.by_token(ADMIN, **{"Impersonate-User": user, **more})

    async def role(self, name: str, *rules: Rule, namespace: str = "default") -> None:
        """Create a role, or a cluster role for no namespace."""
        place = f"/namespaces/{namespace}/roles" if namespace else "/clusterroles"
        code, answer = await self.admin.post(RBAC + place, {"metadata": {"name": name}, "rules": list(rules)})
        assert code == 201, answer

    async def bind(self, role: str, *subjects: Mapping[str, str], namespace: str = "default") -> None:
        """Bind `Role/name` or `ClusterRole/name` to subjects."""
        kind, _, name = role.partition("/")
        place = f"/namespaces/{namespace}/rolebindings" if namespace else "/clusterrolebindings"
        reference = {"apiGroup": _GROUP, "kind": kind, "name": name}
        body = {"metadata": {"generateName": "b-"}, "roleRef": reference, "subjects": list(subjects)}
        code, answer = await self.admin.post(RBAC + place, body)
        assert code == 201, answer


class Headed(Api):
    """A client that sends headers with every request."""

    def __init__(self, session: aiohttp.ClientSession, url: str, headers: Mapping[str, str]) -> None:
        super().__init__(session, url)
        self.headers = dict(headers)

    async def call(self, method: str, path: str, body: Any = None, kind: str = "application/json") -> tuple[int, Any]:
        headers = {"Content-Type": kind, **self.headers}
        async with self.session.request(method, self.url + path, json=body, headers=headers) as answer:
            return answer.status, await answer.json() if answer.content_type == "application/json" else None


def user(name: str) -> dict[str, str]:
    return {"kind": "User", "apiGroup": _GROUP, "name": name}


def group(name: str) -> dict[str, str]:
    return {"kind": "Group", "apiGroup": _GROUP, "name": name}


def account(name: str, namespace: str = "default") -> dict[str, str]:
    return {"kind": "ServiceAccount", "name": name, "namespace": namespace}


@asynccontextmanager
async def tenants(**settings: Any) -> AsyncIterator[Tenants]:
    """A cluster with the users above; keyword arguments go into its settings."""
    config = SimConfig(**{"tls": True, "token": ADMIN, "users": USERS, **settings})
    async with SimCluster(config) as cluster:
        assert cluster.authority is not None
        trust = ssl.create_default_context(cadata=cluster.authority.pem.decode())
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(ssl=trust)) as session:
            yield Tenants(cluster, session)
