"""Pods that belong to a revision of a template: what daemon sets and stateful sets share."""

from tenantry_sim.controllers.ownership import reference
from tenantry_sim.controllers.replicasets import pod_from
from tenantry_sim.controllers.rollout import template_hash
from tenantry_sim.controllers.views import PodView
from tenantry_sim.store.records import Object
from tenantry_sim.store.resource import Resource

REVISION = "controller-revision-hash"


def revision_of(obj: Object) -> str:
    """The mark of the present template."""
    return template_hash(obj["spec"]["template"])


def made_by(view: PodView) -> str:
    """The mark of the template that a pod was made from."""
    return view.record.labels.get(REVISION, "")


def new_pod(resource: Resource, obj: Object, mark: str) -> Object:
    """A pod of the template with the mark as a label, to be named after the owner."""
    pod = pod_from(obj["spec"]["template"], f"{obj['metadata']['name']}-", reference(resource, obj))
    pod["metadata"].setdefault("labels", {})[REVISION] = mark
    return pod
