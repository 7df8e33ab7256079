"""The outline of workload manifests, strictly read; what is inside a pod template is read where pods are made."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from tenantry_core.model.objects import Labels, Struct

Body = dict[str, Any]
MOST = 200_000
"""Pods of one workload at most."""
Number = Annotated[int, msgspec.Meta(ge=0, le=MOST)]


class Named(Struct, frozen=True):
    name: str = ""
    generate_name: str = ""
    namespace: str = ""
    labels: Labels | None = None


class Template(Struct, frozen=True):
    spec: Body
    metadata: Named | None = None


class ClaimTemplate(Struct, frozen=True):
    metadata: Named
    spec: Body | None = None


class Ordinals(Struct, frozen=True):
    start: Number = 0


class Spec(Struct, frozen=True):
    template: Template
    replicas: Number | None = None
    parallelism: Number | None = None
    completions: Number | None = None
    suspend: bool | None = None
    selector: Body | None = None
    ordinals: Ordinals | None = None
    volume_claim_templates: tuple[ClaimTemplate, ...] | None = None


class JobTemplate(Struct, frozen=True):
    spec: Spec


class CronSpec(Struct, frozen=True):
    job_template: JobTemplate
    suspend: bool | None = None


class Manifest(Struct, frozen=True):
    """A workload; a Pod is one whose template is itself."""

    metadata: Named
    spec: Spec


class _CronJob(Struct, frozen=True):
    metadata: Named
    spec: CronSpec


def read_manifest(kind: str, body: Body) -> Manifest | str:
    """The outline, or the field that is wrong and why."""
    try:
        if kind == "Pod":
            pod = msgspec.convert(body, Template)
            found = Manifest(pod.metadata or Named(), Spec(pod))
        elif kind == "CronJob":
            cron = msgspec.convert(body, _CronJob)
            spec = cron.spec.job_template.spec
            found = Manifest(cron.metadata, msgspec.structs.replace(spec, suspend=cron.spec.suspend or spec.suspend))
        else:
            found = msgspec.convert(body, Manifest)
    except msgspec.ValidationError as error:
        rule, _, path = str(error).partition(" - at `$.")
        return f"{path.rstrip('`')}: {rule}" if path else rule
    if not (found.metadata.name or found.metadata.generate_name):
        return "metadata.name is missing"
    return found
