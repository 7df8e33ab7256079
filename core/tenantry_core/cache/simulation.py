"""Tentative changes to the cache during one decision, undone in reverse."""

from __future__ import annotations

from collections.abc import Callable

from tenantry_core.framework.placed import PlacedPod
from tenantry_core.framework.pod_class import PodClass
from tenantry_core.model.objects import ObjectMeta, Pod

Insert = Callable[[PlacedPod], PlacedPod]
Detach = Callable[[PlacedPod], None]


class CacheSimulation:
    """Implements framework.snapshot.Simulation over the cache's one way in and one way out."""

    def __init__(self, insert: Insert, detach: Detach) -> None:
        self._insert = insert
        self._detach = detach
        self._removed: dict[str, PlacedPod] = {}
        self._added: list[PlacedPod] = []

    def remove(self, placed: PlacedPod) -> None:
        """Take a placed pod away."""
        self._detach(placed)
        self._removed[placed.uid] = placed

    def restore(self, placed: PlacedPod) -> None:
        """Put a removed pod back, as the same record."""
        del self._removed[placed.uid]
        self._insert(placed)

    def add(self, cls: PodClass, row: int) -> None:
        """Pretend that a pod of a class is on a row."""
        name = f"simulated-{id(self)}-{len(self._added)}"  # one simulation may be opened inside another
        meta = ObjectMeta(name=name, namespace=cls.namespace, uid=name, labels=cls.labels)
        placed = PlacedPod(Pod(metadata=meta), cls, row, -1, cls.request, cls.scoring, assumed=True)
        self._added.append(self._insert(placed))

    def end(self) -> None:
        """Put everything back."""
        for placed in reversed(self._added):
            self._detach(placed)
        for placed in self._removed.values():
            self._insert(placed)
        self._removed.clear()
