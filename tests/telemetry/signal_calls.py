"""One call of each recorder method, and the samples it must leave behind."""

from collections.abc import Callable
from typing import NamedTuple

from tenantry_telemetry.api import SchedulerRecorder

Call = Callable[[SchedulerRecorder], None]


def each(*calls: Call) -> Call:
    """The calls one after the other."""

    def run(recorder: SchedulerRecorder) -> None:
        for call in calls:
            call(recorder)

    return run


class Case(NamedTuple):
    """A call and its samples: (name, labels as `a=b,c=d`, value)."""

    call: Call
    samples: tuple[tuple[str, str, float], ...]


CASES: dict[str, Case] = {
    "attempt": Case(
        lambda r: r.attempt("scheduled", "p", 0.0015, 3),
        (
            ("scheduler_schedule_attempts_total", "result=scheduled,profile=p", 3),
            ("scheduler_scheduling_attempt_duration_seconds_count", "result=scheduled,profile=p", 3),
            ("scheduler_scheduling_attempt_duration_seconds_sum", "result=scheduled,profile=p", 0.0045),
            ("scheduler_scheduling_attempt_duration_seconds_bucket", "result=scheduled,profile=p,le=0.001", 0),
            ("scheduler_scheduling_attempt_duration_seconds_bucket", "result=scheduled,profile=p,le=0.002", 3),
        ),
    ),
    "algorithm": Case(lambda r: r.algorithm(1.0, 2), (("scheduler_scheduling_algorithm_duration_seconds_sum", "", 2),)),
    "extension_point": Case(
        lambda r: r.extension_point("Filter", "Success", "p", 0.0001),
        (
            (
                "scheduler_framework_extension_point_duration_seconds_bucket",
                "extension_point=Filter,status=Success,profile=p,le=0.0001",
                1,
            ),
        ),
    ),
    "plugin": Case(
        lambda r: r.plugin("NodeName", "Filter", "Success", 9.0),
        (
            (
                "scheduler_plugin_execution_duration_seconds_bucket",
                "plugin=NodeName,extension_point=Filter,status=Success,le=+Inf",
                1,
            ),
        ),
    ),
    "evaluation": Case(
        lambda r: r.evaluation("NodeName", "Filter", "p", 5),
        (("scheduler_plugin_evaluation_total", "plugin=NodeName,extension_point=Filter,profile=p", 5),),
    ),
    "pod_scheduled": Case(
        lambda r: r.pod_scheduled(2, 0.5),
        (
            ("scheduler_pod_scheduling_attempts_sum", "", 2),
            ("scheduler_pod_scheduling_sli_duration_seconds_sum", "attempts=2", 0.5),
        ),
    ),
    "pod_scheduled_after_many": Case(
        lambda r: r.pod_scheduled(40, 0.5),
        (("scheduler_pod_scheduling_sli_duration_seconds_count", "attempts=15+", 1),),
    ),
    "unschedulable_by_plugin": Case(
        each(lambda r: r.unschedulable_by_plugin("A", "p", 3), lambda r: r.unschedulable_by_plugin("A", "p", -2)),
        (("scheduler_unschedulable_pods", "plugin=A,profile=p", 1),),
    ),
    "preemption": Case(
        each(lambda r: r.preemption(4), lambda r: r.preemption(0)),
        (
            ("scheduler_preemption_attempts_total", "", 2),
            ("scheduler_preemption_victims_count", "", 1),
            ("scheduler_preemption_victims_sum", "", 4),
        ),
    ),
    "preemption_execution": Case(
        lambda r: r.preemption_execution("success", 0.1),
        (
            ("scheduler_preemption_goroutines_execution_total", "result=success", 1),
            ("scheduler_preemption_goroutines_duration_seconds_sum", "result=success", 0.1),
        ),
    ),
    "permit_wait": Case(
        lambda r: r.permit_wait("Success", 2), (("scheduler_permit_wait_duration_seconds_sum", "result=Success", 2),)
    ),
    "goroutines": Case(lambda r: r.goroutines("binding", 2), (("scheduler_goroutines", "operation=binding", 2),)),
    "batch": Case(
        lambda r: r.batch("p", 10),
        (
            ("scheduler_batch_attempts_total", "profile=p,result=hint_used", 9),
            ("scheduler_batch_attempts_total", "profile=p,result=hint_not_used", 1),
            ("tenantry_scheduler_batch_pods_sum", "profile=p", 10),
        ),
    ),
    "batch_flushed": Case(
        lambda r: r.batch_flushed("p", "node_changed"),
        (("scheduler_batch_cache_flushed_total", "profile=p,reason=node_changed", 1),),
    ),
    "plugin_isolated": Case(
        lambda r: r.plugin_isolated("A", "slow"),
        (
            ("tenantry_breaker_plugin_open", "plugin=A", 1),
            ("tenantry_breaker_plugin_trips_total", "plugin=A,reason=slow", 1),
        ),
    ),
    "plugin_restored": Case(
        each(lambda r: r.plugin_isolated("A", "slow"), lambda r: r.plugin_restored("A")),
        (("tenantry_breaker_plugin_open", "plugin=A", 0),),
    ),
    "volume_binder": Case(
        each(lambda r: r.volume_binder("add"), lambda r: r.volume_binder("predicate", failed=True)),
        (
            ("scheduler_volume_binder_cache_requests_total", "operation=add", 1),
            ("scheduler_volume_scheduling_stage_error_total", "operation=predicate", 1),
        ),
    ),
    "queue_incoming": Case(
        lambda r: r.queue_incoming("active", "PodAdd", 7),
        (("scheduler_queue_incoming_pods_total", "queue=active,event=PodAdd", 7),),
    ),
    "pending": Case(
        lambda r: r.pending("gated", 4),
        (("scheduler_pending_pods", "queue=gated", 4), ("scheduler_pending_pods", "queue=active", 0)),
    ),
    "hint": Case(
        lambda r: r.hint("A", "NodeAdd", "Queue", 1),
        (
            (
                "scheduler_queueing_hint_execution_duration_seconds_sum",
                "plugin=A,event=NodeAdd,hint=Queue",
                1,
            ),
        ),
    ),
    "inflight_events": Case(
        lambda r: r.inflight_events("NodeAdd", 2), (("scheduler_inflight_events", "event=NodeAdd", 2),)
    ),
    "scheduled_after_flush": Case(
        lambda r: r.scheduled_after_flush(), (("scheduler_pod_scheduled_after_flush_total", "", 1),)
    ),
    "cache_size": Case(lambda r: r.cache_size("nodes", 9), (("scheduler_cache_size", "type=nodes", 9),)),
    "event_handling": Case(
        lambda r: r.event_handling("NodeAdd", 0.5, 4),
        (("scheduler_event_handling_duration_seconds_sum", "event=NodeAdd", 2),),
    ),
    "decode_failed": Case(lambda r: r.decode_failed("Pod"), (("tenantry_decode_failures_total", "kind=Pod", 1),)),
    "cache_drift": Case(lambda r: r.cache_drift("Node", 2), (("tenantry_cache_drift_total", "kind=Node", 2),)),
    "request": Case(
        lambda r: r.request("GET", "h", "200", 0.5),
        (
            ("rest_client_requests_total", "code=200,method=GET,host=h", 1),
            ("rest_client_request_duration_seconds_sum", "verb=GET,host=h", 0.5),
        ),
    ),
    "request_retried": Case(
        lambda r: r.request_retried("GET", "h", "429"),
        (("rest_client_request_retries_total", "code=429,verb=GET,host=h", 1),),
    ),
    "rate_limited": Case(
        lambda r: r.rate_limited("GET", "h", 1),
        (("rest_client_rate_limiter_duration_seconds_sum", "verb=GET,host=h", 1),),
    ),
    "api_call": Case(
        lambda r: r.api_call("pod_binding", "success", 0.25),
        (
            ("scheduler_async_api_call_execution_total", "call_type=pod_binding,result=success", 1),
            ("scheduler_async_api_call_execution_duration_seconds_sum", "call_type=pod_binding,result=success", 0.25),
        ),
    ),
    "pending_api_calls": Case(
        lambda r: r.pending_api_calls("event", 3), (("scheduler_pending_async_api_calls", "call_type=event", 3),)
    ),
    "watch_restarted": Case(
        lambda r: r.watch_restarted("pods", "eof"),
        (("tenantry_watch_restarts_total", "resource=pods,reason=eof", 1),),
    ),
    "watch_lag": Case(lambda r: r.watch_lag("pods", 2.5), (("tenantry_watch_silence_seconds", "resource=pods", 2.5),)),
    "events_dropped": Case(lambda r: r.events_dropped(5), (("tenantry_events_dropped_total", "", 5),)),
    "work_added": Case(
        lambda r: r.work_added("q", 2), (("workqueue_adds_total", "name=q", 1), ("workqueue_depth", "name=q", 2))
    ),
    "work_started": Case(
        lambda r: r.work_started("q", 1, 0.5),
        (("workqueue_depth", "name=q", 1), ("workqueue_queue_duration_seconds_sum", "name=q", 0.5)),
    ),
    "work_done": Case(lambda r: r.work_done("q", 1), (("workqueue_work_duration_seconds_sum", "name=q", 1),)),
    "work_retried": Case(lambda r: r.work_retried("q"), (("workqueue_retries_total", "name=q", 1),)),
    "leader": Case(lambda r: r.leader("l", True), (("leader_election_master_status", "name=l", 1),)),
    "leader_slowpath": Case(lambda r: r.leader_slowpath("l"), (("leader_election_slowpath_total", "name=l", 1),)),
    "loop_stall": Case(lambda r: r.loop_stall(0.5), (("tenantry_loop_stall_seconds_sum", "", 0.5),)),
    "gc_pause": Case(lambda r: r.gc_pause(2, 0.5), (("tenantry_gc_pause_seconds_sum", "generation=2", 0.5),)),
    "healthcheck": Case(
        each(lambda r: r.healthcheck("ping", "livez", True), lambda r: r.healthcheck("ping", "livez", False)),
        (
            ("kubernetes_healthcheck", "name=ping,type=livez", 0),
            ("kubernetes_healthchecks_total", "name=ping,type=livez,status=success", 1),
            ("kubernetes_healthchecks_total", "name=ping,type=livez,status=error", 1),
        ),
    ),
    "logs_dropped": Case(lambda r: r.logs_dropped(3), (("tenantry_telemetry_logs_dropped_total", "", 3),)),
}
