"""The embedded Kubernetes API server with simulated nodes.

Belongs here: everything that answers as a Kubernetes API server and acts as the nodes behind it. Called by the
`tenantry` commands `demo` and `sim serve` and by the tests. Must not be here: any import of the project's other
packages; quantities, selectors and quota counting are its own, so that they are an independent oracle.
"""

from tenantry_sim.clock import VirtualClock, VirtualLoop, run_virtual
from tenantry_sim.cluster import SimCluster
from tenantry_sim.config import NodeTemplate, SimConfig
from tenantry_sim.faults import FaultRule, Faults
from tenantry_sim.serve import run, serve
from tenantry_sim.stages import Stage
from tenantry_sim.transport import LocalSettings, LocalTransport

__all__ = [
    "FaultRule",
    "Faults",
    "LocalSettings",
    "LocalTransport",
    "NodeTemplate",
    "SimCluster",
    "SimConfig",
    "Stage",
    "VirtualClock",
    "VirtualLoop",
    "run",
    "run_virtual",
    "serve",
]
