"""Makes dumps as `kubectl get nodes,pods -A` prints them and measures how long `tenantry simulate` takes to answer.

The dumps go into a folder that is removed again. One line per case: size on disk, seconds, peak memory. A case that
takes longer than LIMIT makes the exit code 1.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import yaml

LIMIT = 60.0
"""Seconds that a case may take."""
ZONES = 5
APPS = 500
Body = dict[str, Any]


class Case(NamedTuple):
    """One dump and what is asked of it."""

    name: str
    nodes: int
    pods: int
    form: str


CASES = (Case("json", 5_000, 50_000, "json"), Case("yaml", 1_000, 10_000, "yaml"))
ADDED = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: added, namespace: ns-1}
spec:
  replicas: 500
  selector: {matchLabels: {app: added}}
  template:
    metadata: {labels: {app: added}}
    spec:
      topologySpreadConstraints:
      - {maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule,
         labelSelector: {matchLabels: {app: added}}}
      containers:
      - {name: main, image: "added:1", resources: {requests: {cpu: "2", memory: 4Gi}}}
"""


def a_node(number: int) -> Body:
    """A node of 32 CPU in one of five zones, with what a real one carries beside."""
    name = f"node-{number}"
    labels = {
        "beta.kubernetes.io/arch": "amd64",
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/hostname": name,
        "kubernetes.io/os": "linux",
        "node.kubernetes.io/instance-type": "m32",
        "topology.kubernetes.io/zone": f"zone-{number % ZONES}",
    }
    room = {"cpu": "32", "memory": "128Gi", "pods": "110", "ephemeral-storage": "500Gi"}
    images = [
        {
            "names": [f"registry.example/app-{i}@sha256:{i:064x}", f"registry.example/app-{i}:v1"],
            "sizeBytes": 50_000_000 + i,
        }
        for i in range(number % 7, number % 7 + 20)
    ]
    kinds = ("MemoryPressure", "DiskPressure", "PIDPressure", "Ready")
    conditions = [
        {
            "type": k,
            "status": "True" if k == "Ready" else "False",
            "reason": "KubeletFine",
            "lastHeartbeatTime": "2026-01-01T00:00:00Z",
            "message": "kubelet says so",
        }
        for k in kinds
    ]
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "uid": f"node-uid-{number}", "labels": labels, "resourceVersion": str(number)},
        "spec": {"podCIDR": "10.0.0.0/24", "providerID": f"cloud://{name}"},
        "status": {"allocatable": room, "capacity": room, "images": images, "conditions": conditions},
    }


def a_pod(number: int, nodes: int) -> Body:
    """A running pod of one of APPS deployments, about 4 KB as YAML."""
    app = f"app-{number % APPS}"
    owner = {
        "apiVersion": "apps/v1",
        "blockOwnerDeletion": True,
        "controller": True,
        "kind": "ReplicaSet",
        "name": f"{app}-7d9c5b6f47",
        "uid": f"rs-{app}",
    }
    meta = {
        "name": f"{app}-7d9c5b6f47-{number:05d}",
        "namespace": f"ns-{number % 50}",
        "uid": f"pod-uid-{number}",
        "labels": {"app": app, "pod-template-hash": "7d9c5b6f47"},
        "ownerReferences": [owner],
        "creationTimestamp": "2026-01-01T00:00:00Z",
        "resourceVersion": str(number),
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": meta,
        "spec": _spec(number, nodes),
        "status": _status(number),
    }


def _container(number: int) -> Body:
    app = f"app-{number % APPS}"
    mount = {"mountPath": "/var/run/secrets/kubernetes.io/serviceaccount", "name": "kube-api-access", "readOnly": True}
    return {
        "env": [{"name": f"SETTING_{i}", "value": f"value-{i}"} for i in range(8)],
        "image": f"registry.example/{app}:v1",
        "imagePullPolicy": "IfNotPresent",
        "livenessProbe": {"failureThreshold": 3, "httpGet": {"path": "/healthz", "port": 8080, "scheme": "HTTP"}},
        "name": "main",
        "ports": [{"containerPort": 8080, "name": "http", "protocol": "TCP"}],
        "resources": {
            "limits": {"cpu": "2", "memory": "2Gi"},
            "requests": {"cpu": f"{500 + number % 5 * 250}m", "memory": "2Gi"},
        },
        "terminationMessagePath": "/dev/termination-log",
        "volumeMounts": [mount],
    }


def _spec(number: int, nodes: int) -> Body:
    keys = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
    return {
        "containers": [_container(number)],
        "dnsPolicy": "ClusterFirst",
        "nodeName": f"node-{number % nodes}",
        "preemptionPolicy": "PreemptLowerPriority",
        "priority": 0,
        "schedulerName": "default-scheduler",
        "securityContext": {},
        "serviceAccountName": "default",
        "terminationGracePeriodSeconds": 30,
        "tolerations": [
            {"effect": "NoExecute", "key": k, "operator": "Exists", "tolerationSeconds": 300} for k in keys
        ],
        "volumes": [
            {
                "name": "kube-api-access",
                "projected": {
                    "defaultMode": 420,
                    "sources": [
                        {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
                        {"configMap": {"items": [{"key": "ca.crt", "path": "ca.crt"}], "name": "kube-root-ca.crt"}},
                    ],
                },
            }
        ],
    }


def _status(number: int) -> Body:
    app = f"app-{number % APPS}"
    conditions = [
        {"lastProbeTime": None, "lastTransitionTime": "2026-01-01T00:00:00Z", "status": "True", "type": kind}
        for kind in ("Initialized", "Ready", "ContainersReady", "PodScheduled")
    ]
    return {
        "conditions": conditions,
        "containerStatuses": [
            {
                "containerID": f"containerd://{number:064x}",
                "image": f"registry.example/{app}:v1",
                "name": "main",
                "ready": True,
                "restartCount": 0,
                "state": {"running": {"startedAt": "2026-01-01T00:00:00Z"}},
            }
        ],
        "phase": "Running",
        "podIP": "10.1.2.3",
        "qosClass": "Burstable",
        "startTime": "2026-01-01T00:00:00Z",
    }


def objects(case: Case) -> Iterator[Body]:
    """Nodes, then pods, in the order in which kubectl prints them."""
    yield from (a_node(number) for number in range(case.nodes))
    yield from (a_pod(number, case.nodes) for number in range(case.pods))


def write(case: Case, path: Path) -> None:
    """One List, indented as kubectl does, written piece by piece."""
    with path.open("w", encoding="utf-8") as out:
        if case.form == "json":
            out.write('{\n    "apiVersion": "v1",\n    "items": [\n')
            for number, item in enumerate(objects(case)):
                out.write(",\n" * bool(number) + json.dumps(item, indent=4))
            out.write('\n    ],\n    "kind": "List",\n    "metadata": {"resourceVersion": ""}\n}\n')
            return
        out.write("apiVersion: v1\nitems:\n")
        for item in objects(case):
            out.write(yaml.dump([item], Dumper=getattr(yaml, "CSafeDumper", yaml.SafeDumper)))
        out.write('kind: List\nmetadata:\n  resourceVersion: ""\n')


def measure(case: Case, folder: Path) -> dict[str, Any]:
    """Run the command in a process of its own."""
    dump, added = folder / f"dump.{case.form}", folder / "added.yaml"
    write(case, dump)
    added.write_text(ADDED, encoding="utf-8")
    command = [str(Path(sys.executable).with_name("tenantry")), "simulate", str(dump), "--add", str(added)]
    command += ["--drain", "node-1,node-2", "--shape", "cpu=4,memory=8Gi", "-o", "json"]
    start = time.perf_counter()
    with (folder / "answer.json").open("wb") as out:
        process = subprocess.Popen(command, stdout=out)
        _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - start
    answer = json.loads((folder / "answer.json").read_text(encoding="utf-8"))
    size = dump.stat().st_size
    dump.unlink()
    return {
        "case": case.name,
        "nodes": case.nodes,
        "pods": case.pods,
        "megabytes": round(size / 1e6),
        "seconds": round(seconds, 1),
        "peak_memory_mib": used.ru_maxrss // (1024 if sys.platform != "darwin" else 1 << 20),
        "placed": answer["summary"]["placed"],
        "shape_fits": answer["capacity"][0]["fits"],
        "exit_code": process.returncode,
    }


def main() -> int:
    """Measure every case, or those named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--case", action="append", choices=[case.name for case in CASES], help="default: all")
    args = parser.parse_args()
    slow = False
    with tempfile.TemporaryDirectory() as folder:
        for case in CASES:
            if not args.case or case.name in args.case:
                result = measure(case, Path(folder))
                slow = slow or result["seconds"] > LIMIT
                print(json.dumps(result), flush=True)
    return int(slow)


if __name__ == "__main__":
    sys.exit(main())
