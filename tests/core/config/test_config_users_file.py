"""A file as it stands in a cluster is accepted whole, ours beside it, in either order."""

import pytest
from config_texts import tenantry

from tenantry_core.config import (
    Config,
    NodeResourcesFitArgs,
    PluginOverride,
    PodTopologySpreadArgs,
    Point,
    ShapePoint,
    load_config,
    resolve_profile,
)
from tenantry_core.config.points import BUILTIN_PLUGINS

USERS_FILE = """\
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
clientConnection:
  acceptContentTypes: ""
  burst: 100
  contentType: application/vnd.kubernetes.protobuf
  kubeconfig: /etc/kubernetes/scheduler.conf
  qps: 50
enableProfiling: false
leaderElection:
  leaderElect: true
  leaseDuration: 1m30s
  renewDeadline: 60s
  resourceLock: leases
  resourceName: batch-scheduler
  resourceNamespace: kube-system
  retryPeriod: 500ms
parallelism: 32
percentageOfNodesToScore: 0
podInitialBackoffSeconds: 1
podMaxBackoffSeconds: 30
profiles:
- schedulerName: default-scheduler
- schedulerName: bin-packing
  percentageOfNodesToScore: 50
  plugins:
    multiPoint:
      enabled:
      - name: Coscheduling
    score:
      disabled:
      - name: NodeResourcesBalancedAllocation
      - name: NodeResourcesLeastAllocated
      enabled:
      - name: NodeResourcesFit
        weight: 5
  pluginConfig:
  - name: NodeResourcesFit
    args:
      apiVersion: kubescheduler.config.k8s.io/v1
      kind: NodeResourcesFitArgs
      ignoredResourceGroups: [vendor.example]
      scoringStrategy:
        type: RequestedToCapacityRatio
        resources:
        - name: cpu
          weight: 1
        - name: vendor.example/gpu
          weight: 10
        requestedToCapacityRatio:
          shape:
          - {utilization: 0, score: 0}
          - {utilization: 100, score: 10}
  - name: PodTopologySpread
    args:
      defaultingType: List
      defaultConstraints:
      - maxSkew: 1
        topologyKey: topology.kubernetes.io/zone
        whenUnsatisfiable: ScheduleAnyway
  - name: Coscheduling
    args:
      permitWaitingTimeSeconds: 10
"""
OURS = tenantry("batchSize: 64\nplugins:\n  Coscheduling: {order: -1}\nlogging: {format: text}\n")
KNOWN = {**BUILTIN_PLUGINS, "Coscheduling": frozenset({Point.PERMIT, Point.RESERVE})}


def both(first: str, second: str) -> Config:
    result = load_config(f"{first}---\n{second}", KNOWN)
    assert isinstance(result, Config), result
    return result


@pytest.mark.parametrize("documents", [(USERS_FILE, OURS), (OURS, USERS_FILE)], ids=["theirs-first", "ours-first"])
def test_both_documents_are_read(documents: tuple[str, str]) -> None:
    config = both(*documents)
    election, connection = config.scheduler.leader_election, config.scheduler.client_connection
    assert (election.lease_duration, election.renew_deadline, election.retry_period) == (90.0, 60.0, 0.5)
    assert (connection.kubeconfig, connection.qps, connection.burst) == ("/etc/kubernetes/scheduler.conf", 50.0, 100)
    assert [p.scheduler_name for p in config.scheduler.profiles] == ["default-scheduler", "bin-packing"]
    assert (config.tenantry.batch_size, config.tenantry.logging.format) == (64, "text")
    assert config.tenantry.plugins == {"Coscheduling": PluginOverride(order=-1)}


def test_what_has_no_effect_is_noted() -> None:
    assert both(USERS_FILE, OURS).notes == (
        "parallelism: has no effect: one decision looks at all nodes at once",
        "enableProfiling: has no effect: there are no profiling pages",
        "clientConnection.contentType: has no effect: JSON is spoken",
        'profiles[1].plugins.score.disabled: has no effect: there is no plugin "NodeResourcesLeastAllocated"',
    )


def test_the_profile_carries_its_arguments() -> None:
    profile = both(USERS_FILE, OURS).scheduler.profiles[1]
    fit = profile.args(NodeResourcesFitArgs)
    assert fit.ignored_resource_groups == ("vendor.example",)
    assert fit.scoring_strategy.requested_to_capacity_ratio is not None
    assert fit.scoring_strategy.requested_to_capacity_ratio.shape == (ShapePoint(0, 0), ShapePoint(100, 10))
    assert [c.max_skew for c in profile.args(PodTopologySpreadArgs).constraints] == [1]
    assert profile.raw_args("Coscheduling") == {"permitWaitingTimeSeconds": 10}


def test_the_profile_resolves() -> None:
    config = both(USERS_FILE, OURS)
    resolved = resolve_profile(config.scheduler.profiles[1], KNOWN, config.tenantry.plugins)
    assert resolved.weights["NodeResourcesFit"] == 5
    assert "NodeResourcesBalancedAllocation" not in resolved.points[Point.SCORE]
    assert "NodeResourcesBalancedAllocation" in resolved.points[Point.PRE_SCORE]
    assert resolved.points[Point.PERMIT] == ("Coscheduling",)
    assert resolved.points[Point.RESERVE] == ("Coscheduling", "VolumeBinding", "DynamicResources")
