"""The entries of `metadata.managedFields`: one per manager, operation and subresource."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tenantry_sim.ownership.merging import merge, remove
from tenantry_sim.ownership.paths import Path, from_fields, owned, text, to_fields
from tenantry_sim.schemas.nodes import Node
from tenantry_sim.status import ApiError
from tenantry_sim.store.records import Object

Entry = dict[str, Any]
_BEFORE = "before-first-apply"
_STATUS = "f:status"


@dataclass(frozen=True, slots=True)
class Writer:
    """Who writes, and how."""

    manager: str
    operation: str
    """`Apply` or `Update`."""
    api_version: str
    subresource: str
    has_status: bool
    """Whether the status belongs to a subresource of its own."""
    now: str

    def is_author(self, entry: Mapping[str, Any]) -> bool:
        return (
            entry.get("manager") == self.manager
            and entry.get("operation") == self.operation
            and entry.get("subresource", "") == self.subresource
        )

    def entry(self, paths: set[Path]) -> Entry:
        made = {
            "manager": self.manager,
            "operation": self.operation,
            "apiVersion": self.api_version,
            "time": self.now,
            "fieldsType": "FieldsV1",
            "fieldsV1": to_fields(paths),
        }
        return {**made, "subresource": self.subresource} if self.subresource else made

    def concerns(self, path: Path) -> bool:
        """Whether a write like this one can change the path at all."""
        if self.subresource == "status":
            return path[0] == _STATUS
        return not (self.has_status and path[0] == _STATUS)


def created(obj: Object, node: Node, writer: Writer) -> list[Entry]:
    """The entries of a new object: its creator owns all that it states."""
    paths = {path for path in owned(obj, node) if writer.concerns(path)}
    return [writer.entry(paths)] if paths else []


def updated(old: Object, new: Object, node: Node, writer: Writer) -> list[Entry]:
    """The entries after an update: who changes a field owns it alone, who removes it leaves it to nobody."""
    before, after = owned(old, node), owned(new, node)
    changed = {p for p, value in after.items() if (p not in before or before[p] != value) and writer.concerns(p)}
    removed = {p for p in before if p not in after and writer.concerns(p)}
    if not changed and not removed:
        return list(old["metadata"]["managedFields"])
    entries, found = [], False
    for entry in old["metadata"]["managedFields"]:
        paths = from_fields(entry.get("fieldsV1"))
        if writer.is_author(entry):
            found = True
            kept = (paths | changed) - removed
        else:
            kept = paths - changed - removed
        entries += _rewritten(entry, paths, kept, writer.now if writer.is_author(entry) else "")
    if not found and changed:
        entries.append(writer.entry(changed))
    return sorted(entries, key=_order)


def _order(entry: Entry) -> tuple[str, ...]:
    """Appliers first, then by time and name: an order that does not depend on who came last."""
    return tuple(str(entry.get(key, "")) for key in ("operation", "time", "manager", "apiVersion", "subresource"))


def _rewritten(entry: Entry, paths: set[Path], kept: set[Path], now: str) -> list[Entry]:
    """The entry with other paths; unchanged when they are the same, none when none is left."""
    if not kept:
        return []
    if kept == paths:
        return [entry]
    return [{**entry, "fieldsV1": to_fields(kept), **({"time": now} if now else {})}]


def applied(live: Object, config: Object, node: Node, writer: Writer, force: bool) -> tuple[Object, list[Entry]]:
    """The live object with an applied configuration, and the entries afterwards. Raises ApiError 409 for conflicts.

    What the manager applied before and no longer states is removed, unless somebody else owns it too.
    """
    stated = owned(config, node)
    before = owned(live, node)
    entries: Sequence[Entry] = live["metadata"].get("managedFields") or _first(before, writer)
    merged: Object = merge(live, config, node)
    merged["metadata"] = dict(merged["metadata"])
    after = owned(merged, node)
    changed = {p for p, value in after.items() if p not in before or before[p] != value}
    others = [(entry, from_fields(entry.get("fieldsV1"))) for entry in entries if not writer.is_author(entry)]
    clashes = [(entry, path) for entry, paths in others for path in sorted(paths & changed)]
    if clashes and not force:
        raise _conflict(clashes)
    lost = {path for _, path in clashes}
    mine = next((entry for entry in entries if writer.is_author(entry)), None)
    previous = from_fields(mine.get("fieldsV1")) if mine is not None else set()
    kept = {path for _, paths in others for path in paths - lost}
    _prune(merged, previous - stated.keys(), kept | stated.keys(), node)
    result = [row for entry, paths in others for row in _rewritten(entry, paths, paths - lost, "")]
    if stated:
        same = mine is not None and previous == stated.keys()
        result.append(mine if same and mine is not None else writer.entry(set(stated)))
    return merged, sorted(result, key=_order)


def _first(before: Mapping[Path, Any], writer: Writer) -> list[Entry]:
    """The owner of an object that nobody tracked so far."""
    paths = {path for path in before if path[0] != _STATUS}
    whoever = Writer(_BEFORE, "Update", writer.api_version, "", writer.has_status, writer.now)
    return [whoever.entry(paths)] if paths else []


def _prune(merged: Object, dropped: set[Path], kept: set[Path], node: Node) -> None:
    """Remove what nobody owns any more: whole entries before their members, which would lose the entry's key."""
    gone: set[Path] = set()
    for path in sorted(dropped, key=len):
        if any(path[:i] in gone for i in range(1, len(path))):
            continue
        if not any(other[: len(path)] == path for other in kept):
            remove(merged, path, node)
            gone.add(path)


def _shown(entry: Entry) -> str:
    name = f'"{entry.get("manager", "")}"'
    if entry.get("operation") == "Apply":
        return name
    if entry.get("subresource"):
        name += f' with subresource "{entry["subresource"]}"'
    return f"{name} using {entry.get('apiVersion', '')}"


def _conflict(clashes: list[tuple[Entry, Path]]) -> ApiError:
    causes = [
        {"reason": "FieldManagerConflict", "message": f"conflict with {_shown(entry)}", "field": text(path)}
        for entry, path in clashes
    ]
    if len(clashes) == 1:
        message = f"Apply failed with 1 conflict: conflict with {_shown(clashes[0][0])}: {text(clashes[0][1])}"
    else:
        by_manager: dict[str, list[str]] = {}
        for entry, path in clashes:
            by_manager.setdefault(_shown(entry), []).append(f"- {text(path)}")
        rows = "\n".join(f"conflicts with {who}:\n" + "\n".join(paths) for who, paths in by_manager.items())
        message = f"Apply failed with {len(clashes)} conflicts: {rows}"
    return ApiError(409, "Conflict", message, {"causes": causes})
