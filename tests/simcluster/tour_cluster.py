"""kubectl about the cluster itself: discovery, access, nodes."""

from kubectl_tour import Chapter, Step

_NODE = """
apiVersion: v1
kind: Node
metadata: {name: spare, annotations: {sim.tenantry.io/kubelet: "true"}, labels: {disk: ssd}}
status: {capacity: {cpu: "2", memory: 4Gi, pods: "10"}, allocatable: {cpu: "2", memory: 4Gi, pods: "10"}}
"""
_PINNED = """
apiVersion: v1
kind: Pod
metadata: {name: guest, labels: {app: guest}}
spec:
  nodeSelector: {disk: ssd}
  containers: [{name: main, image: "pause:3.10"}]
"""

SERVER = Chapter(
    "server",
    [
        Step("version", "Server Version.*v1\\."),
        Step("version -o json", '"serverVersion"'),
        Step("cluster-info", "control plane.* is running at"),
        Step("config current-context", "^sim$"),
        Step("config view -o jsonpath={.clusters[0].name}", "sim"),
        Step("get --raw /healthz", "^ok"),
        Step("get --raw /livez", "^ok"),
        Step("get --raw '/readyz?verbose'", "ok"),
        Step("get --raw /version", '"gitVersion"'),
        Step("get --raw /api", '"APIVersions"'),
        Step("get --raw /apis", '"APIGroupList"'),
        Step("api-versions", "^apps/v1$"),
        Step("api-versions", "^v1$"),
        Step("api-resources", "^pods +po +v1 +true +Pod$"),
        Step("api-resources --namespaced=false -o name", "^nodes$", absent="^pods$"),
        Step("api-resources --api-group=apps -o name", "^deployments.apps$", absent="^pods$"),
        Step("api-resources --verbs=list,watch -o wide", "^jobs +batch/v1 +true +Job +.*create[ ,]delete"),
        Step("explain pods", "VERSION: +v1"),
        Step("explain pod.spec.containers", "(RESOURCE|FIELD): containers"),
        Step("explain deployments.spec.replicas", "<integer>"),
    ],
)
ACCESS = Chapter(
    "access",
    [
        Step("auth can-i create pods", "^yes$"),
        Step("auth can-i '*' '*' -A", "^yes$"),
        Step("auth can-i get pods --subresource=log", "^yes$"),
        Step("auth can-i --list", "\\*\\.\\*"),
        Step("auth whoami", "Username", since=(1, 28)),
        Step("create serviceaccount robot", "serviceaccount/robot created"),
        Step("get sa robot -o name", "^serviceaccount/robot$"),
        Step("create token robot", "^[\\w-]+\\.[\\w-]+\\.[\\w-]+$", since=(1, 24)),
        Step("auth can-i list pods --as=system:serviceaccount:{ns}:robot", "^no", code=1),
        Step("create role reader --verb=get,list,watch --resource=pods,pods/log", "reader created"),
        Step("create rolebinding robot-reads --role=reader --serviceaccount={ns}:robot", "robot-reads created"),
        Step("auth can-i list pods --as=system:serviceaccount:{ns}:robot", "^yes$"),
        Step("auth can-i delete pods --as=system:serviceaccount:{ns}:robot", "^no", code=1),
        Step("auth can-i list pods -n default --as=system:serviceaccount:{ns}:robot", "^no", code=1),
        Step("get pods --as=system:serviceaccount:{ns}:robot", "No resources found"),
        Step("run nope --image=pause --as=system:serviceaccount:{ns}:robot", "(?i)forbidden", code=1),
        Step("get pods -n default --as=system:serviceaccount:{ns}:robot", "(?i)forbidden", code=1),
        Step("describe role reader", "pods/log +\\[\\] +\\[\\] +\\[get list watch\\]"),
        Step("describe rolebinding robot-reads", "ServiceAccount +robot"),
        Step("create clusterrole sees-nodes --verb=get,list --resource=nodes", "sees-nodes created"),
        Step("create clusterrolebinding sees-nodes --clusterrole=sees-nodes --user=jo", "sees-nodes created"),
        Step("get nodes --as=jo", "node-0"),
        Step("delete clusterrolebinding sees-nodes", "deleted"),
        Step("get nodes --as=jo", "(?i)forbidden", code=1),
        Step("delete clusterrole sees-nodes", "deleted"),
        Step("get roles,rolebindings", "role.rbac.authorization.k8s.io/reader"),
    ],
)
NODES = Chapter(
    "nodes",
    [
        Step("get nodes", "^node-0 +Ready +<none>"),
        Step("get no -o wide", "INTERNAL-IP.*CONTAINER-RUNTIME"),
        Step("get node node-0 --show-labels", "kubernetes.io/hostname=node-0"),
        Step("describe node node-0", "Allocatable:"),
        Step("describe node node-0", "Taints: +<none>"),
        Step("get nodes -L topology.kubernetes.io/zone", "^node-1 .*zone-1$"),
        Step("create -f -", "node/spare created", text=_NODE),
        Step("create -f -", "AlreadyExists", code=1, text=_NODE),
        Step("get node spare", "^spare +Ready", patience=10),
        Step("label node spare tier=gold", "node/spare labeled"),
        Step("get nodes -l tier=gold -o name", "^node/spare$", absent="node-0"),
        Step("label node spare tier=iron", "already has a value", code=1),
        Step("label node spare tier=iron --overwrite", "labeled"),
        Step("label node spare tier-", "node/spare (un)?label"),
        Step("get nodes -l tier", "No resources found"),
        Step("annotate node spare note='hello there'", "node/spare annotate"),
        Step("get node spare -o jsonpath='{.metadata.annotations.note}'", "hello there"),
        Step("annotate node spare note-", "annotate"),
        Step("taint node spare team=blue:NoSchedule", "node/spare tainted"),
        Step("describe node spare", "team=blue:NoSchedule"),
        Step("taint node spare team=red:NoSchedule", "already has", code=1),
        Step("taint node spare team=red:NoSchedule --overwrite", "modified|tainted"),
        Step("taint node spare team:NoSchedule-", "untainted"),
        Step("create -f -", "pod/guest created", text=_PINNED),
        Step("wait pod/guest --for=condition=Ready --timeout=20s", "condition met"),
        Step("get pod guest -o wide", "1/1 +Running .* spare "),
        Step("describe node spare", "{ns} +guest".replace("{ns}", "tour-nodes")),
        Step("cordon spare", "node/spare cordoned"),
        Step("cordon spare", "already cordoned"),
        Step("get node spare", "Ready,SchedulingDisabled"),
        Step("describe node spare", "Unschedulable: +true"),
        Step("drain spare --timeout=20s", "declare no controller|not managed by", code=1),
        Step("drain spare --force --dry-run=server", "guest", since=(1, 25)),
        Step("get pod guest", "Running"),
        Step("drain spare --force --timeout=20s", "(?s)evict.*guest.*spare (drained|evicted)"),
        Step("get pod guest", "NotFound", code=1),
        Step("uncordon spare", "node/spare uncordoned"),
        Step("get node spare", "^spare +Ready +"),
        Step("delete node spare", 'node "spare" deleted'),
        Step("get node spare", 'nodes "spare" not found', code=1),
    ],
)
NAMESPACES = Chapter(
    "namespaces",
    [
        Step("get ns", "^default +Active"),
        Step("get ns", "^kube-system +Active"),
        Step("create namespace passing", "namespace/passing created"),
        Step("create namespace passing", "AlreadyExists", code=1),
        Step("create namespace Wrong_Name", "(?i)invalid", code=1),
        Step("describe ns passing", "Status: +Active"),
        Step("get ns passing -o jsonpath={.spec.finalizers[0]}", "kubernetes"),
        Step("label ns passing tenant=a", "labeled"),
        Step("get ns -l tenant=a -o name", "^namespace/passing$"),
        Step("get ns passing --show-labels", "kubernetes.io/metadata.name=passing,tenant=a"),
        Step("-n passing create configmap inside --from-literal=a=b", "created"),
        Step("get cm -A --field-selector metadata.name=inside", "^passing +inside"),
        Step("delete ns passing --timeout=20s", 'namespace "passing" deleted'),
        Step("get ns passing", "NotFound", code=1),
        Step("-n passing get cm", "No resources found"),
        Step("-n passing create configmap late", 'namespaces "passing" not found', code=1),
        Step("delete ns default", "(?i)forbidden", code=1),
        Step("get ns default", "Active"),
    ],
)

CHAPTERS = [SERVER, ACCESS, NODES, NAMESPACES]
