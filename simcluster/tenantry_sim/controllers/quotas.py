"""The status of resource quotas: what they allow, and what is used, counted anew after changes."""

from collections.abc import Callable, Iterable
from fractions import Fraction

from tenantry_sim import quantities
from tenantry_sim.controllers import writes
from tenantry_sim.controllers.ownership import OwnerIndex
from tenantry_sim.controllers.runner import Controller, Key
from tenantry_sim.controllers.views import generation
from tenantry_sim.kinds.charging import Usage, claim_usage, pod_usage, service_usage
from tenantry_sim.kinds.scopes import has_scopes, in_scope
from tenantry_sim.kinds.table import RESOURCES
from tenantry_sim.store.records import Change, Object
from tenantry_sim.world import World

_KEY = "/resourcequotas"
_CLAIMS = "/persistentvolumeclaims"
_COUNTED = {r.key: r for r in RESOURCES if r.namespaced and not r.stored_as and r.plural not in ("events", "leases")}
_REST = 0.0005
"""Seconds of rest per pod of the namespace between two counts, so that mass creation is not counted after each."""
_PLAIN = frozenset(
    {"services", "secrets", "configmaps", "persistentvolumeclaims", "replicationcontrollers", "resourcequotas"}
)


class Quotas(Controller):
    """Recounts every quota of a namespace that is new or changed, or in which something counted changed or went."""

    kinds = tuple(_COUNTED)

    def __init__(self, world: World, owners: OwnerIndex) -> None:
        super().__init__(world, owners)
        self._counted: dict[str, float] = {}

    def keys(self, kind: str, change: Change) -> Iterable[Key]:
        namespace = change.record.namespace
        if kind == _KEY and change.type == "MODIFIED" and change.previous is not None:
            # Admission charges the status; that is no reason to count.
            same = change.previous.decode().get("spec") == change.record.decode().get("spec")
            return () if same else [(namespace, "")]
        if kind != _KEY and (change.type == "ADDED" or not self.world.kind(_KEY).items.get(namespace)):
            # What comes was charged at admission; as in Kubernetes, only what goes or changes is a reason to count.
            return ()
        if change.type == "MODIFIED" and change.previous is not None and kind not in (_KEY, _CLAIMS, "/services"):
            ended = ("Succeeded", "Failed")
            states = [(r.fields.get("status.phase") in ended, generation(r)) for r in (change.previous, change.record)]
            if kind != "/pods" or states[0] == states[1]:
                return ()
        return [(namespace, "")]

    def sync(self, namespace: str, name: str) -> float | None:
        records = list(self.world.kind(_KEY).items.get(namespace, {}).values())
        now = self.world.clock.now()
        left = self._counted.get(namespace, 0.0) - now
        if records and left > 0:
            return left
        self._counted[namespace] = now + _REST * len(self.world.kind("/pods").items.get(namespace, ()))
        pods = [v.record.decode() for v in self.owners.pods_in(namespace) if not v.ended] if records else []
        for record in records:
            quota = record.decode()
            hard = dict(quota.get("spec", {}).get("hard") or {})
            used = self._used(namespace, quota, hard, pods)
            before = quota.get("status") or {}
            status = {"hard": hard, "used": {k: _written(k, v, before, hard) for k, v in used.items()}}
            if before != status:
                writes.set_status(self.world, _KEY, record, status)
        return None

    def _used(self, namespace: str, quota: Object, hard: dict[str, str], pods: list[Object]) -> dict[str, Fraction]:
        total: dict[str, Fraction] = {name: Fraction(0) for name in hard}
        for pod in pods:
            if not in_scope(quota, pod):
                continue
            for name, amount in pod_usage(pod).items():
                if name in total:
                    total[name] += amount
        if has_scopes(quota):
            return total
        for name in hard:
            if name.startswith("count/") or name in _PLAIN:
                total[name] = self._count(namespace, name, total[name])
        if any("storage" in name for name in total):
            self._add(_CLAIMS, namespace, claim_usage, total)
        if "services.nodeports" in total or "services.loadbalancers" in total:
            self._add("/services", namespace, service_usage, total)
        return total

    def _count(self, namespace: str, name: str, present: Fraction) -> Fraction:
        plural, _, group = name.removeprefix("count/").partition(".")
        kind = self.world.store.kinds.get(f"{group}/{plural}")
        if kind is None or name == "count/pods":
            return present
        return Fraction(len(kind.items.get(namespace, {})))

    def _add(self, kind: str, namespace: str, usage: Callable[[Object], Usage], total: dict[str, Fraction]) -> None:
        """Add what the objects of a kind count for, beside their plain number, which is counted already."""
        for record in self.world.kind(kind).items.get(namespace, {}).values():
            for name, amount in usage(record.decode()).items():
                if name in total and name not in _PLAIN:
                    total[name] += amount


def _written(name: str, amount: Fraction, before: Object, hard: dict[str, str]) -> str:
    present = (before.get("used") or {}).get(name)
    if present is not None and quantities.parse(present) == amount:
        return str(present)
    return quantities.format_like(amount, present or hard[name])
