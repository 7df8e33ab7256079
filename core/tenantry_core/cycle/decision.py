"""What one cycle decides, as a value."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from tenantry_core.framework.columns import BoolArray
from tenantry_core.framework.status import SUCCESS, Status


class Reason(NamedTuple):
    """One reason with the plugin that gave it and the nodes it holds for."""

    plugin: str
    text: str
    rows: BoolArray
    """bool[N]"""
    unresolvable: bool


@dataclass(slots=True)
class Diagnosis:
    """Why no node would do."""

    nodes: int
    """Living nodes in the snapshot."""
    reasons: list[Reason] = field(default_factory=list)
    pre_filter: Status = SUCCESS
    """A refusal by PreFilter, which stands for all nodes."""
    plugins: frozenset[str] = frozenset()
    """Who refused; decides which events wake the pod."""
    unresolvable: BoolArray | None = None
    """bool[N]: nodes where taking pods away would not help."""
    post_filter: str = ""
    """What preemption had to say."""


class Placement(NamedTuple):
    """The chosen node."""

    row: int
    node: str
    feasible: int
    """Nodes that passed all filters."""
    evaluated: int
    """Nodes looked at."""
    score: int
    """Weighted total, 0 where only one node was feasible."""


class Unplaced(NamedTuple):
    """No node; `status` is UNSCHEDULABLE, UNRESOLVABLE, PENDING or ERROR."""

    status: Status
    diagnosis: Diagnosis


Decision = Placement | Unplaced
