"""Field numbers of the Kubernetes protobuf messages that kubectl's typed commands send, as data.

Each message maps a field number to "name type". Types: `str`, `bool`, `int` (0 counts as unset), `int?` (0 counts as
set), `bytes` (base64 in JSON), `time`, `microtime`, `quantity`, `intstr`, or another message. `[]` in front makes a
list; `{}` in front a map from text; the name `-` means a message whose members
stand in the one around it. Numbers come from the `generated.proto` files of `k8s.io/api`.
"""

_TEXT = """
ObjectMeta: 1 name str, 2 generateName str, 3 namespace str, 5 uid str, 6 resourceVersion str, 7 generation int,
 8 creationTimestamp time, 9 deletionTimestamp time, 10 deletionGracePeriodSeconds int?, 11 labels {}str,
 12 annotations {}str, 13 ownerReferences []OwnerReference, 14 finalizers []str
OwnerReference: 1 kind str, 3 name str, 4 uid str, 5 apiVersion str, 6 controller bool, 7 blockOwnerDeletion bool
LabelSelector: 1 matchLabels {}str, 2 matchExpressions []Requirement
Requirement: 1 key str, 2 operator str, 3 values []str
DeleteOptions: 1 gracePeriodSeconds int?, 2 preconditions Preconditions, 3 orphanDependents bool,
 4 propagationPolicy str, 5 dryRun []str
Preconditions: 1 uid str, 2 resourceVersion str
Namespace: 1 metadata ObjectMeta, 2 spec NamespaceSpec
NamespaceSpec: 1 finalizers []str
PriorityClass: 1 metadata ObjectMeta, 2 value int?, 3 globalDefault bool, 4 description str, 5 preemptionPolicy str
ConfigMap: 1 metadata ObjectMeta, 2 data {}str, 3 binaryData {}bytes, 4 immutable bool
Secret: 1 metadata ObjectMeta, 2 data {}bytes, 3 type str, 4 stringData {}str, 5 immutable bool
ServiceAccount: 1 metadata ObjectMeta, 4 automountServiceAccountToken bool
ResourceQuota: 1 metadata ObjectMeta, 2 spec ResourceQuotaSpec
ResourceQuotaSpec: 1 hard {}quantity, 2 scopes []str
Service: 1 metadata ObjectMeta, 2 spec ServiceSpec
ServiceSpec: 1 ports []ServicePort, 2 selector {}str, 3 clusterIP str, 4 type str, 5 externalIPs []str,
 7 sessionAffinity str, 8 loadBalancerIP str, 10 externalName str, 18 clusterIPs []str
ServicePort: 1 name str, 2 protocol str, 3 port int, 4 targetPort intstr, 5 nodePort int, 6 appProtocol str
PodDisruptionBudget: 1 metadata ObjectMeta, 2 spec PodDisruptionBudgetSpec
PodDisruptionBudgetSpec: 1 minAvailable intstr, 2 selector LabelSelector, 3 maxUnavailable intstr,
 4 unhealthyPodEvictionPolicy str
Eviction: 1 metadata ObjectMeta, 2 deleteOptions DeleteOptions
Binding: 1 metadata ObjectMeta, 2 target ObjectReference
ObjectReference: 1 kind str, 2 namespace str, 3 name str, 4 uid str, 5 apiVersion str, 6 resourceVersion str,
 7 fieldPath str
Lease: 1 metadata ObjectMeta, 2 spec LeaseSpec
LeaseSpec: 1 holderIdentity str, 2 leaseDurationSeconds int?, 3 acquireTime microtime, 4 renewTime microtime,
 5 leaseTransitions int?
SelfSubjectAccessReview: 1 metadata ObjectMeta, 2 spec AccessSpec
SubjectAccessReview: 1 metadata ObjectMeta, 2 spec SubjectAccessSpec
AccessSpec: 1 resourceAttributes ResourceAttributes, 2 nonResourceAttributes NonResourceAttributes
SubjectAccessSpec: 1 resourceAttributes ResourceAttributes, 2 nonResourceAttributes NonResourceAttributes, 3 user str,
 4 groups []str, 6 uid str
ResourceAttributes: 1 namespace str, 2 verb str, 3 group str, 4 version str, 5 resource str,
 6 subresource str, 7 name str
NonResourceAttributes: 1 path str, 2 verb str
SelfSubjectRulesReview: 1 metadata ObjectMeta, 2 spec RulesSpec
RulesSpec: 1 namespace str
SelfSubjectReview: 1 metadata ObjectMeta, 2 status SelfReviewStatus
SelfReviewStatus: 1 userInfo UserInfo
UserInfo: 1 username str, 2 uid str, 3 groups []str
TokenRequest: 1 metadata ObjectMeta, 2 spec TokenSpec
TokenSpec: 1 audiences []str, 3 boundObjectRef TokenObject, 4 expirationSeconds int?
TokenObject: 1 kind str, 2 apiVersion str, 3 name str, 4 uid str
Role: 1 metadata ObjectMeta, 2 rules []PolicyRule
ClusterRole: 1 metadata ObjectMeta, 2 rules []PolicyRule, 3 aggregationRule AggregationRule
PolicyRule: 1 verbs []str, 2 apiGroups []str, 3 resources []str, 4 resourceNames []str, 5 nonResourceURLs []str
AggregationRule: 1 clusterRoleSelectors []LabelSelector
RoleBinding: 1 metadata ObjectMeta, 2 subjects []Subject, 3 roleRef RoleRef
ClusterRoleBinding: 1 metadata ObjectMeta, 2 subjects []Subject, 3 roleRef RoleRef
Subject: 1 kind str, 2 apiGroup str, 3 name str, 4 namespace str
RoleRef: 1 apiGroup str, 2 kind str, 3 name str
Ingress: 1 metadata ObjectMeta, 2 spec IngressSpec
IngressSpec: 1 defaultBackend IngressBackend, 2 tls []IngressTLS, 3 rules []IngressRule, 4 ingressClassName str
IngressBackend: 3 resource TypedReference, 4 service ServiceBackend
TypedReference: 1 apiGroup str, 2 kind str, 3 name str
ServiceBackend: 1 name str, 2 port BackendPort
BackendPort: 1 name str, 2 number int
IngressRule: 1 host str, 2 - IngressRuleValue
IngressRuleValue: 1 http IngressPaths
IngressPaths: 1 paths []IngressPath
IngressPath: 1 path str, 2 backend IngressBackend, 3 pathType str
IngressTLS: 1 hosts []str, 2 secretName str
Deployment: 1 metadata ObjectMeta, 2 spec DeploymentSpec
DeploymentSpec: 1 replicas int?, 2 selector LabelSelector, 3 template PodTemplateSpec, 4 strategy Strategy,
 5 minReadySeconds int, 6 revisionHistoryLimit int?, 7 paused bool, 9 progressDeadlineSeconds int?
Strategy: 1 type str
Job: 1 metadata ObjectMeta, 2 spec JobSpec
JobSpec: 1 parallelism int?, 2 completions int?, 3 activeDeadlineSeconds int?, 4 selector LabelSelector,
 5 manualSelector bool, 6 template PodTemplateSpec, 7 backoffLimit int?, 8 ttlSecondsAfterFinished int?
CronJob: 1 metadata ObjectMeta, 2 spec CronJobSpec
CronJobSpec: 1 schedule str, 2 startingDeadlineSeconds int?, 3 concurrencyPolicy str, 4 suspend bool,
 5 jobTemplate JobTemplateSpec, 6 successfulJobsHistoryLimit int?, 7 failedJobsHistoryLimit int?, 8 timeZone str
JobTemplateSpec: 1 metadata ObjectMeta, 2 spec JobSpec
PodTemplateSpec: 1 metadata ObjectMeta, 2 spec PodSpec
Pod: 1 metadata ObjectMeta, 2 spec PodSpec
PodSpec: 2 containers []Container, 3 restartPolicy str, 4 terminationGracePeriodSeconds int?,
 5 activeDeadlineSeconds int?, 6 dnsPolicy str, 7 nodeSelector {}str, 8 serviceAccountName str, 9 serviceAccount str,
 10 nodeName str, 11 hostNetwork bool, 12 hostPID bool, 13 hostIPC bool, 16 hostname str, 17 subdomain str,
 19 schedulerName str, 20 initContainers []Container, 21 automountServiceAccountToken bool, 22 tolerations []Toleration,
 24 priorityClassName str, 25 priority int?, 30 enableServiceLinks bool, 31 preemptionPolicy str,
 38 schedulingGates []Gate
Gate: 1 name str
Toleration: 1 key str, 2 operator str, 3 value str, 4 effect str, 5 tolerationSeconds int?
Container: 1 name str, 2 image str, 3 command []str, 4 args []str, 5 workingDir str, 6 ports []ContainerPort,
 7 env []EnvVar, 8 resources Resources, 13 terminationMessagePath str, 14 imagePullPolicy str, 16 stdin bool,
 17 stdinOnce bool, 18 tty bool, 20 terminationMessagePolicy str, 24 restartPolicy str
ContainerPort: 1 name str, 2 hostPort int, 3 containerPort int, 4 protocol str, 5 hostIP str
EnvVar: 1 name str, 2 value str
Resources: 1 limits {}quantity, 2 requests {}quantity
"""

Message = dict[int, tuple[str, str]]


def _read(text: str) -> dict[str, Message]:
    found: dict[str, Message] = {}
    for line in text.strip().replace("\n ", " ").splitlines():
        name, _, fields = line.partition(":")
        message: Message = {}
        for entry in fields.split(","):
            number, member, kind = entry.split()
            message[int(number)] = (member, kind)
        found[name] = message
    return found


MESSAGES: dict[str, Message] = _read(_TEXT)
"""Message name to its fields."""
