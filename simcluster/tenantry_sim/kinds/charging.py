"""Resource quotas at admission: what an object uses, and charging it to the quotas of its namespace, all or none."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from tenantry_sim import quantities
from tenantry_sim.kinds.containers import all_containers
from tenantry_sim.kinds.limits import pod_amounts
from tenantry_sim.kinds.scopes import has_scopes, in_scope
from tenantry_sim.status import ApiError, forbidden, qualified
from tenantry_sim.store.records import Object, Record
from tenantry_sim.store.resource import Resource
from tenantry_sim.world import World

Usage = dict[str, Fraction]
_QUOTAS = "/resourcequotas"
_PODS, _CLAIMS, _SERVICES = "/pods", "/persistentvolumeclaims", "/services"
_BARE = frozenset(
    {"services", "secrets", "configmaps", "persistentvolumeclaims", "replicationcontrollers", _QUOTAS[1:]}
)
"""Kinds that a quota may count by their bare name as well."""
_NOTHING = Fraction(0)


@dataclass(frozen=True)
class Charge:
    """A quota with what it will have used."""

    record: Record
    quota: Object


def pod_usage(pod: Object) -> Usage:
    """What a pod counts for: requests.*, limits.*, the bare names of requests, and pods."""
    usage: Usage = {"pods": Fraction(1), "count/pods": Fraction(1)}
    for side in ("requests", "limits"):
        for name, value in pod_amounts(pod["spec"], side).items():
            usage[f"{side}.{name}"] = value
            if side == "requests":
                usage[name] = value
    return usage


def claim_usage(claim: Object) -> Usage:
    """What a claim counts for: its number and its storage, both also by storage class."""
    spec = claim.get("spec", {})
    size = quantities.parse(((spec.get("resources") or {}).get("requests") or {}).get("storage", "0"))
    usage = {"persistentvolumeclaims": Fraction(1), "requests.storage": size}
    prefix = f"{spec.get('storageClassName') or ''}.storageclass.storage.k8s.io/"
    return {**usage, **{prefix + name: value for name, value in usage.items()}}


def service_usage(service: Object) -> Usage:
    """What a service counts for: its number, its node ports, and whether it wants a load balancer."""
    spec = service.get("spec", {})
    balanced = spec.get("type") == "LoadBalancer"
    open_ports = balanced and spec.get("allocateLoadBalancerNodePorts", True)
    ports = len(spec.get("ports") or ()) if open_ports or spec.get("type") == "NodePort" else 0
    return {
        "services": Fraction(1),
        "services.nodeports": Fraction(ports),
        "services.loadbalancers": Fraction(balanced),
    }


def usage_of(resource: Resource, obj: Object) -> Usage:
    """What a new object counts for."""
    if resource.key == _PODS:
        return pod_usage(obj)
    usage = {f"count/{qualified(resource.plural, resource.group)}": Fraction(1)}
    if resource.key == _CLAIMS:
        usage |= claim_usage(obj)
    elif resource.key == _SERVICES:
        usage |= service_usage(obj)
    elif not resource.group and resource.plural in _BARE:
        usage[resource.plural] = Fraction(1)
    return usage


def check_new(world: World, resource: Resource, obj: Object) -> Sequence[Charge]:
    """What a new object would be charged to the quotas of its namespace. Raises ApiError 403 when one refuses."""
    inner = world.kind(_QUOTAS).items.get(obj["metadata"].get("namespace", ""))
    return _check(inner, resource, obj, usage_of(resource, obj)) if inner else ()


def check_change(world: World, resource: Resource, old: Object, new: Object) -> Sequence[Charge]:
    """What a changed claim, service or pod would be charged on top. Raises ApiError 403 when a quota refuses."""
    if resource.key not in (_CLAIMS, _SERVICES, _PODS):
        return ()
    if resource.key == _PODS and old["spec"]["containers"] == new["spec"]["containers"]:
        return ()
    inner = world.kind(_QUOTAS).items.get(new["metadata"].get("namespace", ""))
    if not inner:
        return ()
    before, after = usage_of(resource, old), usage_of(resource, new)
    more = {name: value - before.get(name, _NOTHING) for name, value in after.items()}
    more = {name: value for name, value in more.items() if value > 0}
    return _check(inner, resource, new, more) if more else ()


def charge(world: World, charges: Sequence[Charge]) -> None:
    """Write the charges; nothing may have been stored since they were worked out."""
    for item in charges:
        world.store.replace(world.kind(_QUOTAS), item.record, item.quota)


def _check(inner: dict[str, Record], resource: Resource, obj: Object, usage: Usage) -> list[Charge]:
    found, name = [], obj["metadata"]["name"]
    for record in [inner[key] for key in sorted(inner)]:
        quota = record.decode()
        if not (in_scope(quota, obj) if resource.key == _PODS else not has_scopes(quota)):
            continue
        hard: dict[str, str] = quota.get("status", {}).get("hard") or {}
        before: dict[str, str] = quota.get("status", {}).get("used") or {}
        if resource.key == _PODS:
            _demand_explicit(hard, obj, record.name)
        used = _add(resource, name, (record.name, hard, before), usage)
        if used != before:
            found.append(Charge(record, {**quota, "status": {**quota.get("status", {}), "used": used}}))
    return found


def _add(
    resource: Resource, name: str, state: tuple[str, dict[str, str], dict[str, str]], usage: Usage
) -> dict[str, str]:
    """What a quota will have used. Raises ApiError 403 when that is too much."""
    title, hard, before = state
    counted = sorted(hard.keys() & usage.keys())
    unknown = [item for item in counted if item not in before]
    if unknown:
        raise _refusal(resource, name, f"status unknown for quota: {title}, resources: {','.join(unknown)}")
    used = dict(before)
    over = []
    for item in counted:
        present = quantities.parse(before[item])
        total = present + usage[item]
        if usage[item] > 0 and total > quantities.parse(hard[item]):
            over.append(item)
        used[item] = quantities.format_like(total, before[item] if present else hard[item])
    if over:
        asked = ",".join(f"{r}={quantities.format_like(usage[r], hard[r])}" for r in over)
        has = ",".join(f"{r}={before[r]}" for r in over)
        limit = ",".join(f"{r}={hard[r]}" for r in over)
        raise _refusal(resource, name, f"exceeded quota: {title}, requested: {asked}, used: {has}, limited: {limit}")
    return used


def _refusal(resource: Resource, name: str, why: str) -> ApiError:
    return forbidden(resource.plural, resource.group, name, why)


def _demand_explicit(hard: dict[str, str], pod: Object, title: str) -> None:
    """A quota on CPU or memory makes every container state it."""
    missing: dict[str, list[str]] = {}
    for resource in sorted(hard):
        side, _, bare = resource.rpartition(".")
        if bare not in ("cpu", "memory") or side not in ("", "requests", "limits"):
            continue
        for _, container in all_containers(pod["spec"]):
            if bare not in (container["resources"].get(side or "requests") or {}):
                missing.setdefault(container["name"], []).append(resource)
    if missing:
        terms: dict[str, list[str]] = {}
        for owner, resources in missing.items():
            terms.setdefault(",".join(resources), []).append(owner)
        text = "; ".join(f"{what} for: {','.join(names)}" for what, names in terms.items())
        raise forbidden("pods", "", pod["metadata"]["name"], f"failed quota: {title}: must specify {text}")
