"""The shape of one entry in the metric catalogue, and the bucket series that entries use."""

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What a metric is to Prometheus."""

    COUNTER = "counter"
    GAUGE = "gauge"
    HISTOGRAM = "histogram"


class Stability(StrEnum):
    """How far a name may be relied on; Kubernetes' own levels."""

    STABLE = "STABLE"
    BETA = "BETA"
    ALPHA = "ALPHA"


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric family."""

    name: str
    """Full name as it stands on /metrics; a counter's with its `_total`."""
    kind: Kind
    labels: tuple[str, ...]
    """Label names, in the order in which a recorder passes values."""
    help: str
    unit: str = ""
    """"seconds", "bytes", or what is counted ("pods")."""
    buckets: tuple[float, ...] = ()
    """Upper bounds of a histogram, ascending, without +Inf."""
    stability: Stability = Stability.ALPHA

    @property
    def family(self) -> str:
        """The name without a counter's `_total`, which is what OpenMetrics calls the family."""
        return self.name.removesuffix("_total") if self.kind is Kind.COUNTER else self.name

    @property
    def exposed_unit(self) -> str:
        """The unit, if OpenMetrics allows to state it: only where the family's name ends in it."""
        return self.unit if self.unit and self.family.endswith(f"_{self.unit}") else ""


def exponential(start: float, factor: float, count: int) -> tuple[float, ...]:
    """`count` upper bounds: `start`, then each `factor` times the one before.

    Multiplied up step by step, so that the floats, and with them the `le` labels, are those of kube-scheduler.
    """
    bounds = [start]
    while len(bounds) < count:
        bounds.append(bounds[-1] * factor)
    return tuple(bounds)


def counter(
    name: str, labels: tuple[str, ...], help: str, unit: str = "", stability: Stability = Stability.ALPHA
) -> Metric:
    """Entry for a counter."""
    return Metric(name, Kind.COUNTER, labels, help, unit, (), stability)


def gauge(
    name: str, labels: tuple[str, ...], help: str, unit: str = "", stability: Stability = Stability.ALPHA
) -> Metric:
    """Entry for a gauge."""
    return Metric(name, Kind.GAUGE, labels, help, unit, (), stability)


def seconds(
    name: str,
    labels: tuple[str, ...],
    help: str,
    buckets: tuple[float, ...],
    stability: Stability = Stability.ALPHA,
) -> Metric:
    """Entry for a histogram of durations."""
    return Metric(name, Kind.HISTOGRAM, labels, help, "seconds", buckets, stability)
