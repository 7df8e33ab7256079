"""Interns pods into classes by what scheduling can see of them."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from tenantry_core.cache.counts import LabelKey, SelectorCounts
from tenantry_core.framework.pod_class import PodClass, compile_class, controlling_owner, relevant_volumes
from tenantry_core.model.objects import Pod

LIMIT = 20_000
"""Classes kept before the idle half is dropped."""

_WORKLOADS = ("ReplicationController", "ReplicaSet", "StatefulSet")
_ENCODE = msgspec.json.Encoder().encode
ClassKey = tuple[str, bytes, LabelKey, tuple[str, str]]


class ClassTable:
    """Class by key; `class_of` is cheap for a pod whose class is known.

    `changed` is called when classes handed out before no longer stand, from within `class_of`.
    """

    def __init__(self, counts: SelectorCounts, changed: Callable[[], None] = lambda: None) -> None:
        self._changed = changed
        self._counts = counts
        self._classes: dict[ClassKey, PodClass] = {}
        self._known: set[bytes] = set()
        self._next = 0
        self._version = counts.version

    @property
    def version(self) -> int:
        """Classes handed out under an older version may have to be looked up again."""
        return self._counts.version

    def __len__(self) -> int:
        return len(self._classes)

    def class_of(self, pod: Pod) -> PodClass:
        """The class of `pod`, compiled on first sight."""
        spec = _spec_key(pod)
        if spec not in self._known:
            self._track(pod)
            self._known.add(spec)
        if self._version != self._counts.version:
            self._classes.clear()  # a class may hold pods that a newly tracked key tells apart
            self._version = self._counts.version
            self._changed()
        owner = controlling_owner(pod)
        key = (
            pod.metadata.namespace,
            spec,
            self._counts.label_key(pod),
            owner if owner[0] in _WORKLOADS else ("", ""),
        )
        found = self._classes.get(key)
        if found is None:
            if len(self._classes) >= LIMIT:
                self._drop_oldest()
            found = self._classes[key] = compile_class(self._next, pod)
            self._next += 1
        return found

    def _track(self, pod: Pod) -> None:
        """Label keys in the pod's own rules tell pods apart from now on."""
        for constraint in pod.spec.topology_spread_constraints or ():
            for key in constraint.match_label_keys or ():
                self._counts.track_key(key)
        compiled = compile_class(-1, pod)
        for constraint_ in (*compiled.hard_spread, *compiled.soft_spread):
            self._counts.track(constraint_.pods)
        for pods in compiled.terms.pod_sets():
            self._counts.track(pods)

    def _drop_oldest(self) -> None:
        for key in list(self._classes)[: LIMIT // 2]:
            del self._classes[key]
        self._known.clear()


def _spec_key(pod: Pod) -> bytes:
    spec = pod.spec
    return _ENCODE(
        (
            spec.priority,
            spec.preemption_policy,
            spec.scheduler_name,
            spec.containers,
            spec.init_containers,
            spec.overhead,
            spec.resources,
            spec.node_selector,
            spec.affinity,
            spec.tolerations,
            spec.topology_spread_constraints,
            spec.resource_claims,
            spec.host_network,
            spec.host_users,
            relevant_volumes(pod) if spec.volumes else (),
            [v.image for v in spec.volumes if v.image] if spec.volumes else (),
        )
    )
