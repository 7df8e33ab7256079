"""Everything at once, from a seed: pods and nodes come and go while the server misbehaves. The invariants hold."""

from __future__ import annotations

import asyncio
import random

import pytest
from rig import Rig

from tenantry_core.kube.resources import NODES, PODS
from tenantry_core.kube.values import DeleteOptions, Key
from tenantry_sim.faults import FaultRule, Faults

STEPS = 120


class Chaos:
    """Random steps on a cluster of few nodes, so that room is short."""

    def __init__(self, rig: Rig, faults: Faults, seed: int) -> None:
        self.rig, self.faults, self.rng = rig, faults, random.Random(seed)
        self.number = 0
        self.nodes: dict[str, str] = {}
        self.classes: list[str] = []

    async def prepare(self) -> None:
        for i in range(4):
            await self.add_node(f"n{i}")
        self.classes = [await self.rig.priority(f"c{value}", value) for value in (1, 10, 100)]

    async def add_node(self, name: str) -> None:
        if name not in self.nodes:
            self.nodes[name] = await self.rig.node(name, cpu="3")

    async def step(self) -> None:
        steps = [self.create] * 8 + [self.delete_pod] * 3 + [self.end_pod, self.toggle_node, self.trouble, self.trouble]
        await self.rng.choice(steps)()

    async def create(self) -> None:
        self.number += 1
        more = {"priorityClassName": self.rng.choice(self.classes)} if self.rng.random() < 0.4 else {}
        await self.rig.pod(f"p{self.number}", cpu=self.rng.choice(("200m", "500m", "1")), **more)

    async def delete_pod(self) -> None:
        names = list(await self.rig.list())
        if names:
            await self.rig.client.delete(PODS, self.rig.key(self.rng.choice(names)), DeleteOptions(grace_seconds=0))

    async def end_pod(self) -> None:
        bound = [name for name, pod in (await self.rig.list()).items() if pod.spec.node_name]
        if bound:
            await self.rig.client.patch_status(
                PODS, self.rig.key(self.rng.choice(bound)), self.rig.status(phase="Succeeded")
            )

    async def toggle_node(self) -> None:
        """Take a node away, or bring it back as it was; its pods stay in the meantime."""
        name = self.rng.choice(["n4", "n5"])
        full = self.nodes.pop(name, None)
        if full is None:
            await self.add_node(name)
        else:
            await self.rig.client.delete(NODES, Key("", full), DeleteOptions())

    async def trouble(self) -> None:
        choice = self.rng.randrange(6)
        when = self.rng.choice(("before", "after"))
        if choice == 0:
            self.faults.cut_watches()
        elif choice == 1:
            self.faults.expire_history()
            self.faults.cut_watches()
        elif choice == 2:
            self.faults.add(FaultRule("POST", "/binding$", 500, when=when, times=2))  # type: ignore[arg-type]
        elif choice == 3:
            self.faults.add(FaultRule("POST", "/binding$", 200, when=when, times=2, drop=True))  # type: ignore[arg-type]
        elif choice == 4:
            self.faults.add(FaultRule("DELETE", "/pods/", 500, when=when, times=1))  # type: ignore[arg-type]
        else:
            self.faults.add(FaultRule("GET", "/pods$", 503, times=1))


@pytest.mark.parametrize("seed", [pytest.param(seed, id=f"seed-{seed}") for seed in range(3)])
async def test_invariants_hold(faulty: Rig, seed: int) -> None:
    rig = faulty
    assert rig.target.faults is not None
    chaos = Chaos(rig, rig.target.faults, seed)
    await chaos.prepare()
    scheduler = await rig.start()
    for i in range(STEPS):
        await chaos.step()
        if i % 7 == 0:
            await asyncio.sleep(0)
    rig.target.faults.clear()
    await rig.until(lambda: settled(rig, scheduler.cache.sizes), "settled")
    await rig.invariants(scheduler)


async def settled(rig: Rig, sizes: object) -> bool:
    """True when no pod that is bound in the server is unknown to the cache any more."""
    pods = await rig.list()
    bound = sum(bool(pod.spec.node_name) and pod.status.phase not in ("Succeeded", "Failed") for pod in pods.values())
    known: dict[str, int] = sizes()  # type: ignore[operator]
    return known["pods"] == bound and known["assumed_pods"] == 0
