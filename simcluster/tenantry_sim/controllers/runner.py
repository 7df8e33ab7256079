"""The loop that all controllers share: changes become keys, keys are worked off in order, each once at a time."""

import asyncio
import logging
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence

from tenantry_sim.api.call import Suspended
from tenantry_sim.clock import Cancellable
from tenantry_sim.controllers.ownership import OwnerIndex, controller_of
from tenantry_sim.controllers.views import head
from tenantry_sim.status import ApiError
from tenantry_sim.store.records import Change
from tenantry_sim.store.store import KindStore
from tenantry_sim.world import World

_LOG = logging.getLogger(__name__)
_SETTLE_SECONDS = 0.005
_BATCH = 64
"""Keys per turn of the loop, so that requests are served in between."""
_RETRY_FIRST = 0.1
_RETRY_MOST = 60.0

EVERY = ("*",)
Key = tuple[str, str]
"""Namespace and name of the object to look at."""


class Controller(ABC):
    """One kind of work. `sync` compares what is wanted with what is there and writes the difference."""

    kinds: tuple[str, ...] = ()
    """The kinds to follow, as `group/plural`; `EVERY` for all that there are and will be."""

    def __init__(self, world: World, owners: OwnerIndex) -> None:
        self.world = world
        self.owners = owners

    @abstractmethod
    def keys(self, kind: str, change: Change) -> Iterable[Key]:
        """The objects to look at after a change. Called inside of the change: cheap, and never writes."""

    @abstractmethod
    def sync(self, namespace: str, name: str) -> float | None:
        """Bring one object in order. Returns seconds until it must be looked at again without a change."""

    def own_or_owner(self, kind: str, mine: str, api_kind: str, change: Change) -> Iterable[Key]:
        """The usual `keys`: the object itself, or the controller of kind `api_kind` that the change belongs to."""
        if kind == mine:
            return [(change.record.namespace, change.record.name)]
        record = change.record
        owners = self.owners.owners((kind, record.namespace, record.name))
        owner = next((o for o in owners if o.controller), None)
        if owner is None:
            # Gone, or just let go: the objects themselves tell whose it was.
            records = [r for r in (record, change.previous) if r is not None and b'"ownerReferences"' in r.raw]
            owner = next(filter(None, (controller_of(head(r)) for r in records)), None)
        return [(record.namespace, owner.name)] if owner is not None and owner.kind == api_kind else ()


class Runner:
    """Runs controllers over one world, in a fixed order, on its clock."""

    def __init__(self, world: World, kinds: Sequence[type[Controller]]) -> None:
        self.world = world
        self.owners = OwnerIndex(world)
        self.controllers = [kind(world, self.owners) for kind in kinds]
        self._queue: dict[tuple[int, Key], None] = {}
        self._failures: dict[tuple[int, Key], int] = {}
        self._later: dict[tuple[int, Key], tuple[float, Cancellable]] = {}
        self._taps: list[tuple[KindStore, object]] = []
        self._timer: Cancellable | None = None
        self._waiting: dict[tuple[int, Key], asyncio.Task[None]] = {}
        """Objects whose webhooks are being asked."""

    def start(self) -> None:
        """Take in what is there, then follow."""
        if not self.controllers:
            return
        self.owners.start()
        for number, controller in enumerate(self.controllers):
            known = self.world.store.kinds
            for key in known if controller.kinds == EVERY else controller.kinds:
                if key in known:
                    self._follow(number, controller, known[key])
        self.world.store.kinds.followers.append(self._on_kind)

    def _on_kind(self, kind: KindStore) -> None:
        for number, controller in enumerate(self.controllers):
            if controller.kinds == EVERY:
                self._follow(number, controller, kind)

    def _follow(self, number: int, controller: Controller, kind: KindStore) -> None:
        name = kind.resource.key

        def on_change(change: Change) -> None:
            for key in controller.keys(name, change):
                self._add((number, key))

        for record in kind.ordered():
            on_change(Change("ADDED", record, None))
        kind.listeners.append(on_change)
        self._taps.append((kind, on_change))

    def stop(self) -> None:
        self.owners.stop()
        if self._on_kind in self.world.store.kinds.followers:
            self.world.store.kinds.followers.remove(self._on_kind)
        for kind, tap in self._taps:
            kind.listeners[:] = [listener for listener in kind.listeners if listener is not tap]
        self._taps.clear()
        for _, timer in self._later.values():
            timer.cancel()
        self._later.clear()
        self._queue.clear()
        for task in list(self._waiting.values()):
            task.cancel()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _add(self, item: tuple[int, Key]) -> None:
        self._queue[item] = None
        if self._timer is None:
            self._timer = self.world.clock.call_later(_SETTLE_SECONDS, self._turn)

    def _turn(self) -> None:
        self._timer = None
        for item in list(self._queue)[:_BATCH]:
            del self._queue[item]
            self._sync(item)
        if self._queue and self._timer is None:
            self._timer = self.world.clock.call_later(_SETTLE_SECONDS, self._turn)

    def _sync(self, item: tuple[int, Key]) -> None:
        if item in self._waiting:
            return
        number, key = item
        try:
            again = self.controllers[number].sync(*key)
        except Suspended as wait:
            self._waiting[item] = asyncio.get_running_loop().create_task(self._wait(item, wait))
            return
        except ApiError as refusal:
            again = self._backoff(item)
            _LOG.debug("%s %s refused: %s", type(self.controllers[number]).__name__, key, refusal)
        except Exception:
            again = self._backoff(item)
            _LOG.exception("%s failed for %s", type(self.controllers[number]).__name__, key)
        else:
            self._failures.pop(item, None)
        if again is not None:
            self._plan(item, again)

    async def _wait(self, item: tuple[int, Key], wait: Suspended) -> None:
        """Look at the object again once the webhooks have been asked."""
        try:
            await wait.resume()
        except Exception:
            _LOG.exception("webhooks for %s could not be asked", item[1])
            self._plan(item, self._backoff(item))
            return
        finally:
            self._waiting.pop(item, None)
        self._add(item)

    def _backoff(self, item: tuple[int, Key]) -> float:
        count = self._failures[item] = self._failures.get(item, 0) + 1
        return float(min(_RETRY_FIRST * 2 ** min(count - 1, 20), _RETRY_MOST))

    def _plan(self, item: tuple[int, Key], seconds: float) -> None:
        due = self.world.clock.now() + seconds
        present = self._later.get(item)
        if present is not None:
            if present[0] <= due:
                return
            present[1].cancel()

        def again() -> None:
            self._later.pop(item, None)
            self._add(item)

        self._later[item] = (due, self.world.clock.call_later(seconds, again))
