"""What stock dashboards expect of kube-scheduler 1.36: name, labels and the buckets' start, factor and number.

Written down apart from the catalogue, so that a slip in one of them shows.
"""

MS = (0.001, 2, 15)
POINT = (0.0001, 2, 12)
PLUGIN = (0.00001, 1.5, 20)

Buckets = tuple[float, float, int] | None

UPSTREAM: dict[str, tuple[str, str, Buckets]] = {
    "scheduler_schedule_attempts_total": ("counter", "result profile", None),
    "scheduler_scheduling_attempt_duration_seconds": ("histogram", "result profile", MS),
    "scheduler_scheduling_algorithm_duration_seconds": ("histogram", "", MS),
    "scheduler_framework_extension_point_duration_seconds": ("histogram", "extension_point status profile", POINT),
    "scheduler_plugin_execution_duration_seconds": ("histogram", "plugin extension_point status", PLUGIN),
    "scheduler_pending_pods": ("gauge", "queue", None),
    "scheduler_queue_incoming_pods_total": ("counter", "queue event", None),
    "scheduler_pod_scheduling_attempts": ("histogram", "", (1, 2, 5)),
    "scheduler_pod_scheduling_sli_duration_seconds": ("histogram", "attempts", (0.01, 2, 20)),
    "scheduler_preemption_attempts_total": ("counter", "", None),
    "scheduler_preemption_victims": ("histogram", "", (1, 2, 7)),
    "scheduler_unschedulable_pods": ("gauge", "plugin profile", None),
    "scheduler_plugin_evaluation_total": ("counter", "plugin extension_point profile", None),
    "scheduler_permit_wait_duration_seconds": ("histogram", "result", MS),
    "scheduler_goroutines": ("gauge", "operation", None),
    "scheduler_cache_size": ("gauge", "type", None),
    "scheduler_event_handling_duration_seconds": ("histogram", "event", POINT),
    "scheduler_inflight_events": ("gauge", "event", None),
    "scheduler_queueing_hint_execution_duration_seconds": ("histogram", "plugin event hint", PLUGIN),
    "scheduler_pod_scheduled_after_flush_total": ("counter", "", None),
    "scheduler_preemption_goroutines_duration_seconds": ("histogram", "result", (0.01, 2, 20)),
    "scheduler_preemption_goroutines_execution_total": ("counter", "result", None),
    "scheduler_async_api_call_execution_total": ("counter", "call_type result", None),
    "scheduler_async_api_call_execution_duration_seconds": ("histogram", "call_type result", MS),
    "scheduler_pending_async_api_calls": ("gauge", "call_type", None),
    "scheduler_batch_attempts_total": ("counter", "profile result", None),
    "scheduler_batch_cache_flushed_total": ("counter", "profile reason", None),
    "scheduler_volume_binder_cache_requests_total": ("counter", "operation", None),
    "scheduler_volume_scheduling_stage_error_total": ("counter", "operation", None),
    "leader_election_master_status": ("gauge", "name", None),
    "leader_election_slowpath_total": ("counter", "name", None),
    "rest_client_requests_total": ("counter", "code method host", None),
    "workqueue_depth": ("gauge", "name", None),
    "workqueue_work_duration_seconds": ("histogram", "name", (1e-6, 10, 10)),
}


def bounds(buckets: tuple[float, float, int]) -> list[float]:
    """The upper bounds that the three numbers stand for, +Inf included."""
    start, factor, count = buckets
    return [start * factor**n for n in range(count)] + [float("inf")]
