"""Scopes of resource quotas: which pods a quota counts."""

from tenantry_sim.store.records import Object


def in_scope(quota: Object, pod: Object) -> bool:
    """Whether a quota counts a pod: every scope must hold."""
    return all(_holds(need, pod) for need in _needs(quota))


def has_scopes(quota: Object) -> bool:
    """Whether the quota counts some pods only; it then counts nothing but pods."""
    return bool(_needs(quota))


def _needs(quota: Object) -> list[Object]:
    spec = quota.get("spec", {})
    needs = [{"scopeName": name, "operator": "Exists"} for name in spec.get("scopes") or ()]
    return needs + ((spec.get("scopeSelector") or {}).get("matchExpressions") or [])


def _holds(need: Object, pod: Object) -> bool:
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
