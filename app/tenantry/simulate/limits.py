"""What LimitRanges refuse: requests and limits outside their bounds.

Source: the LimitRanger admission plugin of Kubernetes 1.36. Defaults are filled in by `defaults.admit_limits`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from msgspec import structs

from tenantry.simulate.defaults import limits_of
from tenantry.simulate.objects import LimitItem, LimitRange
from tenantry_core.model.objects import Container, Pod, ResourceRequirements
from tenantry_core.model.quantity import format_amount, parse
from tenantry_core.model.requests import Amounts, amounts, effective_request


class _Asked(NamedTuple):
    """Canonical amounts that one container, or a whole pod, names."""

    per: str
    requests: Amounts
    limits: Amounts


def limit_of_pod(pod: Pod) -> Amounts:
    """Limits of the whole pod, added up as requests are: init containers as a peak, sidecars beside."""
    every = [
        tuple(_limits_as_requests(c) for c in part or ()) for part in (pod.spec.containers, pod.spec.init_containers)
    ]
    whole = pod.spec.resources
    if whole is not None:
        whole = ResourceRequirements(requests=whole.limits)
    spec = structs.replace(pod.spec, containers=every[0], init_containers=every[1], resources=whole)
    return effective_request(structs.replace(pod, spec=spec))


def _limits_as_requests(container: Container) -> Container:
    return structs.replace(container, resources=ResourceRequirements(requests=container.resources.limits))


def request_over_limit(pod: Pod) -> str:
    """Why validation refuses a pod that asks for more than its own limit; "" where it does not."""
    for container in (*pod.spec.containers, *(pod.spec.init_containers or ())):
        limits = amounts(container.resources.limits)
        for name, value in amounts(container.resources.requests).items():
            if name in limits and value > limits[name]:
                texts = [format_amount(name, n) for n in (value, limits[name])]
                return f"container {container.name}: {name} request {texts[0]} is above its limit {texts[1]}"
    return ""


def refusal_by_limits(pod: Pod, ranges: Iterable[LimitRange]) -> str:
    """Why the LimitRanges of its namespace refuse the pod, all reasons joined; "" where they do not."""
    kept = list(ranges)
    every = (*pod.spec.containers, *(pod.spec.init_containers or ()))
    asked = [_Asked("Container", amounts(c.resources.requests), amounts(c.resources.limits)) for c in every]
    found = [why for limit in limits_of(kept, "Container") for one in asked for why in _outside(one, limit)]
    whole = _Asked("Pod", effective_request(pod), limit_of_pod(pod))
    found += [why for limit in limits_of(kept, "Pod") for why in _outside(whole, limit)]
    return ", ".join(dict.fromkeys(found))


def _outside(asked: _Asked, limit: LimitItem) -> Iterator[str]:
    for name, least in amounts(limit.min).items():
        for what, given in (("request", asked.requests.get(name)), ("limit", asked.limits.get(name, least))):
            if given is None or given < least:
                yield _bound("minimum", name, asked.per, least, what, given)
    for name, most in amounts(limit.max).items():
        for what, given in (("request", asked.requests.get(name, 0)), ("limit", asked.limits.get(name))):
            if given is None or given > most:
                yield _bound("maximum", name, asked.per, most, what, given)
    yield from _ratio(asked, limit.max_limit_request_ratio or {})


def _bound(which: str, name: str, per: str, bound: int, what: str, given: int | None) -> str:
    said = "no " + what + " is specified" if given is None else f"{what} is {format_amount(name, given)}"
    return f"{which} {name} usage per {per} is {format_amount(name, bound)}, but {said}"


def _ratio(asked: _Asked, ratios: Mapping[str, str | int]) -> Iterator[str]:
    for name, text in ratios.items():
        request, limit = asked.requests.get(name, 0), asked.limits.get(name, 0)
        if not request or not limit:
            yield f"{name} max limit to request ratio per {asked.per} is {text}, but no request or limit is specified"
        elif limit > float(parse(str(text))) * request:
            yield f"{name} max limit to request ratio per {asked.per} is {text}, but it is {limit / request:.2f}"
