"""Each recorder method leaves the samples that its documentation promises, and no metric is left without a writer."""

import inspect

import pytest
from signal_calls import CASES, Case

from tenantry_telemetry.api import NOOP_RECORDER, NoopRecorder, SchedulerRecorder
from tenantry_telemetry.instruments import Family, Instruments, Value
from tenantry_telemetry.metric import counter
from tenantry_telemetry.prometheus import PrometheusRecorder, expose_process


def methods() -> set[str]:
    return {name for name, _ in inspect.getmembers(SchedulerRecorder, inspect.isfunction) if not name.startswith("_")}


def labels(text: str) -> dict[str, str]:
    return dict(part.split("=", 1) for part in text.split(",")) if text else {}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_call_leaves_samples(case: Case) -> None:
    recorder = PrometheusRecorder()
    case.call(recorder)
    for name, text, value in case.samples:
        if "le" in (wanted := labels(text)) and wanted["le"] != "+Inf":
            wanted["le"] = str(float(wanted["le"]))
        assert recorder.registry.get_sample_value(name, wanted) == pytest.approx(value), (name, text)


@pytest.mark.parametrize("name", sorted(methods()))
def test_method_is_implemented_and_the_default_does_nothing(name: str) -> None:
    assert name in vars(PrometheusRecorder)
    assert name not in vars(NoopRecorder)
    assert name == "sample_plugins" or name in CASES


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_noop_takes_every_call(case: Case) -> None:
    case.call(NOOP_RECORDER)
    assert NOOP_RECORDER.sample_plugins() is False


def test_every_metric_has_a_writer() -> None:
    recorder = PrometheusRecorder()
    for case in CASES.values():
        case.call(recorder)
    expose_process(recorder, "1.2.3")
    silent = [family.name for family in recorder.instruments.collect() if not family.samples]
    assert silent == []


@pytest.mark.parametrize(("draw", "sampled"), [(0.0, True), (0.0999, True), (0.1, False), (0.9, False)])
def test_a_tenth_of_the_cycles_times_its_plugins(draw: float, sampled: bool) -> None:
    assert PrometheusRecorder(rng=lambda: draw).sample_plugins() is sampled


def test_series_beyond_the_limit_share_one() -> None:
    family: Family[Value] = Family(counter("x_total", ("a",), "X."), Value, max_series=2)
    for name in ("one", "two", "three", "four"):
        family[(name,)].value += 1
    assert {key[0]: cell.value for key, cell in family.items()} == {"one": 1, "two": 1, "other": 2}


def test_wrong_number_of_labels_is_a_fault() -> None:
    with pytest.raises(ValueError, match="has the labels"):
        Instruments().value("scheduler_pending_pods")[("active", "surplus")]


def test_two_sets_of_the_same_names_in_one_registry_clash() -> None:
    first = Instruments()
    with pytest.raises(ValueError, match="Duplicated"):
        Instruments(registry=first.registry)
