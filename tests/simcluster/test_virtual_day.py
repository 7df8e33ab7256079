"""A day of 200 nodes in virtual time: seconds of real time, and the same seed gives the same bytes."""

import json
import random
from typing import Any

import pytest

from tenantry_sim import SimCluster, SimConfig, VirtualClock, run_virtual
from tenantry_sim.kinds.binding import bind, parse
from tenantry_sim.store.records import Change
from tenantry_sim.transport import LocalTransport

_DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"
_JOBS = "/apis/batch/v1/namespaces/default/jobs"
_MERGE = {"Content-Type": "application/merge-patch+json"}


class _RoundRobin:
    """Stands for a scheduler: the next node takes the next pod."""

    def __init__(self, cluster: SimCluster) -> None:
        self.world = cluster.world
        self.next = 0
        self.world.kind("/pods").listeners.append(self._on_pod)

    def _on_pod(self, change: Change) -> None:
        if change.type == "ADDED" and not change.record.fields.get("spec.nodeName"):
            record = change.record
            self.world.clock.call_later(0.01, lambda: self._bind(record.namespace, record.name))

    def _bind(self, namespace: str, name: str) -> None:
        record = self.world.find("/pods", name, namespace)
        if record is None or record.deleting:
            return
        self.next += 1
        target = {"target": {"kind": "Node", "name": f"node-{self.next % 200}"}}
        bind(self.world, namespace, name, parse(json.dumps(target).encode()), False)


async def _send(transport: LocalTransport, method: str, path: str, body: Any) -> None:
    headers = _MERGE if method == "PATCH" else None
    answer = await transport.request(method, path, body=json.dumps(body).encode(), headers=headers)
    assert answer.status < 300, answer.body


def _template(app: str, **notes: str) -> dict[str, Any]:
    spec = {"containers": [{"name": "c", "image": "a:1", "resources": {"requests": {"cpu": "50m"}}}]}
    return {"metadata": {"labels": {"app": app}, "annotations": notes}, "spec": spec}


async def _churn(transport: LocalTransport, clock: VirtualClock, seed: int, minutes: int) -> None:
    chance = random.Random(seed)
    for i in range(10):
        spec = {"replicas": 30, "selector": {"matchLabels": {"app": f"a{i}"}}, "template": _template(f"a{i}")}
        await _send(transport, "POST", _DEPLOYMENTS, {"metadata": {"name": f"a{i}"}, "spec": spec})
    for minute in range(minutes):
        await clock.sleep(60)
        path = f"{_DEPLOYMENTS}/a{chance.randrange(10)}"
        await _send(transport, "PATCH", path, {"spec": {"replicas": chance.randrange(20, 40)}})
        if minute % 30 == 5:
            turned = {"metadata": {"annotations": {"turn": str(minute)}}}
            await _send(transport, "PATCH", path, {"spec": {"template": turned}})
        if minute % 5 == 0:
            template = _template("job", **{"sim.tenantry.io/succeed-after-seconds": str(chance.randrange(30, 300))})
            template["spec"]["restartPolicy"] = "Never"
            spec = {"completions": 4, "parallelism": 2, "ttlSecondsAfterFinished": 60, "template": template}
            await _send(transport, "POST", _JOBS, {"metadata": {"name": f"job-{minute}"}, "spec": spec})


async def _run(seed: int, minutes: int) -> bytes:
    clock = VirtualClock()
    config = SimConfig(nodes=200, seed=seed, listen=False, controllers=frozenset({"all"}))
    async with SimCluster(config, clock) as cluster:
        _RoundRobin(cluster)
        await _churn(cluster.transport(), clock, seed, minutes)
        await clock.sleep(600)
        for record in cluster.world.kind("apps/deployments").ordered():
            deployment = record.decode()
            assert deployment["status"].get("availableReplicas") == deployment["spec"]["replicas"]
        assert not [r for r in cluster.world.kind("/pods").ordered() if "job" in r.name and r.deleting]
        return cluster.dump()


def test_same_seed_same_bytes() -> None:
    first, second = (run_virtual(_run(3, 60)) for _ in range(2))
    assert first == second
    assert run_virtual(_run(4, 60)) != first


@pytest.mark.slow
def test_a_day_passes() -> None:
    lines = run_virtual(_run(3, 1440)).splitlines()
    stamps = sorted(json.loads(line)["metadata"]["creationTimestamp"] for line in lines)
    assert stamps[0] == "2026-01-01T00:00:00Z"
    assert stamps[-1] >= "2026-01-02T00:00:00Z"
    # Events of the last hour only.
    events = [json.loads(line) for line in lines if line.startswith(b'{"kind":"Event"')]
    assert events
    assert min(event["metadata"]["creationTimestamp"] for event in events) >= "2026-01-01T23:00:00Z"
