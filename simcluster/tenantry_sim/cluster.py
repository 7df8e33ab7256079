"""The embedded cluster: store, HTTP server, simulated nodes and controllers put together."""

import asyncio
import random
import ssl
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tenantry_sim.access import kubeconfig
from tenantry_sim.access.aggregation import AggregationController
from tenantry_sim.access.certificates import Authority, server_context
from tenantry_sim.access.defaults import populate as store_default_roles
from tenantry_sim.api.server import ApiServer
from tenantry_sim.api.watching import WatchStream
from tenantry_sim.clock import Clock, LoopClock, PausableClock
from tenantry_sim.config import SimConfig
from tenantry_sim.controllers.catalog import Actor, actors
from tenantry_sim.controllers.expiry import EventExpiry
from tenantry_sim.custom.controller import DefinitionController
from tenantry_sim.faults import Faults
from tenantry_sim.kinds.table import RESOURCES
from tenantry_sim.nodes.fleet import add_node, populate
from tenantry_sim.nodes.heartbeats import Heartbeats
from tenantry_sim.nodes.kubelet import Kubelet
from tenantry_sim.nodes.spaces import NamespaceController
from tenantry_sim.store.records import with_type
from tenantry_sim.store.store import Store
from tenantry_sim.transport import LocalSettings, LocalTransport
from tenantry_sim.world import World


class SimCluster:
    """An embedded Kubernetes API server with simulated nodes, in this process and event loop.

    `async with SimCluster(SimConfig(nodes=200)) as cluster: ...` serves at `cluster.url` until the block ends.
    Raises ValueError, with every problem listed, for bad settings.
    """

    def __init__(self, config: SimConfig | None = None, clock: Clock | None = None) -> None:
        self.config = config or SimConfig()
        problems = self.config.problems()
        if problems:
            raise ValueError("; ".join(problems))
        store = Store(RESOURCES, self.config.history)
        self.clock = PausableClock(clock or LoopClock())
        """The time of everything in the cluster; `faults` can stop it."""
        self.world = World(store, self.clock, random.Random(self.config.seed))
        self.authority = Authority(datetime.now(UTC)) if self.config.tls else None
        """Signs certificates; None without TLS."""
        self.server = ApiServer(self.world, self.config, self._tls())
        self.faults = Faults(self, self.world.chance)
        self.server.faults = self.faults
        self._kubelet = Kubelet(self.world, self.config.stages)
        chosen = actors(self.world, self.config.controllers)
        self._controllers: list[Actor] = [
            NamespaceController(self.world),
            DefinitionController(self.world),
            AggregationController(self.world),
            EventExpiry(self.world, self.config.event_seconds),
            Heartbeats(self.world, self.config.heartbeat_seconds, lambda: self._kubelet.nodes),
            *chosen,
        ]
        self._restart: asyncio.Task[None] | None = None
        self._up = False

    @property
    def url(self) -> str:
        """Base URL, without a slash at the end. Valid once started."""
        scheme = "https" if self.config.tls else "http"
        return f"{scheme}://{self.config.host}:{self.server.port}"

    def _tls(self) -> ssl.SSLContext | None:
        if self.authority is None:
            return None
        hosts = dict.fromkeys((self.config.host, "127.0.0.1", "localhost", "kubernetes.default.svc"))
        return server_context(self.authority.server(list(hosts)), self.authority.pem)

    async def start(self) -> None:
        """Fill the store and listen. Raises OSError when the port is taken."""
        store_default_roles(self.world)
        populate(self.world, self.config)
        if self.config.kubelet:
            self._kubelet.start()
        for controller in self._controllers:
            controller.start()
        await self.start_listening()

    async def stop(self) -> None:
        """Stop actors and server; every connection is broken."""
        if self._restart is not None:
            self._restart.cancel()
            await asyncio.gather(self._restart, return_exceptions=True)
        self._kubelet.stop()
        for controller in self._controllers:
            controller.stop()
        await self.stop_listening()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    def add_node(self, number: int) -> None:
        """Add one more simulated node in the shape of the template."""
        add_node(self.world, self.config, number)

    def write_kubeconfig(self, path: str | Path, user: Mapping[str, Any] | None = None) -> None:
        """Write a kubeconfig that points at the server, readable by the owner only.

        `user` is a user entry, such as `token_user` and `certificate_user` give; the administrator's by default.
        """
        entry = dict(user) if user is not None else kubeconfig.by_token(self.config.token)
        authority = self.authority.pem if self.authority is not None else b""
        kubeconfig.write(path, kubeconfig.document(self.url, authority, entry))

    def certificate_user(self, name: str, groups: Sequence[str] = ()) -> dict[str, Any]:
        """A kubeconfig's user entry with a new client certificate. Raises ValueError without TLS."""
        if self.authority is None:
            raise ValueError("client certificates need TLS")
        return kubeconfig.by_certificate(self.authority.client(name, groups))

    def token_user(self, namespace: str, account: str) -> dict[str, Any]:
        """A kubeconfig's user entry with a token of a service account. Raises ApiError 404."""
        answer = self.server.access.accounts.request(namespace, account, {})
        return kubeconfig.by_token(answer["status"]["token"])

    def transport(self, settings: LocalSettings | None = None) -> LocalTransport:
        """A client's way to this cluster without sockets, in the same event loop."""
        return LocalTransport(self.server, lambda: self._up, settings)

    def dump(self) -> bytes:
        """Every object, one JSON line each, by kind, namespace and name: equal for equal histories."""
        kinds = sorted(self.world.store.kinds.items())
        return b"".join(with_type(k.resource, r.raw) + b"\n" for _, k in kinds for r in k.ordered())

    def cut_watches(self, key: str) -> int:
        """For `faults`: break open watches."""
        return self.server.hub.do(key, WatchStream.cut)

    def compact(self) -> None:
        """For `faults`: forget history."""
        self.world.store.compact()

    async def start_listening(self) -> None:
        """For `faults`: listen again."""
        if self.config.listen:
            await self.server.start(self.config.host, self.config.port)
        self._up = True

    async def stop_listening(self, lose_history: bool = False) -> None:
        """For `faults`: close the port; with `lose_history` the watch cache is gone, as after a crash."""
        self._up = False
        await self.server.stop()
        if lose_history:
            self.world.store.forget_changes()

    def restart_later(self, down_seconds: float, lose_history: bool = False) -> None:
        """For `faults` over HTTP: answer first, then go down for some seconds."""

        async def restart() -> None:
            await asyncio.sleep(0.05)
            await self.stop_listening(lose_history)
            await asyncio.sleep(down_seconds)
            await self.start_listening()

        self._restart = asyncio.get_running_loop().create_task(restart())
