"""Settings of our own: the document `apiVersion: tenantry.io/v1alpha1, kind: TenantryConfiguration`.

Field names in a file are these in camel case. Every one has a default; a file names only what differs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tenantry_core.config.fields import choice, within


@dataclass(frozen=True, slots=True)
class PluginsFolder:
    """A watched folder of plugin files. The files are code that runs with our rights, hence off by default."""

    enabled: bool = False
    """Load plugins from `path` and follow its changes."""
    path: str = ""
    """The folder; must be owned by our user and writable by nobody else."""


@dataclass(frozen=True, slots=True)
class PluginOverride:
    """A change to one plugin in every profile. Unset fields leave what the profile says."""

    enabled: bool | None = None
    """False takes the plugin out of every point; true adds it to every point it serves."""
    order: int | None = None
    """Place among the plugins of a point: lower runs first, unset counts as 0, ties keep the profile's order."""
    weight: int | None = within(None, 1, 1_000_000)
    """Score weight, 1 or more."""


@dataclass(frozen=True, slots=True)
class LeaseSettings:
    """Leases of the parts other than the scheduler, whose Lease is set by `leaderElection`."""

    duration_seconds: int = within(15, 1, 3600)
    """Seconds a standby waits before it takes over; above the renew deadline."""
    renew_deadline_seconds: int = within(10, 1, 3600)
    """Seconds the holder tries to renew before it gives up; above 1.2 times the retry period."""
    retry_period_seconds: int = within(2, 1, 3600)
    """Seconds between tries."""
    namespace: str = "kube-system"
    """Namespace of the Leases."""


@dataclass(frozen=True, slots=True)
class LoggingSettings:
    """Logs go to standard error."""

    level: str = choice("info", "debug", "info", "warning", "error")
    """Least level that is written."""
    format: str = choice("json", "json", "text")
    """json: one object a line, for collectors; text: for a person at a terminal."""


@dataclass(frozen=True, slots=True)
class TenantrySettings:
    """A TenantryConfiguration."""

    batch_size: int = within(256, 1, 10_000)
    """Pods of one class decided together at most; larger is faster and lets other work wait longer."""
    bind_concurrency: int = within(64, 1, 1024)
    """Bind requests in flight; 64 is where a local API server stops answering faster."""
    cycle_budget_milliseconds: int = within(20, 1, 10_000)
    """Milliseconds of deciding before the event loop gets a turn for watches and binds."""
    metrics_bind_address: str = "127.0.0.1:10259"
    """host:port of /metrics; empty turns it off. Loopback by default: the page is not authenticated."""
    health_bind_address: str = "127.0.0.1:10259"
    """host:port of /healthz, /livez and /readyz; one server serves both when the addresses are equal."""
    plugins_folder: PluginsFolder = PluginsFolder()
    """A watched folder of plugin files."""
    plugin_budget_milliseconds: int = within(100, 1, 10_000)
    """Milliseconds one call of a plugin may take before its breaker counts it as a failure."""
    plugins: Mapping[str, PluginOverride] = field(default_factory=dict)
    """Changes to single plugins in every profile, by name."""
    event_queue_size: int = within(10_000, 1, 1_000_000)
    """Events waiting to be sent at most; more are dropped and counted, so that they never hold up binds."""
    audit_interval_seconds: int = within(300, 0, 86_400)
    """Seconds between comparisons of the cache with a fresh list; 0 turns them off."""
    leases: LeaseSettings = LeaseSettings()
    """Leases of the parts other than the scheduler."""
    logging: LoggingSettings = LoggingSettings()
    """Log level and format."""
