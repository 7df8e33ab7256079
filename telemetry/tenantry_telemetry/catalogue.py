"""Every metric of Tenantry, declared once. Recorders, dashboards, rules and docs are checked against this table.

The first part carries kube-scheduler 1.36's names, labels and buckets unchanged, so that stock dashboards work; the
second part is ours. Values of labels come from closed sets; no pod or node name is ever a label here.
"""

from tenantry_telemetry.metric import Kind, Metric, Stability, counter, exponential, gauge, seconds

STABLE, BETA = Stability.STABLE, Stability.BETA

_MS = exponential(0.001, 2, 15)
_POINT = exponential(0.0001, 2, 12)
_PLUGIN = exponential(0.00001, 1.5, 20)
_REST = (0.005, 0.025, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0, 60.0)
_WORK = exponential(1e-6, 10, 10)
_PAUSE = exponential(0.0001, 2, 15)

KUBE_SCHEDULER: tuple[Metric, ...] = (
    counter(
        "scheduler_schedule_attempts_total",
        ("result", "profile"),
        "Attempts to schedule a pod, by how they ended: scheduled, unschedulable, or error for an internal fault.",
        "pods",
        STABLE,
    ),
    seconds(
        "scheduler_scheduling_attempt_duration_seconds",
        ("result", "profile"),
        "Duration of a scheduling attempt, deciding and binding together.",
        _MS,
        STABLE,
    ),
    seconds("scheduler_scheduling_algorithm_duration_seconds", (), "Time it took to choose a node.", _MS),
    seconds(
        "scheduler_framework_extension_point_duration_seconds",
        ("extension_point", "status", "profile"),
        "Time for all plugins of an extension point.",
        _POINT,
        STABLE,
    ),
    seconds(
        "scheduler_plugin_execution_duration_seconds",
        ("plugin", "extension_point", "status"),
        "Time for one plugin at one extension point, in a sample of the cycles.",
        _PLUGIN,
    ),
    gauge(
        "scheduler_pending_pods",
        ("queue",),
        "Pods that wait, by queue: active, backoff, unschedulable (tried and refused), gated (not yet to be tried).",
        "pods",
        STABLE,
    ),
    counter(
        "scheduler_queue_incoming_pods_total",
        ("queue", "event"),
        "Pods that entered a queue, by the event that put them there.",
        "pods",
        STABLE,
    ),
    Metric(
        "scheduler_pod_scheduling_attempts",
        Kind.HISTOGRAM,
        (),
        "Attempts a pod needed until it was scheduled.",
        "attempts",
        exponential(1, 2, 5),
        STABLE,
    ),
    seconds(
        "scheduler_pod_scheduling_sli_duration_seconds",
        ("attempts",),
        "Time from a pod's first entry into the queue, past its gates, to its binding; by attempts it needed.",
        exponential(0.01, 2, 20),
        BETA,
    ),
    counter("scheduler_preemption_attempts_total", (), "Preemption attempts.", "attempts", STABLE),
    Metric(
        "scheduler_preemption_victims",
        Kind.HISTOGRAM,
        (),
        "Victims chosen by one preemption.",
        "pods",
        exponential(1, 2, 7),
        STABLE,
    ),
    gauge(
        "scheduler_unschedulable_pods",
        ("plugin", "profile"),
        "Pods that a plugin rejects now. A pod counts once for each plugin that rejects it.",
        "pods",
        BETA,
    ),
    counter(
        "scheduler_plugin_evaluation_total",
        ("plugin", "extension_point", "profile"),
        "Attempts in which a plugin was asked at an extension point (PreFilter, Filter, PreScore, Score).",
        "pods",
        BETA,
    ),
    seconds("scheduler_permit_wait_duration_seconds", ("result",), "Time spent waiting at Permit.", _MS, BETA),
    gauge("scheduler_goroutines", ("operation",), "Tasks running beside the cycle, by their work.", "tasks", BETA),
    gauge("scheduler_cache_size", ("type",), "Nodes, pods and assumed pods in the cache.", "objects"),
    seconds("scheduler_event_handling_duration_seconds", ("event",), "Time to handle one watch event.", _POINT),
    gauge("scheduler_inflight_events", ("event",), "Events kept for the pods being decided now.", "events"),
    seconds(
        "scheduler_queueing_hint_execution_duration_seconds",
        ("plugin", "event", "hint"),
        "Time for a plugin to say whether an event could help a pod.",
        _PLUGIN,
    ),
    counter(
        "scheduler_pod_scheduled_after_flush_total",
        (),
        "Pods that got a node only through the periodic flush of the unschedulable queue: a missed event.",
        "pods",
    ),
    seconds(
        "scheduler_preemption_goroutines_duration_seconds",
        ("result",),
        "Time to evict the victims of a preemption.",
        exponential(0.01, 2, 20),
    ),
    counter(
        "scheduler_preemption_goroutines_execution_total", ("result",), "Evictions of victims that ended.", "tasks"
    ),
    counter("scheduler_async_api_call_execution_total", ("call_type", "result"), "Queued writes that ended.", "calls"),
    seconds(
        "scheduler_async_api_call_execution_duration_seconds", ("call_type", "result"), "Time of a queued write.", _MS
    ),
    gauge("scheduler_pending_async_api_calls", ("call_type",), "Writes queued or in flight.", "calls"),
    counter(
        "scheduler_batch_attempts_total",
        ("profile", "result"),
        "Pods decided from the work done for the pod before (hint_used) or anew (hint_not_used).",
        "pods",
    ),
    counter(
        "scheduler_batch_cache_flushed_total", ("profile", "reason"), "Batches cut short, by the reason.", "batches"
    ),
    counter(
        "scheduler_volume_binder_cache_requests_total",
        ("operation",),
        "Requests to the assume cache of VolumeBinding.",
        "requests",
    ),
    counter(
        "scheduler_volume_scheduling_stage_error_total",
        ("operation",),
        "Failed stages of volume scheduling.",
        "errors",
    ),
)

KUBE_SHARED: tuple[Metric, ...] = (
    counter("rest_client_requests_total", ("code", "method", "host"), "Requests to the API server.", "requests"),
    seconds("rest_client_request_duration_seconds", ("verb", "host"), "Time of a request to the API server.", _REST),
    counter(
        "rest_client_request_retries_total", ("code", "verb", "host"), "Requests that were sent again.", "requests"
    ),
    seconds(
        "rest_client_rate_limiter_duration_seconds",
        ("verb", "host"),
        "Time a request was held back by the client's own rate limit.",
        _REST,
    ),
    gauge("leader_election_master_status", ("name",), "1 while this process holds the Lease, else 0."),
    counter("leader_election_slowpath_total", ("name",), "Renewals of a Lease that needed a read first.", "renewals"),
    gauge("workqueue_depth", ("name",), "Items in a work queue.", "items", BETA),
    counter("workqueue_adds_total", ("name",), "Items added to a work queue.", "items", BETA),
    seconds("workqueue_queue_duration_seconds", ("name",), "Time an item waited in a work queue.", _WORK, BETA),
    seconds("workqueue_work_duration_seconds", ("name",), "Time to work on an item.", _WORK, BETA),
    counter("workqueue_retries_total", ("name",), "Items put back because they failed.", "items", BETA),
    gauge("kubernetes_healthcheck", ("name", "type"), "1 if the check passed when it was last asked.", "", STABLE),
    counter("kubernetes_healthchecks_total", ("name", "type", "status"), "Answers of checks.", "checks", STABLE),
    gauge(
        "kubernetes_build_info",
        (
            "major",
            "minor",
            "git_version",
            "git_commit",
            "git_tree_state",
            "build_date",
            "go_version",
            "compiler",
            "platform",
        ),
        "Always 1; major and minor name the Kubernetes release whose behaviour is followed.",
    ),
)

TENANTRY: tuple[Metric, ...] = (
    gauge("tenantry_build_info", ("version", "python"), "Always 1."),
    seconds("tenantry_loop_stall_seconds", (), "How late the event loop was, when it was noticeably late.", _PAUSE),
    seconds("tenantry_gc_pause_seconds", ("generation",), "Time the garbage collector stopped the process.", _PAUSE),
    counter(
        "tenantry_decode_failures_total", ("kind",), "Objects that could not be read and were left out.", "objects"
    ),
    counter("tenantry_cache_drift_total", ("kind",), "Objects that the audit found wrong in the cache.", "objects"),
    counter(
        "tenantry_events_dropped_total", (), "Kubernetes Events thrown away because their queue was full.", "events"
    ),
    counter("tenantry_watch_restarts_total", ("resource", "reason"), "Watches opened again.", "watches"),
    gauge("tenantry_watch_silence_seconds", ("resource",), "Time since a watch last delivered anything.", "seconds"),
    Metric(
        "tenantry_scheduler_batch_pods",
        Kind.HISTOGRAM,
        ("profile",),
        "Pods decided in one go.",
        "pods",
        exponential(1, 2, 10),
    ),
    gauge("tenantry_breaker_plugin_open", ("plugin",), "1 while a plugin is taken out of the cycle, else 0."),
    counter("tenantry_breaker_plugin_trips_total", ("plugin", "reason"), "Times a plugin was taken out.", "trips"),
    counter(
        "tenantry_telemetry_logs_dropped_total", (), "Log records thrown away because their queue was full.", "records"
    ),
)

CATALOGUE: tuple[Metric, ...] = KUBE_SCHEDULER + KUBE_SHARED + TENANTRY


def by_name() -> dict[str, Metric]:
    """The table keyed by full name."""
    return {metric.name: metric for metric in CATALOGUE}
