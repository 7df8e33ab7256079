"""The profiles that a configuration gives, for commands that decide without a cluster of their own."""

from __future__ import annotations

import sys
from collections.abc import Mapping

from tenantry.cli import exits
from tenantry.cli.run import for_name, read_config
from tenantry_core.errors import ConfigError
from tenantry_core.framework.profile import Profile
from tenantry_core.framework.registry import PluginError
from tenantry_core.plugins.loader import Catalog
from tenantry_core.plugins.loader_live import LiveProfiles
from tenantry_core.plugins.ports import Ports


def profiles_of_file(path: str | None, scheduler_name: str = "") -> Mapping[str, Profile]:
    """Profiles by scheduler name, as `tenantry run --config PATH` would build them; the default ones without a file.

    With a `scheduler_name` only that one; a name that no profile has gets the only profile there is. Ends the command
    where the file or a plugin is bad.
    """
    catalog = Catalog()
    for problem in catalog.discover():
        print(f"warning: {problem}", file=sys.stderr)
    config = read_config(path, catalog)
    if scheduler_name:
        config = for_name(config, scheduler_name)
    percentage = config.scheduler.percentage_of_nodes_to_score or 0
    live = LiveProfiles(catalog, config.scheduler.profiles, config.tenantry.plugins, Ports(), percentage)
    try:
        return live.build()
    except (ConfigError, PluginError) as error:
        raise exits.CommandFailed(str(error), exits.USAGE) from error
