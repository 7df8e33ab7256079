"""Whether a pod may be on a node: taints and required node affinity, as controllers judge them."""

from typing import Any

from tenantry_sim import selectors
from tenantry_sim.store.records import Object


def tolerates(taint: Object, toleration: Object) -> bool:
    """Whether a toleration covers a taint (`Lt` and `Gt` compare whole numbers)."""
    if toleration.get("effect") and toleration["effect"] != taint.get("effect"):
        return False
    if toleration.get("key") and toleration["key"] != taint.get("key"):
        return False
    operator = toleration.get("operator") or "Equal"
    if operator == "Exists":
        return True
    if not toleration.get("key"):
        return False
    given, has = toleration.get("value", ""), taint.get("value", "")
    if operator in ("Lt", "Gt"):
        try:
            return int(has) < int(given) if operator == "Lt" else int(has) > int(given)
        except ValueError:
            return False
    return bool(given == has)


def affine(spec: Object, node: Object) -> bool:
    """Whether the required node affinity of a pod spec lets the node in."""
    affinity = (spec.get("affinity") or {}).get("nodeAffinity") or {}
    required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution")
    if not required:
        return True
    labels = node["metadata"].get("labels") or {}
    fields = {"metadata.name": node["metadata"]["name"]}
    for term in required.get("nodeSelectorTerms") or ():
        by_label, by_field = term.get("matchExpressions") or (), term.get("matchFields") or ()
        if not by_label and not by_field:
            continue
        if all(_meets(n, labels) for n in by_label) and all(_meets(n, fields) for n in by_field):
            return True
    return False


def _meets(need: dict[str, Any], values: dict[str, str]) -> bool:
    key, operator, wanted = need.get("key", ""), need.get("operator"), need.get("values") or []
    if operator not in ("Gt", "Lt"):
        return selectors.from_object({"matchExpressions": [need]})(values)
    try:
        has, bound = int(values[key]), int(wanted[0])
    except (KeyError, ValueError, IndexError):
        return False
    return has > bound if operator == "Gt" else has < bound
