"""The profile that a configuration gives a scheduler name, for commands that decide without a cluster of their own."""

from __future__ import annotations

import sys

from tenantry.cli import exits
from tenantry.cli.run import for_name, read_config
from tenantry_core.errors import ConfigError
from tenantry_core.framework.profile import Profile
from tenantry_core.framework.registry import PluginError
from tenantry_core.plugins.loader import Catalog
from tenantry_core.plugins.ports import Ports


def profile_of_file(path: str | None, scheduler_name: str) -> Profile:
    """The profile that `tenantry run --config PATH` would use for `scheduler_name`; the default one without a file.

    A name that no profile has gets the only profile there is. Ends the command where the file or a plugin is bad.
    """
    catalog = Catalog()
    for problem in catalog.discover():
        print(f"warning: {problem}", file=sys.stderr)
    config = for_name(read_config(path, catalog), scheduler_name)
    given = config.scheduler.profiles[0]
    own = given.percentage_of_nodes_to_score
    percentage = (config.scheduler.percentage_of_nodes_to_score if own is None else own) or 0
    try:
        return catalog.build(given, config.tenantry.plugins, Ports(), percentage)
    except (ConfigError, PluginError) as error:
        raise exits.CommandFailed(str(error), exits.USAGE) from error
