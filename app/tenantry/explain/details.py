"""What stands behind a reason on one node, in numbers where there are any."""

from __future__ import annotations

from tenantry_core.framework.columns import PODS
from tenantry_core.framework.context import CycleContext
from tenantry_core.model.quantity import format_amount

INSUFFICIENT = "Insufficient "


def detail(ctx: CycleContext, reason: str, row: int) -> str:
    """One short phrase; empty where the reason says it all."""
    nodes = ctx.snapshot.nodes
    if reason.startswith(INSUFFICIENT):
        return _gap(ctx, reason.removeprefix(INSUFFICIENT), row)
    if reason == "Too many pods":
        return f"holds {nodes.pod_count.item(row)} of {nodes.allocatable.item(PODS, row)} pods"
    node = nodes.objects[row]
    if node is None:
        return ""
    if "untolerated taint" in reason:
        return ", ".join(
            f"{t.key}={t.value}:{t.effect}" if t.value else f"{t.key}:{t.effect}" for t in node.spec.taints or ()
        )
    if "node affinity" in reason:
        wanted = sorted({r.key for term in ctx.cls.node_terms or () for r in term.expressions})
        wanted += [r.key for r in (ctx.cls.node_selector.requirements if ctx.cls.node_selector else ())]
        labels = node.metadata.labels or {}
        return ", ".join(f"{key}={labels.get(key, '<none>')}" for key in wanted)
    return ""


def _gap(ctx: CycleContext, resource: str, row: int) -> str:
    nodes = ctx.snapshot.nodes
    column = nodes.resources.find(resource)
    if column < 0:
        return ""
    allocatable = nodes.allocatable.item(column, row)
    free = allocatable - nodes.requested.item(column, row)
    asked = ctx.cls.request.get(resource, 0)
    texts = [format_amount(resource, amount) for amount in (asked, max(0, free), allocatable)]
    return f"asks {texts[0]}, free {texts[1]} of {texts[2]}"
