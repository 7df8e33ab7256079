"""The status of resource quotas: what they allow, and what is used, counted anew after changes."""

from collections.abc import Iterable
from fractions import Fraction

from tenantry_sim import quantities
from tenantry_sim.controllers import writes
from tenantry_sim.controllers.ownership import OwnerIndex
from tenantry_sim.controllers.runner import Controller, Key
from tenantry_sim.kinds.admission import pod_usage
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
    """Recounts every quota of a namespace in which something counted came or went."""

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
        if kind != _KEY and not self.world.kind(_KEY).items.get(namespace):
            return ()
        if change.type == "MODIFIED" and change.previous is not None and kind not in (_KEY, _CLAIMS, "/services"):
            ended = ("Succeeded", "Failed")
            phases = [r.fields.get("status.phase") in ended for r in (change.previous, change.record)]
            if kind != "/pods" or phases[0] == phases[1]:
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
        for name in hard:
            if name.startswith("count/") or name in _PLAIN:
                total[name] = self._count(namespace, name, total[name])
        self._storage(namespace, total)
        self._services(namespace, total)
        return total

    def _count(self, namespace: str, name: str, present: Fraction) -> Fraction:
        plural, _, group = name.removeprefix("count/").partition(".")
        kind = self.world.store.kinds.get(f"{group}/{plural}")
        if kind is None or name == "count/pods":
            return present
        return Fraction(len(kind.items.get(namespace, {})))

    def _storage(self, namespace: str, total: dict[str, Fraction]) -> None:
        if not any("storage" in name for name in total):
            return
        for record in self.world.kind(_CLAIMS).items.get(namespace, {}).values():
            spec = record.decode().get("spec", {})
            size = quantities.parse(((spec.get("resources") or {}).get("requests") or {}).get("storage", "0"))
            prefix = f"{spec.get('storageClassName') or ''}.storageclass.storage.k8s.io/"
            amounts = {"requests.storage": size, f"{prefix}requests.storage": size}
            for name, amount in {**amounts, f"{prefix}persistentvolumeclaims": Fraction(1)}.items():
                if name in total:
                    total[name] += amount

    def _services(self, namespace: str, total: dict[str, Fraction]) -> None:
        if "services.nodeports" not in total and "services.loadbalancers" not in total:
            return
        for record in self.world.kind("/services").items.get(namespace, {}).values():
            spec = record.decode().get("spec", {})
            ports = len(spec.get("ports") or ()) if spec.get("type") in ("NodePort", "LoadBalancer") else 0
            for name, amount in (("nodeports", ports), ("loadbalancers", spec.get("type") == "LoadBalancer")):
                if f"services.{name}" in total:
                    total[f"services.{name}"] += int(amount)


def in_scope(quota: Object, pod: Object) -> bool:
    """Whether a quota counts a pod: every scope must hold."""
    spec = quota.get("spec", {})
    needs = [{"scopeName": name, "operator": "Exists"} for name in spec.get("scopes") or ()]
    needs += (spec.get("scopeSelector") or {}).get("matchExpressions") or []
    return all(_scope_holds(need, pod) for need in needs)


def _scope_holds(need: Object, pod: Object) -> bool:
    spec, name = pod["spec"], need.get("scopeName")
    if name in ("Terminating", "NotTerminating"):
        return bool((spec.get("activeDeadlineSeconds") is not None) == (name == "Terminating"))
    if name in ("BestEffort", "NotBestEffort"):
        return bool((pod.get("status", {}).get("qosClass") == "BestEffort") == (name == "BestEffort"))
    if name == "CrossNamespacePodAffinity":
        return _crosses(spec)
    given, operator, values = spec.get("priorityClassName") or "", need.get("operator"), need.get("values") or ()
    if operator == "In":
        return bool(given in values)
    if operator == "NotIn":
        return bool(given not in values)
    return bool(given) == (operator == "Exists")


def _crosses(spec: Object) -> bool:
    for kind in ("podAffinity", "podAntiAffinity"):
        rules = (spec.get("affinity") or {}).get(kind) or {}
        terms = list(rules.get("requiredDuringSchedulingIgnoredDuringExecution") or ())
        weighted = rules.get("preferredDuringSchedulingIgnoredDuringExecution") or ()
        terms += [w.get("podAffinityTerm") or {} for w in weighted]
        if any(t.get("namespaces") or t.get("namespaceSelector") is not None for t in terms):
            return True
    return False


def _written(name: str, amount: Fraction, before: Object, hard: dict[str, str]) -> str:
    present = (before.get("used") or {}).get(name)
    if present is not None and quantities.parse(present) == amount:
        return str(present)
    return quantities.format_like(amount, present or hard[name])
