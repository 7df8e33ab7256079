"""Admission webhooks: configurations compiled, requests matched, webhooks called over TLS, their answers acted on.

Belongs here: everything between a write and the webhooks that want to see it. Called by the HTTP server, which makes a
`Gate` for a request that some webhook is interested in. Must not be here: the verbs themselves; admission that is built
in (see `kinds.admission`).
"""

from tenantry_sim.webhooks.caller import Caller
from tenantry_sim.webhooks.doorkeeper import ControllerGates
from tenantry_sim.webhooks.gate import WebhookGate, run_admitted
from tenantry_sim.webhooks.hooks import Hooks

__all__ = ["Caller", "ControllerGates", "Hooks", "WebhookGate", "run_admitted"]
