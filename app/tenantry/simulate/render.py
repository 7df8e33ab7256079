"""The answer as text for a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from rich.console import Console, Group, RenderableType
from rich.markup import escape
from rich.table import Table

from tenantry.explain.report import ReasonReport
from tenantry.simulate.answer import Answer, NoPlace
from tenantry.simulate.capacity import ShapeRoom
from tenantry.simulate.objects import counted_as
from tenantry.simulate.usage import Room, Usage
from tenantry_core.model.quantity import format_amount

ROWS = 20
"""Rows of a table before the rest is only counted; `wide` shows all."""
OUTLOOK = {"never": "no pod's going would help", "later": "may fit when others go"}
_UNITS = (("Ti", 40), ("Gi", 30), ("Mi", 20), ("Ki", 10))


def show(answer: Answer, wide: bool = False, console: Console | None = None) -> None:
    """Print the answer; `wide` adds every pod."""
    (console or Console()).print(render(answer, wide))


def render(answer: Answer, wide: bool) -> RenderableType:
    """Everything, top down: what became of the pods, why not, what had to go, what is left."""
    parts: list[RenderableType] = [_summary(answer)]
    parts += _section("What became of them", _workloads(answer, wide)) if answer.pods else []
    for group in answer.no_place if wide else answer.no_place[:ROWS]:
        parts += ["", _no_place(group)]
    if len(answer.no_place) > ROWS and not wide:
        parts += ["", f"and {len(answer.no_place) - ROWS} more kinds of pods without a place (-o wide)"]
    parts += _section("Refused by the API server", _refused(answer, wide)) if answer.refusals else []
    parts += _section("Would be preempted", _preemptions(answer, wide)) if answer.preemptions else []
    parts += _section("Drained", *_drained(answer)) if answer.drained.nodes else []
    parts += _section("Room left", *(_room(shape) for shape in answer.capacity)) if answer.capacity else []
    parts += _section("Quotas", _quotas(answer)) if answer.quotas.ledgers else []
    if answer.before.nodes or answer.after.nodes:
        parts += _section("Utilisation by requests", _usage(answer, wide))
    parts += _section("Pods", _pods(answer)) if wide and answer.pods else []
    parts += _section("Left out", _left_out(answer, wide)) if answer.left_out else []
    parts += [f"note: {escape(note)}" for note in answer.notes]
    return Group(*parts)


def human(resource: str, value: int) -> str:
    """Rounded text for a reader: `1.5Gi`, `12.3` cores."""
    resource = counted_as(resource)
    if resource == "cpu":
        return f"{value / 1000:,.4g}" if value % 1000 else f"{value // 1000:,}"
    if resource in ("memory", "ephemeral-storage", "storage") or resource.startswith("hugepages-"):
        for suffix, bits in _UNITS:
            if value >= 1 << bits:
                return f"{value / (1 << bits):,.4g}{suffix}"
    return format_amount(resource, value)


def _section(title: str, *parts: RenderableType) -> list[RenderableType]:
    return ["", f"[bold]{title}[/]", *parts]


def _table(*columns: str, right: Sequence[str] = ()) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in columns:
        table.add_column(name, justify="right" if name in right else "left", overflow="fold")
    return table


def _row(table: Table, *cells: object) -> None:
    table.add_row(*(escape(str(cell)) for cell in cells))


def _summary(answer: Answer) -> str:
    outcomes = ("placed", "unplaced", "gated", "refused", "preempted")
    told = [f"{count} {name}" for name in outcomes if (count := answer.count(name))]
    verdict = "[green]everything fits[/]" if answer.everything_fits else "[red]not everything fits[/]"
    return f"{_size(answer.before)} before, {_size(answer.after)} after: {verdict}" + (
        f" ({', '.join(told)})" if told else " (nothing waits)"
    )


def _size(usage: Usage) -> str:
    return f"{usage.nodes:,} nodes with {usage.pods:,} pods"


def _workloads(answer: Answer, wide: bool) -> Table:
    table = _table("workload", "cause", "pods", "placed", "not", "where", right=("pods", "placed", "not"))
    groups: dict[tuple[str, str], list[str]] = {}
    for pod in answer.pods:
        groups.setdefault((pod.workload, pod.cause), []).append(pod.node)
    ordered = sorted(groups.items(), key=lambda g: (all(g[1]), -len(g[1])))
    for (workload, cause), nodes in ordered if wide else ordered[:ROWS]:
        placed = sum(map(bool, nodes))
        _row(table, workload, cause, len(nodes), placed, len(nodes) - placed or "", _where(nodes))
    if len(ordered) > ROWS and not wide:
        _row(table, f"and {len(ordered) - ROWS} more", "", "", "", "", "")
    return table


def _where(nodes: Iterable[str]) -> str:
    counts = Counter(node for node in nodes if node).most_common()
    shown = [f"{node} ×{n}" if n > 1 else node for node, n in counts[:3]]
    return ", ".join(shown) + (f" and {len(counts) - 3} more nodes" if len(counts) > 3 else "")


def _no_place(group: NoPlace) -> RenderableType:
    count = f"{group.count:,} pods" if group.count > 1 else "1 pod"
    head = f"[bold]{escape(group.workload)}[/]: {count} without a place"
    parts: list[RenderableType] = [head, "  " + escape(group.report.verdict)]
    if group.report.reasons:
        parts.append(_reasons(group.report.reasons))
    if group.report.preemption:
        parts.append(f"  Preemption: {escape(group.report.preemption.removeprefix('preemption: '))}")
    return Group(*parts)


def _reasons(reasons: Sequence[ReasonReport]) -> Table:
    table = _table("nodes", "reason", "said by", "outlook", "for example", right=("nodes",))
    for reason in reasons:
        shown = "; ".join(f"{e['node']}: {e['detail']}" for e in reason.examples[:2] if e["detail"])
        _row(table, reason.nodes, reason.text, reason.plugin, OUTLOOK[reason.outlook], shown)
    return table


def _refused(answer: Answer, wide: bool) -> Table:
    table = _table("pods", "workload", "reason", right=("pods",))
    for refusal in answer.refusals if wide else answer.refusals[:ROWS]:
        _row(table, refusal.count, refusal.workload, refusal.reason)
    return table


def _preemptions(answer: Answer, wide: bool) -> Table:
    table = _table("pod", "priority", "from", "for", "its priority", "then", right=("priority", "its priority"))
    for gone in answer.preemptions if wide else answer.preemptions[:ROWS]:
        then = f"finds a place on {gone.returns_to}" if gone.returns_to else "finds no place"
        then = then if gone.returns else "is lost: nothing makes it again"
        _row(table, gone.victim, gone.priority, gone.node, gone.by, gone.by_priority, then)
    if len(answer.preemptions) > ROWS and not wide:
        _row(table, f"and {len(answer.preemptions) - ROWS} more", "", "", "", "", "")
    return table


def _drained(answer: Answer) -> list[RenderableType]:
    drained = answer.drained
    parts: list[RenderableType] = [
        f"{', '.join(map(escape, drained.nodes))}: {len(drained.displaced)} pods look for another node, "
        f"{drained.stayed} go with their node, {len(drained.lost)} are lost since nothing makes them again"
    ]
    if drained.lost:
        names = [f"{p.metadata.namespace}/{p.metadata.name}" for p in drained.lost]
        parts.append(escape(f"lost: {', '.join(names[:ROWS])}" + (" …" if len(names) > ROWS else "")))
    for budget in drained.budgets:
        word = "[red]would wait[/]" if budget.blocks else "fine"
        parts.append(f"budget {escape(budget.budget)} allows {budget.allowed}, {budget.evicted} would go: {word}")
    return parts


def _room(room: ShapeRoom) -> RenderableType:
    asked = ", ".join(f"{name} {value}" for name, value in room.requests.items()) or "nothing"
    number = f"at least {room.fits:,}" if room.at_least else f"{room.fits:,}"
    head = f"[bold]{number}[/] more of {escape(room.shape)}"
    parts: list[RenderableType] = [
        head if room.shape == asked.replace(", ", ",").replace(" ", "=") else f"{head} ({escape(asked)})"
    ]
    if room.quota:
        parts.append(f"  quota {escape(room.quota)} lets in {room.quota_fits} more")
    if room.stopped_by:
        parts.append(f"  then: {escape(room.stopped_by)}")
    return Group(*parts)


def _quotas(answer: Answer) -> Table:
    table = _table(
        "quota", "resource", "before", "after", "hard", "refused", right=("before", "after", "hard", "refused")
    )
    for ledger in answer.quotas.ledgers:
        meta = ledger.quota.metadata
        for name, hard in sorted(ledger.hard.items()):
            before, after = ledger.before.get(name, 0), ledger.used.get(name, 0)
            cells = [human(name, value) for value in (before, after, hard)]
            _row(table, f"{meta.namespace}/{meta.name}", name, *cells, ledger.refused or "")
    return table


def _usage(answer: Answer, wide: bool) -> Table:
    table = _table("where", "resource", "before", "after", "change", right=("before", "after", "change"))
    areas = [("cluster", answer.before.cluster, answer.after.cluster)]
    zones = sorted({*answer.before.zones, *answer.after.zones})
    areas += [(f"zone {z}", answer.before.zones.get(z, {}), answer.after.zones.get(z, {})) for z in zones]
    for where, before, after in areas if len(zones) > 1 or wide else areas[:1]:
        for name in dict.fromkeys((*before, *after)):
            if where != "cluster" and name not in ("cpu", "memory") and not wide:
                continue
            old, new = before.get(name), after.get(name)
            change = f"{((new.share if new else 0) - (old.share if old else 0)) * 100:+.1f} pts"
            _row(table, where, name, _share(name, old), _share(name, new), change)
    return table


def _share(name: str, room: Room | None) -> str:
    if room is None:
        return "-"
    return f"{human(name, room.requested)} of {human(name, room.allocatable)} ({room.share:.1%})"


def _pods(answer: Answer) -> Table:
    table = _table("pod", "workload", "cause", "outcome", "node", "reason")
    for pod in answer.pods:
        _row(table, pod.pod, pod.workload, pod.cause, pod.outcome, pod.node, pod.reason)
    return table


def _left_out(answer: Answer, wide: bool) -> Table:
    table = _table("objects", "kind", "reason", "for example", right=("objects",))
    for entry in answer.left_out if wide else answer.left_out[:ROWS]:
        _row(table, entry.count, entry.kind, entry.reason, ", ".join(entry.examples))
    return table
