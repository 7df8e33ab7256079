"""A pod's spec in the form in which a real server explains what an update may not change.

The message of that refusal ends in a diff of the server's own structures as JSON. The tables below name their fields in
order with the values that stand for "not set"; structures without a table show what is there.
"""

import difflib
import json
from typing import Any

_CONTAINER = """
    Name="" Image="" Command Args WorkingDir="" Ports EnvFrom Env Resources={} ResizePolicy RestartPolicy
    RestartPolicyRules VolumeMounts VolumeDevices LivenessProbe ReadinessProbe StartupProbe Lifecycle
    TerminationMessagePath="" TerminationMessagePolicy="" ImagePullPolicy="" SecurityContext Stdin=false
    StdinOnce=false TTY=false
    """
_SPEC = """
    Volumes InitContainers Containers EphemeralContainers RestartPolicy="" TerminationGracePeriodSeconds
    ActiveDeadlineSeconds DNSPolicy="" NodeSelector ServiceAccountName="" AutomountServiceAccountToken NodeName=""
    SecurityContext={} ImagePullSecrets Hostname="" Subdomain="" SetHostnameAsFQDN Affinity SchedulerName="" Tolerations
    HostAliases PriorityClassName="" Priority PreemptionPolicy DNSConfig ReadinessGates RuntimeClassName Overhead
    EnableServiceLinks TopologySpreadConstraints OS SchedulingGates ResourceClaims Resources HostnameOverride
    """
_POD_SECURITY = """
    HostNetwork=false HostPID=false HostIPC=false ShareProcessNamespace HostUsers SELinuxOptions WindowsOptions
    RunAsUser RunAsGroup RunAsNonRoot SupplementalGroups SupplementalGroupsPolicy FSGroup FSGroupChangePolicy Sysctls
    SeccompProfile AppArmorProfile SELinuxChangePolicy
    """
_TABLES = {
    "spec": _SPEC,
    "containers": _CONTAINER,
    "initContainers": _CONTAINER,
    "resources": "Limits Requests Claims",
    "podSecurity": _POD_SECURITY,
    "tolerations": 'Key="" Operator="" Value="" Effect="" TolerationSeconds',
}
_FREE_KEYS = frozenset({"nodeSelector", "limits", "requests", "overhead", "matchLabels"})
_IN_SECURITY = ("hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace", "hostUsers")
_WHOLE_WORDS = ("dns", "os", "tty", "fs", "se")
"""Beginnings of names that are capitals throughout in the server's structures."""


def _go_name(name: str) -> str:
    for word in _WHOLE_WORDS:
        if name == word or (name.startswith(word) and name[len(word)].isupper()):
            return word.upper() + name[len(word) :]
    return name[:1].upper() + name[1:]


def _fields(table: str) -> dict[str, Any]:
    pairs = (word.partition("=") for word in table.split())
    return {name: json.loads(value) if value else None for name, _, value in pairs}


def _shape(name: str, value: Any) -> Any:
    if isinstance(value, list):
        return [_shape(name, item) for item in value]
    if not isinstance(value, dict):
        return value
    if name in _FREE_KEYS:
        return dict(sorted(value.items()))
    shaped = {_go_name(key): _shape(key, inner) for key, inner in value.items()}
    table = _TABLES.get(name)
    if table is None:
        return shaped
    fields = _fields(table)
    return {**{key: shaped.get(key, absent) for key, absent in fields.items()}, **shaped}


def _spec(spec: dict[str, Any]) -> dict[str, Any]:
    inner = {key: value for key, value in spec.items() if key not in _IN_SECURITY}
    moved = {key: spec[key] for key in _IN_SECURITY if key in spec}
    shaped: dict[str, Any] = _shape("spec", inner)
    shaped["SecurityContext"] = _shape("podSecurity", {**moved, **(spec.get("securityContext") or {})})
    return shaped


def spec_diff(before: dict[str, Any], after: dict[str, Any]) -> str:
    """What differs between two specs, as hunks with three lines around each."""
    old, new = (json.dumps(_spec(spec), indent=1).splitlines() for spec in (before, after))
    lines = list(difflib.unified_diff(old, new, n=3, lineterm=""))[2:]
    return "".join(f"{line}\n" for line in lines)
