"""Builds request bodies. Pure; no I/O."""

from collections.abc import Mapping

import msgspec

from tenantry_core.kube.values import BindRequest, Body, DeleteOptions, Key

_ENCODER = msgspec.json.Encoder()


class _Meta(msgspec.Struct, omit_defaults=True):
    name: str
    namespace: str
    uid: str = ""
    annotations: Mapping[str, str] | None = None


class _Target(msgspec.Struct):
    name: str
    apiVersion: str = "v1"  # noqa: N815 - the API's own spelling
    kind: str = "Node"


class _Binding(msgspec.Struct):
    metadata: _Meta
    target: _Target
    apiVersion: str = "v1"  # noqa: N815 - the API's own spelling
    kind: str = "Binding"


def encode(body: Body) -> bytes:
    """Bytes as they are (`msgspec.Raw` too), anything else as JSON."""
    return body if isinstance(body, bytes) else _ENCODER.encode(body)


def binding(request: BindRequest) -> bytes:
    """A Binding with the pod's UID, which the server compares inside its write."""
    meta = _Meta(request.name, request.namespace, request.uid, request.annotations or None)
    return _ENCODER.encode(_Binding(meta, _Target(request.node)))


def delete_options(options: DeleteOptions) -> bytes | None:
    """A DeleteOptions body, None when every option is the default."""
    body = _delete_fields(options)
    return _ENCODER.encode({"kind": "DeleteOptions", "apiVersion": "v1", **body}) if body else None


def eviction(pod: Key, options: DeleteOptions) -> bytes:
    """An Eviction of policy/v1."""
    body: dict[str, object] = {
        "apiVersion": "policy/v1",
        "kind": "Eviction",
        "metadata": {"name": pod.name, "namespace": pod.namespace},
    }
    fields = _delete_fields(options)
    if fields:
        body["deleteOptions"] = fields
    return _ENCODER.encode(body)


def _delete_fields(options: DeleteOptions) -> dict[str, object]:
    fields: dict[str, object] = {}
    if options.grace_seconds is not None:
        fields["gracePeriodSeconds"] = options.grace_seconds
    preconditions = {"uid": options.uid, "resourceVersion": options.resource_version}
    preconditions = {name: value for name, value in preconditions.items() if value}
    if preconditions:
        fields["preconditions"] = preconditions
    if options.propagation:
        fields["propagationPolicy"] = options.propagation
    if options.dry_run:
        fields["dryRun"] = ["All"]
    return fields
