"""A bad file gives all of its errors at once, each with its field path."""

from config_texts import scheduler, tenantry

from tenantry_core.config import FieldError, load_config

TEN_ERRORS = (
    scheduler(
        """\
    podInitialBackofSeconds: 2
    podMaxBackoffSeconds: ten
    percentageOfNodesToScore: 120
    leaderElection: {leaseDuration: 8s}
    extenders: [{urlPrefix: "https://extender.example"}]
    profiles:
    - schedulerName: packing
      plugins:
        filter: {enabled: [{name: NodeAfinity}]}
      pluginConfig:
      - name: InterPodAffinity
        args: {hardPodAffinityWeight: 101}
    - schedulerName: packing
    """
    )
    + "---\n"
    + tenantry("batchSize: 0\nlogging: {level: chatty}\n")
)


def test_ten_errors_are_listed_with_their_paths() -> None:
    result = load_config(TEN_ERRORS)
    assert isinstance(result, list)
    assert [str(error) for error in result] == [
        'podInitialBackofSeconds: unknown field; did you mean "podInitialBackoffSeconds"?',
        "percentageOfNodesToScore: must be in the range 0 to 100, not 120",
        'podMaxBackoffSeconds: must be a whole number, not the text "ten"',
        "profiles[0].pluginConfig[0].args.hardPodAffinityWeight: must be in the range 0 to 100, not 101",
        "batchSize: must be in the range 1 to 10000, not 0",
        'logging.level: unsupported value "chatty": supported values are "debug", "info", "warning", "error"',
        "leaderElection.leaseDuration: must be above the renew deadline (10 s), not 8 s",
        "extenders: not supported: webhook extenders are not called; write a plugin instead",
        'profiles[0].plugins.filter.enabled[0].name: unknown plugin "NodeAfinity"; did you mean "NodeAffinity"?',
        'profiles[1].schedulerName: "packing" is the name of profiles[0] too',
    ]


def test_an_error_is_a_value_with_path_and_message() -> None:
    assert load_config(tenantry("bindConcurrency: 0")) == [
        FieldError("bindConcurrency", "must be in the range 1 to 1024, not 0")
    ]
