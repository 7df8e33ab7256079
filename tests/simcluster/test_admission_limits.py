"""Limit ranges: what they refuse, in the words of the API server."""

from typing import Any

import pytest
from simcluster_client import PODS, Api, pod

_RANGES = "/api/v1/namespaces/default/limitranges"
_CLAIMS = "/api/v1/namespaces/default/persistentvolumeclaims"


async def _limit(api: Api, name: str = "l", **item: Any) -> None:
    code, answer = await api.post(_RANGES, {"metadata": {"name": name}, "spec": {"limits": [item]}})
    assert code == 201, answer


def _container(requests: str = "", limits: str = "", name: str = "c") -> dict[str, Any]:
    resources = {side: {"cpu": text} for side, text in (("requests", requests), ("limits", limits)) if text}
    return {"name": name, "image": "x", "resources": resources}


_CASES = [
    pytest.param({"type": "Container", "min": {"cpu": "100m"}}, [_container("50m")],
                 "minimum cpu usage per Container is 100m, but request is 50m", id="request-below-minimum"),
    pytest.param({"type": "Container", "max": {"cpu": "1"}}, [_container("1", "2")],
                 "maximum cpu usage per Container is 1, but limit is 2", id="limit-above-maximum"),
    pytest.param({"type": "Container", "maxLimitRequestRatio": {"cpu": "2"}}, [_container("1", "4")],
                 "cpu max limit to request ratio per Container is 2, but provided ratio is 4.000000", id="ratio"),
    pytest.param({"type": "Container", "maxLimitRequestRatio": {"cpu": "2"}}, [_container("1")],
                 "cpu max limit to request ratio per Container is 2, but no limit is specified or limit is 0",
                 id="ratio-without-a-limit"),
    pytest.param({"type": "Pod", "max": {"cpu": "1"}}, [_container("600m", "600m"), _container("1m", "500m", "d")],
                 "maximum cpu usage per Pod is 1, but limit is 1100m", id="sum-above-maximum"),
    pytest.param({"type": "Pod", "min": {"cpu": "1"}}, [_container("600m"), _container("300m", name="d")],
                 "minimum cpu usage per Pod is 1, but request is 900m", id="sum-below-minimum"),
    pytest.param({"type": "Pod", "max": {"cpu": "1"}}, [_container("600m")],
                 "maximum cpu usage per Pod is 1.  No limit is specified", id="pod-without-a-limit"),
    pytest.param({"type": "Container", "min": {"cpu": "1"}, "max": {"cpu": "2"}}, [_container("500m", "3")],
                 "[minimum cpu usage per Container is 1, but request is 500m, "
                 "maximum cpu usage per Container is 2, but limit is 3]", id="several-reasons"),
]  # fmt: skip


@pytest.mark.parametrize(("item", "containers", "why"), _CASES)
async def test_pods_outside_limits(api: Api, item: dict[str, Any], containers: list[dict[str, Any]], why: str) -> None:
    await _limit(api, **item)
    code, answer = await api.post(PODS, pod("p", containers=containers))
    assert (code, answer["message"]) == (403, f'pods "p" is forbidden: {why}')


async def test_pod_within_limits(api: Api) -> None:
    await _limit(api, type="Pod", min={"cpu": "1"}, max={"cpu": "2"}, maxLimitRequestRatio={"cpu": "2"})
    await api.create_pod("p", containers=[_container("500m", "1"), _container("500m", "1", "d")])


async def test_init_container_counts_as_a_peak(api: Api) -> None:
    await _limit(api, type="Pod", max={"cpu": "2"})
    await api.create_pod("p", containers=[_container("1", "1")], initContainers=[_container("2", "2", "i")])
    code, _ = await api.post(PODS, pod("q", containers=[_container("1")], initContainers=[_container("3", "3", "i")]))
    assert code == 403


@pytest.mark.parametrize(
    ("size", "why"),
    [
        pytest.param("5Gi", "", id="within"),
        pytest.param("1Mi", "minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 1Mi", id="small"),
        pytest.param("1Ti", "maximum storage usage per PersistentVolumeClaim is 10Gi, but request is 1Ti", id="large"),
    ],
)
async def test_claims(api: Api, size: str, why: str) -> None:
    await _limit(api, type="PersistentVolumeClaim", min={"storage": "1Gi"}, max={"storage": "10Gi"})
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": size}}}
    code, answer = await api.post(_CLAIMS, {"metadata": {"name": "c"}, "spec": spec})
    assert code == (403 if why else 201)
    if why:
        assert answer["message"] == f'persistentvolumeclaims "c" is forbidden: {why}'
