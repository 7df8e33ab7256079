"""Settings of a KubeSchedulerConfiguration v1, and the whole configuration.

Source: kubescheduler.config.k8s.io/v1 of Kubernetes 1.36. Field names in a file are these in camel case.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from tenantry_core.config.args import PluginArgs
from tenantry_core.config.fields import Duration, within
from tenantry_core.config.points import Point
from tenantry_core.config.settings import TenantrySettings

ArgsT = TypeVar("ArgsT", bound=PluginArgs)
INT32 = (1 << 31) - 1


@dataclass(frozen=True, slots=True)
class PluginRef:
    """A plugin named in a list."""

    name: str = ""
    """Plugin name; `*` in a `disabled` list means every default of that point."""
    weight: int = within(0, 0, INT32)
    """Score weight; 0 means unset, which counts as 1 where a score is given."""


@dataclass(frozen=True, slots=True)
class PluginSet:
    """Plugins of one extension point, relative to the defaults."""

    enabled: tuple[PluginRef, ...] = ()
    """Called after the defaults, in this order; a default named here is reconfigured in its place."""
    disabled: tuple[PluginRef, ...] = ()
    """Defaults that are not to run here."""


@dataclass(frozen=True, slots=True)
class Plugins:
    """Plugin sets per extension point. `multi_point` stands for every point that a plugin serves."""

    pre_enqueue: PluginSet = PluginSet()
    queue_sort: PluginSet = PluginSet()
    pre_filter: PluginSet = PluginSet()
    filter: PluginSet = PluginSet()
    post_filter: PluginSet = PluginSet()
    pre_score: PluginSet = PluginSet()
    score: PluginSet = PluginSet()
    reserve: PluginSet = PluginSet()
    permit: PluginSet = PluginSet()
    pre_bind: PluginSet = PluginSet()
    bind: PluginSet = PluginSet()
    post_bind: PluginSet = PluginSet()
    multi_point: PluginSet = PluginSet()

    def at(self, point: Point) -> PluginSet:
        """The set of one extension point."""
        found: PluginSet = getattr(self, point.name.lower())
        return found

    def by_field(self) -> dict[str, PluginSet]:
        """Every set under its name in a file, `multiPoint` last."""
        return {point.field: self.at(point) for point in Point} | {"multiPoint": self.multi_point}


@dataclass(frozen=True, slots=True)
class PluginConfig:
    """Arguments given to one plugin."""

    name: str
    """Plugin name."""
    args: PluginArgs | None = None
    """Arguments of a built-in plugin."""
    raw: Mapping[str, object] = field(default_factory=dict)
    """Arguments of any other plugin, as they stand in the file."""


@dataclass(frozen=True, slots=True)
class Profile:
    """One scheduler name and what its pods go through."""

    scheduler_name: str = "default-scheduler"
    """Pods with this `spec.schedulerName` use the profile; unique among profiles."""
    percentage_of_nodes_to_score: int | None = within(None, 0, 100)
    """Overrides the global setting; percent, 0-100. Unset or 0 at both places: every node is considered."""
    plugins: Plugins = Plugins()
    """Changes to the default plugin lists."""
    plugin_config: tuple[PluginConfig, ...] = ()
    """Arguments, at most one entry for a plugin."""

    def args(self, kind: type[ArgsT]) -> ArgsT:
        """Arguments of the built-in plugin whose argument type is `kind`, or its defaults."""
        for entry in self.plugin_config:
            if isinstance(entry.args, kind):
                return entry.args
        return kind()

    def raw_args(self, plugin: str) -> Mapping[str, object]:
        """Arguments of a plugin that is not built in, or an empty mapping."""
        return next((entry.raw for entry in self.plugin_config if entry.name == plugin), {})


@dataclass(frozen=True, slots=True)
class ClientConnection:
    """How the scheduler reaches the API server."""

    kubeconfig: str = ""
    """Path of a kubeconfig; empty means the usual search (flag, KUBECONFIG, home, in-cluster)."""
    accept_content_types: str = ""
    """Without effect: JSON is read."""
    content_type: str = ""
    """Without effect: JSON is written."""
    qps: float = 0.0
    """Requests per second of this client; 0 or less means no limit, since the server's fairness decides."""
    burst: int = within(0, 0, INT32)
    """Requests that may be made at once when `qps` is set; 0 means twice `qps`."""


@dataclass(frozen=True, slots=True)
class LeaderElection:
    """The scheduler's Lease."""

    leader_elect: bool = True
    """Only the holder decides; turn off for a single replica."""
    lease_duration: Duration = Duration(15.0)
    """Seconds a standby waits before it takes over; above `renew_deadline`."""
    renew_deadline: Duration = Duration(10.0)
    """Seconds the holder tries to renew before it gives up; above 1.2 times `retry_period`."""
    retry_period: Duration = Duration(2.0)
    """Seconds between tries."""
    resource_lock: str = "leases"
    """Kind of the lock; only `leases` exists."""
    resource_name: str = "kube-scheduler"
    """Name of the Lease."""
    resource_namespace: str = "kube-system"
    """Namespace of the Lease."""


@dataclass(frozen=True, slots=True)
class SchedulerSettings:
    """A KubeSchedulerConfiguration."""

    parallelism: int = within(16, 1)
    """Without effect: one decision looks at all nodes at once. Above 0."""
    leader_election: LeaderElection = LeaderElection()
    """The scheduler's Lease."""
    client_connection: ClientConnection = ClientConnection()
    """How the scheduler reaches the API server."""
    enable_profiling: bool = True
    """Without effect."""
    enable_contention_profiling: bool = True
    """Without effect."""
    percentage_of_nodes_to_score: int | None = within(None, 0, 100)
    """Percent of the nodes to look at, 0-100; unset or 0 means every node, where kube-scheduler would adapt."""
    pod_initial_backoff_seconds: int = within(1, 1)
    """Seconds before a pod that failed once is tried again; doubled for each failure."""
    pod_max_backoff_seconds: int = within(10, 1)
    """Longest backoff, seconds; not below the initial one."""
    profiles: tuple[Profile, ...] = (Profile(),)
    """At least one; their scheduler names differ, and their queue sort is the same."""
    extenders: tuple[Mapping[str, object], ...] = ()
    """Refused: webhook extenders are not supported."""
    delay_cache_until_active: bool = False
    """Without effect: standbys keep warm caches."""


@dataclass(frozen=True, slots=True)
class Config:
    """Everything a file may say, with defaults for what it doesn't."""

    scheduler: SchedulerSettings = SchedulerSettings()
    """From the document of kind KubeSchedulerConfiguration."""
    tenantry: TenantrySettings = field(default_factory=TenantrySettings)
    """From the document of kind TenantryConfiguration."""
    notes: tuple[str, ...] = ()
    """What was read and has no effect, one line each, for the log."""
