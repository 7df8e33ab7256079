"""Each rule of the configuration file, one row a rule."""

import pytest
from config_texts import profile, scheduler, tenantry

from tenantry_core.config import BUILTIN_PLUGINS, Point, load_config

ROWS: list[tuple[str, str, list[str]]] = [
    ("syntax", "a: [", ["not YAML: while parsing a flow node expected the node content, but found '<stream end>'"]),
    ("key-twice", "a: 1\na: 2", ['not YAML: the key "a" is given twice']),
    ("list", "- 1", ["document 1: must be an object with apiVersion and kind"]),
    ("no-kind", "apiVersion: v1", ["document 1: kind: must be set"]),
    ("kind", "kind: KubeSchedulerConfig", ['document 1: kind: unknown kind "KubeSchedulerConfig"; did you mean']),
    (
        "version",
        "kind: KubeSchedulerConfiguration\napiVersion: kubescheduler.config.k8s.io/v1beta3",
        ['document 1: apiVersion: unsupported version "kubescheduler.config.k8s.io/v1beta3"'],
    ),
    ("second", tenantry() + "---\n" + tenantry(), ["document 2: a second TenantryConfiguration"]),
    ("field-number", tenantry("1: 2"), ["1: a field name must be text, not 1"]),
    ("bool-as-int", tenantry("batchSize: true"), ["batchSize: must be a whole number, not true"]),
    ("text-as-int", tenantry('batchSize: "5"'), ['batchSize: must be a whole number, not the text "5"']),
    ("float-as-int", tenantry("batchSize: 1.0"), ["batchSize: must be a whole number, not 1.0"]),
    ("infinite", scheduler("clientConnection: {qps: .inf}"), ["clientConnection.qps: must be a number, not inf"]),
    ("scalar-as-object", tenantry("logging: 5"), ["logging: must be an object, not 5"]),
    ("list-as-object", tenantry("plugins: []"), ["plugins: must be an object, not a list"]),
    ("scalar-as-list", scheduler("profiles: 5"), ["profiles: must be a list, not 5"]),
    ("profile-scalar", scheduler("profiles: [5]"), ["profiles[0]: must be an object, not 5"]),
    ("parallelism", scheduler("parallelism: 0"), ["parallelism: must be at least 1, not 0"]),
    ("burst", scheduler("clientConnection: {burst: -1}"), ["clientConnection.burst: must be in the range 0 to"]),
    ("backoff-zero", scheduler("podInitialBackoffSeconds: 0"), ["podInitialBackoffSeconds: must be at least 1, not 0"]),
    (
        "backoff-order",
        scheduler("podInitialBackoffSeconds: 11"),
        ["podMaxBackoffSeconds: must be at least podInitialBackoffSeconds (11), not 10"],
    ),
    (
        "duration",
        scheduler("leaderElection: {retryPeriod: 2 seconds}"),
        ['leaderElection.retryPeriod: must be a duration such as "15s" or "1m30s", not the text "2 seconds"'],
    ),
    (
        "duration-number",
        scheduler("leaderElection: {retryPeriod: 2}"),
        ["leaderElection.retryPeriod: must be a duration"],
    ),
    (
        "duration-negative",
        scheduler("leaderElection: {retryPeriod: -2s}"),
        ["leaderElection.retryPeriod: must be above 0, not -2 s"],
    ),
    (
        "renew",
        scheduler("leaderElection: {renewDeadline: 2s}"),
        ["leaderElection.renewDeadline: must be above 1.2 times the retry period (2 s), not 2 s"],
    ),
    (
        "lock",
        scheduler("leaderElection: {resourceLock: endpoints, resourceName: ''}"),
        ['leaderElection.resourceLock: must be "leases", not "endpoints"', "leaderElection.resourceName: must be set"],
    ),
    ("no-election", scheduler("leaderElection: {leaderElect: false, resourceLock: ''}"), []),
    ("scheduler-name", scheduler("profiles: [{schedulerName: ''}]"), ["profiles[0].schedulerName: must be set"]),
    (
        "percentage",
        profile("percentageOfNodesToScore: -1"),
        ["profiles[0].percentageOfNodesToScore: must be in the range 0 to 100, not -1"],
    ),
    (
        "point",
        profile("plugins: {postfilter: {}}"),
        ['profiles[0].plugins.postfilter: unknown field; did you mean "postFilter"?'],
    ),
    (
        "weight",
        profile("plugins: {score: {enabled: [{name: ImageLocality, weight: -1}]}}"),
        ["profiles[0].plugins.score.enabled[0].weight: must be in the range 0 to 2147483647, not -1"],
    ),
    (
        "twice",
        profile("plugins: {score: {enabled: [{name: ImageLocality}, {name: ImageLocality}]}}"),
        ['profiles[0].plugins.score.enabled[1].name: "ImageLocality" is named twice'],
    ),
    (
        "not-served",
        profile("plugins: {score: {enabled: [{name: NodeName}]}}"),
        ['profiles[0].plugins.score.enabled[0].name: "NodeName" does not serve score; it serves filter'],
    ),
    ("no-name", profile("plugins: {bind: {enabled: [{}]}}"), ["profiles[0].plugins.bind.enabled[0].name: must be set"]),
    (
        "nothing-near",
        profile("plugins: {multiPoint: {enabled: [{name: Zzz}]}}"),
        ['profiles[0].plugins.multiPoint.enabled[0].name: unknown plugin "Zzz"'],
    ),
    (
        "no-bind",
        profile("plugins: {bind: {disabled: [{name: '*'}]}}"),
        ["profiles[0].plugins.bind: at least one plugin must be enabled"],
    ),
    (
        "no-queue-sort",
        profile("plugins: {queueSort: {disabled: [{name: PrioritySort}]}}"),
        ["profiles[0].plugins.queueSort: exactly one plugin must be enabled, not none"],
    ),
    (
        "config-name",
        profile("pluginConfig: [{args: {}}]"),
        ["profiles[0].pluginConfig[0].name: must be set to the name of a plugin"],
    ),
    (
        "config-unknown",
        profile("pluginConfig: [{name: nodeResourcesFit}]"),
        [
            'profiles[0].pluginConfig[0].name: unknown plugin "nodeResourcesFit"; did you mean "NodeResourcesFit"?',
        ],
    ),
    (
        "config-twice",
        profile("pluginConfig: [{name: NodeAffinity}, {name: NodeAffinity}]"),
        ['profiles[0].pluginConfig[1].name: a second entry for "NodeAffinity"'],
    ),
    (
        "args-kind",
        profile("pluginConfig: [{name: NodeAffinity, args: {kind: VolumeBindingArgs}}]"),
        ['profiles[0].pluginConfig[0].args.kind: must be "NodeAffinityArgs" for the plugin NodeAffinity'],
    ),
    ("address", tenantry("healthBindAddress: '10259'"), ["healthBindAddress: must be host:port"]),
    ("port", tenantry("metricsBindAddress: '127.0.0.1:70000'"), ["metricsBindAddress: must be host:port"]),
    ("address-off", tenantry("metricsBindAddress: ''"), []),
    (
        "folder",
        tenantry("pluginsFolder: {enabled: true}"),
        ["pluginsFolder.path: must be set when the folder is enabled"],
    ),
    (
        "override-unknown",
        tenantry("plugins: {ImageLocallity: {enabled: false}}"),
        ['plugins.ImageLocallity: unknown plugin "ImageLocallity"; did you mean "ImageLocality"?'],
    ),
    (
        "override-of-a-folder-plugin",
        tenantry("pluginsFolder: {enabled: true, path: /plugins}\nplugins: {Later: {enabled: true, weight: 2}}"),
        [],
    ),
    (
        "override-weight",
        tenantry("plugins: {ImageLocality: {weight: 0}}"),
        ["plugins.ImageLocality.weight: must be in the range 1 to 1000000, not 0"],
    ),
    (
        "leases",
        tenantry("leases: {durationSeconds: 5, namespace: ''}"),
        [
            "leases.durationSeconds: must be above the renew deadline (10 s), not 5 s",
            "leases.namespace: must be set",
        ],
    ),
]


@pytest.mark.parametrize(("text", "wanted"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_rule(text: str, wanted: list[str]) -> None:
    result = load_config(text)
    errors = [str(error) for error in result] if isinstance(result, list) else []
    assert len(errors) == len(wanted), errors
    for error, start in zip(errors, wanted, strict=True):
        assert error.startswith(start)


def test_profiles_share_one_queue_order() -> None:
    text = scheduler(
        """\
        profiles:
        - schedulerName: a
        - schedulerName: b
          plugins: {queueSort: {disabled: [{name: '*'}], enabled: [{name: Oldest}]}}
        """
    )
    result = load_config(text, {**BUILTIN_PLUGINS, "Oldest": frozenset({Point.QUEUE_SORT})})
    assert isinstance(result, list)
    assert [str(error) for error in result] == [
        "profiles[1].plugins.queueSort: must be the same for all profiles: PrioritySort in the first, Oldest here"
    ]
