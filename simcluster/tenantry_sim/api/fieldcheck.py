"""Field validation: what becomes of members that a kind does not have (`fieldValidation=Strict|Warn|Ignore`)."""

from tenantry_sim.schemas.fields import drop_unknown, duplicates
from tenantry_sim.schemas.package import node_of
from tenantry_sim.status import Cause, bad_request, invalid
from tenantry_sim.store.records import Object
from tenantry_sim.store.resource import Resource

_MODES = ("", "Ignore", "Strict", "Warn")
_OPTIONS = {"POST": "CreateOptions", "PUT": "UpdateOptions", "PATCH": "PatchOptions"}


def check_mode(method: str, mode: str) -> None:
    """Refuse a mode that does not exist. Raises ApiError 422."""
    if mode not in _MODES:
        why = f'Unsupported value: "{mode}": supported values: "", "Ignore", "Strict", "Warn"'
        kind = _OPTIONS.get(method, "PatchOptions")
        raise invalid(kind, "meta.k8s.io", "", [Cause("FieldValueNotSupported", why, "fieldValidation")])


def settle_fields(resource: Resource, document: Object, mode: str, text: bytes = b"") -> list[str]:
    """Drop unknown members, as every mode does; returns the warnings. `text` is JSON to look for duplicates in.

    `document` has no kind and no apiVersion. Raises ApiError 400 when the mode is Strict and something was found.
    """
    node = resource.custom.node if resource.custom is not None else None
    if node is None:
        node = node_of(resource.group, resource.version, resource.kind)
    problems = [f'unknown field "{path}"' for path in drop_unknown(document, node)] if node is not None else []
    if text and mode in ("Strict", "Warn"):
        problems = [f'duplicate field "{path}"' for path in duplicates(text)] + problems
    if not problems or mode == "Ignore":
        return []
    if mode == "Strict":
        head = f'{resource.kind} in version "{resource.version}" cannot be handled as a {resource.kind}'
        raise bad_request(f"{head}: strict decoding error: {', '.join(problems)}")
    return problems
