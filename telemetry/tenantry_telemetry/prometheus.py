"""The recorder that fills the catalogue's metrics. Each method is a look-up and an addition or two."""

import platform
import random
from collections.abc import Callable
from typing import Literal

from prometheus_client import CollectorRegistry, ProcessCollector

from tenantry_telemetry.api import AttemptResult, QueueName, SchedulerRecorder
from tenantry_telemetry.instruments import Instruments

PLUGIN_SAMPLE = 0.1
"""Share of the cycles in which plugins are timed one by one; kube-scheduler's own."""

MAX_ATTEMPTS_LABEL = 15
"""From this many attempts on, the `attempts` label of the SLI reads "15+", as kube-scheduler has it."""

_ATTEMPTS = (*((str(n),) for n in range(MAX_ATTEMPTS_LABEL)), (f"{MAX_ATTEMPTS_LABEL}+",))


class PrometheusRecorder(SchedulerRecorder):
    """Every recorder protocol on one set of instruments. `registry` is what to expose."""

    def __init__(self, instruments: Instruments | None = None, rng: Callable[[], float] = random.random) -> None:
        """`rng` gives floats in [0, 1) and picks the cycles whose plugins are timed."""
        self.instruments = made = instruments if instruments is not None else Instruments()
        self._rng = rng
        self._bind_scheduler(made)
        self._bind_rest(made)
        for queue in ("active", "backoff", "unschedulable", "gated"):
            self._pending[(queue,)].value = 0
        for kind in ("nodes", "pods", "assumed_pods"):
            self._cache_size[(kind,)].value = 0

    @property
    def registry(self) -> CollectorRegistry:
        """The registry with these metrics."""
        return self.instruments.registry

    def _bind_scheduler(self, made: Instruments) -> None:
        self._attempts = made.value("scheduler_schedule_attempts_total")
        self._attempt_seconds = made.histogram("scheduler_scheduling_attempt_duration_seconds")
        self._algorithm = made.histogram("scheduler_scheduling_algorithm_duration_seconds")[()]
        self._point = made.histogram("scheduler_framework_extension_point_duration_seconds")
        self._plugin = made.histogram("scheduler_plugin_execution_duration_seconds")
        self._evaluation = made.value("scheduler_plugin_evaluation_total")
        self._pod_attempts = made.histogram("scheduler_pod_scheduling_attempts")[()]
        self._sli = made.histogram("scheduler_pod_scheduling_sli_duration_seconds")
        self._unschedulable = made.value("scheduler_unschedulable_pods")
        self._preemptions = made.value("scheduler_preemption_attempts_total")[()]
        self._victims = made.histogram("scheduler_preemption_victims")[()]
        self._evictions = made.value("scheduler_preemption_goroutines_execution_total")
        self._eviction_seconds = made.histogram("scheduler_preemption_goroutines_duration_seconds")
        self._permit = made.histogram("scheduler_permit_wait_duration_seconds")
        self._tasks = made.value("scheduler_goroutines")
        self._hinted = made.value("scheduler_batch_attempts_total")
        self._batch_pods = made.histogram("tenantry_scheduler_batch_pods")
        self._flushed = made.value("scheduler_batch_cache_flushed_total")
        self._breaker = made.value("tenantry_breaker_plugin_open")
        self._trips = made.value("tenantry_breaker_plugin_trips_total")
        self._binder = made.value("scheduler_volume_binder_cache_requests_total")
        self._binder_errors = made.value("scheduler_volume_scheduling_stage_error_total")
        self._incoming = made.value("scheduler_queue_incoming_pods_total")
        self._pending = made.value("scheduler_pending_pods")
        self._hints = made.histogram("scheduler_queueing_hint_execution_duration_seconds")
        self._inflight = made.value("scheduler_inflight_events")
        self._after_flush = made.value("scheduler_pod_scheduled_after_flush_total")[()]
        self._cache_size = made.value("scheduler_cache_size")
        self._events = made.histogram("scheduler_event_handling_duration_seconds")
        self._decode = made.value("tenantry_decode_failures_total")
        self._drift = made.value("tenantry_cache_drift_total")

    def _bind_rest(self, made: Instruments) -> None:
        self._requests = made.value("rest_client_requests_total")
        self._request_seconds = made.histogram("rest_client_request_duration_seconds")
        self._retries = made.value("rest_client_request_retries_total")
        self._limited = made.histogram("rest_client_rate_limiter_duration_seconds")
        self._calls = made.value("scheduler_async_api_call_execution_total")
        self._call_seconds = made.histogram("scheduler_async_api_call_execution_duration_seconds")
        self._pending_calls = made.value("scheduler_pending_async_api_calls")
        self._restarts = made.value("tenantry_watch_restarts_total")
        self._silence = made.value("tenantry_watch_silence_seconds")
        self._events_dropped = made.value("tenantry_events_dropped_total")[()]
        self._work_depth = made.value("workqueue_depth")
        self._work_adds = made.value("workqueue_adds_total")
        self._work_waited = made.histogram("workqueue_queue_duration_seconds")
        self._work_seconds = made.histogram("workqueue_work_duration_seconds")
        self._work_retries = made.value("workqueue_retries_total")
        self._leader = made.value("leader_election_master_status")
        self._slowpath = made.value("leader_election_slowpath_total")
        self._stall = made.histogram("tenantry_loop_stall_seconds")[()]
        self._gc = made.histogram("tenantry_gc_pause_seconds")
        self._gc_cells = tuple(self._gc[(str(generation),)] for generation in range(3))
        self._health = made.value("kubernetes_healthcheck")
        self._health_total = made.value("kubernetes_healthchecks_total")
        self._logs_dropped = made.value("tenantry_telemetry_logs_dropped_total")[()]

    # Cycle

    def attempt(self, result: AttemptResult, profile: str, seconds: float, count: int = 1) -> None:
        key = (result, profile)
        self._attempts[key].value += count
        self._attempt_seconds[key].observe(seconds, count)

    def algorithm(self, seconds: float, count: int = 1) -> None:
        self._algorithm.observe(seconds, count)

    def extension_point(self, point: str, status: str, profile: str, seconds: float, count: int = 1) -> None:
        self._point[point, status, profile].observe(seconds, count)

    def sample_plugins(self) -> bool:
        return self._rng() < PLUGIN_SAMPLE

    def plugin(self, plugin: str, point: str, status: str, seconds: float) -> None:
        self._plugin[plugin, point, status].observe(seconds)

    def evaluation(self, plugin: str, point: str, profile: str, count: int = 1) -> None:
        self._evaluation[plugin, point, profile].value += count

    def pod_scheduled(self, attempts: int, sli_seconds: float) -> None:
        self._pod_attempts.observe(attempts)
        self._sli[_ATTEMPTS[min(attempts, MAX_ATTEMPTS_LABEL)]].observe(sli_seconds)

    def unschedulable_by_plugin(self, plugin: str, profile: str, delta: int) -> None:
        self._unschedulable[plugin, profile].value += delta

    def preemption(self, victims: int) -> None:
        self._preemptions.value += 1
        if victims:
            self._victims.observe(victims)

    def preemption_execution(self, result: Literal["success", "error"], seconds: float) -> None:
        self._evictions[(result,)].value += 1
        self._eviction_seconds[(result,)].observe(seconds)

    def permit_wait(self, result: str, seconds: float) -> None:
        self._permit[(result,)].observe(seconds)

    def goroutines(self, operation: str, delta: int) -> None:
        self._tasks[(operation,)].value += delta

    def batch(self, profile: str, pods: int) -> None:
        self._hinted[profile, "hint_not_used"].value += 1
        self._hinted[profile, "hint_used"].value += pods - 1
        self._batch_pods[(profile,)].observe(pods)

    def batch_flushed(self, profile: str, reason: str) -> None:
        self._flushed[profile, reason].value += 1

    def plugin_isolated(self, plugin: str, reason: Literal["raised", "range", "slow", "hung"]) -> None:
        self._breaker[(plugin,)].value = 1
        self._trips[plugin, reason].value += 1

    def plugin_restored(self, plugin: str) -> None:
        self._breaker[(plugin,)].value = 0

    def volume_binder(self, operation: str, failed: bool = False) -> None:
        (self._binder_errors if failed else self._binder)[(operation,)].value += 1

    # Queue

    def queue_incoming(self, queue: QueueName, event: str, count: int = 1) -> None:
        self._incoming[queue, event].value += count

    def pending(self, queue: QueueName, count: int) -> None:
        self._pending[(queue,)].value = count

    def hint(self, plugin: str, event: str, hint: Literal["Queue", "QueueSkip", "Error"], seconds: float) -> None:
        self._hints[plugin, event, hint].observe(seconds)

    def inflight_events(self, event: str, count: int) -> None:
        self._inflight[(event,)].value = count

    def scheduled_after_flush(self, count: int = 1) -> None:
        self._after_flush.value += count

    # Cache

    def cache_size(self, kind: Literal["nodes", "pods", "assumed_pods"], count: int) -> None:
        self._cache_size[(kind,)].value = count

    def event_handling(self, event: str, seconds: float, count: int = 1) -> None:
        self._events[(event,)].observe(seconds, count)

    def decode_failed(self, kind: str) -> None:
        self._decode[(kind,)].value += 1

    def cache_drift(self, kind: str, count: int = 1) -> None:
        self._drift[(kind,)].value += count

    # API server

    def request(self, verb: str, host: str, code: str, seconds: float) -> None:
        self._requests[code, verb, host].value += 1
        self._request_seconds[verb, host].observe(seconds)

    def request_retried(self, verb: str, host: str, code: str) -> None:
        self._retries[code, verb, host].value += 1

    def rate_limited(self, verb: str, host: str, seconds: float) -> None:
        self._limited[verb, host].observe(seconds)

    def api_call(self, call_type: str, result: Literal["success", "error"], seconds: float) -> None:
        self._calls[call_type, result].value += 1
        self._call_seconds[call_type, result].observe(seconds)

    def pending_api_calls(self, call_type: str, count: int) -> None:
        self._pending_calls[(call_type,)].value = count

    def watch_restarted(self, resource: str, reason: str) -> None:
        self._restarts[resource, reason].value += 1

    def watch_lag(self, resource: str, seconds: float) -> None:
        self._silence[(resource,)].value = seconds

    def events_dropped(self, count: int = 1) -> None:
        self._events_dropped.value += count

    # Work queues, election, process

    def work_added(self, name: str, depth: int) -> None:
        self._work_adds[(name,)].value += 1
        self._work_depth[(name,)].value = depth

    def work_started(self, name: str, depth: int, waited: float) -> None:
        self._work_depth[(name,)].value = depth
        self._work_waited[(name,)].observe(waited)

    def work_done(self, name: str, seconds: float) -> None:
        self._work_seconds[(name,)].observe(seconds)

    def work_retried(self, name: str) -> None:
        self._work_retries[(name,)].value += 1

    def leader(self, name: str, leading: bool) -> None:
        self._leader[(name,)].value = leading

    def leader_slowpath(self, name: str) -> None:
        self._slowpath[(name,)].value += 1

    def loop_stall(self, seconds: float) -> None:
        self._stall.observe(seconds)

    def gc_pause(self, generation: int, seconds: float) -> None:
        self._gc_cells[generation].observe(seconds)

    def healthcheck(self, name: str, kind: Literal["healthz", "livez", "readyz"], ok: bool) -> None:
        self._health[name, kind].value = ok
        self._health_total[name, kind, "success" if ok else "error"].value += 1

    def logs_dropped(self, count: int = 1) -> None:
        self._logs_dropped.value += count


def expose_process(recorder: PrometheusRecorder, version: str, kubernetes: str = "1.36") -> None:
    """Add the `process_*` metrics and the build information. `kubernetes` is the release followed, "major.minor"."""
    ProcessCollector(registry=recorder.registry)
    major, _, minor = kubernetes.partition(".")
    runtime = f"{platform.system().lower()}/{platform.machine()}"
    build = (
        major,
        minor,
        f"v{kubernetes}.0+tenantry-{version}",
        "",
        "",
        "",
        "",
        platform.python_implementation(),
        runtime,
    )
    recorder.instruments.value("kubernetes_build_info")[build].value = 1
    recorder.instruments.value("tenantry_build_info")[version, platform.python_version()].value = 1
