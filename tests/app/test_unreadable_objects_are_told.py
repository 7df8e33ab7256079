"""A pod that can't be read gets a warning Event that names the field, and scheduling goes on without it."""

from __future__ import annotations

import asyncio
import random

from fakes.clock import FakeClock
from fakes.kube import FakeKube

from tenantry.wiring import Outside, build_scheduler
from tenantry_core.config import Config
from tenantry_core.kube.client import KubeClient


async def test_warning_event_names_field_and_rule() -> None:
    kube, clock = FakeKube(), FakeClock()
    bad = {"containers": [{"name": "c", "resources": {"requests": {"cpu": "plenty"}}}]}
    kube.add("/api/v1", "nodes", {"metadata": {"name": "n1"}, "status": {"allocatable": {"cpu": "4", "pods": "9"}}})
    kube.add("/api/v1", "pods", {"metadata": {"name": "bad", "namespace": "ns", "uid": "u1"}, "spec": bad})
    good = {"containers": [{"name": "c"}]}
    kube.add("/api/v1", "pods", {"metadata": {"name": "good", "namespace": "ns", "uid": "u2"}, "spec": good})
    scheduler = build_scheduler(Config(), Outside(KubeClient(kube, clock, random.Random(1)), clock=clock))
    scheduler.start()
    tasks = [asyncio.create_task(scheduler.loop.follow()), asyncio.create_task(scheduler.loop.decide())]
    await clock.advance(1)
    events = {request.json["reason"]: request.json for request in kube.seen("POST", "/events$")}
    assert events["Unreadable"]["type"] == "Warning"
    assert events["Unreadable"]["regarding"]["name"] == "bad"
    assert events["Unreadable"]["note"].startswith("spec.containers[0].resources.requests.cpu: ")
    assert events["Scheduled"]["note"] == "Successfully assigned ns/good to n1"
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
