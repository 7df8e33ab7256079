"""The HTTP port: what a scraper, a probe and a person get, over a real socket on loopback."""

from collections.abc import AsyncIterator

import aiohttp
import pytest
from aiohttp import web
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse_openmetrics
from prometheus_client.parser import text_string_to_metric_families as parse_text
from signal_calls import CASES
from upstream_metrics import UPSTREAM, bounds

from tenantry.http.server import Exposed, HttpServer, HttpSettings
from tenantry_telemetry.exposition import PodResources
from tenantry_telemetry.health import Health
from tenantry_telemetry.prometheus import PrometheusRecorder, expose_process

OPENMETRICS = "application/openmetrics-text; version=1.0.0"
PODS = [
    PodResources("a", "web-1", "n1", "tenantry", "0", {"cpu": 1500, "memory": 2**20, "nvidia.com/gpu": 1}, {"cpu": 0}),
    PodResources("a", "web-2", "", "tenantry", "", {"hugepages-2Mi": 2**21}, {"ephemeral-storage": 10}),
]


async def hello(request: web.Request) -> web.StreamResponse:
    return web.Response(text="hello")


@pytest.fixture
async def url() -> AsyncIterator[str]:
    recorder = PrometheusRecorder()
    for case in CASES.values():
        case.call(recorder)
    expose_process(recorder, "1.2.3")
    health = Health()
    health.add_ready("cache-sync", lambda: "pods are not listed yet")
    config = {"profiles": [{"name": "default"}], "interval": 1.5}
    exposed = Exposed(recorder.registry, health, lambda: PODS, lambda: config, [("/hello", hello)])
    server = HttpServer(exposed, HttpSettings(port=0))
    await server.start()
    yield server.url
    await server.stop()


async def get(url: str, accept: str = "") -> tuple[int, str, str]:
    async with aiohttp.ClientSession() as session, session.get(url, headers={"Accept": accept}) as answer:
        return answer.status, answer.headers["Content-Type"], await answer.text()


@pytest.mark.parametrize("accept", ["", OPENMETRICS], ids=["text", "openmetrics"])
async def test_scrape_has_upstream_families(url: str, accept: str) -> None:
    status, content_type, body = await get(f"{url}/metrics", accept)
    assert (status, content_type.split(";")[0]) == (200, accept.split(";")[0] or "text/plain")
    parse = parse_openmetrics if accept else parse_text
    families = {family.name: family for family in parse(body)}
    for name, (kind, labels, buckets) in UPSTREAM.items():
        family = families[name.removesuffix("_total")]
        assert family.type == kind, name
        assert family.samples, name
        for sample in family.samples:
            assert set(sample.labels) - {"le"} == set(labels.split()), name
        if buckets is not None:
            first = {k: v for k, v in family.samples[0].labels.items() if k != "le"}
            found = [s.labels for s in family.samples if s.name.endswith("_bucket")]
            edges = [float(le["le"]) for le in found if {k: v for k, v in le.items() if k != "le"} == first]
            assert edges == pytest.approx(bounds(buckets)), name


async def test_scrape_has_process_and_build(url: str) -> None:
    _, _, body = await get(f"{url}/metrics")
    families = {family.name: family for family in parse_text(body)}
    assert families["process_resident_memory_bytes"].samples[0].value > 0
    assert families["tenantry_build_info"].samples[0].labels["version"] == "1.2.3"
    build = families["kubernetes_build_info"].samples[0].labels
    assert (build["major"], build["minor"]) == ("1", "36")


async def test_resources(url: str) -> None:
    _, _, body = await get(f"{url}/metrics/resources")
    rows = {
        (sample.name, sample.labels["pod"], sample.labels["resource"], sample.labels["unit"]): sample.value
        for family in parse_text(body)
        for sample in family.samples
    }
    assert rows == {
        ("kube_pod_resource_request", "web-1", "cpu", "cores"): 1.5,
        ("kube_pod_resource_request", "web-1", "memory", "bytes"): 2**20,
        ("kube_pod_resource_request", "web-1", "nvidia.com/gpu", "integer"): 1,
        ("kube_pod_resource_request", "web-2", "hugepages-2Mi", "bytes"): 2**21,
        ("kube_pod_resource_limit", "web-2", "ephemeral-storage", "bytes"): 10,
    }
    labels = {name for family in parse_text(body) for sample in family.samples for name in sample.labels}
    assert labels == {"namespace", "pod", "node", "scheduler", "priority", "resource", "unit"}


@pytest.mark.parametrize(
    ("path", "status", "text"),
    [
        ("/healthz", 200, "ok"),
        ("/livez", 200, "ok"),
        ("/livez?verbose", 200, "[+]ping ok\nlivez check passed\n"),
        (
            "/readyz",
            500,
            "[+]ping ok\n[+]shutdown ok\n[-]cache-sync failed: pods are not listed yet\nreadyz check failed\n",
        ),
        ("/readyz?exclude=cache-sync", 200, "ok"),
        ("/readyz/ping", 200, "ok"),
        ("/readyz/cache-sync", 500, "cache-sync failed: pods are not listed yet\n"),
        ("/livez/cache-sync", 404, 'no check "cache-sync" in livez; there are: ping\n'),
        ("/configz", 200, '{"profiles":[{"name":"default"}],"interval":1.5}'),
        ("/hello", 200, "hello"),
        ("/nowhere", 404, "404: Not Found"),
    ],
)
async def test_path(url: str, path: str, status: int, text: str) -> None:
    got, _, body = await get(url + path)
    assert (got, body) == (status, text)


async def test_nothing_can_be_posted(url: str) -> None:
    async with aiohttp.ClientSession() as session, session.post(f"{url}/metrics") as answer:
        assert answer.status == 405


async def test_path_given_twice_is_refused() -> None:
    server = HttpServer(Exposed(PrometheusRecorder().registry, Health(), routes=[("/livez", hello)]))
    with pytest.raises(ValueError, match="/livez is served already"):
        await server.start()


async def test_address_in_use_is_an_error_and_stop_can_be_repeated() -> None:
    exposed = Exposed(PrometheusRecorder().registry, Health())
    first = HttpServer(exposed, HttpSettings(port=0))
    await first.start()
    second = HttpServer(exposed, HttpSettings(port=first.port))
    with pytest.raises(OSError, match="in use"):
        await second.start()
    await second.stop()
    await first.stop()
    await first.stop()
    with pytest.raises(RuntimeError, match="not running"):
        first.port  # noqa: B018 - the access is what is tested
