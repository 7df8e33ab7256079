"""The answer of a simulation as plain data; docs/simulate.md describes its JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from tenantry.explain.report import PodReport
from tenantry.simulate.capacity import ShapeRoom
from tenantry.simulate.inventory import LeftOut
from tenantry.simulate.nodes import Drained
from tenantry.simulate.quota import Quotas
from tenantry.simulate.usage import Rooms, Usage

SCHEMA = "tenantry.io/simulate/v1alpha1"


@dataclass(frozen=True, slots=True)
class PodOutcome:
    """What became of one pod that wanted in."""

    pod: str
    """`namespace/name`."""
    workload: str
    """`Deployment shop/web`; the pod itself where nothing owns it."""
    cause: str
    """`pending` in the dump, `added`, `drained` or `preempted`."""
    outcome: str
    """`placed`, `unplaced`, `gated`, `refused`, or `preempted` where it was placed and taken away again."""
    node: str = ""
    reason: str = ""


@dataclass(frozen=True)
class NoPlace:
    """Pods of one shape and workload that found no node, with the grounds of one that stands for all."""

    workload: str
    causes: list[str]
    """Where its pods come from, as in `PodOutcome.cause`."""
    count: int
    examples: list[str]
    report: PodReport

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        body = self.report.as_dict()
        kept = {name: body[name] for name in ("state", "verdict", "reasons", "preemption", "helped_by")}
        own = {"workload": self.workload, "causes": self.causes, "count": self.count, "examples": self.examples}
        return {**own, **kept}


@dataclass(frozen=True)
class Refusal:
    """Pods of one workload that the API server would not let in."""

    workload: str
    count: int
    examples: list[str]
    reason: str
    """Of the first one; that of the others differs in amounts at most."""


@dataclass(frozen=True)
class Preemption:
    """One pod that had to go."""

    victim: str
    workload: str
    priority: int
    by: str
    by_priority: int
    node: str
    returns_to: str
    """The node where it finds a place again; "" where it finds none or nothing makes it again."""
    returns: bool
    """Whether a controller makes it again."""


@dataclass
class Answer:
    """Everything that `simulate` says."""

    before: Usage
    after: Usage
    quotas: Quotas
    drained: Drained = field(default_factory=Drained)
    nodes_added: list[str] = field(default_factory=list)
    pods: list[PodOutcome] = field(default_factory=list)
    no_place: list[NoPlace] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)
    preemptions: list[Preemption] = field(default_factory=list)
    capacity: list[ShapeRoom] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def everything_fits(self) -> bool:
        """Whether every pod that wanted in has a node, and nothing was lost on the way."""
        fine = all(p.outcome == "placed" for p in self.pods if p.outcome != "preempted")
        lost = any(not p.returns for p in self.preemptions)
        return fine and not lost and not self.drained.lost

    def count(self, outcome: str) -> int:
        """Pods with one outcome."""
        return sum(p.outcome == outcome for p in self.pods)

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        outcomes = ("placed", "unplaced", "gated", "refused", "preempted")
        return {
            "schema": SCHEMA,
            "fits": self.everything_fits,
            "summary": {
                "nodes": {"before": self.before.nodes, "after": self.after.nodes},
                "pods": {"before": self.before.pods, "after": self.after.pods},
                **{name: self.count(name) for name in outcomes},
            },
            "pods": [asdict(p) for p in self.pods],
            "no_place": [n.as_dict() for n in self.no_place],
            "refused": [asdict(r) for r in self.refusals],
            "preemptions": [asdict(p) for p in self.preemptions],
            "nodes_added": self.nodes_added,
            "drain": self.drained.as_dict(),
            "capacity": [c.as_dict() for c in self.capacity],
            "quota": {"namespaces": [ledger.as_dict() for ledger in self.quotas.ledgers], "tenants": []},
            "utilisation": self._utilisation(),
            "left_out": [asdict(entry) for entry in self.left_out],
            "notes": self.notes,
        }

    def _utilisation(self) -> dict[str, Any]:
        names = sorted({*self.before.zones, *self.after.zones})
        zones = {n: compared(self.before.zones.get(n, {}), self.after.zones.get(n, {})) for n in names}
        return {"cluster": compared(self.before.cluster, self.after.cluster), "zones": zones}


def compared(before: Rooms, after: Rooms) -> dict[str, dict[str, dict[str, float]]]:
    """Per resource, both times: allocatable, requested, share."""
    found = {}
    for name in dict.fromkeys((*before, *after)):
        found[name] = {
            when: {"allocatable": room.allocatable, "requested": room.requested, "share": round(room.share, 4)}
            for when, room in (("before", before.get(name)), ("after", after.get(name)))
            if room is not None
        }
    return found
