"""JSON types of well-known members, so that later code may rely on them.

A real server decodes into Go structs and refuses wrong types with 400. Here one table of member names does the same for
the members that the server reads. `parent.member` goes before `member` alone. Unknown members pass.
"""

from typing import Any

from tenantry_sim import quantities
from tenantry_sim.clock import parse_stamp
from tenantry_sim.status import bad_request

_TABLE = {
    "object": """
        metadata spec template selector strategy rollingUpdate updateStrategy securityContext affinity resources
        nodeAffinity podAffinity podAntiAffinity valueFrom fieldRef readinessProbe livenessProbe startupProbe configMap
        secret projected downwardAPI hostPath emptyDir involvedObject regarding source deprecatedSource series
        preconditions deleteOptions nodeInfo daemonEndpoints target resourceAttributes claimRef scopeSelector
        labelSelector drivers.allocatable clientConfig namespaceSelector objectSelector roleRef aggregationRule
        clientConfig.service nonResourceAttributes boundObjectRef
        """,
    "objects": """
        containers initContainers ephemeralContainers volumes tolerations schedulingGates ports env conditions
        topologySpreadConstraints imagePullSecrets ownerReferences taints addresses containerStatuses
        webhooks rules subjects clusterRoleSelectors matchConditions
        initContainerStatuses matchExpressions readinessGates hostAliases spec.limits podIPs hostIPs subsets endpoints
        """,
    "texts": """
        finalizers dryRun scopes matchExpressions.values accessModes command args operations rules.apiGroups
        apiVersions rules.resources resourceNames rules.verbs nonResourceURLs admissionReviewVersions audiences
        spec.groups
        """,
    "map": "labels annotations nodeSelector matchLabels data stringData",
    "quantities": "requests limits capacity allocatable overhead hard used min max default defaultRequest",
    "text": """
        name namespace generateName uid resourceVersion nodeName schedulerName restartPolicy priorityClassName
        preemptionPolicy phase image operator effect key topologyKey whenUnsatisfiable fieldPath type reason message
        kind apiVersion protocol conditions.status creationTimestamp firstTimestamp lastTimestamp eventTime
        deprecatedFirstTimestamp deprecatedLastTimestamp lastObservedTime nominatedNodeName podIP hostIP user
        holderIdentity deletionTimestamp reportingComponent reportingController note unhealthyPodEvictionPolicy
        CSIStorageCapacity.capacity status.selector failurePolicy matchPolicy sideEffects reinvocationPolicy
        rules.scope clientConfig.url caBundle expression path spec.token
        """,
    "number": """
        replicas maxSkew priority containerPort port hostPort nodePort gracePeriodSeconds status.ready
        terminationGracePeriodSeconds activeDeadlineSeconds tolerationSeconds generation deletionGracePeriodSeconds
        count observedGeneration disruptionsAllowed currentHealthy desiredHealthy expectedPods restartCount
        parallelism completions PriorityClass.value webhooks.timeoutSeconds
        """,
    "flag": "hostNetwork globalDefault unschedulable ready",
    "any": "httpGet.port tcpSocket.port service.port",
}
_TYPES = {member: kind for kind, members in _TABLE.items() for member in members.split()}
_TOP = {"status": "object"}
_PYTHON: dict[str, type | tuple[type, ...]] = {
    "object": dict,
    "objects": list,
    "texts": list,
    "map": dict,
    "quantities": dict,
    "text": str,
    "number": int,
    "flag": bool,
    "any": object,
}
_TIMES = frozenset(
    (
        "creationTimestamp",
        "deletionTimestamp",
        "firstTimestamp",
        "lastTimestamp",
        "eventTime",
        "deprecatedFirstTimestamp",
        "deprecatedLastTimestamp",
        "lastObservedTime",
    )
)


def check(kind: str, document: dict[str, Any]) -> None:
    """Refuse members of the wrong JSON type. Nulls must have been dropped. Raises ApiError 400."""
    for key, value in document.items():
        _member(kind, kind, key, value, _TOP.get(key))
    if "selector" in document.get("spec", {}) and kind in ("Service", "ReplicationController"):
        _strings(kind, "spec.selector", document["spec"]["selector"].values())


def _member(kind: str, parent: str, key: str, value: Any, wanted: str | None) -> None:
    wanted = wanted or _TYPES.get(f"{parent}.{key}") or _TYPES.get(key)
    path = f"{parent}.{key}"
    if wanted is not None:
        _demand(kind, path, value, wanted)
        if wanted in ("map", "quantities"):
            return
        if key in _TIMES:
            _time(kind, path, value)
    if isinstance(value, dict):
        for inner, item in value.items():
            _member(kind, key, inner, item, None)
    elif isinstance(value, list):
        for element in value:
            if isinstance(element, dict):
                for inner, item in element.items():
                    _member(kind, key, inner, item, None)


def _refuse(kind: str, path: str, value: Any) -> None:
    text = f"json: cannot unmarshal {type(value).__name__} into Go struct field {path}"
    raise bad_request(f'{kind} in version "v1" cannot be handled as a {kind}: {text}')


def _demand(kind: str, path: str, value: Any, wanted: str) -> None:
    if not isinstance(value, _PYTHON[wanted]) or (wanted == "number" and isinstance(value, bool)):
        _refuse(kind, path, value)
    if wanted == "objects":
        for item in value:
            if not isinstance(item, dict):
                _refuse(kind, path, item)
    elif wanted == "texts":
        _strings(kind, path, value)
    elif wanted == "map":
        _strings(kind, path, value.values())
    elif wanted == "quantities":
        for name, quantity in value.items():
            try:
                quantities.parse(quantity)
            except quantities.QuantityError as problem:
                text = f'{kind} in version "v1" cannot be handled as a {kind}: {problem}'
                raise bad_request(text) from None
            value[name] = str(quantity)


def _strings(kind: str, path: str, values: Any) -> None:
    for value in values:
        if not isinstance(value, str):
            _refuse(kind, path, value)


def _time(kind: str, path: str, value: str) -> None:
    try:
        parse_stamp(value)
    except ValueError:
        text = f'parsing time "{value}": it is not in RFC 3339'
        raise bad_request(f'{kind} in version "v1" cannot be handled as a {kind}: {path}: {text}') from None
