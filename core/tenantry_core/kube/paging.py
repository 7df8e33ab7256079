"""Lists in pages, starting again when the server has forgotten the continue token.

An API server keeps a list's snapshot for about five minutes and then answers 410 to its token. The token that comes
with such an answer would go on at a newer version, which makes the parts disagree, so the whole list is read again.
"""

from collections.abc import AsyncIterator

import msgspec

from tenantry_core.errors import DecodeError
from tenantry_core.kube.answers import error_from
from tenantry_core.kube.errors import Expired
from tenantry_core.kube.resources import Resource
from tenantry_core.kube.sending import Outgoing, Sender
from tenantry_core.kube.values import CallOptions, ListOptions, Page, WatchOptions

MAX_RESTARTS = 3
"""Restarts after a 410 before the list is asked for in one piece, which can't expire."""


class _ListMeta(msgspec.Struct, rename="camel"):
    resource_version: str = ""
    continue_: str = msgspec.field(default="", name="continue")


class _List(msgspec.Struct):
    metadata: _ListMeta
    items: list[msgspec.Raw] | None = None


_LIST = msgspec.json.Decoder(_List)


async def pages(sender: Sender, resource: Resource, options: ListOptions) -> AsyncIterator[Page]:
    """The pages of one list; the rules are in `KubeApi.list_pages`."""
    restarts, index, token = 0, 0, ""
    while True:
        try:
            answer = await _page(sender, resource, options, token, restarts < MAX_RESTARTS)
        except Expired:
            if not token:
                raise
            restarts, index, token = restarts + 1, 0, ""
            continue
        token = answer.metadata.continue_
        yield Page(index, answer.items or [], answer.metadata.resource_version, last=not token)
        if not token:
            return
        index += 1


async def _page(sender: Sender, resource: Resource, options: ListOptions, token: str, paged: bool) -> _List:
    query = _selectors(options.field_selector, options.label_selector)
    if options.page_size > 0 and paged:
        query["limit"] = str(options.page_size)
    if token:
        query["continue"] = token
    elif options.resource_version:
        query["resourceVersion"] = options.resource_version
    request = Outgoing("GET", resource.path(options.namespace), query)
    response = await sender.send(request, CallOptions(timeout=options.timeout))
    if response.status != 200:
        raise error_from(response)
    try:
        return _LIST.decode(response.body)
    except msgspec.MsgspecError as fault:
        raise DecodeError(f"list of {resource.plural}: {fault}") from fault


def watch_query(options: WatchOptions) -> dict[str, str]:
    """Query parameters of a watch."""
    query = _selectors(options.field_selector, options.label_selector)
    query["watch"] = "true"
    query["resourceVersion"] = options.resource_version
    query["timeoutSeconds"] = str(options.timeout_seconds)
    if options.bookmarks:
        query["allowWatchBookmarks"] = "true"
    return query


def _selectors(field_selector: str, label_selector: str) -> dict[str, str]:
    query: dict[str, str] = {}
    if field_selector:
        query["fieldSelector"] = field_selector
    if label_selector:
        query["labelSelector"] = label_selector
    return query
