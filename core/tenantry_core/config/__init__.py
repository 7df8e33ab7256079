"""Configuration: what may be set, its defaults, reading a file strictly, and every error with its field path.

Belongs here: frozen settings, plugin arguments, the reader, the rules, and the merge of a profile into plugin lists.
Called by the app (which reads the file and exits 2 on errors), and by the framework and plugins (which read settings).
Must not be here: reading files, environment variables, the plugins themselves, defaults that depend on the cluster.

    result = load_config(text)                      # Config, or a list of FieldError
    profile = resolve_profile(result.scheduler.profiles[0], overrides=result.tenantry.plugins)
"""

from tenantry_core.config.args import (
    DefaultPreemptionArgs,
    DynamicResourcesArgs,
    InterPodAffinityArgs,
    NodeAffinityArgs,
    NodeResourcesBalancedAllocationArgs,
    NodeResourcesFitArgs,
    PodTopologySpreadArgs,
    RequestedToCapacityRatio,
    ResourceWeight,
    ScoringStrategy,
    ShapePoint,
    TopologyConstraint,
    VolumeBindingArgs,
)
from tenantry_core.config.load import load_config
from tenantry_core.config.points import BUILTIN_PLUGINS, DEFAULT_PLUGINS, Point
from tenantry_core.config.problems import FieldError
from tenantry_core.config.resolve import ResolvedProfile, resolve_profile
from tenantry_core.config.schema import Config, PluginRef, Plugins, PluginSet, Profile, SchedulerSettings
from tenantry_core.config.settings import (
    LeaseSettings,
    LoggingSettings,
    PluginOverride,
    PluginsFolder,
    TenantrySettings,
)

__all__ = [
    "BUILTIN_PLUGINS",
    "DEFAULT_PLUGINS",
    "Config",
    "DefaultPreemptionArgs",
    "DynamicResourcesArgs",
    "FieldError",
    "InterPodAffinityArgs",
    "LeaseSettings",
    "LoggingSettings",
    "NodeAffinityArgs",
    "NodeResourcesBalancedAllocationArgs",
    "NodeResourcesFitArgs",
    "PluginOverride",
    "PluginRef",
    "PluginSet",
    "Plugins",
    "PluginsFolder",
    "PodTopologySpreadArgs",
    "Point",
    "Profile",
    "RequestedToCapacityRatio",
    "ResolvedProfile",
    "ResourceWeight",
    "SchedulerSettings",
    "ScoringStrategy",
    "ShapePoint",
    "TenantrySettings",
    "TopologyConstraint",
    "VolumeBindingArgs",
    "load_config",
    "resolve_profile",
]
