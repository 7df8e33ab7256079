"""API JSON to model structs: the only place that turns bytes into objects.

A body that cannot be read gives a DecodeError which names the field and the rule and carries what is still known of the
object (kind, namespace, name, uid), so that the caller can skip it and say so in an Event.
"""

from __future__ import annotations

from typing import Any, Generic, TypeVar

import msgspec

from tenantry_core.model import objects, storage
from tenantry_core.model.quantity import QuantityError, amount
from tenantry_core.model.selectors import SelectorError, compile_node_term, compile_selector

T = TypeVar("T", bound=msgspec.Struct)


class Identity(msgspec.Struct, frozen=True, rename="camel"):
    """What is left of an object that could not be decoded."""

    namespace: str = ""
    name: str = ""
    uid: str = ""
    resource_version: str = ""


class _Envelope(msgspec.Struct):
    metadata: Identity = Identity()


class DecodeError(ValueError):
    """An object could not be read. `field` is a JSON path such as `spec.containers[0].resources.requests.cpu`."""

    def __init__(self, kind: str, identity: Identity, field: str, rule: str) -> None:
        super().__init__(f"{kind} {identity.namespace}/{identity.name}: {field}: {rule}")
        self.kind = kind
        self.identity = identity
        self.field = field
        self.rule = rule


class Decoder(Generic[T]):
    """Decodes one kind."""

    def __init__(self, kind: str, struct: type[T]) -> None:
        self.kind = kind
        self._decoder = msgspec.json.Decoder(struct)

    def __call__(self, body: bytes | msgspec.Raw) -> T:
        """Return the struct. Raises DecodeError."""
        try:
            found = self._decoder.decode(body)
        except msgspec.ValidationError as error:
            rule, _, path = str(error).partition(" - at `$.")
            raise DecodeError(self.kind, identify(body), path.rstrip("`") or "$", rule) from error
        except msgspec.DecodeError as error:
            raise DecodeError(self.kind, Identity(), "$", str(error)) from error
        problem = _first_problem(found)
        if problem is not None:
            raise DecodeError(self.kind, identify(body), *problem)
        return found


def identify(body: bytes | msgspec.Raw) -> Identity:
    """Best effort at the identity of an object; empty where even that cannot be read."""
    try:
        return msgspec.json.decode(body, type=_Envelope).metadata
    except msgspec.DecodeError:
        return Identity()


def from_builtins(kind: str, value: dict[str, Any]) -> Any:
    """Decode a parsed object (from a YAML dump, say) as `kind`. Raises DecodeError, KeyError for an unknown kind."""
    return DECODERS[kind](msgspec.json.encode(value))


def _first_problem(found: msgspec.Struct) -> tuple[str, str] | None:
    if isinstance(found, objects.Pod):
        return _pod_problem(found)
    if isinstance(found, objects.Node):
        return _quantities_problem("status.allocatable", found.status.allocatable)
    if isinstance(found, storage.Workload | storage.PodDisruptionBudget):
        return _compile_problem("spec.selector", found.spec.selector)
    return None


def _compile_problem(path: str, selector: objects.LabelSelector | None) -> tuple[str, str] | None:
    try:
        compile_selector(selector)
    except SelectorError as error:
        return path, str(error)
    return None


def _pod_problem(pod: objects.Pod) -> tuple[str, str] | None:
    spec = pod.spec
    checks = [(f"spec.containers[{i}].resources", c.resources) for i, c in enumerate(spec.containers)]
    checks += [(f"spec.initContainers[{i}].resources", c.resources) for i, c in enumerate(spec.init_containers or ())]
    if spec.resources is not None:
        checks.append(("spec.resources", spec.resources))
    for path, resources in checks:
        problem = _quantities_problem(f"{path}.requests", resources.requests)
        problem = problem or _quantities_problem(f"{path}.limits", resources.limits)
        if problem is not None:
            return problem
    return _quantities_problem("spec.overhead", spec.overhead) or _selector_problem(spec)


def _quantities_problem(path: str, quantities: objects.Quantities | None) -> tuple[str, str] | None:
    for name, text in (quantities or {}).items():
        try:
            if amount(name, text) < 0:
                return f"{path}.{name}", f"{text!r} is negative"
        except QuantityError as error:
            return f"{path}.{name}", str(error)
    return None


def _selector_problem(spec: objects.PodSpec) -> tuple[str, str] | None:
    for i, constraint in enumerate(spec.topology_spread_constraints or ()):
        problem = _compile_problem(f"spec.topologySpreadConstraints[{i}].labelSelector", constraint.label_selector)
        if problem is not None:
            return problem
    affinity = spec.affinity
    if affinity is None:
        return None
    return _node_affinity_problem(affinity.node_affinity) or _pod_affinity_problem(affinity)


def _node_affinity_problem(affinity: objects.NodeAffinity | None) -> tuple[str, str] | None:
    if affinity is None:
        return None
    terms = list(affinity.required.node_selector_terms) if affinity.required else []
    terms += [p.preference for p in affinity.preferred or ()]
    for term in terms:
        try:
            compile_node_term(term)
        except SelectorError as error:
            return "spec.affinity.nodeAffinity", str(error)
    return None


def _pod_affinity_problem(affinity: objects.Affinity) -> tuple[str, str] | None:
    for name, side in (("podAffinity", affinity.pod_affinity), ("podAntiAffinity", affinity.pod_anti_affinity)):
        if side is None:
            continue
        terms = [*(side.required or ()), *(w.pod_affinity_term for w in side.preferred or ())]
        for term in terms:
            try:
                compile_selector(term.label_selector)
                compile_selector(term.namespace_selector)
            except SelectorError as error:
                return f"spec.affinity.{name}", str(error)
    return None


DECODERS: dict[str, Decoder[Any]] = {
    kind: Decoder(kind, struct)
    for kind, struct in {
        "Pod": objects.Pod,
        "Node": objects.Node,
        "Namespace": objects.Namespace,
        "PersistentVolume": storage.PersistentVolume,
        "PersistentVolumeClaim": storage.PersistentVolumeClaim,
        "StorageClass": storage.StorageClass,
        "CSINode": storage.CSINode,
        "CSIDriver": storage.CSIDriver,
        "CSIStorageCapacity": storage.CSIStorageCapacity,
        "VolumeAttachment": storage.VolumeAttachment,
        "Service": storage.Service,
        "ReplicationController": storage.ReplicationController,
        "ReplicaSet": storage.Workload,
        "StatefulSet": storage.Workload,
        "PodDisruptionBudget": storage.PodDisruptionBudget,
        "PriorityClass": storage.PriorityClass,
    }.items()
}
