"""Strategic merge patch: lists of objects merge by a key that depends on the field.

Rules as `k8s.io/apimachinery/pkg/util/strategicpatch` documents them; the keys are those of the core types'
`patchMergeKey` tags. Lists without a key (tolerations, taints, container statuses) are replaced whole.
"""

from typing import Any

from tenantry_sim.status import bad_request

_KEYS = {
    "conditions": "type",
    "containers": "name",
    "initContainers": "name",
    "ephemeralContainers": "name",
    "volumes": "name",
    "env": "name",
    "volumeMounts": "mountPath",
    "volumeDevices": "devicePath",
    "imagePullSecrets": "name",
    "secrets": "name",
    "hostAliases": "ip",
    "podIPs": "ip",
    "hostIPs": "ip",
    "topologySpreadConstraints": "topologyKey",
    "schedulingGates": "name",
    "resourceClaims": "name",
    "ownerReferences": "uid",
    "addresses": "type",
}
_PRIMITIVE_SETS = frozenset({"finalizers"})
_ORDER = "$setElementOrder/"
_DELETE_FROM = "$deleteFromPrimitiveList/"


def _merge_key(field: str, *samples: list[Any]) -> str | None:
    """The key for a list field. Ports are keyed by containerPort in pods and by port in services."""
    if field == "ports":
        for item in (i for sample in samples for i in sample if isinstance(i, dict)):
            if "containerPort" in item:
                return "containerPort"
            if "port" in item:
                return "port"
        return None
    return _KEYS.get(field)


def apply(target: dict[str, Any], patch: dict[str, Any]) -> dict[str, Any]:
    """Merge `patch` into `target` (changed in place) and return the result."""
    directive = patch.get("$patch")
    if directive == "replace":
        return {k: v for k, v in patch.items() if k != "$patch"}
    if directive == "delete":
        return {}
    retain = patch.get("$retainKeys")
    if isinstance(retain, list):
        for key in [k for k in target if k not in retain]:
            del target[key]
    for key, value in patch.items():
        if key.startswith("$"):
            _special(target, key, value)
        elif value is None:
            target.pop(key, None)
        elif isinstance(value, dict):
            existing = target.get(key)
            target[key] = apply(existing if isinstance(existing, dict) else {}, value)
        elif isinstance(value, list):
            existing = target.get(key)
            order = patch.get(_ORDER + key)
            target[key] = _lists(key, existing if isinstance(existing, list) else [], value, order)
        else:
            target[key] = value
    _reorder_untouched(target, patch)
    return target


def _special(target: dict[str, Any], key: str, value: Any) -> None:
    if key.startswith(_DELETE_FROM) and isinstance(value, list):
        field = key.removeprefix(_DELETE_FROM)
        if isinstance(target.get(field), list):
            target[field] = [item for item in target[field] if item not in value]


def _reorder_untouched(target: dict[str, Any], patch: dict[str, Any]) -> None:
    """An order directive without the list itself still sorts the list."""
    for key, order in patch.items():
        field = key.removeprefix(_ORDER)
        if key.startswith(_ORDER) and field not in patch and isinstance(target.get(field), list):
            target[field] = _lists(field, target[field], [], order)


def _lists(field: str, existing: list[Any], patch: list[Any], order: Any) -> list[Any]:
    key = _merge_key(field, patch, existing)
    if key is None:
        if field in _PRIMITIVE_SETS:
            return existing + [item for item in patch if item not in existing]
        return patch
    if any(not isinstance(item, dict) for item in patch):
        raise bad_request(f"cannot merge a list of {field} that holds something else than objects")
    if any(item.get("$patch") == "replace" for item in patch):
        return [item for item in patch if "$patch" not in item]
    by_key: dict[Any, dict[str, Any]] = {item.get(key): item for item in existing if isinstance(item, dict)}
    server_order = [item.get(key) for item in existing if isinstance(item, dict)]
    patched: list[Any] = []
    for item in patch:
        name = item.get(key)
        if not isinstance(name, str | int):
            raise bad_request(f"map: {item} does not contain declared merge key: {key}")
        if item.get("$patch") == "delete":
            by_key.pop(name, None)
            continue
        by_key[name] = apply(by_key.get(name, {}), item)
        if name not in patched:
            patched.append(name)
    if isinstance(order, list):
        wanted = [o.get(key) if isinstance(o, dict) else o for o in order]
        wanted = [n for n in wanted if isinstance(n, str | int)]
        patched = [n for n in wanted if n in by_key]
    untouched = [n for n in server_order if n in by_key and n not in patched]
    return [by_key[name] for name in _interleave(untouched, patched, server_order)]


def _interleave(untouched: list[Any], patched: list[Any], server_order: list[Any]) -> list[Any]:
    """Merge two sequences: the server's order decides between items that it knows; otherwise the patch goes first."""
    rank = {name: i for i, name in enumerate(server_order)}
    out: list[Any] = []
    i = j = 0
    while i < len(untouched) and j < len(patched):
        left, right = rank.get(untouched[i]), rank.get(patched[j])
        if left is not None and right is not None and left < right:
            out.append(untouched[i])
            i += 1
        else:
            out.append(patched[j])
            j += 1
    return out + untouched[i:] + patched[j:]
