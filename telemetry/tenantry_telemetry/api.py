"""What the rest of Tenantry sees of telemetry: recorder protocols whose default does nothing.

Core takes a recorder (or one of its narrow parts) in its constructor and calls it; it never learns what is behind.
Every method has a body that does nothing, so an implementation subclasses a protocol and overrides what it wants, and
a method added later breaks nobody. This module imports `typing` only.

Rules for callers
- Durations are seconds as float, measured with a monotonic clock. Counts are integers.
- All methods are called from the event loop's thread, return at once and never raise; calls cost about a microsecond.
- A batch that was decided together makes one call with `count` and the amortised duration of one pod.
- Label values come from closed sets (plugin, profile, queue and event names); never pass pod or node names.

Logs need no protocol: use stdlib `logging` with `extra={"pod": "ns/name", "attempt": 3, "reason": "..."}`; the known
extra fields are listed in `tenantry_telemetry.logs`.
"""

from typing import Literal, NamedTuple, Protocol

AttemptResult = Literal["scheduled", "unschedulable", "error"]
QueueName = Literal["active", "backoff", "unschedulable", "gated"]


class CycleRecorder(Protocol):
    """Scheduling attempts, extension points and plugins. Called by the cycle and by the binding."""

    def attempt(self, result: AttemptResult, profile: str, seconds: float, count: int = 1) -> None:
        """`count` attempts ended so; each took `seconds` (amortised for a batch) from queue pop to decision or bind."""
        return

    def algorithm(self, seconds: float, count: int = 1) -> None:
        """Finding a node took `seconds` for each of `count` pods."""
        return

    def extension_point(self, point: str, status: str, profile: str, seconds: float, count: int = 1) -> None:
        """All plugins of `point` ("Filter", ...) ran; `status` is the code's name ("Success", "Unschedulable")."""
        return

    def sample_plugins(self) -> bool:
        """Whether this cycle should measure each plugin and call `plugin`; asked once a cycle."""
        return False

    def plugin(self, plugin: str, point: str, status: str, seconds: float) -> None:
        """One plugin ran once at one extension point. Only in cycles for which `sample_plugins` said yes."""
        return

    def evaluation(self, plugin: str, point: str, profile: str, count: int = 1) -> None:
        """`plugin` was asked for `count` pods at PreFilter, Filter, PreScore or Score (it was not skipped)."""
        return

    def pod_scheduled(self, attempts: int, sli_seconds: float) -> None:
        """A pod is bound after `attempts`; `sli_seconds` since it was first queued past PreEnqueue."""
        return

    def unschedulable_by_plugin(self, plugin: str, profile: str, delta: int) -> None:
        """`delta` more (or, negative, fewer) pods are now waiting because `plugin` rejected them."""
        return

    def preemption(self, victims: int) -> None:
        """One preemption attempt chose `victims` victims; 0 if it found no node to clear."""
        return

    def preemption_execution(self, result: Literal["success", "error"], seconds: float) -> None:
        """Evicting the victims, which runs beside the loop, ended."""
        return

    def permit_wait(self, result: str, seconds: float) -> None:
        """A pod left Permit after waiting; `result` is the status code's name."""
        return

    def goroutines(self, operation: str, delta: int) -> None:
        """`delta` more (or fewer) concurrent tasks of `operation` ("binding", "preemption") are running."""
        return

    def batch(self, profile: str, pods: int) -> None:
        """`pods` pods of one class were decided in one go (1: alone)."""
        return

    def batch_flushed(self, profile: str, reason: str) -> None:
        """A batch ended before its class ran out, for `reason` (a closed set, "pod_not_batchable", "node_changed")."""
        return

    def plugin_isolated(self, plugin: str, reason: Literal["raised", "range", "slow", "hung"]) -> None:
        """The breaker took `plugin` out of the cycle."""
        return

    def plugin_restored(self, plugin: str) -> None:
        """The breaker let `plugin` in again."""
        return

    def volume_binder(self, operation: str, failed: bool = False) -> None:
        """VolumeBinding asked its assume cache ("add", "assume", ...) or, with `failed`, that stage failed."""
        return


class QueueRecorder(Protocol):
    """Movements of pods between the queues. Called by the queue."""

    def queue_incoming(self, queue: QueueName, event: str, count: int = 1) -> None:
        """`count` pods entered `queue` because of `event` ("PodAdd", "NodeAdd", "ScheduleAttemptFailure", ...)."""
        return

    def pending(self, queue: QueueName, count: int) -> None:
        """`queue` holds `count` pods now."""
        return

    def hint(self, plugin: str, event: str, hint: Literal["Queue", "QueueSkip", "Error"], seconds: float) -> None:
        """`plugin`'s queueing hint for `event` answered `hint`."""
        return

    def inflight_events(self, event: str, count: int) -> None:
        """The queue keeps `count` events of this kind for pods that are being decided now."""
        return

    def scheduled_after_flush(self, count: int = 1) -> None:
        """Pods got a node only because the five-minute flush moved them: an event was missed."""
        return


class CacheRecorder(Protocol):
    """Cluster state. Called by the watch handlers, the cache and the audit."""

    def cache_size(self, kind: Literal["nodes", "pods", "assumed_pods"], count: int) -> None:
        """The cache holds `count` objects of this kind now."""
        return

    def event_handling(self, event: str, seconds: float, count: int = 1) -> None:
        """Handling one watch event ("NodeAdd", "AssignedPodDelete", ...) took `seconds`; `count` came together."""
        return

    def decode_failed(self, kind: str) -> None:
        """An object of `kind` ("Pod", "Node", ...) could not be read and was left out."""
        return

    def cache_drift(self, kind: str, count: int = 1) -> None:
        """The audit against a fresh list found `count` wrong objects of `kind`, and mended them."""
        return


class ApiRecorder(Protocol):
    """Requests to the API server. Called by the Kubernetes client, the writers and the watchers."""

    def request(self, verb: str, host: str, code: str, seconds: float) -> None:
        """An HTTP request ended: `verb` "GET", ...; `code` the status, or "<error>" if there was no answer."""
        return

    def request_retried(self, verb: str, host: str, code: str) -> None:
        """A request is sent again after `code`."""
        return

    def rate_limited(self, verb: str, host: str, seconds: float) -> None:
        """The client's own rate limit held a request back for `seconds`."""
        return

    def api_call(self, call_type: str, result: Literal["success", "error"], seconds: float) -> None:
        """A queued write ended: `call_type` "pod_binding", "pod_status_patch", "pod_eviction" or "event"."""
        return

    def pending_api_calls(self, call_type: str, count: int) -> None:
        """`count` writes of this type are queued or in flight now."""
        return

    def watch_restarted(self, resource: str, reason: str) -> None:
        """A watch of `resource` ("pods") was opened again; `reason` "eof", "expired", "error", "idle"."""
        return

    def watch_lag(self, resource: str, seconds: float) -> None:
        """Time since `resource`'s watch last delivered anything, bookmarks included."""
        return

    def events_dropped(self, count: int = 1) -> None:
        """`count` Kubernetes Events were thrown away because their queue was full."""
        return


class WorkQueueRecorder(Protocol):
    """A controller's work queue, by its `name`. Called by reconcilers and writers."""

    def work_added(self, name: str, depth: int) -> None:
        """An item came in; the queue holds `depth` now."""
        return

    def work_started(self, name: str, depth: int, waited: float) -> None:
        """An item was taken after `waited` seconds; `depth` are left."""
        return

    def work_done(self, name: str, seconds: float) -> None:
        """Working on an item took `seconds`."""
        return

    def work_retried(self, name: str) -> None:
        """An item was put back because it failed."""
        return


class ElectionRecorder(Protocol):
    """Leader election. Called by the elector."""

    def leader(self, name: str, leading: bool) -> None:
        """Whether this process holds the Lease `name` now."""
        return

    def leader_slowpath(self, name: str) -> None:
        """Renewing the Lease `name` needed a read first."""
        return


class RuntimeRecorder(Protocol):
    """The process itself. Called by the loop's watchdog and the composition root."""

    def loop_stall(self, seconds: float) -> None:
        """The event loop was late by `seconds`: something held it."""
        return

    def gc_pause(self, generation: int, seconds: float) -> None:
        """The garbage collector stopped everything for `seconds`."""
        return

    def healthcheck(self, name: str, kind: Literal["healthz", "livez", "readyz"], ok: bool) -> None:
        """A health check was asked."""
        return

    def logs_dropped(self, count: int = 1) -> None:
        """`count` log records were thrown away because their queue was full."""
        return


class SchedulerRecorder(
    CycleRecorder,
    QueueRecorder,
    CacheRecorder,
    ApiRecorder,
    WorkQueueRecorder,
    ElectionRecorder,
    RuntimeRecorder,
    Protocol,
):
    """Everything. One object implements it; each caller may ask for the part it needs only."""


class NoopRecorder(SchedulerRecorder):
    """Records nothing. The default everywhere."""


class Phase(NamedTuple):
    """A stretch of an attempt: an extension point, or (with `plugin`) one plugin in it."""

    point: str
    offset: float
    """Seconds since the attempt's start."""
    seconds: float
    status: str = "Success"
    plugin: str = ""


class AttemptTrace(NamedTuple):
    """One scheduling attempt, as plain values; turned into spans and log fields after the decision."""

    namespace: str
    pod: str
    uid: str
    attempt: int
    """1 for the first."""
    profile: str
    result: AttemptResult
    start: float
    """Wall clock, seconds since the epoch."""
    seconds: float
    node: str = ""
    """Chosen node; empty if none."""
    reasons: tuple[str, ...] = ()
    """Why not: the messages of the plugins, most frequent first."""
    plugins: tuple[str, ...] = ()
    """Plugins that rejected the pod."""
    phases: tuple[Phase, ...] = ()
    nodes_total: int = 0
    nodes_feasible: int = 0
    batch: int = 1
    """Pods decided together with this one; durations are amortised if above 1."""
    tenant: str = ""
    traceparent: str = ""
    """W3C trace context of the pod's creation: to link, never a parent. Empty if unknown."""


class TraceSink(Protocol):
    """Takes finished attempts."""

    def wants(self, result: AttemptResult, seconds: float) -> bool:
        """Whether to build and hand over the trace of an attempt that ended so. Asked first: a "no" is cheap."""
        return False

    def record(self, trace: AttemptTrace) -> None:
        """Take one attempt; never blocks, drops when full."""
        return


class NoopTraceSink(TraceSink):
    """Wants nothing."""


NOOP_RECORDER: SchedulerRecorder = NoopRecorder()
NOOP_TRACES: TraceSink = NoopTraceSink()
