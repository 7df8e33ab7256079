"""What built-in plugins need from outside the cycle, given once when profiles are built."""

from __future__ import annotations

from dataclasses import dataclass, field

from tenantry_core.clock import Clock, SystemClock
from tenantry_core.plugins.default_binder import Send
from tenantry_core.plugins.default_preemption import Evictions
from tenantry_core.plugins.volume_api import VolumeApi, WaitForChange


@dataclass(frozen=True)
class Ports:
    """Defaults serve every use that binds nothing: parity, simulate, explain, bench."""

    evictions: Evictions = field(default_factory=Evictions)
    """Preemptions under way, shared by all profiles of the process."""
    send: Send | None = None
    """Sends a bind; without it DefaultBinder answers with a fault."""
    volumes: VolumeApi | None = None
    """Writes to volumes and claims; without it PreBind of VolumeBinding is a fault."""
    storage_changed: WaitForChange | None = None
    """Waits for the next change of the storage view."""
    clock: Clock = field(default_factory=SystemClock)
    """Times the wait for volumes."""
