"""Pod shapes: what `--shape` says, and the shapes taken where it says nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from tenantry.simulate.admit import base_pod
from tenantry.simulate.capacity import Shape
from tenantry.simulate.inventory import Inventory
from tenantry.simulate.read import Item, Stray
from tenantry.simulate.workloads import is_workload, plan_of
from tenantry_core.model.decode import from_builtins
from tenantry_core.model.quantity import QuantityError, amount, format_amount

COMMON = 3
"""Shapes of running pods that are looked at where none is given and nothing is added."""


def parse_shape(text: str, scheduler_name: str) -> Shape | str:
    """`cpu=500m,memory=1Gi`, with any resource name; or what is wrong with the text."""
    requests: dict[str, str] = {}
    for part in text.split(","):
        name, equals, value = (p.strip() for p in part.partition("="))
        if not equals or not name or not value:
            return f"{part!r} is not RESOURCE=QUANTITY"
        if name in requests:
            return f"{name} is given twice"
        try:
            if amount(name, value) < 0:
                return f"{name}: {value} is negative"
        except QuantityError as error:
            return f"{name}: {error}"
        requests[name] = value
    return shape_of(text, requests, scheduler_name)


def shape_of(name: str, requests: dict[str, str], scheduler_name: str) -> Shape:
    """A plain pod that asks for `requests`."""
    spec = {"schedulerName": scheduler_name, "containers": [{"name": "main", "resources": {"requests": requests}}]}
    meta = {"name": "shape", "namespace": "default", "uid": "shape"}
    return Shape(name, from_builtins("Pod", {"metadata": meta, "spec": spec}), requests)


def common_shapes(found: Inventory, scheduler_name: str) -> list[Shape]:
    """The most frequent requests among placed pods, as plain pods."""
    counts: Counter[tuple[tuple[str, int], ...]] = Counter()
    for placed in found.cache.placed_pods():
        if placed.cls.request:
            counts[tuple(sorted(placed.cls.request.items()))] += 1
    shapes = []
    for request, _ in counts.most_common(COMMON):
        texts = {name: format_amount(name, value) for name, value in request}
        shapes.append(shape_of(",".join(f"{n}={t}" for n, t in texts.items()), texts, scheduler_name))
    return shapes


def shapes_of_items(items: Sequence[Item | Stray], found: Inventory) -> list[Shape] | str:
    """One shape for each workload of a file, defaulted as an added one would be; or what is wrong."""
    shapes: list[Shape] = []
    for item in items:
        if isinstance(item, Stray) or not is_workload(item.kind, item.api_version):
            continue
        plan = plan_of(item.kind, msgspec.json.decode(item.raw))
        pod = plan if isinstance(plan, str) else base_pod(plan, found)
        if isinstance(pod, str) or isinstance(plan, str):
            return f"{item.kind}: {pod}"
        shapes.append(Shape(plan.label, pod))
    return shapes or "holds no pod and no workload"
