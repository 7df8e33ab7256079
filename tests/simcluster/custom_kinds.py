"""Definitions of custom resources for the tests."""

from typing import Any

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
WIDGETS = "/apis/demo.example.com/v1/namespaces/default/widgets"


def version(schema: dict[str, Any], name: str = "v1", **more: Any) -> dict[str, Any]:
    """One version of a definition, the stored one unless `storage` says otherwise."""
    root = {"type": "object", "properties": schema}
    return {"name": name, "served": True, "storage": True, "schema": {"openAPIV3Schema": root}, **more}


def definition(*versions: dict[str, Any], kind: str = "Widget", group: str = "demo.example.com") -> dict[str, Any]:
    """A namespaced definition."""
    plural = kind.lower() + "s"
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"plural": plural, "kind": kind},
            "versions": list(versions),
        },
    }


def widget(name: str, **fields: Any) -> dict[str, Any]:
    return {"apiVersion": "demo.example.com/v1", "kind": "Widget", "metadata": {"name": name}, **fields}


def spec_of(**properties: Any) -> dict[str, Any]:
    """The properties of a kind whose spec has these."""
    return {"spec": {"type": "object", "properties": properties}}
