"""Subresources that need a container that really runs: they are refused with the reason."""

import re

from tenantry_sim.status import ApiError, not_found
from tenantry_sim.world import World

_WHAT = {
    "log": "there is no log",
    "exec": "nothing can be executed in them",
    "attach": "there is nothing to attach to",
    "portforward": "no port can be forwarded to them",
    "proxy": "there is nothing to proxy to",
}
_PATH = re.compile(rf"/api/v1/namespaces/([^/]+)/pods/([^/]+)/({'|'.join(_WHAT)})(?:/.*)?")


def refusal(world: World, path: str) -> ApiError | None:
    """Why a path of a pod is not served: 404 for a pod that is not there, else 501; None for other paths."""
    match = _PATH.fullmatch(path)
    if match is None:
        return None
    namespace, name, subresource = match.groups()
    if world.find("/pods", name, namespace) is None:
        return not_found("pods", "", name)
    return ApiError(501, "NotImplemented", f'pod "{name}": its containers are simulated, {_WHAT[subresource]}')
