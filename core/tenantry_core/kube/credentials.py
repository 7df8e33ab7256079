"""Loads a `Connection` from a kubeconfig or from the pod we run in.

`kubernetes.aio.config` does the reading: contexts, embedded and file certificates, tokens, token files, basic auth,
OIDC and exec plugins. We keep what a transport needs and refresh it: looked at once a minute where it can expire, and
read again from the start when the server answers 401.
"""

import asyncio
import os
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import yaml
from kubernetes.aio import config as kube_config
from kubernetes.aio.client import Configuration
from kubernetes.aio.config.config_exception import ConfigException
from kubernetes.aio.config.incluster_config import InClusterConfigLoader

from tenantry_core.clock import Clock, SystemClock
from tenantry_core.kube.connection import Connection
from tenantry_core.kube.errors import CredentialsError

# The loaders carry no types.
_load_kube_config: Any = kube_config.load_kube_config
_in_cluster_loader: Any = InClusterConfigLoader

CHECK_PERIOD = 60.0
"""Seconds between two looks at credentials that can expire; the loaders renew five minutes ahead of an expiry."""
FORCED_PERIOD = 10.0
"""Seconds between two reloads after a 401, so that a storm of refused requests runs an exec plugin once."""
LOAD_TIMEOUT = 60.0
"""Seconds for one load; an exec plugin that waits for a person has no one to wait for here."""

SERVICE_ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")


class Source(Protocol):
    """Something that fills a client configuration."""

    async def load(self, *, fresh: bool) -> Any:
        """A `kubernetes.aio` Configuration; `fresh` reads everything again, otherwise only what has expired."""
        ...

    def expires(self) -> bool:
        """True when looking again once in a while may bring other credentials."""
        ...


class KubeconfigSource:
    """One context of one or several kubeconfig files (joined by the path separator)."""

    def __init__(self, path: str, context: str | None = None) -> None:
        self._path = path
        self._context = context
        self._config: Any = None
        self._loader: Any = None

    async def load(self, *, fresh: bool) -> Any:
        if fresh or self._loader is None:
            config = Configuration()
            self._loader = await _load_kube_config(
                self._path, self._context, client_configuration=config, persist_config=False
            )
            self._config = config
        else:
            await self._loader.load_and_set(self._config)
        self._check()
        return self._config

    def expires(self) -> bool:
        # An exec plugin that names no expiry would run at every look; a 401 renews it instead.
        return "exec" not in self._user() or hasattr(self._loader, "exec_plugin_expiry")

    def namespace(self) -> str:
        """Namespace of the context."""
        return str((self._loader.current_context.get("context") or {}).get("namespace") or "default")

    def _user(self) -> Mapping[str, Any]:
        # The loader has no public way to ask which kind of user it has; its own refresh task reads the same field.
        node = getattr(self._loader, "_user", None)
        value = getattr(node, "value", None)
        return value if isinstance(value, dict) else {}

    def _check(self) -> None:
        """The loader logs an exec plugin's failure and goes on without credentials; that is a fault here."""
        user = self._user()
        if "exec" in user and not self._config.api_key.get("BearerToken") and not self._config.cert_file:
            command = (user["exec"] or {}).get("command", "?")
            raise CredentialsError(f"{self._path}: the exec plugin {command!r} gave no credentials; see the log above")


class InClusterSource:
    """The service account of the pod we run in."""

    def __init__(self, folder: Path = SERVICE_ACCOUNT, environ: Mapping[str, str] | None = None) -> None:
        self._folder = folder
        self._environ = os.environ if environ is None else environ
        self._config: Any = None

    async def load(self, *, fresh: bool) -> Any:
        if fresh or self._config is None:
            loader = _in_cluster_loader(
                token_filename=str(self._folder / "token"),
                cert_filename=str(self._folder / "ca.crt"),
                environ=self._environ,
            )
            config = Configuration()
            loader.load_and_set(config)
            self._config = config
        else:
            self._config.refresh_api_key_hook(self._config)
        return self._config

    def expires(self) -> bool:
        return True

    def namespace(self) -> str:
        """Namespace of the pod."""
        try:
            return (self._folder / "namespace").read_text().strip() or "default"
        except OSError:
            return "default"


@dataclass(slots=True)
class _Held:
    headers: Mapping[str, str]
    certificate: tuple[str, str | None] | None


class LoadedCredentials:
    """Credentials of a source, renewed in place: new tokens as headers, new client certificates in the SSL context."""

    def __init__(self, source: Source, clock: Clock) -> None:
        self._source = source
        self._clock = clock
        self._lock = asyncio.Lock()
        self._held = _Held({}, None)
        self._check_at = 0.0
        self._forced_at = float("-inf")
        self.ssl: ssl.SSLContext | None = None
        self.problem = ""
        """Why the last renewal failed, "" when it did not."""

    async def start(self) -> Any:
        """Load for the first time; returns the client configuration. Raises `CredentialsError`."""
        config = await self._load(fresh=True)
        self.ssl = _ssl_context(config)
        return config

    async def headers(self) -> Mapping[str, str]:
        """See `Credentials`. While a renewal runs, others go on with what there is."""
        if self._clock.monotonic() >= self._check_at and not self._lock.locked():
            async with self._lock:
                self._check_at = self._clock.monotonic() + CHECK_PERIOD
                if self._source.expires():
                    await self._renew(fresh=False)
        return self._held.headers

    async def refresh(self, used: Mapping[str, str]) -> bool:
        """See `Credentials`."""
        async with self._lock:
            if self._held.headers != used:
                return True
            now = self._clock.monotonic()
            if now - self._forced_at < FORCED_PERIOD:
                return False
            self._forced_at = now
            before = self._held.certificate
            await self._renew(fresh=True)
            return self._held.headers != used or self._held.certificate != before

    async def _renew(self, *, fresh: bool) -> None:
        """Load again; on failure keep what there is, since it may still be good."""
        try:
            await self._load(fresh=fresh)
            self.problem = ""
        except CredentialsError as fault:
            self.problem = str(fault)

    async def _load(self, *, fresh: bool) -> Any:
        try:
            async with asyncio.timeout(LOAD_TIMEOUT):
                config = await self._source.load(fresh=fresh)
        except TimeoutError as fault:
            raise CredentialsError(f"no credentials within {LOAD_TIMEOUT:.0f} s") from fault
        except (ConfigException, OSError, ValueError, TypeError, KeyError, AttributeError, yaml.YAMLError) as fault:
            # The loader meets a malformed file with whatever its dict look-ups raise.
            raise CredentialsError(f"can't load credentials: {fault}") from fault
        token = str(config.api_key.get("BearerToken") or "").strip()
        certificate = (config.cert_file, config.key_file) if config.cert_file else None
        if certificate is not None and certificate != self._held.certificate and self.ssl is not None:
            self.ssl.load_cert_chain(*certificate)
        self._held = _Held({"Authorization": token} if token else {}, certificate)
        self._check_at = self._clock.monotonic() + CHECK_PERIOD
        return config


async def load(kubeconfig: str | None = None, context: str | None = None, clock: Clock | None = None) -> Connection:
    """The connection to use: the named kubeconfig, else `KUBECONFIG`, else `~/.kube/config`, else the pod we run in.

    Raises `CredentialsError` naming what was looked for.
    """
    return await connect(_find(kubeconfig, context), clock)


def _find(kubeconfig: str | None, context: str | None) -> KubeconfigSource | InClusterSource:
    default = os.environ.get("KUBECONFIG") or str(Path.home() / ".kube" / "config")
    path = kubeconfig or default
    if any(Path(part).expanduser().is_file() for part in path.split(os.pathsep) if part):
        return KubeconfigSource(path, context)
    if kubeconfig:
        raise CredentialsError(f"no kubeconfig at {kubeconfig}")
    if (SERVICE_ACCOUNT / "token").is_file():
        return InClusterSource()
    raise CredentialsError(f"no kubeconfig at {default} and no service account: pass --kubeconfig")


async def connect(source: KubeconfigSource | InClusterSource, clock: Clock | None = None) -> Connection:
    """The connection of one source. Raises `CredentialsError`."""
    credentials = LoadedCredentials(source, clock or SystemClock())
    config = await credentials.start()
    return Connection(
        server=str(config.host).rstrip("/"),
        ssl=credentials.ssl,
        credentials=credentials,
        server_hostname=config.tls_server_name or None,
        proxy=config.proxy or None,
        namespace=source.namespace(),
    )


def _ssl_context(config: Any) -> ssl.SSLContext | None:
    """Trust and client certificate as the configuration says; None for plain HTTP."""
    if not str(config.host).startswith("https"):
        return None
    try:
        context = ssl.create_default_context(cafile=config.ssl_ca_cert or None)
        # Cluster CAs often lack the extensions that this flag demands; other Kubernetes clients don't ask for them.
        context.verify_flags &= ~ssl.VERIFY_X509_STRICT
        if not config.verify_ssl:
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        if config.cert_file:
            context.load_cert_chain(config.cert_file, config.key_file or None)
    except (OSError, ValueError) as fault:
        raise CredentialsError(f"can't use the certificates of {config.host}: {fault}") from fault
    return context
