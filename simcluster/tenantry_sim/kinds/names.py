"""Checks of names and labels, with the messages that a real server gives."""

import re
from collections.abc import Mapping
from typing import Any

from tenantry_sim.status import Cause

_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_QUALIFIED = re.compile(r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]")

_LABEL_HELP = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with "
    "an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
)
_SUBDOMAIN_HELP = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    r"'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
_KEY_HELP = (
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
    "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)
_VALUE_HELP = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)
_AS_LABEL = frozenset({"Namespace", "Service"})


def bad_value(field: str, value: str, why: str) -> Cause:
    return Cause("FieldValueInvalid", f'Invalid value: "{value}": {why}', field)


def required(field: str, why: str = "") -> Cause:
    return Cause("FieldValueRequired", "Required value" + (f": {why}" if why else ""), field)


def name_causes(kind: str, name: str, namespace: str = "") -> list[Cause]:
    """What is wrong with an object's name."""
    if not name:
        return [required("metadata.name", "name or generateName is required")]
    as_label = kind in _AS_LABEL
    limit = 63 if as_label else 253
    if len(name) > limit:
        return [bad_value("metadata.name", name, f"must be no more than {limit} characters")]
    if not (_LABEL if as_label else _SUBDOMAIN).fullmatch(name):
        return [bad_value("metadata.name", name, _LABEL_HELP if as_label else _SUBDOMAIN_HELP)]
    return []


def key_problem(key: str) -> str:
    """What is wrong with a label key or a qualified name; empty when nothing is."""
    prefix, slash, rest = key.rpartition("/")
    if slash and not (len(prefix) <= 253 and _SUBDOMAIN.fullmatch(prefix)):
        return f"prefix part {_SUBDOMAIN_HELP}"
    if len(rest) > 63:
        return "name part must be no more than 63 characters"
    return "" if _QUALIFIED.fullmatch(rest) else _KEY_HELP


def label_causes(labels: Any, field: str) -> list[Cause]:
    """What is wrong with a map of labels."""
    found = []
    for key, value in labels.items() if isinstance(labels, Mapping) else ():
        problem = key_problem(key)
        if problem:
            found.append(bad_value(field, key, problem))
        text = str(value)
        if len(text) > 63:
            found.append(bad_value(field, text, "must be no more than 63 characters"))
        elif text and not _QUALIFIED.fullmatch(text):
            found.append(bad_value(field, text, _VALUE_HELP))
    return found


def metadata_causes(kind: str, metadata: Mapping[str, Any]) -> list[Cause]:
    """Checks of `metadata` that hold for every kind."""
    found = name_causes(kind, metadata.get("name", ""))
    found += label_causes(metadata.get("labels") or {}, "metadata.labels")
    for key in metadata.get("annotations") or {}:
        problem = key_problem(key.lower())
        if problem:
            found.append(bad_value("metadata.annotations", key, problem))
    return found
