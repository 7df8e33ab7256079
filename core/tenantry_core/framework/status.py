"""The outcome of an extension point: a code, the reasons, and who said it.

Source: framework.Status of kube-scheduler 1.36. "No" is a status, never an exception.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple


class Code(IntEnum):
    """Outcome codes. UNRESOLVABLE says that taking other pods away would not help."""

    SUCCESS = 0
    ERROR = 1
    UNSCHEDULABLE = 2
    UNRESOLVABLE = 3
    WAIT = 4
    SKIP = 5
    PENDING = 6

    @property
    def label(self) -> str:
        """Value of the `status` label in metrics."""
        return _LABELS[self]


_LABELS = {
    Code.SUCCESS: "Success",
    Code.ERROR: "Error",
    Code.UNSCHEDULABLE: "Unschedulable",
    Code.UNRESOLVABLE: "UnschedulableAndUnresolvable",
    Code.WAIT: "Wait",
    Code.SKIP: "Skip",
    Code.PENDING: "Pending",
}


class Status(NamedTuple):
    """A code with reasons. `plugin` is filled in by the runner."""

    code: Code = Code.SUCCESS
    reasons: tuple[str, ...] = ()
    plugin: str = ""

    @property
    def ok(self) -> bool:
        """True for SUCCESS and SKIP."""
        return self.code in (Code.SUCCESS, Code.SKIP)

    @property
    def rejected(self) -> bool:
        """True where the pod, not the machinery, is the cause."""
        return self.code in (Code.UNSCHEDULABLE, Code.UNRESOLVABLE, Code.PENDING)

    @property
    def message(self) -> str:
        """Reasons as one text."""
        return ", ".join(self.reasons)

    def by(self, plugin: str) -> Status:
        """The same status said by `plugin`."""
        return self._replace(plugin=plugin)


SUCCESS = Status()
SKIP = Status(Code.SKIP)


def unschedulable(*reasons: str) -> Status:
    """A refusal that preemption may cure."""
    return Status(Code.UNSCHEDULABLE, reasons)


def unresolvable(*reasons: str) -> Status:
    """A refusal that preemption cannot cure."""
    return Status(Code.UNRESOLVABLE, reasons)


def fault(reason: str) -> Status:
    """Something broke; the pod is tried again with backoff."""
    return Status(Code.ERROR, (reason,))
