"""Services and the workloads that own pods: what they select, for the cluster's default spread constraints."""

from __future__ import annotations

from tenantry_core.framework.pod_class import PodClass
from tenantry_core.model.selectors import Requirement, Selector, compile_selector, from_labels
from tenantry_core.model.storage import ReplicationController, Service, Workload


class WorkloadStore:
    """Selectors of Services, ReplicationControllers, ReplicaSets and StatefulSets."""

    def __init__(self) -> None:
        self.version = 0
        self._services: dict[str, dict[str, Selector]] = {}
        self._owners: dict[tuple[str, str, str], Selector] = {}

    def put(self, kind: str, item: Service | ReplicationController | Workload) -> Selector:
        """Store one; returns its selector."""
        meta = item.metadata
        if isinstance(item, Workload):
            selector = compile_selector(item.spec.selector)
        else:
            selector = from_labels(item.spec.selector or {})
        if kind == "Service":
            if selector.requirements:
                self._services.setdefault(meta.namespace, {})[meta.name] = selector
            else:
                self._services.get(meta.namespace, {}).pop(meta.name, None)
        else:
            self._owners[kind, meta.namespace, meta.name] = selector
        self.version += 1
        return selector

    def drop(self, kind: str, namespace: str, name: str) -> None:
        """Remove one."""
        if kind == "Service":
            self._services.get(namespace, {}).pop(name, None)
        else:
            self._owners.pop((kind, namespace, name), None)
        self.version += 1

    def selector_for(self, cls: PodClass) -> Selector | None:
        """The merged selector, or None where no Service or owner selects the pod.

        Source: helper.DefaultSelector of kube-scheduler: selectors of all Services that match, and of the owner.
        """
        kept: tuple[int, Selector | None] | None = cls.memo.get(WorkloadStore)
        if kept is None or kept[0] != self.version:
            kept = cls.memo[WorkloadStore] = (self.version, self._merged(cls))
        return kept[1]

    def _merged(self, cls: PodClass) -> Selector | None:
        found: set[Requirement] = set()
        for selector in self._services.get(cls.namespace, {}).values():
            if selector.matches(cls.labels):
                found.update(selector.requirements)
        owner = self._owners.get((cls.owner[0], cls.namespace, cls.owner[1]))
        if owner is not None:
            found.update(owner.requirements)
        return Selector(tuple(sorted(found))) if found else None
