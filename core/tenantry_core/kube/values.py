"""What goes into and comes out of the port: small frozen values, no I/O.

A refusal by the server is one of these values; only faults that the caller can't act on are exceptions.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, NamedTuple, TypeAlias, TypeVar

import msgspec

T = TypeVar("T")

Body: TypeAlias = Any
"""A request body: `bytes` go out as they are, anything else is encoded with `msgspec.json`."""


class Key(NamedTuple):
    """Namespace and name of one object; the namespace is "" for a cluster-scoped one."""

    namespace: str
    name: str


@dataclass(frozen=True, slots=True)
class CallOptions:
    """How one request is sent."""

    timeout: float = 30.0
    """Seconds for the whole request, answer included. An API server ends its own work after 60 s by default."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Extra headers, for example `traceparent`."""
    retry: bool = True
    """False: one attempt, whatever the answer. Leases use it, since a late renewal is worth nothing."""


CALL = CallOptions()


@dataclass(frozen=True, slots=True)
class ListOptions:
    """What to list and how fresh."""

    namespace: str = ""
    """One namespace, or "" for all."""
    field_selector: str = ""
    """For example `spec.nodeName=`; "" selects everything."""
    label_selector: str = ""
    """Label selector in its string form; "" selects everything."""
    page_size: int = 500
    """Objects a page, as client-go does; 0 asks for everything in one answer."""
    resource_version: str = ""
    """"" is a consistent (quorum) read, which a new leader needs; "0" takes whatever the server has in its cache."""
    timeout: float = 60.0
    """Seconds for each page."""


@dataclass(frozen=True, slots=True)
class WatchOptions:
    """What to watch and from where."""

    resource_version: str
    """Events after this version."""
    namespace: str = ""
    """One namespace, or "" for all."""
    field_selector: str = ""
    """As in `ListOptions`."""
    label_selector: str = ""
    """As in `ListOptions`."""
    bookmarks: bool = True
    """Ask for BOOKMARK events, which keep the version fresh on a quiet resource."""
    timeout_seconds: int = 300
    """Seconds after which the server is to end the watch."""
    idle_timeout: float = 330.0
    """Seconds without a byte after which we drop the connection: a peer that vanished sends no end."""


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a list. `index` 0 starts a list: what earlier pages said is void (the server gave 410 in between)."""

    index: int
    items: list[msgspec.Raw]
    """The objects, undecoded. They keep the page's bytes alive; decode and drop them, or `copy()`."""
    resource_version: str
    """Version of the list; the watch starts from that of the last page."""
    last: bool
    """No page follows."""


@dataclass(frozen=True, slots=True)
class Listing:
    """A whole list."""

    items: list[msgspec.Raw]
    resource_version: str


class PatchType(Enum):
    """Content types of PATCH."""

    MERGE = "application/merge-patch+json"
    STRATEGIC = "application/strategic-merge-patch+json"
    JSON = "application/json-patch+json"
    APPLY = "application/apply-patch+yaml"


@dataclass(frozen=True, slots=True)
class Patch:
    """One patch. `field_manager` is required for APPLY and `force` belongs to it."""

    type: PatchType
    body: Body
    field_manager: str = ""
    force: bool = False


@dataclass(frozen=True, slots=True)
class DeleteOptions:
    """How to delete or evict."""

    grace_seconds: int | None = None
    """Seconds between SIGTERM and SIGKILL; None is the pod's own, 0 at once."""
    uid: str = ""
    """Delete only the object with this UID; "" is whichever has the name."""
    resource_version: str = ""
    """Delete only at this version."""
    propagation: str = ""
    """`Background`, `Foreground`, `Orphan` or "" for the default."""
    dry_run: bool = False
    """Let the server check and change nothing."""


@dataclass(frozen=True, slots=True)
class BindRequest:
    """One Binding. The UID makes the server refuse a pod that was deleted and made again under the same name."""

    namespace: str
    name: str
    uid: str
    node: str
    annotations: Mapping[str, str] | None = None
    """Copied onto the pod by the server, in the same write."""


# ---- results -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Written:
    """The write was stored (or nothing had to change). `body` is the object, or a Status, as the server sent it."""

    body: bytes

    def decode(self, cls: type[T]) -> T:
        """The body as `cls`; raises `msgspec.DecodeError`."""
        return msgspec.json.decode(self.body, type=cls)


@dataclass(frozen=True, slots=True)
class Refused:
    """The server said no and stored nothing (a 5xx may have stored it none the less: see `may_have_happened`)."""

    status: int
    """HTTP status, 0 when the request never reached the server."""
    reason: str
    """Machine word: `NotFound`, `Conflict`, `AlreadyExists`, `Invalid`, `Forbidden`, `TooManyRequests`, ..."""
    message: str
    """Text for people."""
    retry_after: float | None = None
    """Seconds the server asks to wait, None when it does not say."""

    @property
    def may_have_happened(self) -> bool:
        """True for 5xx answers: the server may have stored the write and failed afterwards."""
        return self.status >= 500


@dataclass(frozen=True, slots=True)
class Unknown:
    """No answer: time-out or lost connection after the request may have left. It may have happened; read before
    retrying.
    """

    message: str


WriteResult: TypeAlias = Written | Refused | Unknown


@dataclass(frozen=True, slots=True)
class Bound:
    """201: the pod is on the node."""


@dataclass(frozen=True, slots=True)
class AlreadyBound:
    """409: the pod has a node already. `node` is its name as the server's message says it, "" when unreadable."""

    message: str
    node: str = ""


@dataclass(frozen=True, slots=True)
class NotFound:
    """The object is gone: 404, or 409 because the name now belongs to an object with another UID."""

    message: str


@dataclass(frozen=True, slots=True)
class Throttled:
    """429, or 503 with Retry-After: not acted on; try again after `retry_after` seconds (1 when the server gave
    none).
    """

    retry_after: float
    message: str


@dataclass(frozen=True, slots=True)
class Failed:
    """Any other answer. `status` 0: never sent. 5xx may have happened none the less: read the pod before undoing."""

    status: int
    message: str

    @property
    def may_have_happened(self) -> bool:
        """True for 5xx answers."""
        return self.status >= 500


BindResult: TypeAlias = Bound | AlreadyBound | NotFound | Throttled | Failed | Unknown


@dataclass(frozen=True, slots=True)
class Evicted:
    """200 or 201: the eviction was accepted; the pod is terminating or gone."""


@dataclass(frozen=True, slots=True)
class Blocked:
    """429 with a DisruptionBudget cause: a budget does not allow it now."""

    message: str
    retry_after: float


EvictResult: TypeAlias = Evicted | Blocked | NotFound | Throttled | Failed | Unknown
