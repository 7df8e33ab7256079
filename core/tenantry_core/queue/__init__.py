"""The scheduling queue: which pod is tried next, and where the others wait.

    add ──> PreEnqueue ──no──> gated ──gate lifted──┐
               │ yes                                │
               v                                    v
            active ──pop──> in flight ──bound──> done
               ^   ^            │ rejected                 │ error
               │   │            v                          v
               │   │      unschedulable (parked) ──event──> backoff
               │   └──────── event, backoff over           │
               └──────────────── backoff over ─────────────┘

What belongs here: the order of pods, backoff, parking by rejecting plugin, gates, and which event wakes which pod.
Who calls it: the loop, from one thread. Everything is synchronous and takes the time (`now`, monotonic seconds) as an
argument. What must not be here: clocks, awaiting, the cluster cache, and any knowledge of a particular plugin.

Source of the rules: the scheduling queue of kube-scheduler 1.36 (queueing hints, pop from backoff).
"""

from tenantry_core.queue.active import ActiveOrder, NamespaceOrder, Positions
from tenantry_core.queue.entry import Place, QueuedPod
from tenantry_core.queue.hints import Profiles
from tenantry_core.queue.scheduling_queue import SchedulingQueue
from tenantry_core.queue.settings import QueueSettings
from tenantry_core.queue.whereabouts import Whereabouts

__all__ = [
    "ActiveOrder",
    "NamespaceOrder",
    "Place",
    "Positions",
    "Profiles",
    "QueueSettings",
    "QueuedPod",
    "SchedulingQueue",
    "Whereabouts",
]
