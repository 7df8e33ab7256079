"""What rules and actors may reach: the store, the clock and fresh identifiers."""

import random
import uuid
from dataclasses import dataclass, field
from typing import Any, Protocol

from tenantry_sim.clock import Clock, LoopClock, stamp
from tenantry_sim.store.catalog import Catalog
from tenantry_sim.store.records import Object, Record
from tenantry_sim.store.store import KindStore, Store

_SUFFIX_LETTERS = "bcdfghjklmnpqrstvwxz2456789"


class Doorkeeper(Protocol):
    """Finds the gate through which an object of a controller's must pass; see `webhooks.doorkeeper`."""

    def gate(self, call: Any, obj: Object) -> Any:
        """A `Gate` for creating the object; None when no webhook wants to see it."""
        ...

    def passed(self, gate: Any) -> None:
        """The object was created or refused: the gate is not needed again."""
        ...


@dataclass(slots=True)
class World:
    """The shared state of one embedded cluster. Single-threaded: used from one event loop only."""

    store: Store
    clock: Clock = field(default_factory=LoopClock)
    chance: random.Random = field(default_factory=random.Random)
    catalog: Catalog = field(default_factory=Catalog)
    doorkeeper: Doorkeeper | None = None
    """Set by a server that calls webhooks."""

    def kind(self, key: str) -> KindStore:
        """The store of `group/plural`; `/pods` for pods."""
        return self.store.kinds[key]

    def find(self, key: str, name: str, namespace: str = "") -> Record | None:
        return self.store.kinds[key].get(namespace, name)

    def stamp(self) -> str:
        """The present time as `metav1.Time`."""
        return stamp(self.clock.now())

    def uid(self) -> str:
        return str(uuid.UUID(int=self.chance.getrandbits(128), version=4))

    def suffix(self) -> str:
        """Five letters for `generateName`."""
        return "".join(self.chance.choices(_SUFFIX_LETTERS, k=5))
