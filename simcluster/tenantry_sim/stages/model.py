"""One stage, and what can be wrong with it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

WHEN = ("bound", "running", "unready", "ready", "crashed", "changed", "resizing", "ending")
TO = ("Running", "Unready", "Ready", "Crashed", "Restarted", "Allocated", "Resized", "Succeeded", "Failed", "gone")


@dataclass(frozen=True)
class Stage:
    """One step in the life of a pod on a simulated node, as data."""

    name: str
    """Name, for logs and tests."""
    when: str
    """What the pod is: `bound` (on a node, still pending), `running`, of these `ready`, `unready` or `crashed` (a
    container waits to be started again), `changed` (runs with a spec that the kubelet has not seen), `resizing`
    (resources granted, not yet in force) or `ending` (marked for deletion)."""
    to: str
    """What it becomes: `Running` (and ready), `Unready`, `Ready`, `Crashed`, `Restarted`, `Allocated`, `Resized`,
    `Succeeded`, `Failed`, or `gone`."""
    after_seconds: float = 0.0
    """Seconds between the state seen and the step. For `gone` the pod's own grace period is an upper bound."""
    annotation: str = ""
    """If set, the stage holds only for pods with this annotation, whose value replaces `after_seconds`."""
    has: tuple[str, ...] = ()
    """Annotations that the pod must have, with any value."""
    unless: tuple[str, ...] = ()
    """Annotations that the pod must not have."""
    labels: Mapping[str, str] = field(default_factory=dict)
    """Labels that the pod must have."""
    doubles_to: float = 0.0
    """If set, the wait is nought at first, then `after_seconds`, doubled with each further restart up to this."""
    jitter_seconds: float = 0.0
    """Up to this many seconds more, by chance."""
    times: int = 0
    """Holds only while the pod's containers have restarted fewer times than this; 0 for always."""

    def problems(self, path: str) -> list[str]:
        """Everything that is wrong with it, each with its field."""
        found = []
        if self.when not in WHEN:
            found.append(f"{path}.when: unknown value {self.when!r}")
        if self.to not in TO:
            found.append(f"{path}.to: unknown value {self.to!r}")
        numbers = ("after_seconds", "doubles_to", "jitter_seconds", "times")
        return found + [f"{path}.{name}: must be 0 or more" for name in numbers if getattr(self, name) < 0]
