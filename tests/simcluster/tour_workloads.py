"""kubectl about workloads: deployments and their roll-outs, jobs, daemon sets, stateful sets."""

from kubectl_tour import Chapter, Step

_DAEMONS = """
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec: {containers: [{name: main, image: "agent:1"}]}
"""
_STATEFUL = """
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: store}
spec:
  serviceName: store
  replicas: 2
  selector: {matchLabels: {app: store}}
  template:
    metadata: {labels: {app: store}}
    spec: {containers: [{name: main, image: "store:1"}]}
"""
_JOB = """
apiVersion: batch/v1
kind: Job
metadata: {name: short}
spec:
  completions: 2
  template:
    metadata: {annotations: {sim.tenantry.io/succeed-after-seconds: "0.1"}}
    spec: {restartPolicy: Never, containers: [{name: main, image: "work:1"}]}
"""

DEPLOYMENTS = Chapter(
    "deployments",
    [
        Step("create deployment web --image=nginx:1.25 --replicas=2 --dry-run=client -o yaml", "^kind: Deployment"),
        Step("create deployment web --image=nginx:1.25 --replicas=2", "deployment.apps/web created"),
        Step("rollout status deployment/web --timeout=30s", "successfully rolled out"),
        Step("get deploy", "^web +2/2 +2 +2"),
        Step("get deploy web -o wide", "nginx +nginx:1.25 +app=web"),
        Step("get rs", "^web-[0-9a-z]+ +2 +2 +2"),
        Step("get pods -l app=web", "(?s)^web-\\S+ +1/1 +Running.*^web-\\S+ +1/1 +Running", patience=10),
        Step(
            "describe deployment web", "(?s)2 desired \\| 2 updated \\| 2 total \\| 2 available.*NewReplicaSet: +web-"
        ),
        Step("wait deployment/web --for=condition=Available --timeout=20s", "condition met"),
        Step("scale deployment web --replicas=3", "deployment.apps/web scaled"),
        Step("rollout status deployment web --timeout=30s", "successfully rolled out"),
        Step("get deploy web -o jsonpath={.status.readyReplicas}", "^3$"),
        Step("scale deployment web --current-replicas=1 --replicas=2", "(?i)expected replicas to be 1", code=1),
        Step("scale deployment web --replicas=2", "scaled"),
        Step("set image deployment/web nginx=nginx:1.27", "image updated"),
        Step("rollout status deployment/web --timeout=30s", "successfully rolled out"),
        Step(
            "get pods -l app=web -o jsonpath={.items[*].spec.containers[*].image}",
            "^nginx:1.27 nginx:1.27$",
            patience=10,
        ),
        Step("annotate deployment web kubernetes.io/change-cause='newer nginx'", "annotate"),
        Step("rollout history deployment/web", "(?s)^1 +<none>.*^2 +newer nginx", patience=10),
        Step("rollout history deployment/web --revision=1", "nginx:1.25"),
        Step("rollout undo deployment/web", "rolled back"),
        Step("rollout status deployment/web --timeout=30s", "successfully rolled out"),
        Step("get deploy web -o jsonpath={.spec.template.spec.containers[0].image}", "^nginx:1.25$"),
        Step("rollout undo deployment/web --to-revision=2", "rolled back"),
        Step("rollout undo deployment/web --to-revision=77", "unable to find", code=1),
        Step("rollout restart deployment/web", "restarted"),
        Step("rollout status deployment/web --timeout=30s", "successfully rolled out"),
        Step("get deploy web -o yaml", "kubectl.kubernetes.io/restartedAt"),
        Step("rollout pause deployment/web", "paused"),
        Step("set image deployment/web nginx=nginx:1.29", "image updated"),
        Step("get deploy web -o jsonpath={.spec.paused}", "true"),
        Step("rollout resume deployment/web", "resumed"),
        Step("rollout status deployment/web --timeout=30s", "successfully rolled out"),
        Step("set env deployment/web COLOUR=blue", "env updated"),
        Step("set resources deployment/web --requests=cpu=50m,memory=32Mi", "resource requirements updated"),
        Step("rollout status deployment/web --timeout=30s", "successfully rolled out"),
        Step("get deploy web -o jsonpath={.spec.template.spec.containers[0].resources.requests.cpu}", "^50m$"),
        Step("expose deployment web --port=80 --target-port=8080", "service/web exposed"),
        Step("get svc web", "^web +ClusterIP +\\S+ +<none> +80/TCP"),
        Step("describe svc web", "(?s)Selector: +app=web.*TargetPort: +8080/TCP"),
        Step("get endpoints web", "^web +\\S*10\\.\\d+\\.\\d+\\.\\d+:8080", patience=10),
        Step("get endpointslices -l kubernetes.io/service-name=web", "^web-\\S+ +IPv4 +8080 ", patience=10),
        Step("delete svc web", 'service "web" deleted'),
        Step(
            "delete deployment web --cascade={old:true}{new:foreground} --timeout=30s", 'deployment.apps "web" deleted'
        ),
        Step("get rs,pods", "No resources found", patience=15),
    ],
)
CASCADE = Chapter(
    "cascade",
    [
        Step("create deployment web --image=nginx --replicas=1", "created"),
        Step("rollout status deployment/web --timeout=30s", "successfully rolled out"),
        Step("delete deployment web --cascade={old:false}{new:orphan}", "deleted"),
        Step("get rs -o jsonpath={.items[*].metadata.ownerReferences}", "^$", patience=10),
        Step("get rs", "^web-\\S+ +1 +1 +1"),
        Step("delete rs -l app=web", "deleted"),
        Step("get pods", "No resources found", patience=15),
    ],
)
DAEMONS = Chapter(
    "daemons",
    [
        Step("apply -f -", "daemonset.apps/agent created", text=_DAEMONS),
        Step("rollout status ds/agent --timeout=30s", "successfully rolled out"),
        Step("get ds agent", "^agent +3 +3 +3 +3 +3 +<none>"),
        Step("describe ds agent", "Desired Number of Nodes Scheduled: 3"),
        Step("set image ds/agent main=agent:2", "image updated"),
        Step("rollout status ds/agent --timeout=30s", "successfully rolled out"),
        Step(
            "get pods -l app=agent -o jsonpath={.items[*].spec.containers[*].image}",
            "agent:2",
            absent="agent:1",
            patience=10,
        ),
        Step("delete ds agent", "deleted"),
        Step("get pods", "No resources found", patience=15),
    ],
)
STATEFUL = Chapter(
    "stateful",
    [
        Step("apply -f -", "statefulset.apps/store created", text=_STATEFUL),
        Step("rollout status sts/store --timeout=30s", "roll ?out complete"),
        Step("get pods -o name", "^pod/store-0\npod/store-1$"),
        Step("get sts", "^store +2/2"),
        Step("describe sts store", "2 desired \\| 2 total"),
        Step("scale sts store --replicas=1", "scaled"),
        Step("wait pod/store-1 --for=delete --timeout=20s", since=(1, 21)),
        Step("get pods -o name", "^pod/store-0$", absent="store-1", patience=10),
        Step("delete sts store", "deleted"),
        Step("get pods", "No resources found", patience=15),
    ],
)
JOBS = Chapter(
    "jobs",
    [
        Step("create job once --image=work:1 -- /bin/true", "job.batch/once created"),
        Step("get jobs", "^once .*0/1"),
        Step("get pods -l job-name=once -o name", "^pod/once-", patience=10),
        Step("delete job once", "deleted"),
        Step("apply -f -", "job.batch/short created", text=_JOB),
        Step("wait job/short --for=condition=complete --timeout=30s", "condition met"),
        Step("get job short", "^short .*2/2"),
        Step("describe job short", "2 Succeeded / 0 Failed"),
        Step("get pods -l job-name=short", "0/1 +Completed"),
        Step("delete job short", "deleted"),
        Step("get pods", "No resources found", patience=15),
    ],
)

CHAPTERS = [DEPLOYMENTS, CASCADE, DAEMONS, STATEFUL, JOBS]
