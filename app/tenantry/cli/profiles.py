"""The profile that a configuration gives a scheduler name, for commands that decide without a cluster of their own."""

from __future__ import annotations

import sys

from tenantry.cli import exits
from tenantry.cli.run import for_name, read_config
from tenantry_core.errors import ConfigError
from tenantry_core.framework.profile import Profile
from tenantry_core.framework.registry import PluginError
from tenantry_core.plugins.loader import Catalog
from tenantry_core.plugins.loader_live import LiveProfiles
from tenantry_core.plugins.ports import Ports


def profile_of_file(path: str | None, scheduler_name: str) -> Profile:
    """The profile that `tenantry run --config PATH` would use for `scheduler_name`; the default one without a file.

    A name that no profile has gets the only profile there is. Ends the command where the file or a plugin is bad.
    """
    catalog = Catalog()
    for problem in catalog.discover():
        print(f"warning: {problem}", file=sys.stderr)
    config = for_name(read_config(path, catalog), scheduler_name)
    percentage = config.scheduler.percentage_of_nodes_to_score or 0
    live = LiveProfiles(catalog, config.scheduler.profiles, config.tenantry.plugins, Ports(), percentage)
    try:
        return live.build()[scheduler_name]
    except (ConfigError, PluginError) as error:
        raise exits.CommandFailed(str(error), exits.USAGE) from error
