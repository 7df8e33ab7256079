"""What a stream says: the items of a fresh list between two marks, then single changes."""

from enum import Enum

import msgspec


class EventType(Enum):
    """Kinds of `WatchEvent`."""

    SYNC_START = "SYNC_START"
    """A list begins. Mark: whatever it does not bring again before SYNC_END is gone. A second START voids the first."""
    SYNC_ITEM = "SYNC_ITEM"
    """One object of the list: an upsert."""
    SYNC_END = "SYNC_END"
    """The list is complete: delete what it did not bring. `resource_version` is that of the list."""
    ADDED = "ADDED"
    """Came into being, or into the selector."""
    MODIFIED = "MODIFIED"
    """Changed."""
    DELETED = "DELETED"
    """Is gone, or left the selector; the object is its last state."""
    BOOKMARK = "BOOKMARK"
    """Nothing happened up to this version. The object holds nothing but the version."""


class _Meta(msgspec.Struct, rename="camel"):
    resource_version: str = ""


class _Object(msgspec.Struct):
    metadata: _Meta = msgspec.field(default_factory=_Meta)


_OBJECT = msgspec.json.Decoder(_Object)

NOTHING = msgspec.Raw(b"null")


def version_of(raw: msgspec.Raw) -> str:
    """`metadata.resourceVersion` of an object, "" when it has none. Raises `msgspec.MsgspecError`."""
    return _OBJECT.decode(raw).metadata.resource_version


class WatchEvent(msgspec.Struct, frozen=True, gc=False):
    """One event of a stream, in the server's order."""

    type: EventType
    object: msgspec.Raw = NOTHING
    """The object, undecoded; `null` for SYNC_START and SYNC_END. It keeps its line alive: decode it, then drop it."""
    list_version: str = ""
    """Version of the list, on SYNC_END only."""

    @property
    def resource_version(self) -> str:
        """The version this event stands for; decoded when asked, "" when unreadable."""
        if self.list_version:
            return self.list_version
        try:
            return version_of(self.object)
        except msgspec.MsgspecError:
            return ""
