"""Which rules belong to which kind."""

from collections.abc import Callable

from tenantry_sim.custom import definitions
from tenantry_sim.kinds import admission, hooks, limits, others, podparts, pods, roles
from tenantry_sim.kinds.rules import Rules, condition_times
from tenantry_sim.store.records import Object
from tenantry_sim.store.resource import Resource


def _status(**values: object) -> Callable[[Object], Object]:
    return lambda obj: dict(values)


def _workload(default: Callable[[Object], None], initial: Callable[[Object], Object]) -> Rules:
    return Rules(
        default=default,
        validate=others.workload_causes,
        validate_update=others.workload_update_causes,
        initial_status=initial,
    )


_DAEMON_STATUS = _status(currentNumberScheduled=0, numberMisscheduled=0, desiredNumberScheduled=0, numberReady=0)
_BUDGET_STATUS = _status(disruptionsAllowed=0, currentHealthy=0, desiredHealthy=0, expectedPods=0)

RULES: dict[str, Rules] = {
    "/pods": Rules(
        default=pods.default,
        create=admission.on_create,
        update=admission.on_update,
        validate=pods.validate,
        validate_update=pods.validate_update,
        admit=limits.admit_pod,
        normalise_status=condition_times,
        initial_status=pods.initial_status,
        parts=podparts.PARTS,
    ),
    "/namespaces": Rules(create=others.namespace_create, initial_status=_status(phase="Active")),
    "/nodes": Rules(default=others.node_default),
    "/services": Rules(
        default=others.service_default, create=others.service_create, initial_status=_status(loadBalancer={})
    ),
    "/events": Rules(default=others.event_default),
    "/secrets": Rules(default=others.secret_default),
    "/limitranges": Rules(default=others.limit_range_default),
    "/persistentvolumeclaims": Rules(
        admit=limits.admit_claim, default=others.claim_default, initial_status=_status(phase="Pending")
    ),
    "/persistentvolumes": Rules(default=others.volume_default, initial_status=_status(phase="Pending")),
    "/replicationcontrollers": Rules(default=others.spec_default, initial_status=_status(replicas=0)),
    "apps/deployments": _workload(others.deployment_default, _status()),
    "apps/replicasets": _workload(others.replicas_default, _status(replicas=0)),
    "apps/statefulsets": _workload(others.stateful_default, _status(replicas=0, availableReplicas=0)),
    "apps/daemonsets": _workload(others.daemon_default, _DAEMON_STATUS),
    "batch/jobs": Rules(default=others.job_default, create=others.job_create, validate=others.workload_causes),
    "policy/poddisruptionbudgets": Rules(
        default=others.spec_default,
        validate=others.selector_causes,
        validate_update=others.budget_update_causes,
        initial_status=_BUDGET_STATUS,
    ),
    "admissionregistration.k8s.io/mutatingwebhookconfigurations": Rules(
        default=hooks.mutating_default, validate=hooks.causes, validate_update=hooks.update_causes
    ),
    "admissionregistration.k8s.io/validatingwebhookconfigurations": Rules(
        default=hooks.validating_default, validate=hooks.causes, validate_update=hooks.update_causes
    ),
    "rbac.authorization.k8s.io/roles": Rules(
        default=roles.role_default, validate=roles.role_causes, validate_update=roles.role_update_causes
    ),
    "rbac.authorization.k8s.io/clusterroles": Rules(
        default=roles.role_default, validate=roles.cluster_role_causes, validate_update=roles.cluster_role_update_causes
    ),
    "rbac.authorization.k8s.io/rolebindings": Rules(
        default=roles.binding_default, validate=roles.binding_causes, validate_update=roles.binding_update_causes
    ),
    "rbac.authorization.k8s.io/clusterrolebindings": Rules(
        default=roles.binding_default, validate=roles.binding_causes, validate_update=roles.binding_update_causes
    ),
    "/resourcequotas": Rules(default=others.spec_default),
    "scheduling.k8s.io/priorityclasses": Rules(
        default=others.priority_class_default,
        update=admission.priority_class_update,
        validate=others.priority_class_causes,
        validate_update=others.priority_class_update_causes,
        admit=admission.priority_class,
    ),
    "storage.k8s.io/storageclasses": Rules(default=others.storage_class_default),
    "storage.k8s.io/volumeattachments": Rules(initial_status=_status(attached=False)),
}
RULES[definitions.KEY] = definitions.RULES
_PLAIN = Rules()


def rules_for(key: str) -> Rules:
    """The rules of `group/plural`; kinds without a row get the plain ones."""
    return RULES.get(key, _PLAIN)


def rules_of(resource: Resource) -> Rules:
    """The rules of a served resource, custom or built in."""
    if resource.custom is not None:
        custom: Rules = resource.custom.rules
        return custom
    return rules_for(resource.stored_as or resource.key)
