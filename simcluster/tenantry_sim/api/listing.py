"""List: selectors, revisions, pages."""

import base64
import binascii
from collections.abc import Callable, Sequence

import msgspec

from tenantry_sim import selectors
from tenantry_sim.api.call import Call, number
from tenantry_sim.status import ApiError, bad_request, expired
from tenantry_sim.store.records import Record
from tenantry_sim.store.store import KindStore, Store

Filter = Callable[[Record], bool]


class _Token(msgspec.Struct):
    """What a continue token holds: the snapshot's name and the next position in it."""

    rv: int
    at: int
    id: str


class Page(msgspec.Struct):
    """One page: records, the revision they belong to, and how to go on (empty at the end)."""

    records: list[Record]
    rv: int
    next: str = ""
    remaining: int = 0


def record_filter(call: Call) -> Filter | None:
    """The call's selectors as one test of a record; None when everything passes. Raises ApiError 400."""
    query = call.query
    try:
        labels = selectors.parse_labels(query.get("labelSelector", ""))
        fields = selectors.parse_fields(query.get("fieldSelector", ""), call.resource.selectable)
    except selectors.SelectorError as problem:
        raise bad_request(str(problem)) from None
    if call.name:
        name = call.name
        return lambda record: record.name == name
    if labels is None and fields is None:
        return None
    if fields is None:
        by_label = labels
        assert by_label is not None
        return lambda record: by_label(record.labels)
    by_field = fields
    if labels is None:
        return lambda record: by_field(record.selectable())
    both = labels
    return lambda record: both(record.labels) and by_field(record.selectable())


def too_large(wanted: int, current: int) -> ApiError:
    """The answer to a revision that the server has not reached."""
    causes = [{"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}]
    details = {"causes": causes, "retryAfterSeconds": 1}
    return ApiError(504, "Timeout", f"Timeout: Too large resource version: {wanted}, current: {current}", details)


def select(store: Store, kind: KindStore, call: Call) -> Page:
    """The page that a list call asks for. Raises ApiError: 400 bad query, 410 lost snapshot, 504 future revision."""
    chosen = record_filter(call)
    limit = number(call.query, "limit") or 0
    token = call.query.get("continue", "")
    if token:
        rv, start, records = _resume(store, token)
    else:
        rv, start, records = store.revision, 0, _fresh(store, kind, call)
    if not limit:
        rest = records[start:] if start else records
        return Page([r for r in rest if chosen(r)] if chosen else list(rest), rv)
    page, at = _cut(records, start, limit, chosen)
    if at >= len(records):
        return Page(page, rv)
    name = f"{kind.resource.key}:{call.namespace}:{rv}"
    store.keep_snapshot(name, records)
    return Page(page, rv, _write_token(_Token(rv, at, name)), 0 if chosen else len(records) - at)


def _cut(records: Sequence[Record], start: int, limit: int, chosen: Filter | None) -> tuple[list[Record], int]:
    """Up to `limit` chosen records, and where the next chosen one stands (the length when there is none)."""
    if chosen is None:
        return list(records[start : start + limit]), min(start + limit, len(records))
    page: list[Record] = []
    for at in range(start, len(records)):
        if chosen(records[at]):
            if len(page) == limit:
                return page, at
            page.append(records[at])
    return page, len(records)


def _fresh(store: Store, kind: KindStore, call: Call) -> Sequence[Record]:
    wanted = number(call.query, "resourceVersion")
    if wanted is not None and wanted > store.revision:
        raise too_large(wanted, store.revision)
    if wanted and call.query.get("resourceVersionMatch") == "Exact":
        return _at(kind, call.namespace, wanted)
    return kind.ordered(call.namespace)


def _at(kind: KindStore, namespace: str, rv: int) -> Sequence[Record]:
    """The records as they were at a revision, by undoing the changes since."""
    if rv < kind.floor:
        raise expired(f"The resourceVersion for the provided list is too old: {rv} ({kind.floor})")
    state = {(r.namespace, r.name): r for r in kind.ordered(namespace)}
    for change in reversed(kind.since(rv)):
        key = (change.record.namespace, change.record.name)
        if namespace and key[0] != namespace:
            continue
        if change.previous is None:
            state.pop(key, None)
        else:
            state[key] = change.previous
    return [state[key] for key in sorted(state)]


def _write_token(token: _Token) -> str:
    return base64.urlsafe_b64encode(msgspec.json.encode(token)).decode().rstrip("=")


def _resume(store: Store, text: str) -> tuple[int, int, Sequence[Record]]:
    try:
        token = msgspec.json.decode(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)), type=_Token)
    except (binascii.Error, msgspec.DecodeError, ValueError) as problem:
        raise bad_request(f"invalid continue token: continue key is not valid: {problem}") from None
    records = store.snapshots.get(token.id)
    if records is None:
        raise expired(
            "The provided continue parameter is too old to display a consistent list result. You can start a new list "
            "without the continue parameter."
        )
    return token.rv, max(token.at, 0), records
