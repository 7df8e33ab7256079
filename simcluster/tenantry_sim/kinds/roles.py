"""Defaults and checks of roles and role bindings."""

import json
from collections.abc import Iterator
from typing import Any

from tenantry_sim.kinds.names import required
from tenantry_sim.kinds.others import label_selector_causes
from tenantry_sim.status import Cause
from tenantry_sim.store.records import Object

RBAC = "rbac.authorization.k8s.io"
_SUBJECTS = ("ServiceAccount", "User", "Group")


def role_default(obj: Object) -> None:
    """Rules are always written; null when there are none."""
    obj.setdefault("rules", None)


def binding_default(obj: Object) -> None:
    """Groups of the subjects and of the role."""
    obj.setdefault("roleRef", {}).setdefault("apiGroup", RBAC)
    for subject in obj.get("subjects") or ():
        if "apiGroup" not in subject and subject.get("kind") in ("User", "Group"):
            subject["apiGroup"] = RBAC


def role_causes(obj: Object) -> list[Cause]:
    return [c for i, rule in enumerate(obj.get("rules") or ()) for c in _rule(rule, f"rules[{i}]", True)]


def cluster_role_causes(obj: Object) -> list[Cause]:
    found = [c for i, rule in enumerate(obj.get("rules") or ()) for c in _rule(rule, f"rules[{i}]", False)]
    aggregation = obj.get("aggregationRule")
    if aggregation is None:
        return found
    path, chosen = "aggregationRule.clusterRoleSelectors", aggregation.get("clusterRoleSelectors") or ()
    if not chosen:
        found.append(required(path, "at least one clusterRoleSelector required if aggregationRule is non-nil"))
    return found + [c for i, s in enumerate(chosen) for c in label_selector_causes(s, f"{path}[{i}]")]


def role_update_causes(old: Object, new: Object) -> list[Cause]:
    del old
    return role_causes(new)


def cluster_role_update_causes(old: Object, new: Object) -> list[Cause]:
    del old
    return cluster_role_causes(new)


def _rule(rule: dict[str, Any], path: str, namespaced: bool) -> Iterator[Cause]:
    if not rule.get("verbs"):
        yield required(f"{path}.verbs", "verbs must contain at least one value")
    urls = rule.get("nonResourceURLs")
    if urls:
        if namespaced:
            why = f"Invalid value: {json.dumps(urls)}: namespaced rules cannot apply to non-resource URLs"
            yield Cause("FieldValueInvalid", why, f"{path}.nonResourceURLs")
        if rule.get("apiGroups") or rule.get("resources") or rule.get("resourceNames"):
            why = f"Invalid value: {json.dumps(urls)}: rules cannot apply to both regular resources and non-resource "
            yield Cause("FieldValueInvalid", why + "URLs", f"{path}.nonResourceURLs")
        return
    if not rule.get("apiGroups"):
        yield required(f"{path}.apiGroups", "resource rules must supply at least one api group")
    if not rule.get("resources"):
        yield required(f"{path}.resources", "resource rules must supply at least one resource")


def binding_causes(obj: Object) -> list[Cause]:
    """What is wrong with a binding's role and subjects."""
    found: list[Cause] = []
    role = obj["roleRef"]
    kinds = ("Role", "ClusterRole") if obj["metadata"].get("namespace") else ("ClusterRole",)
    if role["apiGroup"] != RBAC:
        found.append(_unsupported("roleRef.apiGroup", role["apiGroup"], (RBAC,)))
    if role.get("kind") not in kinds:
        found.append(_unsupported("roleRef.kind", role.get("kind", ""), kinds))
    if not role.get("name"):
        found.append(required("roleRef.name"))
    for i, subject in enumerate(obj.get("subjects") or ()):
        if not subject.get("name"):
            found.append(required(f"subjects[{i}].name"))
        if subject.get("kind") not in _SUBJECTS:
            found.append(_unsupported(f"subjects[{i}].kind", subject.get("kind", ""), _SUBJECTS))
        elif subject["kind"] == "ServiceAccount" and not subject.get("namespace"):
            found.append(required(f"subjects[{i}].namespace"))
    return found


def binding_update_causes(old: Object, new: Object) -> list[Cause]:
    found = binding_causes(new)
    if old.get("roleRef") != new.get("roleRef"):
        why = f"Invalid value: {json.dumps(new['roleRef'], sort_keys=True)}: cannot change roleRef"
        found.append(Cause("FieldValueInvalid", why, "roleRef"))
    return found


def _unsupported(field: str, value: str, choices: tuple[str, ...]) -> Cause:
    text = ", ".join(f'"{c}"' for c in choices)
    return Cause("FieldValueNotSupported", f'Unsupported value: "{value}": supported values: {text}', field)
