"""Webhooks for what controllers create: pods of a replica set are shown like those of a user.

A controller's look at an object is broken off at the gate and repeated once the webhooks were asked, as a request is.
Between the two, the gate is kept here, known by the object that was to be created.
"""

from collections import OrderedDict
from typing import Any

from tenantry_sim.api.call import Call
from tenantry_sim.store.records import Object, encode
from tenantry_sim.webhooks.caller import Caller
from tenantry_sim.webhooks.gate import WebhookGate
from tenantry_sim.webhooks.hooks import Hooks
from tenantry_sim.world import World

_MOST_GATES = 1000
"""Gates of objects that nobody came back for are forgotten beyond that."""
_ACCOUNTS = "system:serviceaccounts"
_CONTROLLERS = {"DaemonSet": "daemon-set-controller"}


class ControllerGates:
    """See `tenantry_sim.world.Doorkeeper`."""

    def __init__(self, world: World, hooks: Hooks, caller: Caller) -> None:
        self._world = world
        self._hooks = hooks
        self._caller = caller
        self._gates: OrderedDict[bytes, WebhookGate] = OrderedDict()

    def gate(self, call: Call, obj: Object) -> WebhookGate | None:
        """The gate for creating an object, with what webhooks have said about it already."""
        if not self._hooks.active or not self._hooks.interested("POST", call.resource, ""):
            return None
        key = encode([call.resource.key, call.namespace, obj])
        gate = self._gates.get(key)
        if gate is None:
            gate = self._gates[key] = WebhookGate(self._world, self._hooks, self._caller, _user(obj))
            if len(self._gates) > _MOST_GATES:
                self._gates.popitem(last=False)
        gate.rewind()
        return gate

    def passed(self, gate: WebhookGate) -> None:
        """The object was created or refused."""
        for key, known in self._gates.items():
            if known is gate:
                del self._gates[key]
                return


def _user(obj: Object) -> dict[str, Any]:
    """The controller as a user: the service account that it has in a real cluster."""
    owners = obj.get("metadata", {}).get("ownerReferences") or ()
    kind = next((str(o["kind"]) for o in owners if o.get("controller")), "Endpoint")
    name = _CONTROLLERS.get(kind, f"{kind.lower()}-controller")
    groups = [_ACCOUNTS, f"{_ACCOUNTS}:kube-system", "system:authenticated"]
    return {"username": f"system:serviceaccount:kube-system:{name}", "groups": groups}
