"""Settings of the embedded cluster."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from tenantry_sim.stages import Stage, default_stages


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


DEFAULT_STAGES: tuple[Stage, ...] = default_stages()
"""Running after 50 ms, gone 50 ms after a deletion, and what annotations ask for."""
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
class TokenUser:
    """A user who is known by a fixed token."""

    name: str
    """User name."""
    token: str
    """The token; must not be empty."""
    groups: tuple[str, ...] = ()
    """Groups beside `system:authenticated`."""
    uid: str = ""
    """UID; may stay empty."""


@dataclass(frozen=True)
class SimConfig:
    """Settings of one embedded cluster."""

    nodes: int = 0
    """Simulated nodes at the start."""
    node_template: NodeTemplate = field(default_factory=NodeTemplate)
    """Shape of the simulated nodes."""
    zones: int = 3
    """Zones `zone-0`, `zone-1` and so on, dealt out in turn; 0 leaves the zone label out."""
    listen: bool = True
    """Whether to open a port. Off for a cluster that only `SimCluster.transport` reaches, as in virtual time."""
    host: str = "127.0.0.1"
    """Address to listen on; loopback by default, as this is no server for a network."""
    port: int = 0
    """Port to listen on; 0 lets the system choose."""
    tls: bool = False
    """Whether to serve over TLS, under a certificate of an authority made for this cluster. Default: plain HTTP, for
    programs that hold the cluster in-process; the commands that serve turn it on."""
    token: str = ""
    """Bearer token of the administrator, a member of `system:masters`. While it is empty (the default), who brings no
    credentials is the administrator."""
    users: tuple[TokenUser, ...] = ()
    """Further users, each with a token. What they may do is up to roles and bindings. Default: none."""
    anonymous: bool = True
    """Whether requests without credentials are let in as `system:anonymous`, who may ask for health and version only;
    else they get 401. Default as kube-apiserver's. Without a token it does not matter."""
    webhook_addresses: Mapping[str, str] = field(default_factory=dict)
    """Where services that webhook configurations name really listen: `namespace/name` to `host:port`. Default: none;
    the annotation `sim.tenantry.io/address` of the service says the same."""
    kubelet: bool = True
    """Whether simulated nodes run and end their pods."""
    stages: tuple[Stage, ...] = DEFAULT_STAGES
    """Life of pods on simulated nodes. Default: the stages of `stages/default.yaml`."""
    heartbeat_seconds: float = 0.0
    """Seconds between renewals of the simulated nodes' leases; 0 (the default) writes none, as ten thousand nodes would
    otherwise write a thousand leases a second. Kubelets renew theirs every 10 s."""
    controllers: frozenset[str] = frozenset()
    """Names of `CONTROLLERS` to run beside the namespace one, or `all`. Default: none, as on a bare API server."""
    history: int = 100_000
    """Changes kept per kind for watches. A watch from before them gets 410."""
    bookmark_seconds: float = 60.0
    """Seconds between bookmarks of watches that allow them. Default as kube-apiserver's."""
    event_seconds: float = 3600.0
    """Seconds that an event is kept after its last change (`--event-ttl`)."""
    seed: int | None = None
    """Seed for UIDs and generated names; None is unpredictable."""

    def problems(self) -> list[str]:
        """Everything that is wrong with the settings, each with its field."""
        found = []
        if self.nodes < 0:
            found.append("nodes: must be 0 or more")
        found += [f"{n}: must be 0 or more" for n in ("zones", "heartbeat_seconds") if getattr(self, n) < 0]
        if not 0 <= self.port < 65536:
            found.append("port: must be between 0 and 65535")
        if self.history < 1:
            found.append("history: must be 1 or more")
        found += [f"{n}: must be above 0" for n in ("bookmark_seconds", "event_seconds") if getattr(self, n) <= 0]
        for i, user in enumerate(self.users):
            if not user.name or not user.token:
                found.append(f"users[{i}]: must have a name and a token")
        found += [f"controllers: unknown name {name!r}" for name in sorted(self.controllers - CONTROLLERS - {"all"})]
        for i, stage in enumerate(self.stages):
            found += stage.problems(f"stages[{i}]")
        return found


def controllers_of(text: str) -> frozenset[str]:
    """Controller names of a command line: separated by commas, `all`, or `none` (as the empty text is)."""
    return frozenset(name for name in (part.strip() for part in text.split(",")) if name not in ("", "none"))
