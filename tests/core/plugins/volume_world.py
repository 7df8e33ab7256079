"""A small cluster for volume tests: nodes in zones, storage objects from short descriptions, and the volume plugins."""

from __future__ import annotations

from typing import Any

from tenantry_core.cache.cluster_cache import ClusterCache
from tenantry_core.cycle.decision import Decision, Placement
from tenantry_core.cycle.message import fit_message
from tenantry_core.cycle.run import Cycle
from tenantry_core.framework.context import CycleContext
from tenantry_core.framework.plugin import Plugin
from tenantry_core.framework.profile import profile_of
from tenantry_core.model.decode import from_builtins
from tenantry_core.model.objects import Pod
from tenantry_core.plugins.volume_binding import VolumeBinding
from tenantry_core.plugins.volume_limits import NodeVolumeLimits
from tenantry_core.plugins.volume_restrictions import VolumeRestrictions
from tenantry_core.plugins.volume_zone import VolumeZone

Raw = dict[str, Any]
ZONE = "topology.kubernetes.io/zone"
HOSTNAME = "kubernetes.io/hostname"
BOUND = {"pv.kubernetes.io/bind-completed": "yes"}


def volume_plugins() -> list[Plugin]:
    """The four volume plugins in the default order."""
    return [VolumeRestrictions(), NodeVolumeLimits(), VolumeBinding(), VolumeZone()]


def node(name: str, **labels: str) -> Any:
    """A node with its hostname and these labels; `zone` stands for the zone label."""
    found = {HOSTNAME: name, **labels}
    if "zone" in found:
        found[ZONE] = found.pop("zone")
    return from_builtins(
        "Node", {"metadata": {"name": name, "labels": found}, "status": {"allocatable": {"pods": "9"}}}
    )


def storage_class(name: str = "wffc", provisioner: str = "kubernetes.io/no-provisioner", **more: Any) -> Any:
    """A class that waits for the first consumer unless `mode` says otherwise; `zones` are its allowed topologies."""
    raw: Raw = {"metadata": {"name": name}, "provisioner": provisioner}
    raw["volumeBindingMode"] = more.get("mode", "WaitForFirstConsumer")
    if "zones" in more:
        raw["allowedTopologies"] = [{"matchLabelExpressions": [{"key": ZONE, "values": more["zones"]}]}]
    return from_builtins("StorageClass", raw)


def volume(name: str, **more: Any) -> Any:
    """An available 1Gi volume; `on` names its nodes, `zone` its zones, `claim` who it is promised to."""
    spec: Raw = {
        "capacity": {"storage": more.get("size", "1Gi")},
        "accessModes": more.get("modes", ["ReadWriteOnce"]),
        "storageClassName": more.get("storage_class", "wffc"),
        "csi": {"driver": more.get("driver", "disk.example.com"), "volumeHandle": more.get("handle", name)},
        **more.get("spec", {}),
    }
    for field, key in (("on", HOSTNAME), ("zone", ZONE)):
        if field in more:
            terms = [{"matchExpressions": [{"key": key, "operator": "In", "values": more[field]}]}]
            spec["nodeAffinity"] = {"required": {"nodeSelectorTerms": terms}}
    if "claim" in more:
        spec["claimRef"] = {"namespace": "default", "name": more["claim"], "uid": more.get("claim_uid", "")}
    meta = {"name": name, "labels": more.get("labels", {}), "resourceVersion": more.get("version", "1")}
    phase = more.get("phase", "Available")
    return from_builtins("PersistentVolume", {"metadata": meta, "spec": spec, "status": {"phase": phase}})


def claim(name: str = "c", **more: Any) -> Any:
    """A 1Gi claim of class wffc; `to` names the volume it is bound to, `node` the node a volume was ordered for."""
    annotations: Raw = dict(BOUND) if "to" in more else {}
    if "node" in more:
        annotations["volume.kubernetes.io/selected-node"] = more["node"]
    meta: Raw = {"name": name, "namespace": "default", "uid": f"uid-{name}", "annotations": annotations}
    meta |= {"resourceVersion": more.get("version", "1"), **more.get("meta", {})}
    spec: Raw = {
        "accessModes": more.get("modes", ["ReadWriteOnce"]),
        "resources": {"requests": {"storage": more.get("size", "1Gi")}},
        "storageClassName": more.get("storage_class", "wffc"),
        "volumeName": more.get("to", ""),
        **more.get("spec", {}),
    }
    phase = more.get("phase", "Bound" if "to" in more else "Pending")
    return from_builtins("PersistentVolumeClaim", {"metadata": meta, "spec": spec, "status": {"phase": phase}})


def csi_node(name: str, **limits: int) -> Any:
    """The CSINode of a node; driver names are `<key>.example.com`."""
    drivers = [{"name": f"{k}.example.com", "allocatable": {"count": v}} for k, v in limits.items()]
    return from_builtins("CSINode", {"metadata": {"name": name}, "spec": {"drivers": drivers}})


def pod(name: str = "p", *claims: str, on: str = "", volumes: list[Raw] | None = None, **spec: Any) -> Pod:
    """A pod that mounts claims and other volumes."""
    mounts = [{"name": f"v{i}", "persistentVolumeClaim": {"claimName": c}} for i, c in enumerate(claims)]
    found: Pod = from_builtins(
        "Pod",
        {
            "metadata": {"name": name, "namespace": "default", "uid": f"uid-{name}"},
            "spec": {"nodeName": on, "containers": [{"name": "c"}], "volumes": [*mounts, *(volumes or [])], **spec},
        },
    )
    return found


class VolumeWorld:
    """A cache filled from structs of any kind."""

    def __init__(self, *things: Any) -> None:
        self.cache = ClusterCache()
        for thing in things:
            self.add(thing)

    def add(self, thing: Any) -> None:
        """Learn of a node, a placed pod or a storage object."""
        match type(thing).__name__:
            case "Node":
                self.cache.upsert_node(thing)
            case "Pod":
                self.cache.upsert_pod(thing)
            case kind:
                self.cache.put(kind, thing)

    def decide(self, wanted: Pod, *plugins: Plugin) -> Decision:
        """What the volume plugins alone make of a pod."""
        profile = profile_of("default-scheduler", [(p, 0) for p in plugins or volume_plugins()])
        return Cycle(self.cache, profile).decide(wanted, self.cache.classes.class_of(wanted))

    def verdict(self, wanted: Pod, *plugins: Plugin) -> set[str] | str:
        """Names of the nodes that would do, or the message."""
        decision = self.decide(wanted, *plugins)
        if not isinstance(decision, Placement):
            return fit_message(decision.diagnosis).partition("available: ")[2]
        profile = profile_of("default-scheduler", [(p, 0) for p in plugins or volume_plugins()])
        cycle, ctx = Cycle(self.cache, profile), self.context(wanted)
        mask = cycle.passing(ctx, cycle.evaluation(ctx), None)
        return {name for name, passed in zip(self.cache.nodes.names, mask, strict=True) if passed}

    def context(self, wanted: Pod) -> CycleContext:
        """A fresh context for a pod."""
        return CycleContext(self.cache, self.cache.classes.class_of(wanted), wanted)
