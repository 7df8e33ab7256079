"""The subresources of a pod that change its spec: `resize` and `ephemeralcontainers`."""

from typing import Any

from tenantry_sim.kinds.containers import default_template, resource_causes
from tenantry_sim.kinds.names import required
from tenantry_sim.kinds.pods import qos_class
from tenantry_sim.kinds.rules import Part
from tenantry_sim.status import Cause
from tenantry_sim.store.records import Object

_LISTS = ("containers", "initContainers")
_RESIZABLE = ("cpu", "memory")
_NOT_EPHEMERAL = ("lifecycle", "livenessProbe", "ports", "readinessProbe", "resizePolicy", "startupProbe")


def _named(spec: Object, field: str) -> dict[str, Object]:
    return {str(c.get("name")): c for c in spec.get(field) or ()}


def merge_resize(old: Object, new: Object) -> Object:
    """Of the new object only the resources of containers that are there count; resources left out are kept."""
    spec = dict(old["spec"])
    for field in _LISTS if isinstance(new.get("spec"), dict) else ():
        given = _named(new["spec"], field)
        if spec.get(field):
            spec[field] = [_with_resources(c, given.get(str(c.get("name")), {})) for c in spec[field]]
    return {**old, "metadata": dict(old["metadata"]), "spec": spec}


def _with_resources(container: Object, given: Object) -> Object:
    resources = given.get("resources")
    if resources is None:
        return container
    found = {**container, "resources": resources}
    if "resizePolicy" in given:
        found["resizePolicy"] = given["resizePolicy"]
    for name, value in (resources.get("limits") or {}).items():
        resources.setdefault("requests", {}).setdefault(name, value)
    return found


def resize_causes(old: Object, new: Object) -> list[Cause]:
    """CPU and memory alone may change; none may be removed; the QoS class stays."""
    found: list[Cause] = []
    for field in _LISTS:
        pairs = zip(old["spec"].get(field) or (), new["spec"].get(field) or (), strict=True)
        for i, (before, after) in enumerate(pairs):
            if before == after:
                continue
            path = f"spec.{field}[{i}]"
            if field == "initContainers" and before.get("restartPolicy") != "Always":
                why = "Forbidden: only sidecar init containers can be resized"
                found.append(Cause("FieldValueForbidden", why, path))
            found += resource_causes(after.get("resources") or {}, f"{path}.resources")
            found += _kept(before.get("resources") or {}, after.get("resources") or {}, f"{path}.resources")
    kept, now = old.get("status", {}).get("qosClass") or qos_class(old["spec"]), qos_class(new["spec"])
    if not found and kept != now:
        why = f'Invalid value: "{now}": Pod QOS Class may not change as a result of resizing'
        found.append(Cause("FieldValueInvalid", why, "spec"))
    if old.get("status", {}).get("phase") in ("Succeeded", "Failed"):
        found.append(Cause("FieldValueForbidden", "Forbidden: pods that have ended cannot be resized", "spec"))
    return found


def _kept(before: Object, after: Object, path: str) -> list[Cause]:
    found = []
    for side in ("limits", "requests"):
        old, new = before.get(side) or {}, after.get(side) or {}
        if any(name in old and name not in new for name in _RESIZABLE):
            why = f"Forbidden: resource {side} cannot be removed"
            found.append(Cause("FieldValueForbidden", why, f"{path}.{side}"))
        others = [{k: v for k, v in values.items() if k not in _RESIZABLE} for values in (old, new)]
        if others[0] != others[1]:
            why = "Forbidden: only cpu and memory resources are mutable"
            found.append(Cause("FieldValueForbidden", why, "spec"))
    return found


def merge_ephemeral(old: Object, new: Object) -> Object:
    """Of the new object only the ephemeral containers count."""
    containers = list((new.get("spec") or {}).get("ephemeralContainers") or ())
    default_template({"containers": containers})
    spec = {k: v for k, v in old["spec"].items() if k != "ephemeralContainers"}
    if containers:
        spec["ephemeralContainers"] = containers
    return {**old, "metadata": dict(old["metadata"]), "spec": spec}


def ephemeral_causes(old: Object, new: Object) -> list[Cause]:
    """Ephemeral containers may be added, never changed or removed."""
    before, after = _named(old["spec"], "ephemeralContainers"), _named(new["spec"], "ephemeralContainers")
    path, found = "spec.ephemeralContainers", []
    for name, container in before.items():
        if after.get(name) != container:
            what = "changed" if name in after else "removed"
            why = f'Forbidden: existing ephemeral containers "{name}" may not be {what}\n'
            found.append(Cause("FieldValueForbidden", why, path))
    others = {**_named(new["spec"], "containers"), **_named(new["spec"], "initContainers")}
    seen: set[str] = set()
    for i, container in enumerate(new["spec"].get("ephemeralContainers") or ()):
        found += _fresh_causes(container, f"{path}[{i}]", others, seen)
        seen.add(str(container.get("name")))
    return found


def _fresh_causes(container: dict[str, Any], path: str, others: dict[str, Object], seen: set[str]) -> list[Cause]:
    name, found = str(container.get("name") or ""), []
    if not name:
        found.append(required(f"{path}.name"))
    elif name in seen or name in others:
        found.append(Cause("FieldValueDuplicate", f'Duplicate value: "{name}"', f"{path}.name"))
    if not container.get("image"):
        found.append(required(f"{path}.image"))
    for field in _NOT_EPHEMERAL:
        if container.get(field):
            why = "Forbidden: cannot be set for an Ephemeral Container"
            found.append(Cause("FieldValueForbidden", why, f"{path}.{field}"))
    target = str(container.get("targetContainerName") or "")
    if target and target not in others:
        found.append(Cause("FieldValueNotFound", f'Not found: "{target}"', f"{path}.targetContainerName"))
    return found


PARTS = {
    "resize": Part(merge_resize, resize_causes, admitted=True),
    "ephemeralcontainers": Part(merge_ephemeral, ephemeral_causes),
}
