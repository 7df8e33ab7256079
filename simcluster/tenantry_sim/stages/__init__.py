"""The life of pods on simulated nodes as data: what a stage says, and the YAML files that hold the stages.

Belongs here: the shape of a stage, its checks, reading the files. Called by `config` and `nodes.kubelet`. Must not be
here: carrying a stage out.
"""

from tenantry_sim.stages.load import default_stages, load
from tenantry_sim.stages.model import Stage

__all__ = ["Stage", "default_stages", "load"]
