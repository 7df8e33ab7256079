"""The rules of plugin arguments, as kube-scheduler 1.36 has them."""

import pytest
from config_texts import arguments

from tenantry_core.config import load_config

REQUIRED = "addedAffinity.requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "addedAffinity.preferredDuringSchedulingIgnoredDuringExecution"
FIT, SPREAD, RATIO = "NodeResourcesFit", "PodTopologySpread", "scoringStrategy.requestedToCapacityRatio"


def shaped(points: str) -> str:
    return f"scoringStrategy: {{type: RequestedToCapacityRatio, requestedToCapacityRatio: {{shape: [{points}]}}}}"


def constraint(body: str) -> str:
    return f"defaultingType: List\ndefaultConstraints: [{{{body}}}]"


def required(body: str) -> str:
    return f"addedAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: {body}}}"


def preferred(body: str) -> str:
    return f"addedAffinity: {{preferredDuringSchedulingIgnoredDuringExecution: [{body}]}}"


GOOD_SPREAD = "maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule"

ROWS: list[tuple[str, str, str, list[str]]] = [
    ("fit-type", FIT, "scoringStrategy: {type: Least}", ['scoringStrategy.type: unsupported value "Least"']),
    (
        "fit-weight",
        FIT,
        "scoringStrategy: {resources: [{name: cpu, weight: 0}, {name: memory, weight: 101}]}",
        [
            "scoringStrategy.resources[0].weight: must be in the range 1 to 100, not 0",
            "scoringStrategy.resources[1].weight: must be in the range 1 to 100, not 101",
        ],
    ),
    ("fit-ignored", FIT, "ignoredResources: [vendor.example/gpu, -gpu]", ['ignoredResources[1]: "-gpu" is not a']),
    (
        "fit-group",
        FIT,
        "ignoredResourceGroups: [vendor.example/gpu]",
        ['ignoredResourceGroups[0]: "vendor.example/gpu"'],
    ),
    ("fit-no-ratio", FIT, "scoringStrategy: {type: RequestedToCapacityRatio}", [f"{RATIO}: must be set when"]),
    ("fit-ratio-alone", FIT, "scoringStrategy: {requestedToCapacityRatio: {}}", [f"{RATIO}: only allowed when"]),
    ("shape-empty", FIT, shaped(""), [f"{RATIO}.shape: must have at least one point"]),
    ("shape-one", FIT, shaped("{utilization: 0, score: 10}"), []),
    (
        "shape-order",
        FIT,
        shaped("{utilization: 40, score: 0}, {utilization: 40, score: 10}"),
        [f"{RATIO}.shape[1].utilization: must be above the 40 of the point before, not 40"],
    ),
    (
        "shape-range",
        FIT,
        shaped("{utilization: -1, score: 11}, {utilization: 101, score: -1}"),
        [
            f"{RATIO}.shape[0].utilization: must be in the range 0 to 100, not -1",
            f"{RATIO}.shape[0].score: must be in the range 0 to 10, not 11",
            f"{RATIO}.shape[1].utilization: must be in the range 0 to 100, not 101",
            f"{RATIO}.shape[1].score: must be in the range 0 to 10, not -1",
        ],
    ),
    (
        "balanced",
        "NodeResourcesBalancedAllocation",
        "resources: [{name: cpu}, {name: cpu}, {name: memory, weight: 2}]",
        ['resources[1].name: "cpu" is named twice', "resources[2].weight: must be 1, not 2"],
    ),
    (
        "spread-system",
        SPREAD,
        f"defaultConstraints: [{{{GOOD_SPREAD}}}]",
        ['defaultingType: must be "List" when defaultConstraints are given'],
    ),
    ("spread-type", SPREAD, "defaultingType: Lists", ['defaultingType: unsupported value "Lists"']),
    ("spread-list-empty", SPREAD, "defaultingType: List", []),
    ("spread-good", SPREAD, constraint(GOOD_SPREAD + ", minDomains: 2, nodeTaintsPolicy: Honor"), []),
    (
        "spread-unset",
        SPREAD,
        constraint(""),
        [
            "defaultConstraints[0].maxSkew: must be at least 1, not 0",
            "defaultConstraints[0].topologyKey: must be set",
            "defaultConstraints[0].whenUnsatisfiable: must be set",
        ],
    ),
    (
        "spread-key",
        SPREAD,
        constraint("maxSkew: 1, topologyKey: a b, whenUnsatisfiable: DoNotSchedule"),
        ['defaultConstraints[0].topologyKey: "a b" is not a qualified name'],
    ),
    (
        "spread-selector",
        SPREAD,
        constraint(GOOD_SPREAD + ", labelSelector: {}"),
        ["defaultConstraints[0].labelSelector: must not be set"],
    ),
    (
        "spread-domains",
        SPREAD,
        constraint("maxSkew: 1, topologyKey: z, whenUnsatisfiable: ScheduleAnyway, minDomains: 0"),
        [
            "defaultConstraints[0].minDomains: must be at least 1, not 0",
            "defaultConstraints[0].minDomains: only allowed with DoNotSchedule",
        ],
    ),
    (
        "spread-policy",
        SPREAD,
        constraint(GOOD_SPREAD + ", nodeAffinityPolicy: Maybe"),
        ['defaultConstraints[0].nodeAffinityPolicy: unsupported value "Maybe"'],
    ),
    (
        "spread-twice",
        SPREAD,
        constraint(GOOD_SPREAD + "}, {" + GOOD_SPREAD),
        ["defaultConstraints[1]: a second constraint"],
    ),
    (
        "affinity-weight",
        "InterPodAffinity",
        "hardPodAffinityWeight: -1",
        ["hardPodAffinityWeight: must be in the range"],
    ),
    (
        "preemption-range",
        "DefaultPreemption",
        "minCandidateNodesPercentage: 101\nminCandidateNodesAbsolute: -1",
        ["minCandidateNodesPercentage: must be in the range", "minCandidateNodesAbsolute: must be at least 0, not -1"],
    ),
    (
        "preemption-zero",
        "DefaultPreemption",
        "minCandidateNodesPercentage: 0\nminCandidateNodesAbsolute: 0",
        ["minCandidateNodesPercentage: must not be 0 when minCandidateNodesAbsolute is 0 too"],
    ),
    ("volume-timeout", "VolumeBinding", "bindTimeoutSeconds: -1", ["bindTimeoutSeconds: must be at least 0, not -1"]),
    ("volume-shape", "VolumeBinding", "shape: [{utilization: 0, score: 0}]", ["shape: not supported"]),
    ("claims", "DynamicResources", "filterTimeout: 5s\nbindingTimeout: 500ms", ["bindingTimeout: must be at least 1"]),
    ("added-none", "NodeAffinity", required("{nodeSelectorTerms: []}"), [f"{REQUIRED}.nodeSelectorTerms: must have"]),
    (
        "added-good",
        "NodeAffinity",
        required("{nodeSelectorTerms: [{matchExpressions: [{key: a, operator: Exists}]}]}"),
        [],
    ),
    (
        "added-operator",
        "NodeAffinity",
        required("{nodeSelectorTerms: [{matchExpressions: [{key: a, operator: Is}]}]}"),
        [f"{REQUIRED}.nodeSelectorTerms[0]: operator"],
    ),
    (
        "added-field",
        "NodeAffinity",
        required("{nodeSelectorTerms: [{matchExpression: []}]}"),
        [f'{REQUIRED}.nodeSelectorTerms[0].matchExpression: unknown field; did you mean "matchExpressions"?'],
    ),
    ("added-type", "NodeAffinity", required("5"), ["addedAffinity: Expected"]),
    (
        "added-weight",
        "NodeAffinity",
        preferred("{weight: 101, preference: {matchExpressions: [{key: a, operator: In, values: []}]}}"),
        [f"{PREFERRED}[0].weight: must be in the range 1 to 100, not 101", f"{PREFERRED}[0].preference: values"],
    ),
]


@pytest.mark.parametrize(("plugin", "body", "wanted"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_rule(plugin: str, body: str, wanted: list[str]) -> None:
    result = load_config(arguments(plugin, body))
    errors = [str(error) for error in result] if isinstance(result, list) else []
    assert len(errors) == len(wanted), errors
    for error, start in zip(errors, wanted, strict=True):
        assert error.startswith(f"profiles[0].pluginConfig[0].args.{start}")
