"""Endpoint slices and endpoints: which pods stand behind a service."""

from collections.abc import Iterable
from functools import partial

from tenantry_sim import selectors
from tenantry_sim.controllers import writes
from tenantry_sim.controllers.ownership import reference
from tenantry_sim.controllers.runner import Controller, Key
from tenantry_sim.controllers.views import PodView
from tenantry_sim.store.records import Change, Object, Record

_KEY, _SLICES, _ENDPOINTS = "/services", "discovery.k8s.io/endpointslices", "/endpoints"
_PER_SLICE = 100
_NAME = "kubernetes.io/service-name"
_BY, _MANAGER = "endpointslice.kubernetes.io/managed-by", "endpointslice-controller.k8s.io"


class Endpoints(Controller):
    """Keeps the slices and the endpoints of each service that has a selector."""

    kinds = (_KEY, "/pods")

    def keys(self, kind: str, change: Change) -> Iterable[Key]:
        record = change.record
        if kind == _KEY:
            return [(record.namespace, record.name)]
        services = self.world.kind(_KEY).items.get(record.namespace)
        if not services or not record.labels or (not record.fields.get("status.podIP") and not change.previous):
            return ()
        found = []
        for service in services.values():
            selector = service.decode().get("spec", {}).get("selector")
            if selector and selector.items() <= dict(record.labels).items():
                found.append((record.namespace, service.name))
        return found

    def sync(self, namespace: str, name: str) -> float | None:
        record = self.world.find(_KEY, name, namespace)
        if record is None:
            self._remove(namespace, name)
            return None
        service = record.decode()
        selector = service.get("spec", {}).get("selector")
        if record.deleting or not selector or service["spec"].get("type") == "ExternalName":
            return None
        match = selectors.from_object({"matchLabels": selector})
        pods = [v for v in self.owners.pods_in(namespace) if match(v.record.labels) and v.pod.status.podIP]
        pods = [v for v in pods if not v.ended]
        groups: dict[str, tuple[list[Object], list[PodView]]] = {}
        for view in pods:
            ports = _ports(service, view)
            groups.setdefault(repr(ports), (ports, []))[1].append(view)
        self._write_slices(record, service, list(groups.values()))
        self._write_endpoints(record, service, list(groups.values()))
        return None

    def _remove(self, namespace: str, name: str) -> None:
        """What a service leaves behind. Slices have an owner; endpoints only share the name."""
        for key, places in ((_ENDPOINTS, [name]), (_SLICES, self._slices(namespace, name))):
            for place in places:
                record = self.world.find(key, place, namespace)
                if record is not None:
                    self.world.store.remove(self.world.kind(key), record)

    def _slices(self, namespace: str, name: str) -> list[str]:
        kind = self.world.kind(_SLICES)
        mine = [r for r in kind.items.get(namespace, {}).values() if r.labels.get(_NAME) == name]
        return sorted(r.name for r in mine if r.labels.get(_BY) == _MANAGER)

    def _write_slices(self, record: Record, service: Object, groups: list[tuple[list[Object], list[PodView]]]) -> None:
        present = self._slices(record.namespace, record.name)
        always = (service["spec"].get("publishNotReadyAddresses") or False) is True
        bodies = []
        for ports, views in groups or [([], [])]:
            for at in range(0, max(len(views), 1), _PER_SLICE):
                part = [_endpoint(v, always, self._zone(v.node)) for v in views[at : at + _PER_SLICE]]
                bodies.append({"addressType": "IPv4", "endpoints": part, "ports": ports})
        owner = reference(self.world.kind(_KEY).resource, service)
        for i, body in enumerate(bodies):
            if i < len(present):
                found = self.world.find(_SLICES, present[i], record.namespace)
                if found is not None:
                    writes.change(self.world, _SLICES, found, partial(_update, body))
                continue
            labels = {_NAME: record.name, _BY: _MANAGER}
            metadata = {"generateName": f"{record.name}-", "labels": labels, "ownerReferences": [owner]}
            writes.create(self.world, _SLICES, record.namespace, {"metadata": metadata, **body})
        for name in present[len(bodies) :]:
            found = self.world.find(_SLICES, name, record.namespace)
            if found is not None:
                self.world.store.remove(self.world.kind(_SLICES), found)

    def _zone(self, node: str) -> str:
        record = self.world.find("/nodes", node)
        return record.labels.get("topology.kubernetes.io/zone", "") if record is not None else ""

    def _write_endpoints(
        self, record: Record, service: Object, groups: list[tuple[list[Object], list[PodView]]]
    ) -> None:
        subsets = []
        always = bool(service["spec"].get("publishNotReadyAddresses"))
        for ports, views in groups:
            subset: Object = {}
            ready = [_address(v) for v in views if (always or v.ready) and not v.record.deleting]
            waiting = [_address(v) for v in views if not (always or v.ready) and not v.record.deleting]
            for member, addresses in (("addresses", ready), ("notReadyAddresses", waiting)):
                if addresses:
                    subset[member] = addresses
            if subset:
                subsets.append({**subset, **({"ports": ports} if ports else {})})
        found = self.world.find(_ENDPOINTS, record.name, record.namespace)
        if found is None:
            body: Object = {"metadata": {"name": record.name}}
            if record.labels:
                body["metadata"]["labels"] = dict(record.labels)
            if subsets:
                body["subsets"] = subsets
            writes.create(self.world, _ENDPOINTS, record.namespace, body)
            return

        def write(obj: Object) -> None:
            obj.pop("subsets", None)
            if subsets:
                obj["subsets"] = subsets

        writes.change(self.world, _ENDPOINTS, found, write)


def _update(body: Object, obj: Object) -> None:
    obj.update(body)


def _ports(service: Object, view: PodView) -> list[Object]:
    """The service's ports as they are on this pod; a port name that the pod lacks is left out."""
    found = []
    for port in service["spec"].get("ports") or ():
        target = port.get("targetPort", port.get("port"))
        number = target if isinstance(target, int) else _named(view, str(target))
        if number:
            name = {"name": port["name"]} if port.get("name") else {"name": ""}
            found.append({**name, "port": number, "protocol": port.get("protocol", "TCP")})
    return found


def _named(view: PodView, name: str) -> int:
    for container in view.record.decode()["spec"].get("containers") or ():
        for port in container.get("ports") or ():
            if port.get("name") == name:
                return int(port["containerPort"])
    return 0


def _target(view: PodView) -> Object:
    record = view.record
    return {"kind": "Pod", "namespace": record.namespace, "name": record.name, "uid": record.uid}


def _address(view: PodView) -> Object:
    return {"ip": view.pod.status.podIP, "nodeName": view.node, "targetRef": _target(view)}


def _endpoint(view: PodView, always: bool, zone: str) -> Object:
    leaving = view.record.deleting
    endpoint = {
        "addresses": [view.pod.status.podIP],
        "conditions": {"ready": always or (view.ready and not leaving), "serving": view.ready, "terminating": leaving},
        "nodeName": view.node,
        "targetRef": _target(view),
    }
    return {**endpoint, "zone": zone} if zone else endpoint
