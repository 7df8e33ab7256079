"""kubectl about pods: their life, the forms of output, apply, diff and patch, deletion."""

from kubectl_tour import Chapter, Step

_POD = """
apiVersion: v1
kind: Pod
metadata: {name: web, labels: {app: web}}
spec:
  containers: [{name: main, image: "nginx:1.25", resources: {requests: {cpu: 100m, memory: 64Mi}}}]
"""
_RELABELLED = _POD.replace("{app: web}", "{app: web, tier: front}")
_OTHER_IMAGE = _RELABELLED.replace("1.25", "1.27")
_NONSENSE = _POD.replace("spec:", "spec:\n  nonsense: 1")
_SMALL = """
apiVersion: v1
kind: Pod
metadata: {name: NAME, labels: {set: few, size: "SIZE"}}
spec: {containers: [{name: main, image: "pause:3.10"}]}
---
"""
_FEW = "".join(_SMALL.replace("NAME", n).replace("SIZE", s) for n, s in (("a", "1"), ("b", "3"), ("c", "2")))
_CONFIG = """
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {colour: VALUE}
"""
_BLUE, _RED = _CONFIG.replace("VALUE", "blue"), _CONFIG.replace("VALUE", "red")
_GREEN = _BLUE.replace("{colour: blue}", "{colour: green, shade: dark}")
_HELD = """
apiVersion: v1
kind: ConfigMap
metadata: {name: held, finalizers: [example.com/keep]}
"""

PODS = Chapter(
    "pods",
    [
        Step("get pods", "No resources found in {ns} namespace".replace("{ns}", "tour-pods")),
        Step("run web --image=nginx:1.25 --labels=app=web", "pod/web created"),
        Step("wait pod/web --for=condition=Ready --timeout=20s", "pod/web condition met"),
        Step("wait pod/web --for=jsonpath={.status.phase}=Running --timeout=10s", "condition met", since=(1, 23)),
        Step("get pods", "^web +1/1 +Running +0"),
        Step("get po web -o wide", "^web .* 10\\.\\d+\\.\\d+\\.\\d+ +node-\\d"),
        Step("describe pod web", "(?s)Node: +node-.*QoS Class: +BestEffort"),
        Step("describe pod web", "Scheduled .*Successfully assigned", patience=10),
        Step("get events", "Normal +Scheduled +pod/web", patience=10),
        Step("get events --field-selector reason=Scheduled -o name", "^event/web"),
        Step("get events --sort-by=.metadata.creationTimestamp", "pod/web"),
        Step("get events --field-selector reason=Nothing", "No resources found"),
        Step("events", "Scheduled", since=(1, 26)),
        Step("label pod web tier=front", "pod/web labeled"),
        Step("annotate pods --all note=x", "annotate"),
        Step("get pod web -L app,tier", "web +front$"),
        Step("run too-big --image=pause --dry-run=client -o yaml", "^kind: Pod$"),
        Step("run maybe --image=pause --dry-run=server", "pod/maybe created \\(server dry run\\)"),
        Step("get pod maybe", "NotFound", code=1),
        Step("run web --image=nginx", "AlreadyExists", code=1),
        Step("set image pod/web web=nginx:1.27", "image updated"),
        Step("get pod web -o jsonpath={.spec.containers[0].image}", "nginx:1.27"),
        Step("delete pod web --timeout=20s", 'pod "web" (force )?deleted'),
        Step("get pod web", 'pods "web" not found', code=1),
        Step("delete pod web", "NotFound", code=1),
        Step("delete pod web --ignore-not-found"),
    ],
)
OUTPUT = Chapter(
    "output",
    [
        Step("create -f -", "(?s)pod/a created.*pod/b created.*pod/c created", text=_FEW),
        Step("wait pod -l set=few --for=condition=Ready --timeout=20s", "pod/c condition met"),
        Step("get pods -o name", "^pod/a\npod/b\npod/c$"),
        Step("get pods --no-headers", "^a +1/1", absent="NAME"),
        Step("get pods -o wide", "^NAME +READY +STATUS +RESTARTS +AGE +IP +NODE +NOMINATED NODE +READINESS GATES"),
        Step("get pod a -o json", '"kind": "Pod"'),
        Step("get pods -o json", '"kind": "List"'),
        Step("get pod a -o yaml", "^apiVersion: v1\n"),
        Step("get pods -o jsonpath='{range .items[*]}{.metadata.name}={.spec.schedulerName} {end}'", "a=default-sch"),
        Step("get pod a -o go-template='{{.metadata.name}}!'", "^a!$"),
        Step("get pods -o custom-columns=N:.metadata.name,P:.status.phase", "^N +P\na +Running"),
        Step("get pods --sort-by=.metadata.labels.size -o name", "^pod/a\npod/c\npod/b$"),
        Step("get pods --sort-by={.metadata.name}", "^NAME(.*\n)a .*\nb .*\nc "),
        Step("get pods -l size=2 -o name", "^pod/c$", absent="pod/a"),
        Step("get pods -l 'size in (1,3)' -o name", "^pod/a\npod/b$"),
        Step("get pods -l 'size,size notin (1)' -o name", "^pod/b\npod/c$"),
        Step("get pods -l '!size'", "No resources found"),
        Step("get pods -l 'size in'", "(?i)unable to parse|invalid", code=1),
        Step("get pods --field-selector status.phase=Running -o name", "^pod/a"),
        Step("get pods --field-selector status.phase!=Running", "No resources found"),
        Step("get pods --field-selector metadata.name=b -o name", "^pod/b$", absent="pod/a"),
        Step("get pods --field-selector spec.nonsense=1", "(?i)field label not supported|BadRequest", code=1),
        Step("get pod a b -o name", "^pod/a\npod/b$"),
        Step("get pods,services", "pod/a"),
        Step("get pods -A", "^NAMESPACE +NAME"),
        Step("get all", "pod/a"),
        Step("get pods --chunk-size=1 -o name", "^pod/a\npod/b\npod/c$"),
        Step("get pods --show-kind", "^pod/a "),
        Step("get pods -w --request-timeout=1s", "^a +1/1 +Running", patience=5),
        Step("get pods --watch-only --request-timeout=1s", absent="Running"),
        Step("get --raw /api/v1/namespaces/{ns}/pods?limit=1", '"continue"'),
        Step("get po a -o jsonpath={.metadata.managedFields[0].manager}", "kubectl"),
        Step("get po a -o yaml --show-managed-fields", "managedFields:", since=(1, 21)),
        Step("describe pods", "(?s)Name: +a\n.*Name: +b\n"),
        Step("describe pods -l size=3", "Name: +b\n", absent="Name: +a\n"),
    ],
)
APPLY = Chapter(
    "apply",
    [
        Step("diff -f -", "^\\+  colour: blue", code=1, text=_BLUE),
        Step("apply -f - --dry-run=client", "created \\(dry run\\)", text=_BLUE),
        Step("apply -f - --dry-run=server", "created \\(server dry run\\)", text=_BLUE),
        Step("get cm settings", "NotFound", code=1),
        Step("apply -f -", "configmap/settings created", text=_BLUE),
        Step("apply -f -", "configmap/settings unchanged", text=_BLUE),
        Step("diff -f -", text=_BLUE, absent="colour"),
        Step("diff -f -", "(?s)^-  colour: blue.*^\\+  colour: green", code=1, text=_GREEN),
        Step("apply -f -", "configmap/settings configured", text=_GREEN),
        Step("apply view-last-applied cm settings", "shade: dark"),
        Step("apply -f -", "configmap/settings configured", text=_RED),
        Step("get cm settings -o jsonpath={.data}", '^{"colour":"red"}$'),
        Step("apply -f -", "pod/web created", text=_POD),
        Step("apply -f -", "pod/web configured", text=_RELABELLED),
        Step("apply -f -", "pod/web configured", text=_OTHER_IMAGE),
        Step("get pod web -o jsonpath={.spec.containers[0].image}", "nginx:1.27"),
        Step(
            "apply -f - --prune -l app=web --prune-{old:white}{new:allow}list=core/v1/Pod",
            "pod/web unchanged",
            text=_OTHER_IMAGE,
        ),
        Step("delete -f -", 'pod "web" deleted', text=_POD),
        Step("apply -f -", 'unknown field "(spec.)?nonsense"', code=1, text=_NONSENSE),
        Step("get pod web", "NotFound", code=1),
        Step("apply --validate=false -f -", "pod/web created", text=_NONSENSE),
        Step("get pod web -o yaml", "nginx", absent="^  nonsense"),
    ],
)
SERVER_APPLY = Chapter(
    "server-apply",
    [
        Step("apply --server-side -f -", "serverside-applied", text=_BLUE),
        Step("apply --server-side -f -", "serverside-applied", text=_GREEN),
        Step("get cm settings -o jsonpath={.metadata.managedFields[*].operation}", "Apply"),
        Step("diff --server-side -f -", "(?s)^-  colour: green.*^\\+  colour: red", code=1, text=_RED),
        Step(
            "apply --server-side --field-manager=rival -f -",
            'conflict with "kubectl"',
            code=1,
            text=_RED,
        ),
        Step(
            "apply --server-side --field-manager=rival --force-conflicts -f -",
            "serverside-applied",
            text=_RED,
        ),
        Step("get cm settings -o jsonpath={.data.colour}", "^red$"),
        Step(
            "apply --server-side -f -",
            "serverside-applied",
            text=_BLUE.replace("colour: blue", "other: x"),
        ),
        Step("get cm settings -o jsonpath={.data}", '^{"colour":"red","other":"x"}$'),
        Step("apply --server-side --dry-run=server -f -", "server dry run", text=_POD),
        Step("get pod web", "NotFound", code=1),
    ],
)
PATCH = Chapter(
    "patch",
    [
        Step("run web --image=nginx:1.25 --labels=app=web", "created"),
        Step("create configmap settings --from-literal=colour=blue", "created"),
        Step('patch cm settings --type=merge -p \'{"data":{"shade":"dark"}}\'', "configmap/settings patched"),
        Step('patch cm settings --type=merge -p \'{"data":{"shade":"dark"}}\'', r"patched \(no change\)"),
        Step('patch cm settings --type=merge -p \'{"data":{"colour":null}}\'', "patched"),
        Step("get cm settings -o jsonpath={.data}", '^{"shade":"dark"}$'),
        Step(
            'patch cm settings --type=json -p \'[{"op":"test","path":"/data/shade","value":"dark"},'
            '{"op":"add","path":"/data/n","value":"1"},{"op":"remove","path":"/data/shade"}]\'',
            "patched",
        ),
        Step("get cm settings -o jsonpath={.data}", '^{"n":"1"}$'),
        Step(
            'patch cm settings --type=json -p \'[{"op":"replace","path":"/data/none/deep","value":"1"}]\'',
            "(?i)invalid|doc is missing",
            code=1,
        ),
        Step("patch cm settings --type=json -p '{}'", "(?i)cannot|error|unable", code=1),
        Step('patch pod web -p \'{"metadata":{"labels":{"tier":"front"}}}\'', "pod/web patched"),
        Step('patch pod web -p \'{"spec":{"containers":[{"name":"web","image":"nginx:1.27"}]}}\'', "pod/web patched"),
        Step("get pod web -o jsonpath={.spec.containers[*].image}", "^nginx:1.27$"),
        Step('patch pod web -p \'{"spec":{"nodeName":"node-9"}}\'', "(?i)forbidden|may not change", code=1),
        Step('patch pod web --dry-run=server -p \'{"metadata":{"labels":{"dry":"yes"}}}\'', "patched"),
        Step("get pod web --show-labels", absent="dry"),
        Step('patch pod web --subresource=status --type=merge -p \'{"status":{"reason":"x"}}\'', since=(1, 24)),
        Step("replace -f -", "configmap/settings replaced", text=_BLUE),
        Step("get cm settings -o jsonpath={.data}", '^{"colour":"blue"}$'),
        Step(
            "replace -f -",
            "(?i)conflict",
            code=1,
            text=_BLUE.replace("name: settings", 'name: settings, resourceVersion: "1"'),
        ),
    ],
)
DELETE = Chapter(
    "delete",
    [
        Step("create -f -", "pod/a created", text=_FEW),
        Step("delete pods -l size=1 --timeout=20s", 'pod "a" deleted'),
        Step("delete pod b --grace-period=0 --force", 'pod "b" force deleted'),
        Step("delete pod c --dry-run=server", "server dry run"),
        Step("get pods -o name", "^pod/c$", patience=5),
        Step("delete pod c --wait=false", 'pod "c" deleted'),
        Step("wait pod/c --for=delete --timeout=20s", since=(1, 21)),
        Step("get pods", "No resources found", patience=5),
        Step("create -f -", "pod/a created", text=_FEW),
        Step("delete -f - --timeout=20s", '(?s)pod "a" deleted.*pod "c" deleted', text=_FEW),
        Step("create -f -", "pod/a created", text=_FEW),
        Step("delete pods --all --now", 'pod "c" deleted'),
        Step("create -f -", "held created", text=_HELD),
        Step("delete cm held --wait=false", "deleted"),
        Step("get cm held -o jsonpath={.metadata.deletionTimestamp}", "^\\d{4}-"),
        Step("wait cm/held --for=delete --timeout=1s", "timed out", code=1),
        Step('patch cm held --type=merge -p \'{"metadata":{"finalizers":null}}\'', "patched"),
        Step("get cm held", "NotFound", code=1),
        Step("delete cm one two", "(?s)one.*not found.*two.*not found", code=1),
    ],
)

CHAPTERS = [PODS, OUTPUT, APPLY, SERVER_APPLY, PATCH, DELETE]
