"""The catalogue as live values in a Prometheus registry.

The client library's own counters take a lock and walk the buckets on each call, which costs too much at ten thousand
decisions a second, and cannot take many equal observations at once. So values live in plain cells, and a collector
turns them into the library's metric families when somebody scrapes: the library's interface for custom collectors.

Cells are written by one thread, the event loop's (and by the garbage collector's callback, which has cells of its own).
A scrape from another thread reads a value that is at most a moment old.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from prometheus_client import CollectorRegistry
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.metrics_core import Metric as PromFamily
from prometheus_client.registry import Collector
from prometheus_client.utils import floatToGoString

from tenantry_telemetry.catalogue import CATALOGUE
from tenantry_telemetry.metric import Kind, Metric

_go_float: Callable[[float], str] = floatToGoString

MAX_SERIES = 2000
"""Most label combinations of one family. Beyond it values go to one series whose labels are all "other"."""


class Value:
    """A counter or a gauge: read and write `value`."""

    __slots__ = ("value",)

    def __init__(self) -> None:
        self.value = 0.0


class Buckets:
    """A histogram: counts per bucket (not cumulative, the last is +Inf) and the sum of what was observed."""

    __slots__ = ("bounds", "counts", "sum")

    def __init__(self, bounds: tuple[float, ...]) -> None:
        self.bounds = bounds
        self.counts = [0] * (len(bounds) + 1)
        self.sum = 0.0

    def observe(self, value: float, count: int = 1) -> None:
        """`count` observations of `value`, in one step."""
        self.counts[bisect_left(self.bounds, value)] += count
        self.sum += value * count


Cell = TypeVar("Cell", Value, Buckets)


class Family(dict[tuple[str, ...], Cell]):
    """The series of one metric: `family[label values]` is the cell, made at the first look-up."""

    def __init__(self, metric: Metric, make: Callable[[], Cell], max_series: int = MAX_SERIES) -> None:
        super().__init__()
        self.metric = metric
        self._make: Callable[[], Cell] = make
        self._max = max_series
        if not metric.labels:
            self[()] = make()

    def __missing__(self, key: tuple[str, ...]) -> Cell:
        if len(key) != len(self.metric.labels):
            raise ValueError(f"{self.metric.name} has the labels {self.metric.labels}, got {key}")
        if len(self) >= self._max:
            key = ("other",) * len(key)
        return self.setdefault(key, self._make())


class Instruments(Collector):
    """Live values of every metric in the table, registered as one collector in a registry of their own."""

    def __init__(self, catalogue: Iterable[Metric] = CATALOGUE, registry: CollectorRegistry | None = None) -> None:
        self.registry = registry if registry is not None else CollectorRegistry(auto_describe=False)
        self._values: dict[str, Family[Value]] = {}
        self._buckets: dict[str, Family[Buckets]] = {}
        for metric in catalogue:
            if metric.kind is Kind.HISTOGRAM:
                self._buckets[metric.name] = _histogram(metric)
            else:
                self._values[metric.name] = Family(metric, Value)
        self.registry.register(self)

    def value(self, name: str) -> Family[Value]:
        """The counter or gauge `name`. KeyError if the table has none."""
        return self._values[name]

    def histogram(self, name: str) -> Family[Buckets]:
        """The histogram `name`. KeyError if the table has none."""
        return self._buckets[name]

    def describe(self) -> Iterator[PromFamily]:
        """Names only, by which the registry finds clashes."""
        for family in self._values.values():
            yield _empty(family.metric)
        for histogram in self._buckets.values():
            yield _empty(histogram.metric)

    def collect(self) -> Iterator[PromFamily]:
        """The families as the client library renders them, in the order of the table; those without a series too."""
        for family in self._values.values():
            yield _collect_values(family)
        for histogram in self._buckets.values():
            yield _collect_buckets(histogram)


def _histogram(metric: Metric) -> Family[Buckets]:
    return Family(metric, lambda: Buckets(metric.buckets))


def _empty(metric: Metric) -> PromFamily:
    return PromFamily(metric.family, metric.help, metric.kind.value, metric.exposed_unit)


def _collect_values(family: Family[Value]) -> PromFamily:
    metric = family.metric
    shape = CounterMetricFamily if metric.kind is Kind.COUNTER else GaugeMetricFamily
    out = shape(metric.family, metric.help, labels=metric.labels, unit=metric.exposed_unit)
    for key, cell in list(family.items()):
        out.add_metric(key, cell.value)
    return out


def _collect_buckets(family: Family[Buckets]) -> PromFamily:
    metric = family.metric
    out = HistogramMetricFamily(metric.family, metric.help, labels=metric.labels, unit=metric.exposed_unit)
    names = [_go_float(bound) for bound in metric.buckets] + ["+Inf"]
    for key, cell in list(family.items()):
        total, rows = 0, []
        for name, count in zip(names, list(cell.counts), strict=True):
            total += count
            rows.append((name, total))
        out.add_metric(key, rows, cell.sum)
    return out
