"""Host ports in use: one count column per address, protocol and port."""

from __future__ import annotations

from collections.abc import Iterable

from tenantry_core.cache.node_table import CountColumn, NodeTable
from tenantry_core.framework.columns import IntArray
from tenantry_core.framework.pod_class import HostPort


class PortUsage:
    """Counts of pods per row that hold a port; a column goes when nobody holds it."""

    def __init__(self, nodes: NodeTable) -> None:
        self._nodes = nodes
        self._columns: dict[tuple[str, int], dict[str, CountColumn]] = {}

    def change(self, ports: Iterable[HostPort], row: int, by: int) -> None:
        """Add (`by` 1) or take away (-1) the ports of one pod."""
        for address, protocol, port in ports:
            columns = self._columns.setdefault((protocol, port), {})
            column = columns.get(address)
            if column is None:
                column = columns[address] = CountColumn(self._nodes)
            column.add(row, by)
            if not column.total:
                del columns[address]

    def in_use(self, protocol: str, port: int) -> Iterable[tuple[str, IntArray]]:
        """Per address: int64[N]."""
        return [(address, column.view()) for address, column in self._columns.get((protocol, port), {}).items()]
