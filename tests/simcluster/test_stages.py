"""The life of pods by stages: `stages/*.input.yaml` tells a pod and what is done to it, `*.output.yaml` what is seen.

An input has `annotations` and `labels` of the pod, members of its `spec`, `stages` beside the default ones' place, and
`steps`: `wait` (seconds, after which the pod is looked at), `patch`, `resize` and `debug` (merged into the pod, its
resources and its ephemeral containers), `delete`, `lose` and `return` (its node), `crowd` and `free` (its node, by a
pod with so much CPU).
"""

from pathlib import Path
from typing import Any

import pytest
import yaml
from sim_virtual import PODS, STRATEGIC, Virtual, in_virtual_time, spread, virtual

from tenantry_sim.config import DEFAULT_STAGES
from tenantry_sim.stages.load import parse

FOLDER = Path(__file__).parent / "stages"
CASES = sorted(path.name.removesuffix(".input.yaml") for path in FOLDER.glob("*.input.yaml"))
NODE = "/api/v1/nodes/node-1"


def _pod(case: dict[str, Any]) -> dict[str, Any]:
    containers = [{"name": "c", "image": "a:1", "resources": {"requests": {"cpu": "1"}}}]
    metadata = {"name": "p", "annotations": case.get("annotations", {}), "labels": case.get("labels", {})}
    return {"metadata": metadata, "spec": {"containers": containers, **case.get("spec", {})}}


async def _look(cluster: Virtual) -> dict[str, Any]:
    """What the pod's status says, in few words."""
    code, pod = await cluster.call("GET", f"{PODS}/p")
    if code == 404:
        return {"pod": "gone"}
    status = pod["status"]
    conditions = {c["type"]: c for c in status.get("conditions", [])}
    seen: dict[str, Any] = {"phase": status["phase"], "ready": conditions.get("Ready", {}).get("status") == "True"}
    for container in status.get("containerStatuses", []):
        ((seen["state"], state),) = container["state"].items()
        if state.get("reason"):
            seen["reason"] = state["reason"]
        if container["restartCount"]:
            seen["restarts"] = container["restartCount"]
        seen["requests"] = container.get("resources", {}).get("requests")
        if container.get("allocatedResources") != seen["requests"]:
            seen["allocated"] = container["allocatedResources"]
    for kind in ("PodResizePending", "PodResizeInProgress", "DisruptionTarget"):
        if kind in conditions:
            seen[kind] = conditions[kind].get("reason", "")
    for container in status.get("ephemeralContainerStatuses", []):
        seen.setdefault("ephemeral", []).append(container["name"])
    return {**seen, **({"deleting": True} if "deletionTimestamp" in pod["metadata"] else {})}


async def _step(cluster: Virtual, step: dict[str, Any]) -> None:
    ((what, value),) = step.items()
    if what == "patch":
        await cluster.patch(f"{PODS}/p", value, STRATEGIC)
    elif what == "resize":
        container = {"name": "c", "resources": {"requests": value}}
        await cluster.patch(f"{PODS}/p/resize", {"spec": {"containers": [container]}}, STRATEGIC)
    elif what == "debug":
        body = {"spec": {"ephemeralContainers": [{"name": value, "image": "tools:1"}]}}
        await cluster.patch(f"{PODS}/p/ephemeralcontainers", body, STRATEGIC)
    elif what == "crowd":
        containers = [{"name": "c", "image": "a:1", "resources": {"requests": {"cpu": value}}}]
        spec = {"containers": containers, "nodeName": "node-1"}
        await cluster.post(PODS, {"metadata": {"name": "crowd"}, "spec": spec})
    elif what == "free":
        await cluster.delete(f"{PODS}/crowd")
    elif what == "delete":
        await cluster.delete(f"{PODS}/p")
    else:
        note = "true" if what == "lose" else None
        await cluster.patch(NODE, {"metadata": {"annotations": {"sim.tenantry.io/lost": note}}})


async def _run(case: dict[str, Any]) -> list[dict[str, Any]]:
    stages = parse(yaml.safe_dump({"stages": case["stages"]})) if "stages" in case else DEFAULT_STAGES
    seen = []
    async with virtual("lifecycle", stages=stages) as cluster:
        cluster.schedule(spread())
        await cluster.post(PODS, _pod(case))
        at = 0.0
        for step in case["steps"]:
            if "wait" in step:
                await cluster.pass_(step["wait"])
                at = round(at + step["wait"], 6)
                seen.append({"at": at, **await _look(cluster)})
            else:
                await _step(cluster, step)
    return seen


@pytest.mark.parametrize("name", CASES)
@in_virtual_time
async def test_life(name: str) -> None:
    case = yaml.safe_load((FOLDER / f"{name}.input.yaml").read_text())
    assert await _run(case) == yaml.safe_load((FOLDER / f"{name}.output.yaml").read_text())
