"""Who a request comes from: tokens, certificates, nobody, somebody else."""

import json
import ssl
import tempfile
from pathlib import Path

import aiohttp
import pytest
from access_kit import ADMIN, rule, tenants, user
from simcluster_client import PODS, Api

from tenantry_sim import SimCluster, SimConfig
from tenantry_sim.access.options import read_users
from tenantry_sim.config import TokenUser

_WHO = "/apis/authentication.k8s.io/v1/selfsubjectreviews"


async def _who(api: Api) -> dict[str, object]:
    code, answer = await api.post(_WHO, {"kind": "SelfSubjectReview", "apiVersion": "authentication.k8s.io/v1"})
    assert code == 201, answer
    found: dict[str, object] = answer["status"]["userInfo"]
    return found


async def test_tokens() -> None:
    async with tenants() as place:
        everybody = "system:authenticated"
        assert await _who(place.admin) == {"username": "admin", "uid": "admin", "groups": ["system:masters", everybody]}
        alice = {"username": "alice", "uid": "u1", "groups": ["team-a", everybody]}
        assert await _who(place.by_token("alice-token")) == alice
        code, answer = await place.by_token("wrong").call("GET", PODS)
        assert (code, answer["reason"], answer["message"]) == (401, "Unauthorized", "Unauthorized")


@pytest.mark.parametrize(
    ("anonymous", "code"), [pytest.param(True, 403, id="let-in"), pytest.param(False, 401, id="not")]
)
async def test_nobody(anonymous: bool, code: int) -> None:
    async with tenants(anonymous=anonymous) as place:
        got, answer = await place.by_token("").call("GET", PODS)
        assert got == code
        assert ('User "system:anonymous" cannot list' in answer["message"]) is anonymous
        assert (await place.by_token("").call("GET", "/version"))[0] == 200


async def test_without_a_token_nobody_is_the_administrator() -> None:
    async with SimCluster(SimConfig()) as cluster, aiohttp.ClientSession() as session:
        assert (await _who(Api(session, cluster.url)))["username"] == "admin"


async def test_client_certificate() -> None:
    async with tenants() as place:
        await place.role("r", rule("list", "pods"))
        await place.bind("Role/r", user("carol"))
        assert place.cluster.authority is not None
        trust = ssl.create_default_context(cadata=place.cluster.authority.pem.decode())
        pair = place.cluster.authority.client("carol", ["ops", "night"])
        _load(trust, pair.certificate + pair.key)
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(ssl=trust)) as session:
            api = Api(session, place.cluster.url)
            who = await _who(api)
            assert (who["username"], who["groups"]) == ("carol", ["ops", "night", "system:authenticated"])
            assert (await api.call("GET", PODS))[0] == 200


def _load(context: ssl.SSLContext, pem: bytes) -> None:
    """Certificates can be loaded from files only."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(pem)
        file.flush()
        context.load_cert_chain(file.name)


async def test_certificate_of_a_stranger_is_refused() -> None:
    async with tenants() as place, tenants() as other:
        assert place.cluster.authority is not None and other.cluster.authority is not None
        trust = ssl.create_default_context(cadata=place.cluster.authority.pem.decode())
        pair = other.cluster.authority.client("admin", ["system:masters"])
        _load(trust, pair.certificate + pair.key)
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(ssl=trust)) as session:
            with pytest.raises(aiohttp.ClientError):
                await session.get(place.cluster.url + PODS)


async def test_service_account_token() -> None:
    accounts = "/api/v1/namespaces/default/serviceaccounts"
    async with tenants() as place:
        await place.admin.post(accounts, {"metadata": {"name": "runner"}})
        code, answer = await place.admin.post(f"{accounts}/runner/token", {"spec": {"expirationSeconds": 600}})
        assert code == 201, answer
        api = place.by_token(answer["status"]["token"])
        who = await _who(api)
        assert who["username"] == "system:serviceaccount:default:runner"
        assert who["groups"] == [
            "system:serviceaccounts",
            "system:serviceaccounts:default",
            "system:authenticated",
        ]
        await place.admin.call("DELETE", f"{accounts}/runner")
        assert (await api.call("GET", PODS))[0] == 401


@pytest.mark.parametrize(
    ("account", "spec", "code"),
    [
        pytest.param("nobody", {}, 404, id="no-such-account"),
        pytest.param("runner", {"expirationSeconds": 10}, 422, id="too-short"),
        pytest.param("runner", {"boundObjectRef": {"kind": "Pod", "name": "p"}}, 404, id="no-such-pod"),
    ],
)
async def test_token_requests_are_checked(account: str, spec: dict[str, object], code: int) -> None:
    accounts = "/api/v1/namespaces/default/serviceaccounts"
    async with tenants() as place:
        await place.admin.post(accounts, {"metadata": {"name": "runner"}})
        assert (await place.admin.post(f"{accounts}/{account}/token", {"spec": spec}))[0] == code


async def test_impersonation() -> None:
    async with tenants() as place:
        who = await _who(place.acting_as("dave", **{"Impersonate-Group": "ops", "Impersonate-Extra-Scopes": "all"}))
        assert who == {"username": "dave", "groups": ["ops", "system:authenticated"], "extra": {"scopes": ["all"]}}
        code, answer = await place.by_token("bob-token", **{"Impersonate-User": "dave"}).call("GET", PODS)
        assert code == 403
        assert answer["message"] == (
            'users "dave" is forbidden: User "bob" cannot impersonate resource "users" in API group "" '
            "at the cluster scope"
        )


async def test_impersonation_of_one_user_may_be_granted() -> None:
    async with tenants() as place:
        await place.role("r", rule("impersonate", "users", names="dave"), namespace="")
        await place.bind("ClusterRole/r", user("bob"), namespace="")
        who = await _who(place.by_token("bob-token", **{"Impersonate-User": "dave"}))
        assert who["username"] == "dave"
        masters = {"Impersonate-User": "dave", "Impersonate-Group": "system:masters"}
        assert (await place.by_token("bob-token", **masters).call("GET", PODS))[0] == 403


async def test_kubeconfig(tmp_path: Path) -> None:
    path = tmp_path / "kubeconfig"
    async with tenants() as place:
        place.cluster.write_kubeconfig(path)
        document = json.loads(path.read_text())
        assert document["users"][0]["user"] == {"token": ADMIN}
        assert "certificate-authority-data" in document["clusters"][0]["cluster"]
        assert document["clusters"][0]["cluster"]["server"].startswith("https://127.0.0.1:")
        assert path.stat().st_mode & 0o077 == 0
        place.cluster.write_kubeconfig(path, place.cluster.certificate_user("carol"))
        assert set(json.loads(path.read_text())["users"][0]["user"]) == {"client-certificate-data", "client-key-data"}


def test_token_file(tmp_path: Path) -> None:
    path = tmp_path / "tokens.csv"
    path.write_text('# users\nt1,alice,u1,"a,b"\nt2,bob,u2\n')
    assert read_users(path) == (TokenUser("alice", "t1", ("a", "b"), "u1"), TokenUser("bob", "t2", (), "u2"))
    path.write_text("t1,alice\n")
    with pytest.raises(ValueError, match="line 1"):
        read_users(path)
