"""Masks that several plugins need, worked out once per pod class and node state."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np

from tenantry_core.framework.columns import BoolArray, NodeColumns
from tenantry_core.framework.context import CycleContext
from tenantry_core.framework.pod_class import PodClass
from tenantry_core.model.objects import Taint, Toleration

T = TypeVar("T")
HARD_EFFECTS = ("NoSchedule", "NoExecute")


def memoized(cls: PodClass, key: object, version: object, compute: Callable[[], T]) -> T:
    """The value kept under `key` while `version` stands."""
    memo = cls.memo.get(key)
    if memo is None or memo[0] != version:
        memo = cls.memo[key] = (version, compute())
    found: T = memo[1]
    return found


def affinity_mask(ctx: CycleContext) -> BoolArray:
    """bool[N]: rows that satisfy the pod's nodeSelector and required node affinity."""
    nodes = ctx.snapshot.nodes
    return memoized(ctx.cls, "affinity", nodes.static_version, lambda: _affinity(ctx.cls, nodes))


def _affinity(cls: PodClass, nodes: NodeColumns) -> BoolArray:
    found = np.ones(nodes.size, dtype=np.bool_)
    if cls.node_selector is not None:
        found &= nodes.selected(cls.node_selector)
    if cls.node_terms is not None:
        any_term = np.zeros(nodes.size, dtype=np.bool_)
        for term in cls.node_terms:
            any_term |= nodes.satisfies(term)
        found &= any_term
    return found


def toleration_mask(ctx: CycleContext) -> BoolArray:
    """bool[N]: rows whose NoSchedule and NoExecute taints the pod tolerates all."""
    nodes = ctx.snapshot.nodes
    return memoized(ctx.cls, "tolerations", nodes.static_version, lambda: _tolerated(ctx.cls, nodes))


def _tolerated(cls: PodClass, nodes: NodeColumns) -> BoolArray:
    by_set = [untolerated(taints, cls.tolerations, HARD_EFFECTS) == 0 for taints in nodes.taint_sets.values]
    return np.array(by_set or [True], dtype=np.bool_)[nodes.taint_set]


def untolerated(taints: tuple[Taint, ...], tolerations: tuple[Toleration, ...], effects: tuple[str, ...]) -> int:
    """How many taints with one of `effects` nothing tolerates."""
    return sum(t.effect in effects and not any(tolerates(o, t) for o in tolerations) for t in taints)


def tolerates(toleration: Toleration, taint: Taint) -> bool:
    """Source: Toleration.ToleratesTaint of the core API."""
    if toleration.effect and toleration.effect != taint.effect:
        return False
    if toleration.key and toleration.key != taint.key:
        return False
    if toleration.operator == "Exists":
        return True
    return toleration.operator in ("", "Equal") and bool(toleration.key) and toleration.value == taint.value
