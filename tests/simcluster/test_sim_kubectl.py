"""kubectl, the real one, against the cluster as a process of its own."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

_KUBECTL = shutil.which("kubectl")
pytestmark = pytest.mark.skipif(_KUBECTL is None, reason="kubectl is not installed")

_POD = """
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: demo, labels: {app: web}}
spec: {containers: [{name: c, image: "nginx:1.25"}]}
"""
_LEASE = """
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {name: leader, namespace: demo}
spec: {holderIdentity: me, leaseDurationSeconds: 15}
"""


class Kubectl:
    """Runs kubectl with a kubeconfig and a home of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, *arguments: str, text: str = "") -> str:
        environment = {"KUBECONFIG": str(self.folder / "kubeconfig"), "HOME": str(self.folder), "PATH": "/usr/bin:/bin"}
        assert _KUBECTL is not None
        done = subprocess.run(
            [_KUBECTL, "--request-timeout=20s", *arguments],
            input=text,
            capture_output=True,
            text=True,
            env=environment,
            timeout=40,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout


@pytest.fixture(scope="module")
def kubectl(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kubectl]:
    folder = tmp_path_factory.mktemp("kubectl")
    command = [sys.executable, "-m", "tenantry_sim", "--nodes", "3", "--kubeconfig-out", str(folder / "kubeconfig")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        assert server.stdout.readline().startswith("serving at https://127.0.0.1:")
        run = Kubectl(folder)
        run("create", "namespace", "demo")
        yield run
        server.terminate()
        assert server.wait(10) == 0


def test_nodes(kubectl: Kubectl) -> None:
    lines = kubectl("get", "nodes").splitlines()
    assert lines[0].split() == ["NAME", "STATUS", "ROLES", "AGE", "VERSION"]
    assert [line.split()[:2] for line in lines[1:]] == [[f"node-{i}", "Ready"] for i in range(3)]
    assert "Allocatable:" in kubectl("describe", "node", "node-0")
    kubectl("cordon", "node-2")
    assert "SchedulingDisabled" in kubectl("get", "node", "node-2")


def test_pods(kubectl: Kubectl) -> None:
    assert kubectl("apply", "-f", "-", text=_POD) == "pod/web created\n"
    assert kubectl("apply", "-f", "-", text=_POD.replace("app: web", "app: other")) == "pod/web configured\n"
    assert kubectl("apply", "-f", "-", text=_POD.replace("app: web", "app: other")) == "pod/web unchanged\n"
    assert kubectl("-n", "demo", "get", "pods", "--show-labels").splitlines()[1].split()[1:3] == ["0/1", "Pending"]
    assert "default-scheduler" in kubectl("-n", "demo", "get", "pod", "web", "-o", "yaml")
    assert "QoS Class:" in kubectl("-n", "demo", "describe", "pod", "web")
    assert kubectl("-n", "demo", "delete", "pod", "web").startswith('pod "web"')


def test_priority_classes(kubectl: Kubectl) -> None:
    kubectl("create", "priorityclass", "high", "--value=1000")
    assert kubectl("get", "pc", "high").splitlines()[1].split()[:2] == ["high", "1000"]
    assert "1000" in kubectl("describe", "pc", "high")
    kubectl("delete", "pc", "high")


def test_leases(kubectl: Kubectl) -> None:
    kubectl("create", "-f", "-", text=_LEASE)
    assert kubectl("-n", "demo", "get", "leases").splitlines()[1].split()[:2] == ["leader", "me"]
    assert "Holder Identity:" in kubectl("-n", "demo", "describe", "lease", "leader")


def test_events(kubectl: Kubectl) -> None:
    event = {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": "e", "namespace": "demo"},
        "involvedObject": {"kind": "Pod", "namespace": "demo", "name": "ghost"},
        "reason": "FailedScheduling",
        "message": "0/3 nodes are available",
        "type": "Warning",
    }
    kubectl("create", "-f", "-", text=json.dumps(event))
    line = kubectl("-n", "demo", "get", "events").splitlines()[1]
    assert line.split()[1:4] == ["Warning", "FailedScheduling", "pod/ghost"]


def test_typed_commands_that_send_protobuf(kubectl: Kubectl) -> None:
    kubectl("-n", "demo", "create", "deployment", "d", "--image=nginx", "--replicas=2")
    deployment = json.loads(kubectl("-n", "demo", "get", "deployment", "d", "-o", "json"))
    assert deployment["spec"]["replicas"] == 2
    assert deployment["spec"]["template"]["spec"]["containers"][0]["image"] == "nginx"
    assert kubectl("auth", "can-i", "create", "pods") == "yes\n"
    kubectl("-n", "demo", "create", "quota", "q", "--hard=pods=5,cpu=2")
    quota = json.loads(kubectl("-n", "demo", "get", "quota", "q", "-o", "json"))
    assert quota["spec"]["hard"] == {"pods": "5", "cpu": "2"}


def test_namespaces(kubectl: Kubectl) -> None:
    kubectl("create", "namespace", "short")
    assert kubectl("get", "ns", "short").splitlines()[1].split()[:2] == ["short", "Active"]
    assert "Status:" in kubectl("describe", "ns", "short")
    assert 'namespace "short" deleted' in kubectl("delete", "namespace", "short")


def _minor_version() -> int:
    if _KUBECTL is None:
        return 0
    done = subprocess.run([_KUBECTL, "version", "--client", "-o", "json"], capture_output=True, text=True, check=True)
    return int(json.loads(done.stdout)["clientVersion"]["minor"].rstrip("+"))


_recent = pytest.mark.skipif(_minor_version() < 27, reason="kubectl 1.27 or later does this on the server's side")
_WIDGETS = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.demo.example.com}
spec:
  group: demo.example.com
  scope: Namespaced
  names: {plural: widgets, kind: Widget, shortNames: [wd]}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}, scale: {specReplicasPath: .spec.size, statusReplicasPath: .status.size}}
    additionalPrinterColumns: [{name: Size, type: integer, jsonPath: .spec.size}]
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties: {size: {type: integer, minimum: 1, description: How large it is.}}
          status: {type: object, x-kubernetes-preserve-unknown-fields: true}
"""
_WIDGET = """
apiVersion: demo.example.com/v1
kind: Widget
metadata: {name: w, namespace: demo}
spec: {size: 3}
"""


def test_custom_resources(kubectl: Kubectl) -> None:
    kubectl("apply", "-f", "-", text=_WIDGETS)
    kubectl("wait", "--for=condition=Established", "crd/widgets.demo.example.com", "--timeout=10s")
    assert kubectl("apply", "-f", "-", text=_WIDGET) == "widget.demo.example.com/w created\n"
    kubectl("-n", "demo", "scale", "widget", "w", "--replicas=5")
    assert kubectl("-n", "demo", "get", "wd").splitlines()[1].split() == ["w", "5"]
    kubectl("delete", "crd", "widgets.demo.example.com")


@_recent
def test_status_of_a_custom_resource(kubectl: Kubectl) -> None:
    kubectl("apply", "-f", "-", text=_WIDGETS)
    kubectl("wait", "--for=condition=Established", "crd/widgets.demo.example.com", "--timeout=10s")
    kubectl("apply", "-f", "-", text=_WIDGET)
    change = '{"status": {"conditions": [{"type": "Ready", "status": "True"}]}}'
    kubectl("-n", "demo", "patch", "wd", "w", "--subresource=status", "--type=merge", "-p", change)
    kubectl("-n", "demo", "wait", "--for=condition=Ready", "wd/w", "--timeout=10s")
    kubectl("delete", "crd", "widgets.demo.example.com")


def test_server_side_apply(kubectl: Kubectl) -> None:
    text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: owned, namespace: demo}\ndata: {a: '1'}\n"
    kubectl("apply", "--server-side", "--field-manager=one", "-f", "-", text=text)
    other = text.replace("'1'", "'2'")
    with pytest.raises(AssertionError, match=r'conflict with "one": \.data\.a'):
        kubectl("apply", "--server-side", "--field-manager=two", "-f", "-", text=other)
    kubectl("apply", "--server-side", "--field-manager=two", "--force-conflicts", "-f", "-", text=other)
    assert kubectl("-n", "demo", "get", "cm", "owned", "-o", "jsonpath={.data.a}") == "2"


@_recent
def test_unknown_fields(kubectl: Kubectl) -> None:
    text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: odd, namespace: demo}\njunk: 1\n"
    with pytest.raises(AssertionError, match=r"unknown field \"junk\""):
        kubectl("apply", "-f", "-", text=text)


@_recent
def test_explain(kubectl: Kubectl) -> None:
    assert "livenessProbe" in kubectl("explain", "pod.spec.containers")


_JOB = '{"spec": {"template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "x"}]}}}}'
_STORED = (
    '{"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": {"name": "none-in"}, '
    '"spec": {"podSelector": {}, "policyTypes": ["Ingress"]}}',
    '{"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "nightly"}, '
    f'"spec": {{"schedule": "0 3 * * *", "jobTemplate": {_JOB}}}}}',
    '{"apiVersion": "networking.k8s.io/v1", "kind": "IngressClass", "metadata": {"name": "inner"}, '
    '"spec": {"controller": "example.com/c"}}',
    '{"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": "small"}, "handler": "small"}',
)


@pytest.mark.parametrize("body", _STORED, ids=["network policy", "cron job", "ingress class", "runtime class"])
def test_kinds_that_are_only_stored(kubectl: Kubectl, body: str) -> None:
    given = json.loads(body)
    name = f"{given['kind'].lower()}/{given['metadata']['name']}"
    assert kubectl("apply", "-n", "demo", "-f", "-", text=body).endswith(f"/{given['metadata']['name']} created\n")
    found = json.loads(kubectl("get", "-n", "demo", name, "-o", "json"))
    assert given.get("spec", {}).keys() <= found.get("spec", {}).keys()
    assert kubectl("delete", "-n", "demo", name).startswith(f"{given['kind'].lower()}.")
