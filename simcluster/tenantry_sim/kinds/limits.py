"""Limit ranges: what they give to containers that ask for nothing, and what they refuse."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tenantry_sim import quantities
from tenantry_sim.kinds.containers import all_containers
from tenantry_sim.status import ApiError, forbidden
from tenantry_sim.store.records import Object
from tenantry_sim.world import World

Values = Mapping[str, str]


@dataclass(frozen=True)
class _Subject:
    """What is held against a limit: one container, a whole pod, or one claim."""

    kind: str
    requests: Values
    limits: Values

    def below_minimum(self, name: str, least: str) -> str:
        """Why the subject asks for too little; empty when it does not."""
        head = f"minimum {name} usage per {self.kind} is {least}"
        if name not in self.requests:
            return f"{head}.  No request is specified"
        bound = quantities.parse(least)
        if quantities.parse(self.requests[name]) < bound:
            return f"{head}, but request is {self.requests[name]}"
        if name in self.limits and quantities.parse(self.limits[name]) < bound:
            return f"{head}, but limit is {self.limits[name]}"
        return ""

    def above_maximum(self, name: str, most: str) -> str:
        """Why the subject asks for too much. A claim has no limits; its request is what counts."""
        head, bound = f"maximum {name} usage per {self.kind} is {most}", quantities.parse(most)
        if self.kind != "PersistentVolumeClaim":
            if name not in self.limits:
                return f"{head}.  No limit is specified"
            if quantities.parse(self.limits[name]) > bound:
                return f"{head}, but limit is {self.limits[name]}"
        elif name not in self.requests:
            return f"{head}.  No request is specified"
        if name in self.requests and quantities.parse(self.requests[name]) > bound:
            return f"{head}, but request is {self.requests[name]}"
        return ""

    def above_ratio(self, name: str, most: str) -> str:
        """Why limit and request lie too far apart."""
        head = f"{name} max limit to request ratio per {self.kind} is {most}"
        request, limit = (quantities.parse(side.get(name, "0")) for side in (self.requests, self.limits))
        if not request:
            return f"{head}, but no request is specified or request is 0"
        if not limit:
            return f"{head}, but no limit is specified or limit is 0"
        ratio = limit / request
        return f"{head}, but provided ratio is {float(ratio):.6f}" if ratio > quantities.parse(most) else ""


def _items(world: World, namespace: str) -> list[dict[str, Any]]:
    """Every entry of every limit range of a namespace, by name of the range."""
    inner = world.kind("/limitranges").items.get(namespace)
    if not inner:
        return []
    ranges = [inner[name].decode() for name in sorted(inner)]
    return [item for r in ranges for item in r.get("spec", {}).get("limits") or ()]


def apply_defaults(world: World, pod: Object) -> None:
    """Give containers the requests and limits that they leave open, and note it in an annotation."""
    notes: list[str] = []
    items = [i for i in _items(world, pod["metadata"]["namespace"]) if i.get("type") == "Container"]
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


def admit_pod(world: World, pod: Object, dry_run: bool) -> None:
    """Refuse a pod outside the limits of its namespace. Raises ApiError 403."""
    del dry_run
    items = _items(world, pod["metadata"]["namespace"])
    if not items:
        return
    subjects = []
    for _, container in all_containers(pod["spec"]):
        values = container.get("resources") or {}
        subjects.append(_Subject("Container", values.get("requests") or {}, values.get("limits") or {}))
    whole = {side: pod_total(pod["spec"], side) for side in ("requests", "limits")}
    subjects.append(_Subject("Pod", whole["requests"], whole["limits"]))
    _check(items, subjects, "pods", pod)


def admit_claim(world: World, claim: Object, dry_run: bool) -> None:
    """Refuse a claim outside the limits of its namespace. Raises ApiError 403."""
    del dry_run
    items = _items(world, claim["metadata"]["namespace"])
    if items:
        requests = (claim.get("spec", {}).get("resources") or {}).get("requests") or {}
        _check(items, [_Subject("PersistentVolumeClaim", requests, {})], "persistentvolumeclaims", claim)


def _check(items: list[dict[str, Any]], subjects: list[_Subject], plural: str, obj: Object) -> None:
    found = list(
        dict.fromkeys(w for item in items for s in subjects if s.kind == item.get("type") for w in _why(item, s))
    )
    if found:
        raise _refusal(plural, obj, found)


def _why(item: dict[str, Any], subject: _Subject) -> Iterator[str]:
    checks = (
        ("min", subject.below_minimum),
        ("max", subject.above_maximum),
        ("maxLimitRequestRatio", subject.above_ratio),
    )
    for member, check in checks:
        for name, bound in sorted((item.get(member) or {}).items()):
            why = check(name, bound)
            if why:
                yield why


def _refusal(plural: str, obj: Object, found: list[str]) -> ApiError:
    text = found[0] if len(found) == 1 else "[" + ", ".join(found) + "]"
    return forbidden(plural, "", obj["metadata"]["name"], text)


def pod_amounts(spec: Object, side: str) -> dict[str, Fraction]:
    """Requests or limits of a whole pod: the sum of its containers or, where that is more, an init container's."""
    total: dict[str, Fraction] = {}
    peak: dict[str, Fraction] = {}
    for path, container in all_containers(spec):
        values = (container.get("resources") or {}).get(side) or {}
        if "initContainers" not in path or container.get("restartPolicy") == "Always":
            quantities.add(total, values)
        else:
            for name, value in values.items():
                peak[name] = max(peak.get(name, Fraction(0)), quantities.parse(value))
    return {name: max(total.get(name, Fraction(0)), peak.get(name, Fraction(0))) for name in total.keys() | peak.keys()}


def pod_total(spec: Object, side: str) -> dict[str, str]:
    """`pod_amounts` as quantities, in the notation that the containers use."""
    samples: dict[str, str] = {}
    for _, container in all_containers(spec):
        samples = {**((container.get("resources") or {}).get(side) or {}), **samples}
    return {name: quantities.format_like(v, samples[name]) for name, v in pod_amounts(spec, side).items()}
