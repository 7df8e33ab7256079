"""Rules for the arguments of built-in plugins that a range alone can't say.

Source: the argument validation of kube-scheduler 1.36 with its default feature gates.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from tenantry_core.config.args import (
    DefaultPreemptionArgs,
    DynamicResourcesArgs,
    InterPodAffinityArgs,
    NodeAffinityArgs,
    NodeResourcesBalancedAllocationArgs,
    NodeResourcesFitArgs,
    PluginArgs,
    PodTopologySpreadArgs,
    ShapePoint,
    TopologyConstraint,
    VolumeBindingArgs,
)
from tenantry_core.config.problems import FieldError, nearest, one_of
from tenantry_core.model.objects import NodeAffinity, NodeSelectorTerm
from tenantry_core.model.selectors import SelectorError, compile_node_term

_NAME = r"[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?"
_PREFIX = r"(?=.{1,253}/)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/"
_QUALIFIED = re.compile(f"({_PREFIX})?{_NAME}")
_REQUIREMENT = {"key": None, "operator": None, "values": None}
_TERM = {"matchExpressions": _REQUIREMENT, "matchFields": _REQUIREMENT}
_AFFINITY: Mapping[str, Any] = {
    "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": _TERM},
    "preferredDuringSchedulingIgnoredDuringExecution": {"weight": None, "preference": _TERM},
}


def validate_args(args: PluginArgs, path: str) -> Iterator[FieldError]:
    """Every rule that the arguments at `path` break."""
    match args:
        case NodeResourcesFitArgs():
            yield from _fit(args, path)
        case NodeResourcesBalancedAllocationArgs():
            yield from _balanced(args, path)
        case PodTopologySpreadArgs():
            yield from _spread(args, path)
        case NodeAffinityArgs():
            yield from _added_affinity(args, f"{path}.addedAffinity")
        case DefaultPreemptionArgs():
            if args.min_candidate_nodes_percentage == 0 and args.min_candidate_nodes_absolute == 0:
                message = "must not be 0 when minCandidateNodesAbsolute is 0 too"
                yield FieldError(f"{path}.minCandidateNodesPercentage", message)
        case VolumeBindingArgs():
            if args.shape:
                yield FieldError(f"{path}.shape", "not supported: scoring by storage capacity is off in 1.36")
        case InterPodAffinityArgs() | DynamicResourcesArgs():
            pass


def label_name(value: str, path: str) -> Iterator[FieldError]:
    """The rules of a label key: an optional DNS prefix, a slash, and a name of at most 63 characters."""
    if not value:
        yield FieldError(path, "must be set")
    elif _QUALIFIED.fullmatch(value) is None:
        yield FieldError(path, f'"{value}" is not a qualified name such as "vendor.example/gpu"')


def _fit(args: NodeResourcesFitArgs, path: str) -> Iterator[FieldError]:
    for i, name in enumerate(args.ignored_resources):
        yield from label_name(name, f"{path}.ignoredResources[{i}]")
    for i, group in enumerate(args.ignored_resource_groups):
        where = f"{path}.ignoredResourceGroups[{i}]"
        if "/" in group:
            yield FieldError(where, f'"{group}" must not hold a "/": a group is the part before it')
        else:
            yield from label_name(group, where)
    strategy, where = args.scoring_strategy, f"{path}.scoringStrategy"
    for i, resource in enumerate(strategy.resources):
        yield from label_name(resource.name, f"{where}.resources[{i}].name")
    ratio, ratio_path = strategy.requested_to_capacity_ratio, f"{where}.requestedToCapacityRatio"
    if strategy.type != "RequestedToCapacityRatio":
        if ratio is not None:
            yield FieldError(ratio_path, "only allowed when type is RequestedToCapacityRatio")
    elif ratio is None:
        yield FieldError(ratio_path, "must be set when type is RequestedToCapacityRatio")
    else:
        yield from _shape(ratio.shape, f"{ratio_path}.shape")


def _shape(shape: tuple[ShapePoint, ...], path: str) -> Iterator[FieldError]:
    if not shape:
        yield FieldError(path, "must have at least one point")
    for i in range(1, len(shape)):
        before, here = shape[i - 1].utilization, shape[i].utilization
        if before >= here:
            yield FieldError(f"{path}[{i}].utilization", f"must be above the {before} of the point before, not {here}")


def _balanced(args: NodeResourcesBalancedAllocationArgs, path: str) -> Iterator[FieldError]:
    seen: set[str] = set()
    for i, resource in enumerate(args.resources):
        where = f"{path}.resources[{i}]"
        if resource.name in seen:
            yield FieldError(f"{where}.name", f'"{resource.name}" is named twice')
        else:
            yield from label_name(resource.name, f"{where}.name")
        if resource.weight != 1:
            yield FieldError(f"{where}.weight", f"must be 1, not {resource.weight}")
        seen.add(resource.name)


def _spread(args: PodTopologySpreadArgs, path: str) -> Iterator[FieldError]:
    if args.defaulting_type == "System" and args.default_constraints:
        yield FieldError(f"{path}.defaultingType", 'must be "List" when defaultConstraints are given, not "System"')
    seen: set[tuple[str, str]] = set()
    for i, constraint in enumerate(args.default_constraints):
        where = f"{path}.defaultConstraints[{i}]"
        yield from _constraint(constraint, where)
        key = (constraint.topology_key, constraint.when_unsatisfiable)
        if key in seen:
            yield FieldError(where, "a second constraint with this topologyKey and whenUnsatisfiable")
        seen.add(key)


def _constraint(constraint: TopologyConstraint, path: str) -> Iterator[FieldError]:
    if constraint.max_skew < 1:
        yield FieldError(f"{path}.maxSkew", f"must be at least 1, not {constraint.max_skew}")
    yield from label_name(constraint.topology_key, f"{path}.topologyKey")
    action = constraint.when_unsatisfiable
    if action not in ("DoNotSchedule", "ScheduleAnyway"):
        wrong = one_of(action, ("DoNotSchedule", "ScheduleAnyway")) if action else "must be set"
        yield FieldError(f"{path}.whenUnsatisfiable", wrong)
    if constraint.min_domains is not None:
        if constraint.min_domains < 1:
            yield FieldError(f"{path}.minDomains", f"must be at least 1, not {constraint.min_domains}")
        if action == "ScheduleAnyway":
            yield FieldError(f"{path}.minDomains", "only allowed with DoNotSchedule")
    policies = {
        "nodeAffinityPolicy": constraint.node_affinity_policy,
        "nodeTaintsPolicy": constraint.node_taints_policy,
    }
    for name, policy in policies.items():
        if policy not in (None, "Honor", "Ignore"):
            yield FieldError(f"{path}.{name}", one_of(policy, ("Honor", "Ignore")))
    for i, key in enumerate(constraint.match_label_keys):
        yield from label_name(key, f"{path}.matchLabelKeys[{i}]")
    if constraint.label_selector is not None:
        yield FieldError(f"{path}.labelSelector", "must not be set: it is deduced for each pod from what owns it")


def _added_affinity(args: NodeAffinityArgs, path: str) -> Iterator[FieldError]:
    if args.added_affinity is None:
        return
    yield from _unknown(args.added_affinity, _AFFINITY, path)
    try:
        affinity = msgspec.convert(args.added_affinity, NodeAffinity)
    except msgspec.ValidationError as error:
        yield FieldError(path, str(error))
        return
    required, preferred = tuple(_AFFINITY)
    if affinity.required is not None:
        where = f"{path}.{required}.nodeSelectorTerms"
        if not affinity.required.node_selector_terms:
            yield FieldError(where, "must have at least one term")
        for i, term in enumerate(affinity.required.node_selector_terms):
            yield from _compiles(term, f"{where}[{i}]")
    for i, wanted in enumerate(affinity.preferred or ()):
        where = f"{path}.{preferred}[{i}]"
        if not 1 <= wanted.weight <= 100:
            yield FieldError(f"{where}.weight", f"must be in the range 1 to 100, not {wanted.weight}")
        yield from _compiles(wanted.preference, f"{where}.preference")


def _compiles(term: NodeSelectorTerm, path: str) -> Iterator[FieldError]:
    try:
        compile_node_term(term)
    except SelectorError as error:
        yield FieldError(path, str(error))


def _unknown(raw: object, names: Mapping[str, Any] | None, path: str) -> Iterator[FieldError]:
    """Fields of `raw`, however deep, that are not in the tree `names`."""
    if isinstance(raw, list):
        for i, item in enumerate(raw):
            yield from _unknown(item, names, f"{path}[{i}]")
    elif isinstance(raw, Mapping) and names is not None:
        for key, value in raw.items():
            if key not in names:
                yield FieldError(f"{path}.{key}", f"unknown field{nearest(str(key), names)}")
            else:
                yield from _unknown(value, names[key], f"{path}.{key}")
