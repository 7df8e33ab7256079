"""Settings of the embedded cluster."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class NodeTemplate:
    """What each simulated node looks like."""

    capacity: Mapping[str, str] = field(default_factory=lambda: {"cpu": "4", "memory": "32Gi", "pods": "110"})
    """Capacity and allocatable, as quantities. Default: the node template of the scheduler_perf benchmarks."""
    labels: Mapping[str, str] = field(default_factory=dict)
    """Labels beside hostname, zone, os and arch. Default: none."""
    taints: tuple[Mapping[str, str], ...] = ()
    """Taints of every node: key, value, effect. Default: none."""
    arch: str = "amd64"
    """Value of `kubernetes.io/arch`."""
    name_prefix: str = "node-"
    """Name before the number. Default gives node-0, node-1 and so on."""


@dataclass(frozen=True)
class Stage:
    """One step in the life of a pod on a simulated node, as data."""

    name: str
    """Name, for logs and tests."""
    when: str
    """What the pod is: `bound` (on a node, still pending), `ending` (marked for deletion) or `running`."""
    to: str
    """What it becomes: `Running`, `Succeeded`, `Failed`, or `gone`."""
    after_seconds: float = 0.0
    """Seconds between the state seen and the step. For `gone` the pod's own grace period is an upper bound."""
    annotation: str = ""
    """If set, the stage holds only for pods with this annotation, whose value replaces `after_seconds`."""


DEFAULT_STAGES: tuple[Stage, ...] = (
    Stage("start", "bound", "Running", 0.05),
    Stage("stop", "ending", "gone", 0.05),
    Stage("complete", "running", "Succeeded", 0.0, "sim.tenantry.io/succeed-after-seconds"),
    Stage("fail", "running", "Failed", 0.0, "sim.tenantry.io/fail-after-seconds"),
)


CONTROLLERS = frozenset(
    {
        "budgets",
        "daemonsets",
        "deployments",
        "endpoints",
        "garbage",
        "jobs",
        "lifecycle",
        "quotas",
        "replicasets",
        "statefulsets",
        "volumes",
    }
)
"""Controllers that can be asked for; `all` stands for every one."""


@dataclass(frozen=True)
class SimConfig:
    """Settings of one embedded cluster."""

    nodes: int = 0
    """Simulated nodes at the start."""
    node_template: NodeTemplate = field(default_factory=NodeTemplate)
    """Shape of the simulated nodes."""
    zones: int = 3
    """Zones `zone-0`, `zone-1` and so on, dealt out in turn; 0 leaves the zone label out."""
    host: str = "127.0.0.1"
    """Address to listen on; loopback by default because access is not evaluated."""
    port: int = 0
    """Port to listen on; 0 lets the system choose."""
    token: str = ""
    """Bearer token that every request must carry. Empty (the default) asks for none."""
    kubelet: bool = True
    """Whether simulated nodes run and end their pods."""
    stages: tuple[Stage, ...] = DEFAULT_STAGES
    """Life of pods on simulated nodes. Default: running after 50 ms, gone 50 ms after a deletion."""
    controllers: frozenset[str] = frozenset()
    """Names of `CONTROLLERS` to run beside the namespace one, or `all`. Default: none, as on a bare API server."""
    history: int = 100_000
    """Changes kept per kind for watches. A watch from before them gets 410."""
    bookmark_seconds: float = 60.0
    """Seconds between bookmarks of watches that allow them. Default as kube-apiserver's."""
    seed: int | None = None
    """Seed for UIDs and generated names; None is unpredictable."""

    def problems(self) -> list[str]:
        """Everything that is wrong with the settings, each with its field."""
        found = []
        if self.nodes < 0:
            found.append("nodes: must be 0 or more")
        if self.zones < 0:
            found.append("zones: must be 0 or more")
        if not 0 <= self.port < 65536:
            found.append("port: must be between 0 and 65535")
        if self.history < 1:
            found.append("history: must be 1 or more")
        if self.bookmark_seconds <= 0:
            found.append("bookmark_seconds: must be above 0")
        found += [f"controllers: unknown name {name!r}" for name in sorted(self.controllers - CONTROLLERS - {"all"})]
        for i, stage in enumerate(self.stages):
            if stage.when not in ("bound", "ending", "running"):
                found.append(f"stages[{i}].when: unknown value {stage.when!r}")
            if stage.to not in ("Running", "Succeeded", "Failed", "gone"):
                found.append(f"stages[{i}].to: unknown value {stage.to!r}")
        return found
