"""The cluster's default spread constraints, for pods that bring none and belong to a Service or workload."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tenantry_core.framework.context import CycleContext
from tenantry_core.framework.terms import HOSTNAME, PodSet, SpreadConstraint
from tenantry_core.model.selectors import NOTHING, Selector
from tenantry_core.plugins.masks import memoized

ZONE = "topology.kubernetes.io/zone"


class DefaultConstraint(NamedTuple):
    """A constraint without selector; the selector comes from what selects the pod."""

    max_skew: int
    topology_key: str
    hard: bool = False
    min_domains: int = 1
    honor_affinity: bool = True
    honor_taints: bool = False


SYSTEM = (DefaultConstraint(3, HOSTNAME), DefaultConstraint(5, ZONE))
"""What the defaulting type `System` stands for."""


class DefaultConstraints:
    """`system` says that nodes which lack a key are still scored."""

    def __init__(self, constraints: Sequence[DefaultConstraint] = SYSTEM, system: bool = True) -> None:
        self._constraints = tuple(constraints)
        self.system = system

    def apply(self, ctx: CycleContext) -> bool:
        """Whether the defaults concern the pod: there are any, and something selects it."""
        return bool(self._constraints) and ctx.snapshot.service_selector(ctx.cls) is not None

    def hard(self, ctx: CycleContext) -> Sequence[SpreadConstraint]:
        """Default constraints that filter."""
        return () if ctx.cls.soft_spread else self._build(ctx, hard=True)

    def soft(self, ctx: CycleContext) -> Sequence[SpreadConstraint]:
        """Default constraints that score."""
        return () if ctx.cls.hard_spread else self._build(ctx, hard=False)

    def _build(self, ctx: CycleContext, hard: bool) -> Sequence[SpreadConstraint]:
        selector = ctx.snapshot.service_selector(ctx.cls)
        if selector is None:
            return ()
        return memoized(ctx.cls, (self, hard), selector, lambda: self._compiled(ctx.cls.namespace, selector, hard))

    def _compiled(self, namespace: str, selector: Selector, hard: bool) -> Sequence[SpreadConstraint]:
        pods = PodSet((namespace,), NOTHING, selector, terminating=False)
        return tuple(
            SpreadConstraint(c.max_skew, c.topology_key, pods, c.min_domains, c.honor_affinity, c.honor_taints)
            for c in self._constraints
            if c.hard is hard
        )
