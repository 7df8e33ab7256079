"""Defaults and checks of webhook configurations."""

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from tenantry_sim.cel import CelError, compile_expression
from tenantry_sim.kinds.names import required
from tenantry_sim.kinds.others import label_selector_causes
from tenantry_sim.status import Cause
from tenantry_sim.store.records import Object

VARIABLES = ("object", "oldObject", "request")
"""What a match condition may speak of. Kubernetes' `authorizer` is not there."""
_NAME = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?){2,}")
_CHOICES = {
    "failurePolicy": ("Fail", "Ignore"),
    "matchPolicy": ("Equivalent", "Exact"),
    "sideEffects": ("None", "NoneOnDryRun"),
    "reinvocationPolicy": ("IfNeeded", "Never"),
}
_OPERATIONS = ("*", "CONNECT", "CREATE", "DELETE", "UPDATE")
_SCOPES = ("*", "Cluster", "Namespaced")


def _default(obj: Object, more: dict[str, str]) -> None:
    for hook in obj.get("webhooks") or ():
        for key, value in {"failurePolicy": "Fail", "matchPolicy": "Equivalent", **more}.items():
            hook.setdefault(key, value)
        hook.setdefault("namespaceSelector", {})
        hook.setdefault("objectSelector", {})
        hook.setdefault("timeoutSeconds", 10)
        for rule in hook.get("rules") or ():
            rule.setdefault("scope", "*")
        service = (hook.get("clientConfig") or {}).get("service")
        if service:
            service.setdefault("port", 443)


def validating_default(obj: Object) -> None:
    _default(obj, {})


def mutating_default(obj: Object) -> None:
    _default(obj, {"reinvocationPolicy": "Never"})


def update_causes(old: Object, new: Object) -> list[Cause]:
    del old
    return causes(new)


def causes(obj: Object) -> list[Cause]:
    """What is wrong with the webhooks of a configuration."""
    found: list[Cause] = []
    seen: set[str] = set()
    for i, hook in enumerate(obj.get("webhooks") or ()):
        path, name = f"webhooks[{i}]", hook.get("name", "")
        if not name:
            found.append(required(f"{path}.name"))
        elif not _NAME.fullmatch(name):
            why = "should be a domain with at least three segments separated by dots"
            found.append(Cause("FieldValueInvalid", f'Invalid value: "{name}": {why}', f"{path}.name"))
        elif name in seen:
            found.append(Cause("FieldValueDuplicate", f'Duplicate value: "{name}"', f"{path}.name"))
        seen.add(name)
        found += [*_policies(hook, path), *_target(hook, path), *_rules(hook, path), *_conditions(hook, path)]
        for key in ("namespaceSelector", "objectSelector"):
            found += label_selector_causes(hook.get(key) or {}, f"{path}.{key}")
    return found


def _unsupported(field: str, value: Any, choices: tuple[str, ...]) -> Cause:
    text = ", ".join(f'"{c}"' for c in choices)
    return Cause("FieldValueNotSupported", f'Unsupported value: "{value}": supported values: {text}', field)


def _policies(hook: dict[str, Any], path: str) -> Iterator[Cause]:
    versions = hook.get("admissionReviewVersions") or []
    if not versions:
        yield required(f"{path}.admissionReviewVersions", "must specify one of v1, v1beta1")
    elif not {"v1", "v1beta1"} & set(versions):
        why = f"Invalid value: {versions}: must include at least one of v1, v1beta1"
        yield Cause("FieldValueInvalid", why.replace("'", '"'), f"{path}.admissionReviewVersions")
    if "sideEffects" not in hook:
        yield required(f"{path}.sideEffects", "must specify one of None, NoneOnDryRun")
    for key, choices in _CHOICES.items():
        if key in hook and hook[key] not in choices:
            yield _unsupported(f"{path}.{key}", hook[key], choices)
    seconds = hook.get("timeoutSeconds", 10)
    if not 1 <= seconds <= 30:
        why = f"Invalid value: {seconds}: the timeout value must be between 1 and 30 seconds"
        yield Cause("FieldValueInvalid", why, f"{path}.timeoutSeconds")


def _target(hook: dict[str, Any], path: str) -> Iterator[Cause]:
    config = hook.get("clientConfig") or {}
    url: str = config.get("url") or ""
    service, path = config.get("service"), f"{path}.clientConfig"
    if bool(url) == bool(service):
        yield required(path, "exactly one of url or service is required")
        return
    if service:
        for key in ("name", "namespace"):
            if not service.get(key):
                yield required(f"{path}.service.{key}", f"service {key} is required")
        return
    parts = urlsplit(url)
    if parts.scheme != "https":
        why = f"Invalid value: \"{parts.scheme}\": 'https' is the only allowed URL scheme; desired format: https://host"
        yield Cause("FieldValueInvalid", f"{why}[/path]", f"{path}.url")
    if not parts.netloc:
        yield Cause("FieldValueInvalid", f'Invalid value: "{url}": host must be specified', f"{path}.url")
    for what, present in (("user information is", parts.username), ("fragments are", parts.fragment)):
        if present:
            yield Cause("FieldValueInvalid", f'Invalid value: "{url}": {what} not permitted', f"{path}.url")


def _rules(hook: dict[str, Any], path: str) -> Iterator[Cause]:
    for i, rule in enumerate(hook.get("rules") or ()):
        at = f"{path}.rules[{i}]"
        for key in ("operations", "apiGroups", "apiVersions", "resources"):
            if not rule.get(key):
                yield required(f"{at}.{key}")
        for j, operation in enumerate(rule.get("operations") or ()):
            if operation not in _OPERATIONS:
                yield _unsupported(f"{at}.operations[{j}]", operation, _OPERATIONS)
        if rule.get("scope", "*") not in _SCOPES:
            yield _unsupported(f"{at}.scope", rule["scope"], _SCOPES)


def _conditions(hook: dict[str, Any], path: str) -> Iterator[Cause]:
    for i, condition in enumerate(hook.get("matchConditions") or ()):
        at = f"{path}.matchConditions[{i}]"
        if not condition.get("name"):
            yield required(f"{at}.name")
        text = condition.get("expression", "")
        if not text:
            yield required(f"{at}.expression")
            continue
        try:
            compile_expression(text, VARIABLES)
        except CelError as problem:
            why = f'Invalid value: "{text}": compilation failed: {problem}'
            yield Cause("FieldValueInvalid", why, f"{at}.expression")
