"""What an extension point is called with: one pod class, the snapshot, and scratch space of the cycle."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tenantry_core.framework.columns import IntArray
from tenantry_core.framework.pod_class import PodClass
from tenantry_core.framework.snapshot import Snapshot
from tenantry_core.model.objects import Pod


@dataclass(slots=True)
class CycleContext:
    """State of one attempt. Plugins keep what PreFilter and PreScore work out in `state`, under their own name."""

    snapshot: Snapshot
    cls: PodClass
    pod: Pod
    state: dict[str, Any] = field(default_factory=dict)
    feasible: IntArray | None = None
    """Row numbers that passed all filters; set before PreScore."""
