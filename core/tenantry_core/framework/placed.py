"""A pod that holds room on a node: bound, or assumed while its bind is under way."""

from __future__ import annotations

from dataclasses import dataclass

from tenantry_core.framework.pod_class import PodClass
from tenantry_core.model.objects import Pod
from tenantry_core.model.requests import Amounts


@dataclass(slots=True, eq=False)
class PlacedPod:
    """One pod on one row. The cache makes and changes these; everybody else reads."""

    pod: Pod
    cls: PodClass
    row: int
    slot: int
    """Row of the pod table."""
    request: Amounts
    """What it takes by resource; differs from the class's during an in-place resize."""
    scoring: tuple[int, int]
    assumed: bool = False

    @property
    def uid(self) -> str:
        """UID of the pod."""
        return self.pod.metadata.uid

    @property
    def priority(self) -> int:
        """Priority of the pod."""
        return self.pod.spec.priority

    @property
    def terminating(self) -> bool:
        """Whether deletion has begun."""
        return bool(self.pod.metadata.deletion_timestamp)
