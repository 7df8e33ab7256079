"""What `resize` and `ephemeralcontainers` let through."""

from typing import Any

import pytest
from sim_virtual import PODS, STRATEGIC, in_virtual_time, virtual


def _pod(**resources: Any) -> dict[str, Any]:
    containers = [{"name": "c", "image": "a:1", "resources": resources}]
    return {"metadata": {"name": "p"}, "spec": {"containers": containers}}


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        pytest.param({"requests": {"cpu": "1"}}, {"requests": {"cpu": "2"}}, "", id="more"),
        pytest.param({"requests": {"cpu": "2"}}, {"requests": {"cpu": "1"}}, "", id="less"),
        pytest.param(
            {"requests": {"cpu": "1"}}, {"requests": {"cpu": None}}, "resource requests cannot be removed", id="removed"
        ),
        pytest.param(
            {"requests": {"cpu": "1"}, "limits": {"cpu": "1"}},
            {"requests": {"cpu": "2"}},
            "must be less than or equal to cpu limit of 1",
            id="above the limit",
        ),
        pytest.param(
            {"requests": {"cpu": "1"}},
            {"requests": {"example.com/gpu": "1"}, "limits": {"example.com/gpu": "1"}},
            "only cpu and memory resources are mutable",
            id="other resource",
        ),
        pytest.param(
            {"requests": {"cpu": "1", "memory": "1Gi"}, "limits": {"cpu": "1", "memory": "1Gi"}},
            {"limits": {"cpu": "2"}},
            "Pod QOS Class may not change as a result of resizing",
            id="class of service",
        ),
    ],
)
@in_virtual_time
async def test_resize(before: Any, after: Any, message: str) -> None:
    async with virtual("garbage") as cluster:
        await cluster.post(PODS, _pod(**before))
        body = {"spec": {"containers": [{"name": "c", "resources": after}]}}
        code, answer = await cluster.call("PATCH", f"{PODS}/p/resize", body, STRATEGIC)
        assert code == (422 if message else 200), answer
        assert message in answer.get("message", "")
        if not message:
            assert answer["metadata"]["generation"] == 2


@in_virtual_time
async def test_resize_changes_nothing_else() -> None:
    async with virtual("garbage") as cluster:
        await cluster.post(PODS, _pod(requests={"cpu": "1"}))
        containers = [{"name": "c", "image": "a:2", "resources": {"requests": {"cpu": "2"}}}]
        body = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": containers}}
        pod = await cluster.patch(f"{PODS}/p/resize", body, STRATEGIC)
        assert "labels" not in pod["metadata"]
        assert pod["spec"]["containers"][0]["image"] == "a:1"
        assert (await cluster.get(f"{PODS}/p/resize"))["spec"] == pod["spec"]


@pytest.mark.parametrize(
    ("container", "message"),
    [
        pytest.param({"name": "shell", "image": "tools:1", "targetContainerName": "c"}, "", id="fine"),
        pytest.param({"name": "shell"}, "spec.ephemeralContainers[0].image: Required value", id="no image"),
        pytest.param({"name": "c", "image": "tools:1"}, 'Duplicate value: "c"', id="name is taken"),
        pytest.param(
            {"name": "shell", "image": "tools:1", "ports": [{"containerPort": 80}]},
            "ports: Forbidden: cannot be set for an Ephemeral Container",
            id="ports",
        ),
        pytest.param(
            {"name": "shell", "image": "tools:1", "targetContainerName": "x"}, 'Not found: "x"', id="no such target"
        ),
    ],
)
@in_virtual_time
async def test_ephemeral_containers(container: Any, message: str) -> None:
    async with virtual("garbage") as cluster:
        await cluster.post(PODS, _pod())
        path, body = f"{PODS}/p/ephemeralcontainers", {"spec": {"ephemeralContainers": [container]}}
        code, answer = await cluster.call("PATCH", path, body, STRATEGIC)
        assert code == (422 if message else 200), answer
        assert message in answer.get("message", "")


@pytest.mark.parametrize(
    ("now", "word"),
    [
        pytest.param([], "removed", id="removed"),
        pytest.param([{"name": "shell", "image": "b:1"}], "changed", id="changed"),
    ],
)
@in_virtual_time
async def test_ephemeral_containers_stay(now: Any, word: str) -> None:
    async with virtual("garbage") as cluster:
        await cluster.post(PODS, _pod())
        path = f"{PODS}/p/ephemeralcontainers"
        await cluster.patch(path, {"spec": {"ephemeralContainers": [{"name": "shell", "image": "a:1"}]}}, STRATEGIC)
        pod = await cluster.get(f"{PODS}/p")
        pod["spec"]["ephemeralContainers"] = now
        code, answer = await cluster.call("PUT", path, pod)
        assert (code, f"may not be {word}" in answer["message"]) == (422, True)


@in_virtual_time
async def test_resize_within_quota_and_limits() -> None:
    async with virtual("quotas") as cluster:
        base = "/api/v1/namespaces/default"
        await cluster.post(
            f"{base}/resourcequotas", {"metadata": {"name": "q"}, "spec": {"hard": {"requests.cpu": "3"}}}
        )
        limits = {"limits": [{"type": "Container", "min": {"cpu": "500m"}}]}
        await cluster.post(f"{base}/limitranges", {"metadata": {"name": "l"}, "spec": limits})
        await cluster.pass_(1)
        await cluster.post(PODS, _pod(requests={"cpu": "1"}))
        for cpu, code, message in (
            ("100m", 403, "minimum cpu usage per Container is 500m"),
            ("4", 403, "exceeded quota: q, requested: requests.cpu=3, used: requests.cpu=1, limited: requests.cpu=3"),
            ("2", 200, ""),
        ):
            body = {"spec": {"containers": [{"name": "c", "resources": {"requests": {"cpu": cpu}}}]}}
            found, answer = await cluster.call("PATCH", f"{PODS}/p/resize", body, STRATEGIC)
            assert (found, message in answer.get("message", "")) == (code, True), answer
        for seconds in (0, 5):
            await cluster.pass_(seconds)
            assert (await cluster.get(f"{base}/resourcequotas/q"))["status"]["used"] == {"requests.cpu": "2"}
