"""Faults on demand: failing or slow requests, cut watches, lost history, a server that restarts.

The same switches work in-process on `cluster.faults` and over HTTP: POST a JSON object to `/sim/faults` (see `apply`).
"""

import random
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, Protocol

import msgspec

from tenantry_sim.clock import PausableClock
from tenantry_sim.status import ApiError

_REASONS = {
    400: "BadRequest",
    401: "Unauthorized",
    403: "Forbidden",
    404: "NotFound",
    409: "Conflict",
    410: "Expired",
    429: "TooManyRequests",
    500: "InternalError",
    503: "ServiceUnavailable",
    504: "Timeout",
}


@dataclass(slots=True)
class FaultRule:
    """What to do to the next matching requests. Rules are tried in the order in which they were added."""

    method: str = ""
    """HTTP method; empty for every one."""
    path: str = ""
    """Regular expression searched in the path without the query; empty for every one."""
    status: int = 500
    """Status code of the failure; 0 lets the request pass (for a delay alone)."""
    when: Literal["before", "after"] = "before"
    """Fail before anything happens, or after the change was stored."""
    times: int = 1
    """How many requests are hit; a negative number hits all until `clear`."""
    rate: float = 1.0
    """Share of the matching requests that are hit, 0 to 1; the others do not count."""
    delay_seconds: float = 0.0
    """Seconds to wait: before the request is looked at (`before`), or before the answer (`after`)."""
    retry_after: int | None = None
    """Seconds for a Retry-After header."""
    drop: bool = False
    """Break the connection instead of answering."""
    message: str = "injected fault"
    """Message of the Status."""
    verb: str = ""
    """Kubernetes' verb: get, list, watch, create, update, patch, delete or deletecollection; empty for every one."""
    resource: str = ""
    """Plural name, with its group and subresource where there is one: `pods`, `pods/binding`, `deployments.apps`,
    `deployments.apps/scale`; empty for every one."""

    def fits(self, method: str, wish: tuple[str, str]) -> bool:
        """Whether method, verb and resource are those of the rule."""
        return (
            self.method in ("", method)
            and self.verb in ("", wish[0])
            and (not self.resource or self.resource == wish[1])
        )

    def failure(self) -> ApiError:
        details = {"retryAfterSeconds": self.retry_after} if self.retry_after is not None else None
        return ApiError(self.status, _REASONS.get(self.status, "Unknown"), self.message, details)


class Controls(Protocol):
    """What the faults need of the cluster."""

    def cut_watches(self, key: str) -> int: ...

    def compact(self) -> None: ...

    async def start_listening(self) -> None: ...

    async def stop_listening(self, lose_history: bool = False) -> None: ...

    def restart_later(self, down_seconds: float, lose_history: bool = False) -> None: ...

    @property
    def clock(self) -> PausableClock: ...


class Faults:
    """The switches. Not thread-safe: use it from the cluster's event loop."""

    def __init__(self, controls: Controls, chance: random.Random | None = None) -> None:
        self._controls = controls
        self._chance = chance or random.Random()
        self._rules: list[tuple[FaultRule, re.Pattern[str]]] = []
        self.hits = 0
        """Requests that a rule has hit so far."""

    @property
    def active(self) -> bool:
        return bool(self._rules)

    def add(self, rule: FaultRule) -> FaultRule:
        """Arm a rule. Raises re.error for a bad path pattern."""
        self._rules.append((rule, re.compile(rule.path)))
        return rule

    def fail(self, method: str, path: str, status: int = 500, **more: Any) -> FaultRule:
        """Arm a rule in one line: `faults.fail("POST", "/binding$", 500, when="after", times=3)`."""
        return self.add(FaultRule(method, path, status, **more))

    def delay(self, method: str, path: str, seconds: float, times: int = -1) -> FaultRule:
        """Answer matching requests late."""
        return self.add(FaultRule(method, path, 0, delay_seconds=seconds, times=times))

    def clear(self) -> None:
        """Disarm every rule."""
        self._rules.clear()

    def hang(self, method: str = "", path: str = "", times: int = 1, **more: Any) -> FaultRule:
        """Leave matching requests without an answer: after an hour their connection breaks."""
        return self.add(FaultRule(method, path, 0, times=times, delay_seconds=3600.0, drop=True, **more))

    def match(self, method: str, path: str, query: Mapping[str, str] | None = None) -> FaultRule | None:
        """The rule for a request, counted as used."""
        wish = _wish(method, path, query or {}) if any(r.verb or r.resource for r, _ in self._rules) else ("", "")
        for i, (rule, pattern) in enumerate(self._rules):
            if not rule.fits(method, wish) or not pattern.search(path):
                continue
            if rule.rate < 1.0 and self._chance.random() >= rule.rate:
                continue
            if rule.times > 0:
                rule.times -= 1
                if rule.times == 0:
                    del self._rules[i]
            self.hits += 1
            return rule
        return None

    def pause_clock(self) -> None:
        """Stop the time of the cluster: nodes, controllers, bookmarks and time stamps stand still."""
        self._controls.clock.pause()

    def resume_clock(self) -> None:
        """Let the time go on from where it stopped."""
        self._controls.clock.resume()

    def cut_watches(self, key: str = "") -> int:
        """Break open watches in mid-stream: those of `group/plural` (`/pods`), or all. Returns how many."""
        return self._controls.cut_watches(key)

    def expire_history(self) -> None:
        """Compact: every watch or page from an earlier revision now gets 410. Open watches go on."""
        self._controls.compact()

    async def stop_server(self, lose_history: bool = False) -> None:
        """Close the port and break every connection; the state stays. With `lose_history` the watch cache does not:
        a watch from an earlier revision then gets 410."""
        await self._controls.stop_listening(lose_history)

    async def start_server(self) -> None:
        """Listen again on the same port."""
        await self._controls.start_listening()

    async def restart_server(self, lose_history: bool = False) -> None:
        """Stop and start: every connection breaks, the state stays; see `stop_server`."""
        await self.stop_server(lose_history)
        await self.start_server()

    async def apply(self, body: bytes) -> dict[str, Any]:
        """Carry out a request to `/sim/faults`: any of the members of `_Request`. Raises ApiError 400."""
        try:
            wanted = msgspec.json.decode(body or b"{}", type=_Request)
            if wanted.clear:
                self.clear()
            for rule in wanted.rules:
                self.add(rule)
        except (msgspec.DecodeError, msgspec.ValidationError, re.error) as problem:
            raise ApiError(400, "BadRequest", f"faults: {problem}") from None
        cut = self.cut_watches(wanted.watches) if wanted.cutWatches else 0
        if wanted.expireHistory:
            self.expire_history()
        if wanted.restart is not None:
            self._controls.restart_later(wanted.restart, wanted.loseHistory)
        if wanted.pauseClock is not None:
            (self.pause_clock if wanted.pauseClock else self.resume_clock)()
        return {"rules": [asdict(rule) for rule, _ in self._rules], "hits": self.hits, "cut": cut}


class _Request(msgspec.Struct, forbid_unknown_fields=True):
    """Members of a POST to `/sim/faults`."""

    rules: list[FaultRule] = msgspec.field(default_factory=list)
    clear: bool = False
    cutWatches: bool = False  # noqa: N815 - JSON members are in camel case
    watches: str = ""
    expireHistory: bool = False  # noqa: N815 - JSON members are in camel case
    restart: float | None = None
    loseHistory: bool = False  # noqa: N815 - JSON members are in camel case
    pauseClock: bool | None = None  # noqa: N815 - JSON members are in camel case


_BY_METHOD = {"POST": "create", "PUT": "update", "PATCH": "patch"}


def _wish(method: str, path: str, query: Mapping[str, str]) -> tuple[str, str]:
    """(verb, resource) of a request, from the path alone."""
    parts = path.strip("/").split("/")
    start = {"api": 2, "apis": 3}.get(parts[0], len(parts))
    rest = parts[start:]
    group = parts[1] if parts[0] == "apis" and len(parts) > 3 else ""
    if len(rest) > 2 and rest[0] == "namespaces" and rest[2] not in ("finalize", "status"):
        rest = rest[2:]
    if not rest:
        return "", ""
    name = f"{rest[0]}.{group}" if group else rest[0]
    resource = f"{name}/{rest[2]}" if len(rest) > 2 else name
    single = len(rest) > 1
    if method == "GET":
        watching = query.get("watch") in ("true", "1")
        return "watch" if watching else "get" if single else "list", resource
    if method == "DELETE":
        return "delete" if single else "deletecollection", resource
    return _BY_METHOD.get(method, ""), resource
