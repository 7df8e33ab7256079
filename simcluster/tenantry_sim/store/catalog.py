"""Resources that are served besides the resource table: those that definitions add while the cluster runs."""

from collections.abc import Iterable

from tenantry_sim.store.resource import Resource


class Catalog:
    """Added resources by group, version and plural."""

    def __init__(self) -> None:
        self.by_path: dict[tuple[str, str, str], Resource] = {}
        self.changes = 0
        """Counts every change, so that what is derived from the catalog can be kept."""

    def replace(self, group: str, plural: str, resources: Iterable[Resource]) -> None:
        """Serve exactly these versions of a resource; none stops serving it."""
        for path in [p for p in self.by_path if p[0] == group and p[2] == plural]:
            del self.by_path[path]
        self.by_path.update({(r.group, r.version, r.plural): r for r in resources})
        self.changes += 1

    def resources(self) -> list[Resource]:
        """Everything that is served, by group, in the order in which it came."""
        return list(self.by_path.values())
