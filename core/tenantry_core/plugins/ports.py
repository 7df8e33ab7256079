"""What built-in plugins need from outside the cycle, given once when profiles are built."""

from __future__ import annotations

from dataclasses import dataclass, field

from tenantry_core.plugins.default_preemption import Evictions


@dataclass(frozen=True)
class Ports:
    """Defaults serve every use that binds nothing: parity, simulate, explain, bench."""

    evictions: Evictions = field(default_factory=Evictions)
    """Preemptions under way, shared by all profiles of the process."""
