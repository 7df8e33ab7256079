"""Makes `builders` and `fakes` importable from every test, and hypothesis repeatable and free of wall-clock limits."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "repository",
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("repository")
