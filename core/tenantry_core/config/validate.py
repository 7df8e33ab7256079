"""Rules between settings; ranges of single settings stand with the settings and are checked while reading.

Source for the scheduler's own: the configuration validation of kube-scheduler 1.36.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tenantry_core.config.points import Point
from tenantry_core.config.problems import FieldError, nearest
from tenantry_core.config.resolve import ResolvedProfile, resolve
from tenantry_core.config.schema import Config, LeaderElection, Profile, SchedulerSettings
from tenantry_core.config.settings import TenantrySettings
from tenantry_core.config.validate_args import validate_args

JITTER = 1.2
"""A lease holder waits up to this many retry periods between two tries."""


def validate(config: Config, known: Mapping[str, frozenset[Point]]) -> Iterator[FieldError]:
    """Every rule that `config` breaks, scheduler settings first."""
    yield from _scheduler(config.scheduler)
    yield from _profiles(config, known)
    yield from _tenantry(config.tenantry, known)


def _scheduler(settings: SchedulerSettings) -> Iterator[FieldError]:
    election, path = settings.leader_election, "leaderElection"
    if election.leader_elect:
        yield from _leader_election(election, path)
    first, longest = settings.pod_initial_backoff_seconds, settings.pod_max_backoff_seconds
    if longest < first:
        message = f"must be at least podInitialBackoffSeconds ({first}), not {longest}"
        yield FieldError("podMaxBackoffSeconds", message)
    if settings.extenders:
        message = "not supported: webhook extenders are not called; write a plugin instead"
        yield FieldError("extenders", message)


def _leader_election(election: LeaderElection, path: str) -> Iterator[FieldError]:
    times = {
        "leaseDuration": election.lease_duration,
        "renewDeadline": election.renew_deadline,
        "retryPeriod": election.retry_period,
    }
    for name, seconds in times.items():
        if seconds <= 0:
            yield FieldError(f"{path}.{name}", f"must be above 0, not {seconds:g} s")
    paths = (f"{path}.leaseDuration", f"{path}.renewDeadline")
    yield from _lease_times(paths, (election.lease_duration, election.renew_deadline, election.retry_period))
    if election.resource_lock != "leases":
        yield FieldError(f"{path}.resourceLock", f'must be "leases", not "{election.resource_lock}"')
    for name, value in (("resourceName", election.resource_name), ("resourceNamespace", election.resource_namespace)):
        if not value:
            yield FieldError(f"{path}.{name}", "must be set")


def _lease_times(paths: tuple[str, str], times: tuple[float, float, float]) -> Iterator[FieldError]:
    """A holder that can't renew must give up before a standby takes over, after at least one more try."""
    (lease_path, renew_path), (lease, renew, retry) = paths, times
    if lease <= renew:
        yield FieldError(lease_path, f"must be above the renew deadline ({renew:g} s), not {lease:g} s")
    if renew <= retry * JITTER:
        yield FieldError(renew_path, f"must be above {JITTER} times the retry period ({retry:g} s), not {renew:g} s")


def _profiles(config: Config, known: Mapping[str, frozenset[Point]]) -> Iterator[FieldError]:
    seen: dict[str, int] = {}
    sorting: tuple[str, ...] | None = None
    for i, profile in enumerate(config.scheduler.profiles):
        path = f"profiles[{i}]"
        name = profile.scheduler_name
        if not name:
            yield FieldError(f"{path}.schedulerName", "must be set")
        elif name in seen:
            yield FieldError(f"{path}.schedulerName", f'"{name}" is the name of profiles[{seen[name]}] too')
        seen.setdefault(name, i)
        resolved, errors = resolve(profile, known, config.tenantry.plugins, path)
        yield from errors
        yield from _plugin_config(profile, known, f"{path}.pluginConfig")
        if sorting is not None:
            yield from _same_order(sorting, resolved, path)
        sorting = sorting or resolved.points[Point.QUEUE_SORT]


def _same_order(first: tuple[str, ...], resolved: ResolvedProfile, path: str) -> Iterator[FieldError]:
    """All profiles share one queue, so they must agree on its order."""
    here = resolved.points[Point.QUEUE_SORT]
    if len(here) == 1 and here != first:
        message = f"must be the same for all profiles: {first[0]} in the first, {here[0]} here"
        yield FieldError(f"{path}.plugins.queueSort", message)


def _plugin_config(profile: Profile, known: Mapping[str, frozenset[Point]], path: str) -> Iterator[FieldError]:
    seen: set[str] = set()
    for i, entry in enumerate(profile.plugin_config):
        where = f"{path}[{i}]"
        if entry.name and entry.name in seen:
            yield FieldError(f"{where}.name", f'a second entry for "{entry.name}"')
        elif entry.name and entry.name not in known and entry.args is None:
            yield FieldError(f"{where}.name", f'unknown plugin "{entry.name}"{nearest(entry.name, known)}')
        seen.add(entry.name)
        if entry.args is not None:
            yield from validate_args(entry.args, f"{where}.args")


def _tenantry(settings: TenantrySettings, known: Mapping[str, frozenset[Point]]) -> Iterator[FieldError]:
    addresses = {"metricsBindAddress": settings.metrics_bind_address, "healthBindAddress": settings.health_bind_address}
    for name, address in addresses.items():
        if address and not _is_address(address):
            yield FieldError(name, f'must be host:port, as "127.0.0.1:10259", not "{address}"')
    if settings.plugins_folder.enabled and not settings.plugins_folder.path:
        yield FieldError("pluginsFolder.path", "must be set when the folder is enabled")
    # What the folder will bring is known only when it is read, and it may come while we run.
    for plugin in () if settings.plugins_folder.enabled else settings.plugins:
        if plugin not in known:
            yield FieldError(f"plugins.{plugin}", f'unknown plugin "{plugin}"{nearest(plugin, known)}')
    leases = settings.leases
    times = (leases.duration_seconds, leases.renew_deadline_seconds, leases.retry_period_seconds)
    yield from _lease_times(("leases.durationSeconds", "leases.renewDeadlineSeconds"), times)
    if not leases.namespace:
        yield FieldError("leases.namespace", "must be set")


def _is_address(text: str) -> bool:
    host, _, port = text.rpartition(":")
    return bool(host) and port.isascii() and port.isdigit() and int(port) < 65536
