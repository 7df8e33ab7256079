"""Admission of pods as the default plugins do it: priority, default tolerations, limit ranges, quotas."""

from fractions import Fraction
from typing import Any

from tenantry_sim import quantities
from tenantry_sim.kinds.containers import all_containers
from tenantry_sim.status import forbidden
from tenantry_sim.store.records import Object
from tenantry_sim.world import World

_CLASSES = "scheduling.k8s.io/priorityclasses"
_TAINTS = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
_TERMINAL = ("Succeeded", "Failed")


def on_create(world: World, pod: Object) -> None:
    """Mutating admission of a new pod."""
    _priority(world, pod)
    default_tolerations(pod["spec"])
    _apply_limit_ranges(world, pod)


def on_update(world: World, old: Object, new: Object) -> None:
    """Mutating admission of a changed pod: what the caller left out stays as admission had set it."""
    del world
    for field in ("priority", "preemptionPolicy", "priorityClassName"):
        if field in old["spec"]:
            new["spec"].setdefault(field, old["spec"][field])
    default_tolerations(new["spec"])


def _priority(world: World, pod: Object) -> None:
    spec, name = pod["spec"], pod["metadata"]["name"]
    wanted = spec.get("priorityClassName", "")
    priority_class: Object = {}
    if wanted:
        record = world.find(_CLASSES, wanted)
        if record is None:
            raise forbidden("pods", "", name, f"no PriorityClass with name {wanted} was found")
        priority_class = record.decode()
    else:
        defaults = [r.decode() for r in world.kind(_CLASSES).ordered()]
        chosen = [c for c in defaults if c.get("globalDefault")]
        if chosen:
            priority_class = min(chosen, key=lambda c: c.get("value", 0))
            spec["priorityClassName"] = priority_class["metadata"]["name"]
    value = priority_class.get("value", 0)
    if spec.setdefault("priority", value) != value:
        why = (
            f"the integer value of priority ({spec['priority']}) must not be provided in pod spec; "
            f"priority admission controller computed {value} from the given PriorityClass name"
        )
        raise forbidden("pods", "", name, why)
    policy = priority_class.get("preemptionPolicy", "PreemptLowerPriority")
    if spec.setdefault("preemptionPolicy", policy) != policy:
        why = (
            f"the string value of PreemptionPolicy ({spec['preemptionPolicy']}) must not be provided in pod spec; "
            f"priority admission controller computed {policy} from the given PriorityClass name"
        )
        raise forbidden("pods", "", name, why)


def default_tolerations(spec: dict[str, Any]) -> None:
    """Tolerate a node that is not ready or unreachable for 300 seconds, unless the pod says otherwise."""
    tolerations = spec.get("tolerations") or []
    for key in _TAINTS:
        if any(t.get("key", key) == key and t.get("effect", "NoExecute") in ("NoExecute", "") for t in tolerations):
            continue
        tolerations.append({"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300})
    spec["tolerations"] = tolerations


def _limits(world: World, namespace: str, kind: str) -> list[dict[str, Any]]:
    inner = world.kind("/limitranges").items.get(namespace)
    if not inner:
        return []
    ranges = [inner[name].decode() for name in sorted(inner)]
    return [item for r in ranges for item in r.get("spec", {}).get("limits") or () if item.get("type") == kind]


def _apply_limit_ranges(world: World, pod: Object) -> None:
    notes: list[str] = []
    items = _limits(world, pod["metadata"]["namespace"], "Container")
    for path, container in all_containers(pod["spec"]) if items else ():
        which = "init container" if "initContainers" in path else "container"
        for field, source, word in (("requests", "defaultRequest", "request"), ("limits", "default", "limit")):
            for item in items:
                for name, value in sorted((item.get(source) or {}).items()):
                    given = container["resources"].get(field) or {}
                    if name not in given:
                        container["resources"][field] = {**given, name: value}
                        notes.append(f"{name} {word} for {which} {container['name']}")
    if notes:
        annotations = pod["metadata"].setdefault("annotations", {})
        annotations["kubernetes.io/limit-ranger"] = "LimitRanger plugin set: " + "; ".join(notes)


def admit(world: World, pod: Object, dry_run: bool) -> None:
    """Validating admission of a new pod: limit ranges, then quotas. Charges the quotas unless it is a dry run."""
    _check_limit_ranges(world, pod)
    _charge_quotas(world, pod, dry_run)


def _check_limit_ranges(world: World, pod: Object) -> None:
    name = pod["metadata"]["name"]
    for item in _limits(world, pod["metadata"]["namespace"], "Container"):
        for _, container in all_containers(pod["spec"]):
            limits = container["resources"].get("limits") or {}
            requests = container["resources"].get("requests") or {}
            for resource, most in (item.get("max") or {}).items():
                if resource not in limits:
                    why = f"maximum {resource} usage per Container is {most}.  No limit is specified"
                    raise forbidden("pods", "", name, why)
                if quantities.parse(limits[resource]) > quantities.parse(most):
                    why = f"maximum {resource} usage per Container is {most}, but limit is {limits[resource]}"
                    raise forbidden("pods", "", name, why)
            for resource, least in (item.get("min") or {}).items():
                if resource not in requests:
                    why = f"minimum {resource} usage per Container is {least}.  No request is specified"
                    raise forbidden("pods", "", name, why)
                if quantities.parse(requests[resource]) < quantities.parse(least):
                    why = f"minimum {resource} usage per Container is {least}, but request is {requests[resource]}"
                    raise forbidden("pods", "", name, why)


def pod_usage(pod: Object) -> dict[str, Fraction]:
    """What a pod counts for in a ResourceQuota: requests.*, limits.*, the bare names of requests, and pods."""
    usage: dict[str, Fraction] = {}
    for side in ("requests", "limits"):
        total: dict[str, Fraction] = {}
        peak: dict[str, Fraction] = {}
        for path, container in all_containers(pod["spec"]):
            values = (container.get("resources") or {}).get(side) or {}
            if "initContainers" not in path or container.get("restartPolicy") == "Always":
                quantities.add(total, values)
            else:
                for name, value in values.items():
                    peak[name] = max(peak.get(name, Fraction(0)), quantities.parse(value))
        for name in total.keys() | peak.keys():
            value = max(total.get(name, Fraction(0)), peak.get(name, Fraction(0)))
            usage[f"{side}.{name}"] = value
            if side == "requests":
                usage[name] = value
    usage["pods"] = usage["count/pods"] = Fraction(1)
    return usage


def _charge_quotas(world: World, pod: Object, dry_run: bool) -> None:
    store = world.kind("/resourcequotas")
    inner = store.items.get(pod["metadata"]["namespace"])
    if not inner:
        return
    usage, name = pod_usage(pod), pod["metadata"]["name"]
    charged = []
    for record in [inner[key] for key in sorted(inner)]:
        quota = record.decode()
        if quota["spec"].get("scopes") or quota["spec"].get("scopeSelector"):
            continue
        used = _check_quota(quota, pod, usage, name)
        charged.append((record, quota, used))
    for record, quota, used in () if dry_run else charged:
        quota.setdefault("status", {})["used"] = used
        world.store.replace(store, record, quota)


def _check_quota(quota: Object, pod: Object, usage: dict[str, Fraction], name: str) -> dict[str, str]:
    hard: dict[str, str] = quota.get("status", {}).get("hard") or {}
    used: dict[str, str] = dict(quota.get("status", {}).get("used") or {})
    title = quota["metadata"]["name"]
    _demand_explicit(hard, pod, title, name)
    over = []
    for resource in sorted(hard.keys() & usage.keys()):
        total = quantities.parse(used.get(resource, "0")) + usage[resource]
        if total > quantities.parse(hard[resource]):
            over.append(resource)
            continue
        used[resource] = quantities.format_like(total, used.get(resource, ""))
    if over:
        asked = ",".join(f"{r}={quantities.format_like(usage[r], hard[r])}" for r in over)
        has = ",".join(f"{r}={used.get(r, '0')}" for r in over)
        limit = ",".join(f"{r}={hard[r]}" for r in over)
        why = f"exceeded quota: {title}, requested: {asked}, used: {has}, limited: {limit}"
        raise forbidden("pods", "", name, why)
    return used


def _demand_explicit(hard: dict[str, str], pod: Object, title: str, name: str) -> None:
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
        raise forbidden("pods", "", name, f"failed quota: {title}: must specify {text}")
