"""Defaults and checks of containers and pod templates, shared by pods and workloads."""

from collections.abc import Iterator
from typing import Any

from tenantry_sim import quantities
from tenantry_sim.kinds.names import bad_value, name_causes, required
from tenantry_sim.status import Cause

_PROBE = {"timeoutSeconds": 1, "periodSeconds": 10, "successThreshold": 1, "failureThreshold": 3}


def all_containers(spec: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """(field path, container) for regular and init containers."""
    for field in ("containers", "initContainers"):
        for i, container in enumerate(spec.get(field) or ()):
            yield f"spec.{field}[{i}]", container


def default_template(spec: dict[str, Any]) -> None:
    """Defaults of a pod spec that hold in templates too."""
    for _, container in all_containers(spec):
        _default_container(container, bool(spec.get("hostNetwork")))
    for volume in spec.get("volumes") or ():
        _default_volume(volume)
    spec.setdefault("restartPolicy", "Always")
    spec.setdefault("terminationGracePeriodSeconds", 30)
    spec.setdefault("dnsPolicy", "ClusterFirst")
    spec.setdefault("securityContext", {})
    spec.setdefault("schedulerName", "default-scheduler")


def _default_container(container: dict[str, Any], host_network: bool) -> None:
    image = str(container.get("image", ""))
    tag = image.rpartition("/")[2]
    latest = "@" not in tag and (":" not in tag or tag.endswith(":latest"))
    container.setdefault("resources", {})
    container.setdefault("terminationMessagePath", "/dev/termination-log")
    container.setdefault("terminationMessagePolicy", "File")
    container.setdefault("imagePullPolicy", "Always" if latest else "IfNotPresent")
    for port in container.get("ports") or ():
        port.setdefault("protocol", "TCP")
        if host_network and "containerPort" in port:
            port.setdefault("hostPort", port["containerPort"])
    for name in ("livenessProbe", "readinessProbe", "startupProbe"):
        if isinstance(container.get(name), dict):
            for key, value in _PROBE.items():
                container[name].setdefault(key, value)
    for variable in container.get("env") or ():
        field = (variable.get("valueFrom") or {}).get("fieldRef")
        if field:
            field.setdefault("apiVersion", "v1")


def _default_volume(volume: dict[str, Any]) -> None:
    if len(volume) == 1:
        volume["emptyDir"] = {}
    for source in ("configMap", "secret", "projected", "downwardAPI"):
        if isinstance(volume.get(source), dict):
            volume[source].setdefault("defaultMode", 420)
    if isinstance(volume.get("hostPath"), dict):
        volume["hostPath"].setdefault("type", "")


def requests_from_limits(spec: dict[str, Any]) -> None:
    """A limit without a request is also the request (`SetDefaults_Pod`)."""
    for _, container in all_containers(spec):
        limits = container["resources"].get("limits")
        if limits:
            requests = container["resources"].setdefault("requests", {})
            for name, value in limits.items():
                requests.setdefault(name, value)


def container_causes(spec: dict[str, Any]) -> list[Cause]:
    """What is wrong with the containers of a pod spec."""
    if not spec.get("containers"):
        return [required("spec.containers")]
    found: list[Cause] = []
    seen: set[str] = set()
    for path, container in all_containers(spec):
        name = str(container.get("name", ""))
        if not name:
            found.append(required(f"{path}.name"))
        elif name in seen:
            found.append(Cause("FieldValueDuplicate", f'Duplicate value: "{name}"', f"{path}.name"))
        else:
            found += [Cause(c.reason, c.message, f"{path}.name") for c in name_causes("Namespace", name)]
        seen.add(name)
        if not str(container.get("image", "")).strip():
            found.append(required(f"{path}.image"))
        found += resource_causes(container.get("resources") or {}, f"{path}.resources")
        for i, port in enumerate(container.get("ports") or ()):
            number = port.get("containerPort")
            if not isinstance(number, int) or not 0 < number < 65536:
                why = "must be between 1 and 65535, inclusive"
                field = f"{path}.ports[{i}].containerPort"
                found.append(Cause("FieldValueInvalid", f"Invalid value: {number}: {why}", field))
    return found


def resource_causes(resources: dict[str, Any], path: str) -> list[Cause]:
    """Requests and limits: not negative, requests within limits, no overcommit of extended resources."""
    found: list[Cause] = []
    limits = resources.get("limits") or {}
    for field in ("limits", "requests"):
        for name, value in (resources.get(field) or {}).items():
            if quantities.parse(value) < 0:
                found.append(bad_value(f"{path}.{field}[{name}]", value, "must be greater than or equal to 0"))
    for name, value in (resources.get("requests") or {}).items():
        extended = "/" in name and not name.startswith("kubernetes.io/")
        if name in limits:
            request, limit = quantities.parse(value), quantities.parse(limits[name])
            if extended and request != limit:
                found.append(bad_value(f"{path}.requests", value, f"must be equal to {name} limit of {limits[name]}"))
            elif request > limit:
                why = f"must be less than or equal to {name} limit of {limits[name]}"
                found.append(bad_value(f"{path}.requests", value, why))
        elif extended:
            found.append(required(f"{path}.limits", "Limit must be set for non overcommitable resources"))
    return found
