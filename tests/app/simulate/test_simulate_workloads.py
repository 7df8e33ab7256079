"""Added workloads become the pods that their controllers would make."""

from __future__ import annotations

from typing import Any

import pytest
from dumps import node, outcomes, played, pod, template, workload

from tenantry.simulate.admit import admit
from tenantry.simulate.inventory import Inventory
from tenantry.simulate.quota import Quotas
from tenantry.simulate.workloads import plan_of

THREE = (node("n1"), node("n2", zone="b"), node("n3", zone="c", unschedulable=True))


@pytest.mark.parametrize(
    ("body", "names", "owner"),
    [
        pytest.param(workload(replicas=2), ["added-simulated-0", "added-simulated-1"], "ReplicaSet", id="deployment"),
        pytest.param(workload(), ["added-simulated-0"], "ReplicaSet", id="one-by-default"),
        pytest.param(workload(replicas=0), [], "", id="none"),
        pytest.param(workload("ReplicaSet", replicas=2), ["added-0", "added-1"], "ReplicaSet", id="replica-set"),
        pytest.param(
            workload("ReplicationController"), ["added-0"], "ReplicationController", id="replication-controller"
        ),
        pytest.param(workload("StatefulSet", ordinals={"start": 3}), ["added-3"], "StatefulSet", id="ordinals"),
        pytest.param(workload("Job", parallelism=3, completions=2), ["added-0", "added-1"], "Job", id="job"),
        pytest.param(workload("Job"), ["added-0"], "Job", id="job-of-one"),
        pytest.param(workload("Job", parallelism=2), ["added-0", "added-1"], "Job", id="work-queue"),
        pytest.param(workload("Job", suspend=True), [], "", id="suspended"),
        pytest.param(workload("CronJob"), ["added-simulated-0"], "Job", id="cron-job"),
    ],
)
def test_pods(body: dict[str, Any], names: list[str], owner: str) -> None:
    plan = plan_of(body["kind"], body)
    assert not isinstance(plan, str)
    pods = admit(plan, Inventory(), Quotas((), ())).pods
    assert [p.metadata.name for p in pods] == names
    assert {p.metadata.owner_references[0].kind for p in pods} == ({owner} if owner else set())
    assert len({p.metadata.uid for p in pods}) == len(names)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        pytest.param(workload(replicas=-1), "spec.replicas: Expected `int` >= 0", id="negative"),
        pytest.param(workload(replicas="2"), "spec.replicas", id="text"),
        pytest.param(workload(replicas=10**9), "spec.replicas: Expected `int` <= 200000", id="too-many"),
        pytest.param({"metadata": {"name": "x"}}, "missing required field `spec`", id="no-spec"),
        pytest.param({"metadata": {"name": "x"}, "spec": {}}, "missing required field `template`", id="no-template"),
        pytest.param({"metadata": {}, "spec": {"template": {"spec": {}}}}, "metadata.name is missing", id="no-name"),
    ],
)
def test_no_plan(body: dict[str, Any], said: str) -> None:
    found = plan_of(body.get("kind", "Deployment"), body)
    assert isinstance(found, str)
    assert said in found


def test_daemon_pods_go_to_every_node_whose_taints_and_labels_let_them() -> None:
    picky = template(nodeSelector={"topology.kubernetes.io/zone": "a"})
    tainted = node("n4", taints=[{"key": "gpu", "effect": "NoSchedule"}])
    answer = played(*THREE, tainted, add=[workload("DaemonSet"), workload("DaemonSet", "picky", picky)])
    placed = {(p.workload, p.node) for p in answer.pods}
    everywhere = {("DaemonSet shop/added", n) for n in ("n1", "n2", "n3")}
    assert placed == everywhere | {("DaemonSet shop/picky", "n1")}


def test_pods_of_a_deployment_are_selected_by_its_replica_set_for_spreading() -> None:
    answer = played(*THREE, add=[workload(replicas=4)])
    assert sorted(p.node for p in answer.pods) == ["n1", "n1", "n2", "n2"]


def test_the_same_workload_twice_makes_pods_of_its_own() -> None:
    answer = played(node("n1"), add=[workload(), workload()])
    assert [p for p, *_ in outcomes(answer)] == ["shop/added-simulated-0", "shop/added-simulated-0-added"]


@pytest.mark.parametrize(
    ("mode", "provisioner", "outcome"),
    [
        pytest.param("Immediate", "csi.example", "placed", id="provisioned-at-once"),
        pytest.param("WaitForFirstConsumer", "csi.example", "placed", id="provisioned-for-the-pod"),
        pytest.param("Immediate", "kubernetes.io/no-provisioner", "unplaced", id="by-hand"),
    ],
)
def test_claims_of_a_stateful_set(mode: str, provisioner: str, outcome: str) -> None:
    meta = {"name": "fast", "annotations": {"storageclass.kubernetes.io/is-default-class": "true"}}
    kind = {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": meta}
    kind |= {"provisioner": provisioner, "volumeBindingMode": mode}
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    claims = [{"metadata": {"name": "data"}, "spec": spec}]
    answer = played(node("n1"), kind, add=[workload("StatefulSet", replicas=2, volumeClaimTemplates=claims)])
    assert {p.outcome for p in answer.pods} == {outcome}


def test_ephemeral_volumes_bring_their_claims() -> None:
    kind = {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": "fast"},
        "provisioner": "csi",
    }
    claim = {"spec": {"storageClassName": "fast", "resources": {"requests": {"storage": "1Gi"}}}}
    volumes = [{"name": "scratch", "ephemeral": {"volumeClaimTemplate": claim}}]
    answer = played(node("n1"), kind, add=[workload(given=template(volumes=volumes), replicas=2)])
    assert {p.outcome for p in answer.pods} == {"placed"}


@pytest.mark.parametrize(
    ("body", "said"),
    [
        pytest.param(workload(replicas="2"), "spec.replicas: Expected `int | null`, got `str`", id="unreadable"),
        pytest.param(workload() | {"apiVersion": "v1"}, "there is no Deployment in v1", id="wrong-version"),
        pytest.param(workload() | {"apiVersion": ""}, "there is no Deployment in an empty apiVersion", id="no-version"),
    ],
)
def test_a_workload_that_cannot_be_read_does_not_fit(body: dict[str, Any], said: str) -> None:
    answer = played(node("n1"), add=[body])
    assert [(p.outcome, p.reason) for p in answer.pods] == [("refused", said)]
    assert not answer.everything_fits


def test_a_workload_of_somebody_elses_kind_is_left_out() -> None:
    answer = played(node("n1"), add=[workload("Job") | {"apiVersion": "batch.volcano.example/v1"}])
    assert [entry.reason for entry in answer.left_out] == ["unknown kind: batch.volcano.example/v1 Job"]


def test_fractions_may_be_numbers() -> None:
    given = template()
    given["spec"]["containers"][0]["resources"]["requests"]["cpu"] = 0.5
    frac = node("n1")
    frac["status"]["allocatable"]["cpu"] = 1.5
    answer = played(frac, add=[workload(given=given, replicas=4)])
    assert (answer.count("placed"), answer.count("unplaced")) == (3, 1)


def test_a_pod_that_names_its_node_is_there_or_nowhere() -> None:
    there, nowhere = ({**pod(name, on=at), "status": {}} for name, at in (("a-1", "n1"), ("b-1", "gone")))
    answer = played(node("n1"), add=[there, nowhere])
    assert outcomes(answer) == [("shop/a-1", "added", "placed", "n1"), ("shop/b-1", "added", "unplaced", "")]
    assert answer.no_place[0].report.verdict == "names the node 'gone', which is not there"
