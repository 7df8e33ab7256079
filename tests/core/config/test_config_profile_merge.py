"""How a profile's lists change the default lists: kube-scheduler's merge and its expansion of multiPoint."""

import pytest
from config_texts import profile

from tenantry_core.config import (
    BUILTIN_PLUGINS,
    Config,
    PluginOverride,
    PluginRef,
    Plugins,
    PluginSet,
    Point,
    Profile,
    ResolvedProfile,
    load_config,
    resolve_profile,
)
from tenantry_core.errors import ConfigError

KNOWN = {
    **BUILTIN_PLUGINS,
    "Ours": frozenset({Point.FILTER, Point.SCORE}),
    "Other": frozenset({Point.SCORE, Point.BIND}),
}
SCORE = (
    "TaintToleration",
    "NodeAffinity",
    "NodeResourcesFit",
    "VolumeBinding",
    "PodTopologySpread",
    "InterPodAffinity",
    "DynamicResources",
    "NodeResourcesBalancedAllocation",
    "ImageLocality",
)


def resolved(plugins: str) -> ResolvedProfile:
    config = load_config(profile(f"plugins: {plugins}"), KNOWN)
    assert isinstance(config, Config), config
    return resolve_profile(config.scheduler.profiles[0], KNOWN)


def test_the_default_lists() -> None:
    default = resolve_profile(Profile())
    assert default.points[Point.PRE_ENQUEUE] == ("SchedulingGates", "DynamicResources", "DefaultPreemption")
    assert default.points[Point.QUEUE_SORT] == ("PrioritySort",)
    assert default.points[Point.FILTER][:4] == ("NodeUnschedulable", "NodeName", "TaintToleration", "NodeAffinity")
    assert default.points[Point.FILTER][-1] == "NodeDeclaredFeatures"
    assert default.points[Point.POST_FILTER] == ("DynamicResources", "DefaultPreemption")
    assert default.points[Point.SCORE] == SCORE
    assert default.points[Point.BIND] == ("DefaultBinder",)
    assert default.points[Point.PERMIT] == default.points[Point.POST_BIND] == ()
    assert default.weights == dict(zip(SCORE, (3, 2, 1, 1, 2, 2, 2, 1, 1), strict=True))
    assert set(default.plugins) == set(BUILTIN_PLUGINS)


@pytest.mark.parametrize(
    ("plugins", "score"),
    [
        pytest.param("{score: {enabled: [{name: Ours}]}}", (*SCORE, "Ours"), id="new-at-a-point-goes-last"),
        pytest.param("{multiPoint: {enabled: [{name: Ours}]}}", (*SCORE, "Ours"), id="new-by-multipoint-goes-last"),
        pytest.param(
            "{score: {enabled: [{name: ImageLocality}]}}",
            ("ImageLocality", *SCORE[:-1]),
            id="named-at-a-point-goes-first",
        ),
        pytest.param(
            "{multiPoint: {enabled: [{name: ImageLocality}]}}", SCORE, id="default-by-multipoint-keeps-its-place"
        ),
        pytest.param("{score: {disabled: [{name: ImageLocality}]}}", SCORE[:-1], id="one-disabled-at-a-point"),
        pytest.param("{multiPoint: {disabled: [{name: ImageLocality}]}}", SCORE[:-1], id="one-disabled-everywhere"),
        pytest.param("{score: {disabled: [{name: '*'}]}}", (), id="all-disabled"),
        pytest.param(
            "{score: {disabled: [{name: '*'}], enabled: [{name: Ours}, {name: NodeAffinity}]}}",
            ("Ours", "NodeAffinity"),
            id="all-disabled-then-some",
        ),
        pytest.param(
            "{multiPoint: {disabled: [{name: ImageLocality}], enabled: [{name: ImageLocality}, {name: Ours}]}}",
            (*SCORE[:-1], "ImageLocality", "Ours"),
            id="disabled-and-enabled-moves-to-the-end",
        ),
        pytest.param(
            "{multiPoint: {enabled: [{name: Ours}]}, score: {enabled: [{name: Other}, {name: Ours}]}}",
            ("Ours", *SCORE, "Other"),
            id="override-then-multipoint-then-rest",
        ),
        pytest.param(
            "{multiPoint: {enabled: [{name: Ours}]}, score: {disabled: [{name: Ours}]}}", SCORE, id="off-at-one-point"
        ),
    ],
)
def test_order_at_score(plugins: str, score: tuple[str, ...]) -> None:
    assert resolved(plugins).points[Point.SCORE] == score


def test_all_defaults_replaced() -> None:
    result = resolved(
        "{multiPoint: {disabled: [{name: '*'}], "
        "enabled: [{name: PrioritySort}, {name: Other}, {name: Ours, weight: 7}]}}"
    )
    assert result.plugins == ("PrioritySort", "Ours", "Other")
    assert result.points[Point.SCORE] == ("Other", "Ours")
    assert result.points[Point.BIND] == ("Other",)
    assert result.weights == {"Other": 1, "Ours": 7}


@pytest.mark.parametrize(
    ("plugins", "weight"),
    [
        pytest.param("{multiPoint: {enabled: [{name: NodeAffinity, weight: 9}]}}", 9, id="multipoint"),
        pytest.param("{score: {enabled: [{name: NodeAffinity, weight: 4}]}}", 4, id="score"),
        pytest.param("{score: {enabled: [{name: NodeAffinity}]}}", 1, id="unset-is-one"),
        pytest.param(
            "{multiPoint: {enabled: [{name: NodeAffinity, weight: 9}]}, "
            "score: {enabled: [{name: NodeAffinity, weight: 4}]}}",
            4,
            id="score-beats-multipoint",
        ),
    ],
)
def test_weight(plugins: str, weight: int) -> None:
    assert resolved(plugins).weights["NodeAffinity"] == weight


@pytest.mark.parametrize(
    ("overrides", "score"),
    [
        pytest.param({"NodeAffinity": PluginOverride(enabled=False)}, (SCORE[0], *SCORE[2:]), id="off"),
        pytest.param({"Ours": PluginOverride(enabled=True)}, (*SCORE, "Ours"), id="on"),
        pytest.param({"Ours": PluginOverride(enabled=True, order=-5)}, ("Ours", *SCORE), id="first"),
        pytest.param({"TaintToleration": PluginOverride(order=1)}, (*SCORE[1:], SCORE[0]), id="last"),
    ],
)
def test_overrides_hold_in_every_profile(overrides: dict[str, PluginOverride], score: tuple[str, ...]) -> None:
    assert resolve_profile(Profile(), KNOWN, overrides).points[Point.SCORE] == score


def test_an_override_sets_the_weight() -> None:
    overrides = {"ImageLocality": PluginOverride(weight=12)}
    assert resolve_profile(Profile(), KNOWN, overrides).weights["ImageLocality"] == 12


def test_a_profile_built_by_hand_is_checked_too() -> None:
    broken = Profile(plugins=Plugins(score=PluginSet(enabled=(PluginRef("Nobody"),))))
    with pytest.raises(ConfigError, match='unknown plugin "Nobody"'):
        resolve_profile(broken)
