"""The roles and bindings that every cluster starts with, derived from our own resource table."""

from collections.abc import Iterable, Sequence
from typing import Any

from tenantry_sim.access.rbac import CLUSTER_BINDINGS, CLUSTER_ROLES, effective_rules
from tenantry_sim.access.users import AUTHENTICATED, MASTERS, UNAUTHENTICATED
from tenantry_sim.kinds.roles import RBAC
from tenantry_sim.kinds.table import RESOURCES
from tenantry_sim.store.records import Object
from tenantry_sim.world import World

Rule = dict[str, Any]
_READ = ("get", "list", "watch")
_WRITE = ("create", "delete", "deletecollection", "patch", "update")
_BARE = frozenset({"roles", "rolebindings"})
"""Kinds that only an administrator of the namespace sees."""
_READ_ONLY = frozenset(
    {"limitranges", "resourcequotas", "events", "endpoints", "endpointslices", "csistoragecapacities"}
)
"""Kinds of a namespace that its editors may read but not write."""
_HEALTH = ("/healthz", "/livez", "/readyz", "/version", "/version/")
_DISCOVERY = ("/api", "/api/*", "/apis", "/apis/*", "/openapi", "/openapi/*", *_HEALTH)
_AGGREGATE = f"{RBAC}/aggregate-to-"


def _rule(verbs: Iterable[str], group: str, *resources: str) -> Rule:
    return {"verbs": sorted(verbs), "apiGroups": [group], "resources": sorted(resources)}


def _by_group(verbs: Sequence[str], names: Iterable[tuple[str, str]]) -> list[Rule]:
    groups: dict[str, list[str]] = {}
    for group, name in names:
        groups.setdefault(group, []).append(name)
    return [_rule(verbs, group, *resources) for group, resources in groups.items()]


def _viewed() -> list[Rule]:
    """Everything in a namespace but secrets and roles, with status and scale."""
    hidden = _BARE | {"secrets"}
    rows = [r for r in RESOURCES if r.namespaced and r.plural not in hidden]
    names = [(r.group, r.plural) for r in rows]
    names += [(r.group, f"{r.plural}/{sub}") for r in rows for sub in r.subresources if sub in ("status", "scale")]
    return [*_by_group(_READ, names), _rule(_READ, "", "bindings", "namespaces", "namespaces/status", "pods/log")]


def _edited() -> list[Rule]:
    """What editors may beside viewing: write workloads and their configuration, read secrets, act as accounts."""
    rows = [r for r in RESOURCES if r.namespaced and r.plural not in _BARE | _READ_ONLY]
    names = [(r.group, r.plural) for r in rows]
    scales = [(r.group, f"{r.plural}/scale") for r in rows if "scale" in r.subresources]
    access = ("pods/attach", "pods/exec", "pods/portforward", "pods/proxy")
    return [
        *_by_group(_WRITE, names),
        *_by_group(("patch", "update"), scales),
        _rule(_READ, "", "secrets", "services/proxy", *access),
        _rule(_WRITE, "", "services/proxy", *access),
        _rule(("create",), "", "pods/eviction", "serviceaccounts/token"),
        _rule(("impersonate",), "", "serviceaccounts"),
    ]


def _administered() -> list[Rule]:
    return [
        _rule((*_READ, *_WRITE), RBAC, "roles", "rolebindings"),
        _rule(("create",), "authorization.k8s.io", "localsubjectaccessreviews"),
    ]


def _role(name: str, rules: list[Rule], part_of: str = "") -> Object:
    """A role; `part_of` names the aggregating role that collects its rules."""
    labels = {"kubernetes.io/bootstrapping": "rbac-defaults"}
    if part_of:
        labels[_AGGREGATE + part_of] = "true"
    annotations = {"rbac.authorization.kubernetes.io/autoupdate": "true"}
    return {"metadata": {"name": name, "labels": labels, "annotations": annotations}, "rules": rules}


def _aggregating(name: str, part_of: str = "") -> Object:
    selector = {"matchLabels": {f"{_AGGREGATE}{name}": "true"}}
    return {**_role(name, [], part_of), "aggregationRule": {"clusterRoleSelectors": [selector]}}


def cluster_roles() -> list[Object]:
    """The cluster roles, without what the store adds."""
    own = ("selfsubjectaccessreviews", "selfsubjectrulesreviews")
    basic = [_rule(("create",), "authorization.k8s.io", *own)]
    basic.append(_rule(("create",), "authentication.k8s.io", "selfsubjectreviews"))
    everything = [
        {"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]},
        {"verbs": ["*"], "nonResourceURLs": ["*"]},
    ]
    return [
        _role("cluster-admin", everything),
        _aggregating("admin"),
        _aggregating("edit", "admin"),
        _aggregating("view", "edit"),
        _role("system:aggregate-to-admin", _administered(), "admin"),
        _role("system:aggregate-to-edit", _edited(), "edit"),
        _role("system:aggregate-to-view", _viewed(), "view"),
        _role("system:basic-user", basic),
        _role("system:discovery", [{"verbs": ["get"], "nonResourceURLs": list(_DISCOVERY)}]),
        _role("system:public-info-viewer", [{"verbs": ["get"], "nonResourceURLs": list(_HEALTH)}]),
    ]


def _binding(role: str, *groups: str) -> Object:
    head = _role(role, [])
    subjects = [{"kind": "Group", "apiGroup": RBAC, "name": group} for group in groups]
    reference = {"apiGroup": RBAC, "kind": "ClusterRole", "name": role}
    return {"metadata": head["metadata"], "roleRef": reference, "subjects": subjects}


def cluster_bindings() -> list[Object]:
    """The bindings, without what the store adds."""
    return [
        _binding("cluster-admin", MASTERS),
        _binding("system:basic-user", AUTHENTICATED),
        _binding("system:discovery", AUTHENTICATED),
        _binding("system:public-info-viewer", AUTHENTICATED, UNAUTHENTICATED),
    ]


def populate(world: World) -> None:
    """Store roles and bindings that are not there yet."""
    for key, objects in ((CLUSTER_ROLES, cluster_roles()), (CLUSTER_BINDINGS, cluster_bindings())):
        kind = world.kind(key)
        for obj in objects:
            if kind.get("", obj["metadata"]["name"]) is None:
                obj["metadata"] |= {"uid": world.uid(), "creationTimestamp": world.stamp()}
                world.store.create(kind, obj)
    aggregate(world)


def aggregate(world: World) -> None:
    """Write into each aggregating role the rules that it collects. One pass suffices for any depth."""
    kind = world.kind(CLUSTER_ROLES)
    for record in list(kind.ordered()):
        role = record.decode()
        if role.get("aggregationRule"):
            rules = effective_rules(world, role)
            if rules != (role.get("rules") or []):
                world.store.replace(kind, record, {**role, "rules": rules})
