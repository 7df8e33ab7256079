"""What happens to a pod that was tried and not placed: look for victims, queue it again, say why."""

from __future__ import annotations

import logging
from typing import NamedTuple

from tenantry_core.bind.evictor import Evictor, Preemption
from tenantry_core.bind.job import BindPorts
from tenantry_core.bind.reporter import SCHEDULER_ERROR, UNSCHEDULABLE
from tenantry_core.bind.stages import name_of
from tenantry_core.bind.trace import Ended, hand_over
from tenantry_core.cycle.decision import Unplaced
from tenantry_core.cycle.message import fit_message
from tenantry_core.framework.context import CycleContext
from tenantry_core.framework.post_filter import PostFilterResult
from tenantry_core.framework.profile import Profile
from tenantry_core.framework.status import Code
from tenantry_core.queue import QueuedPod

_log = logging.getLogger(__name__)


class Attempt(NamedTuple):
    """One pod being tried."""

    qp: QueuedPod
    profile: Profile
    ctx: CycleContext
    started: float
    """Monotonic seconds when it was popped."""


class Rejections:
    """Ends attempts that gave no node. Each method gives the pod back to the queue exactly once, at once or, where
    victims are evicted first, later."""

    def __init__(self, ports: BindPorts, evictor: Evictor) -> None:
        self._ports = ports
        self._evictor = evictor

    def skipped(self, qp: QueuedPod) -> bool:
        """Whether the pod is not to be tried after all: gone, going, or holding room already. Ends its attempt then."""
        ports, pod = self._ports, qp.pod
        deleting = bool(pod.metadata.deletion_timestamp)
        if not deleting and ports.cache.placed(qp.uid) is None and ports.latest(qp.uid) is not None:
            return False
        if deleting:
            ports.reporter.warn(pod, f"skip schedule deleting pod: {qp.key}")
        ports.queue.done(qp.uid)
        return True

    def unplaced(self, attempt: Attempt, decision: Unplaced) -> None:
        """No node would do."""
        ports, qp = self._ports, attempt.qp
        if decision.status.code is Code.ERROR:
            self._failed(qp, f"{decision.status.plugin}: {decision.status.message}", attempt.started)
            return
        result = self._post_filter(attempt, decision)
        if result is not None:
            decision.diagnosis.post_filter = result.message
        message = fit_message(decision.diagnosis)
        plugins = decision.diagnosis.plugins or frozenset(name for name, _ in attempt.profile.filter)
        now = ports.clock.monotonic()
        ports.recorder.attempt("unschedulable", attempt.profile.scheduler_name, now - attempt.started)
        ports.reporter.failed(qp.pod, UNSCHEDULABLE, message)
        hand_over(
            ports,
            qp,
            Ended("unschedulable", now - attempt.started, reasons=(message,), plugins=sorted(plugins)),
        )
        _log.info("Pod can't be placed", extra={"pod": qp.key, "attempt": qp.attempts, "reason": message})
        if result is not None and result.nominated_node is not None:
            self._evictor.start(Preemption(qp, plugins, result))
            return
        if result is not None and result.clear_own:
            self._evictor.clear(qp.pod)
        if decision.status.code is Code.PENDING:
            ports.queue.unschedulable(qp, (), now, plugins)
        else:
            ports.queue.unschedulable(qp, plugins, now)

    def broke(self, qp: QueuedPod, error: Exception, started: float) -> None:
        """Something raised while the pod was tried: it comes back after a backoff, and everything else goes on."""
        ports = self._ports
        text = f"{type(error).__name__}: {error}"
        _log.error("Trying a pod failed", exc_info=error, extra={"pod": qp.key, "attempt": qp.attempts, "reason": text})
        ports.cache.forget(qp.uid)
        self._failed(qp, text, started)

    def _failed(self, qp: QueuedPod, text: str, started: float) -> None:
        ports, now = self._ports, self._ports.clock.monotonic()
        ports.queue.error(qp, now)
        ports.reporter.failed(qp.pod, SCHEDULER_ERROR, text)
        ports.recorder.attempt("error", qp.profile, now - started)
        hand_over(ports, qp, Ended("error", now - started, reasons=(text,)))

    def _post_filter(self, attempt: Attempt, decision: Unplaced) -> PostFilterResult | None:
        """The first answer with a node, else the last one; None where the profile has no such plugin."""
        result, clock = None, self._ports.clock
        began = clock.monotonic()
        for plugin in attempt.profile.post_filter:
            try:
                result = plugin.post_filter(attempt.ctx, attempt.profile, decision.diagnosis)
            except Exception as error:
                _log.error("A plugin raised", exc_info=error, extra={"plugin": name_of(plugin), "point": "PostFilter"})
                continue
            if result.eligible:
                self._ports.recorder.preemption(len(result.victims))
            if result.nominated_node is not None:
                break
        if result is not None:
            code = Code.SUCCESS if result.nominated_node is not None else Code.UNSCHEDULABLE
            name = attempt.profile.scheduler_name
            self._ports.recorder.extension_point("PostFilter", code.label, name, clock.monotonic() - began)
        return result
