"""Pods with several spread constraints at once, over several keys and sets of pods, under all policies."""

from __future__ import annotations

from builders import HOSTNAME, ZONE, PodBuilder, a_pod, expression
from builders import labels_term as term

SOFT = {"whenUnsatisfiable": "ScheduleAnyway"}
OTHERS = {"nodeTaintsPolicy": "Honor", "nodeAffinityPolicy": "Ignore"}
FAST = term(expression("disk", "In", "fast"))
IMAGE = "registry.example/big:v1"


def spread_templates() -> list[PodBuilder]:
    """Pods of two apps that count each other; those of app b without own constraints get defaults from a Service."""
    a = a_pod().asking(cpu="100m").labelled(app="a")
    b = a_pod().labelled(app="b")
    return [
        a.copy().spread(ZONE, {"app": "a"}, maxSkew=2).spread(HOSTNAME, {"app": "a"}),
        a.copy().spread(ZONE, {"app": "a"}, **OTHERS).spread(HOSTNAME, {"app": "b"}, **SOFT, **OTHERS),
        a.copy().spread("disk", {"app": "b"}, minDomains=2, **OTHERS).spread(ZONE, {"app": "a"}, **SOFT),
        a.copy().spread(HOSTNAME, {"app": "a"}).prefers_nodes(5, FAST).image(IMAGE),
        a.copy().spread(ZONE, {"app": "a"}, maxSkew=9).prefers_nodes(5, FAST),
        b.copy().spread(HOSTNAME, {"app": "b"}, **SOFT, maxSkew=2).spread(ZONE, {"app": "a"}, **SOFT, **OTHERS),
        b.copy().spread(HOSTNAME, {"app": "a"}, minDomains=4).spread("disk", {"app": "b"}, **SOFT).wants_nodes(FAST),
        b.copy().spread("disk", {"app": "b"}, **SOFT).spread(ZONE, {"app": "a"}, **SOFT, maxSkew=3),
        b.copy().asking(cpu="100m"),
        b.copy().asking(cpu="100m").prefers_nodes(3, FAST).tolerating(key="dedicated", operator="Exists"),
    ]
