"""Profiles that follow the catalog: built again when a plugin comes, changes or goes."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tenantry_core.config.schema import Profile as ProfileSettings
from tenantry_core.config.settings import PluginOverride
from tenantry_core.errors import TenantryError
from tenantry_core.framework.profile import Profile
from tenantry_core.plugins.loader import Catalog
from tenantry_core.plugins.ports import Ports

_log = logging.getLogger(__name__)


@dataclass
class LiveProfiles:
    """Asked by the loop between decisions: `due` costs one comparison."""

    catalog: Catalog
    settings: Sequence[ProfileSettings]
    overrides: Mapping[str, PluginOverride]
    ports: Ports
    percentage: int = 0
    """Share of the nodes to look at where a profile does not say, percent; 0 for all."""
    current: dict[str, Profile] = field(default_factory=dict)
    """By scheduler name."""
    _seen: tuple[int, int] = (-1, -1)

    @property
    def due(self) -> bool:
        """Whether `refresh` has something to do."""
        return self._seen != self._versions()

    def build(self) -> dict[str, Profile]:
        """All profiles. Raises ConfigError or PluginError where one cannot be built."""
        versions = self._versions()
        found = {}
        for given in self.settings:
            own = given.percentage_of_nodes_to_score
            percentage = self.percentage if own is None else own
            found[given.scheduler_name] = self.catalog.build(given, self.overrides, self.ports, percentage)
        self.current, self._seen = found, versions
        return found

    def refresh(self) -> dict[str, Profile]:
        """The profiles to run from now on; whoever asked drops every evaluation made before.

        After a change in the catalog they are new; where they cannot be built, the old ones stay and the log says why.
        After a change of a guard alone they are the same.
        """
        changed = self._versions()[0] != self._seen[0]
        self._seen = self._versions()
        if changed:
            try:
                return self.build()
            except TenantryError as error:
                _log.error("Profiles keep their plugins", extra={"reason": str(error)})
        return self.current

    def _versions(self) -> tuple[int, int]:
        return self.catalog.version, self.catalog.guards.version
