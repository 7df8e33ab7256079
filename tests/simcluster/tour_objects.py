"""kubectl about everything else: small objects, quotas, storage, and what is refused, with reasons."""

from kubectl_tour import Chapter, Step

_CLAIM = """
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: tour-fast}
provisioner: sim.tenantry.io/volumes
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: disk}
spec: {accessModes: [ReadWriteOnce], storageClassName: tour-fast, resources: {requests: {storage: 1Gi}}}
"""
_LIMITS = """
apiVersion: v1
kind: LimitRange
metadata: {name: sizes}
spec: {limits: [{type: Container, max: {cpu: "1"}, default: {cpu: 200m}, defaultRequest: {cpu: 100m}}]}
"""
_LARGE = """
apiVersion: v1
kind: Pod
metadata: {name: large}
spec: {containers: [{name: main, image: "pause:3.10", resources: {limits: {cpu: "4"}}}]}
"""
_NO_IMAGE = """
apiVersion: v1
kind: Pod
metadata: {name: broken}
spec: {containers: [{name: main, resources: {requests: {cpu: much}}}]}
"""
_NO_KIND = "apiVersion: example.com/v1\nkind: Unheard\nmetadata: {name: x}\n"
_DEFINITION = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.tour.example.com}
spec:
  group: tour.example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, shortNames: [wd]}
  versions:
    - name: v1
      served: true
      storage: true
      additionalPrinterColumns: [{name: Size, type: integer, jsonPath: .spec.size}]
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              properties: {size: {type: integer, maximum: 10}, colour: {type: string, default: blue}}
"""
_WIDGET = """
apiVersion: tour.example.com/v1
kind: Widget
metadata: {name: first}
spec: {size: 3}
"""

OBJECTS = Chapter(
    "objects",
    [
        Step("create configmap settings --from-literal=colour=blue --from-literal=n=1", "configmap/settings created"),
        Step("get cm settings", "^settings +2 "),
        Step("describe cm settings", "(?s)colour:\n----\nblue"),
        Step("create secret generic keys --from-literal=password=secret", "secret/keys created"),
        Step("get secret keys", "^keys +Opaque +1 "),
        Step("get secret keys -o jsonpath={.data.password}", "^c2VjcmV0$"),
        Step("describe secret keys", "password: +6 bytes"),
        Step(
            "create secret docker-registry pull --docker-username=a --docker-password=b --docker-email=c@d.e", "created"
        ),
        Step("get secret pull", "kubernetes.io/dockerconfigjson"),
        Step("create serviceaccount robot", "created"),
        Step("describe sa robot", "Name: +robot"),
        Step("create service clusterip front --tcp=80:8080", "service/front created"),
        Step("get svc front", "80/TCP"),
        Step("create service nodeport outer --tcp=80:8080", "service/outer created"),
        Step("get svc outer", "NodePort .*80:3\\d{4}/TCP"),
        Step("create service externalname far --external-name=example.com", "created"),
        Step("get svc far", "ExternalName +<none> +example.com"),
        Step("create priorityclass tour-high --value=1000 --description=first", "tour-high created"),
        Step("get pc tour-high", "^tour-high +1000 +false"),
        Step("describe pc tour-high", "Value: +1000"),
        Step("delete pc tour-high", "deleted"),
        Step("get pc system-node-critical", "2000001000"),
        Step("create -f -", "limitrange/sizes created", text=_LIMITS),
        Step("describe limits sizes", "Container +cpu +- +1 +100m +200m"),
        Step("create -f -", "maximum cpu usage per Container is 1", code=1, text=_LARGE),
        Step("create ingress way --rule=example.com/=front:80", "created", since=(1, 19)),
        Step("get ing way", "^way +\\S+ +example.com"),
        Step("get leases -A", "NAMESPACE|No resources"),
    ],
)
QUOTAS = Chapter(
    "quotas",
    [
        Step("create quota small --hard=pods=1,configmaps=10", "resourcequota/small created"),
        Step("get quota small", "pods: 0/1", patience=10),
        Step("run first --image=pause", "created"),
        Step("get quota small", "pods: 1/1", patience=10),
        Step("describe quota small", "^pods +1 +1$"),
        Step(
            "run second --image=pause",
            "exceeded quota: small, requested: pods=1, used: pods=1, limited: pods=1",
            code=1,
        ),
        Step("describe ns {ns}", "small"),
        Step("delete pod first", "deleted"),
        Step("get quota small", "pods: 0/1", patience=10),
        Step("delete quota small", "deleted"),
    ],
)
BUDGETS = Chapter(
    "budgets",
    [
        Step("create deployment web --image=nginx --replicas=2", "created"),
        Step("rollout status deployment/web --timeout=30s", "successfully rolled out"),
        Step(
            "create pdb web --selector=app=web --min-available=1",
            "poddisruptionbudget.policy/web created",
            since=(1, 21),
        ),
        Step("get pdb web", "^web +1 +N/A +1 ", patience=10, since=(1, 21)),
        Step("describe pdb web", "(?s)Allowed disruptions: +1.*Current: +2", since=(1, 21)),
        Step("delete pdb web", "deleted", since=(1, 21)),
        Step("delete deployment web", "deleted"),
    ],
)
STORAGE = Chapter(
    "storage",
    [
        Step("apply -f -", "persistentvolumeclaim/disk created", text=_CLAIM),
        Step("get sc tour-fast", "^tour-fast +sim.tenantry.io/volumes +Delete +Immediate"),
        Step("get pvc disk", "^disk +Bound +pvc-\\S+ +1Gi +RWO +tour-fast", patience=10),
        Step("get pv", "Bound +tour-storage/disk +tour-fast"),
        Step("describe pvc disk", "Status: +Bound"),
        Step("delete pvc disk --timeout=20s", "deleted"),
        Step("get pv", absent="tour-storage/disk", patience=10),
        Step("delete sc tour-fast", "deleted"),
    ],
)
REFUSALS = Chapter(
    "refusals",
    [
        Step("run web --image=nginx", "created"),
        Step("wait pod/web --for=condition=Ready --timeout=20s", "condition met"),
        Step("logs web", "containers are simulated, there is no log", code=1),
        Step("logs nobody", "not found", code=1),
        Step("exec web -- ls", "containers are simulated, nothing can be executed in them", code=1),
        Step("attach web", "containers are simulated, there is nothing to attach to", code=1),
        Step("port-forward web 18080:80", "(?i)error", code=1),
        Step("debug web --image=tools --profile=general", "debugger-", since=(1, 27)),
        Step("get pod web -o jsonpath={.spec.ephemeralContainers[0].image}", "^tools$", since=(1, 27)),
        Step("top nodes", "Metrics API not available", code=1),
        Step("get hpa", "doesn't have a resource type", code=1),
        Step("get unheards", "doesn't have a resource type", code=1),
        Step("create -f -", 'no matches for kind "Unheard"', code=1, text=_NO_KIND),
        Step("create -f -", "(?i)quantit", code=1, text=_NO_IMAGE),
        Step("run Bad_Name --image=x", "(?i)invalid", code=1),
        Step("run ok --image=x --labels=a=-", "(?i)invalid", code=1),
        Step("-n nowhere run a --image=x", 'namespaces "nowhere" not found', code=1),
        Step("create --raw /api/v1/namespaces/{ns}/pods -f -", "(?i)error", code=1, text="{"),
        Step("get --raw /api/v1/nonsense", "(?i)could not find|NotFound", code=1),
        Step("delete --raw /api/v1/nodes/none", "not found", code=1),
        Step("wait pod/web --for=condition=Nothing --timeout=1s", "timed out", code=1),
        Step("scale pod web --replicas=2", "(?i)could not find|error|cannot", code=1),
    ],
)

CUSTOM = Chapter(
    "custom",
    [
        Step("apply -f -", "widgets.tour.example.com created", text=_DEFINITION),
        Step("wait crd/widgets.tour.example.com --for=condition=Established --timeout=10s", "condition met"),
        Step("get crd", "^widgets.tour.example.com "),
        Step("api-resources --api-group=tour.example.com", "^widgets +wd +tour.example.com/v1 +true +Widget$"),
        Step("apply -f -", "widget.tour.example.com/first created", text=_WIDGET),
        Step("apply -f -", "widget.tour.example.com/first unchanged", text=_WIDGET),
        Step("get wd", "^NAME +SIZE\nfirst +3$"),
        Step("apply -f -", "(?i)invalid", code=1, text=_WIDGET.replace("3", "12")),
        Step('patch wd first --type=merge -p \'{"spec":{"size":4}}\'', "patched"),
        Step("get wd first -o jsonpath={.spec}", '^{"colour":"blue","size":4}$'),
        Step("scale wd first --replicas=2", "(?i)could not find|not found|error", code=1),
        Step("explain widget.spec.size", "<integer>", since=(1, 27)),
        Step("delete crd widgets.tour.example.com --timeout=20s", "deleted"),
        Step("get wd", "could not find|have a resource type", code=1, patience=5),
    ],
)

CHAPTERS = [CUSTOM, OBJECTS, QUOTAS, BUDGETS, STORAGE, REFUSALS]
