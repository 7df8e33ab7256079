"""Extension points, the built-in plugins with the points they serve, and the default plugin list.

Source: the default profile of kube-scheduler 1.36, beta features that are on by default included.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType


class Point(StrEnum):
    """An extension point. The value is its name in metrics; `field` is its name in a configuration file."""

    PRE_ENQUEUE = "PreEnqueue"
    QUEUE_SORT = "QueueSort"
    PRE_FILTER = "PreFilter"
    FILTER = "Filter"
    POST_FILTER = "PostFilter"
    PRE_SCORE = "PreScore"
    SCORE = "Score"
    RESERVE = "Reserve"
    PERMIT = "Permit"
    PRE_BIND = "PreBind"
    BIND = "Bind"
    POST_BIND = "PostBind"

    @property
    def field(self) -> str:
        """Name in a configuration file: the value with a small first letter."""
        return self.value[0].lower() + self.value[1:]


def _points(*names: Point) -> frozenset[Point]:
    return frozenset(names)


_FILTERING = _points(Point.PRE_FILTER, Point.FILTER)
_SCORING = _points(Point.PRE_SCORE, Point.SCORE)

BUILTIN_PLUGINS: Mapping[str, frozenset[Point]] = MappingProxyType(
    {
        "SchedulingGates": _points(Point.PRE_ENQUEUE),
        "PrioritySort": _points(Point.QUEUE_SORT),
        "NodeUnschedulable": _points(Point.FILTER),
        "NodeName": _points(Point.FILTER),
        "TaintToleration": _points(Point.FILTER) | _SCORING,
        "NodeAffinity": _FILTERING | _SCORING,
        "NodePorts": _FILTERING,
        "NodeResourcesFit": _FILTERING | _SCORING,
        "VolumeRestrictions": _FILTERING,
        "NodeVolumeLimits": _FILTERING,
        "VolumeBinding": _FILTERING | _SCORING | {Point.RESERVE, Point.PRE_BIND},
        "VolumeZone": _FILTERING,
        "PodTopologySpread": _FILTERING | _SCORING,
        "InterPodAffinity": _FILTERING | _SCORING,
        "DynamicResources": _FILTERING
        | {Point.PRE_ENQUEUE, Point.POST_FILTER, Point.SCORE, Point.RESERVE, Point.PRE_BIND},
        "DefaultPreemption": _points(Point.PRE_ENQUEUE, Point.POST_FILTER),
        "NodeResourcesBalancedAllocation": _SCORING,
        "ImageLocality": _points(Point.SCORE),
        "DefaultBinder": _points(Point.BIND),
        "NodeDeclaredFeatures": _FILTERING,
    }
)
"""Points each built-in plugin serves when it is enabled through `multiPoint`, which is how all defaults are."""

DEFAULT_PLUGINS: tuple[tuple[str, int], ...] = (
    ("SchedulingGates", 0),
    ("PrioritySort", 0),
    ("NodeUnschedulable", 0),
    ("NodeName", 0),
    ("TaintToleration", 3),
    ("NodeAffinity", 2),
    ("NodePorts", 0),
    ("NodeResourcesFit", 1),
    ("VolumeRestrictions", 0),
    ("NodeVolumeLimits", 0),
    ("VolumeBinding", 0),
    ("VolumeZone", 0),
    ("PodTopologySpread", 2),
    ("InterPodAffinity", 2),
    ("DynamicResources", 2),
    ("DefaultPreemption", 0),
    ("NodeResourcesBalancedAllocation", 1),
    ("ImageLocality", 1),
    ("DefaultBinder", 0),
    ("NodeDeclaredFeatures", 0),
)
"""The `multiPoint` list of a profile that says nothing: (name, score weight), in order. 0 means unset."""
