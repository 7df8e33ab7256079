"""The error tree. Exceptions are for faults; a "no" that is part of the work is a value with a reason.

    TenantryError
    +-- ConfigError                 a setting or configuration file that can't be used; lists every problem
    +-- DecodeError                 an object that can't be read; names the field
    +-- kube.errors.KubeError       anything between us and the API server
        +-- CredentialsError        no usable kubeconfig, token or certificate
        +-- TransportError          no answer
        |   +-- NotSent             the connection could not be made: the server never saw the request
        |   +-- MaybeSent           the connection broke or timed out: the server may have acted on it
        +-- ApiError                the server answered with an error status
            +-- Expired             410: the resource version or continue token is too old
            +-- TooManyRequests           429, or 503 with Retry-After

A layer may add its own errors below `TenantryError`; they are drawn here when more than one layer catches them.
"""

from collections.abc import Sequence


class TenantryError(Exception):
    """Root of every error that the project raises on purpose."""


class ConfigError(TenantryError):
    """Configuration that can't be used.

    `problems` holds one line for each problem, `field.path: what is wrong`, so that all are shown at once.
    """

    def __init__(self, problems: Sequence[str] | str) -> None:
        self.problems: tuple[str, ...] = (problems,) if isinstance(problems, str) else tuple(problems)
        super().__init__("; ".join(self.problems))


class DecodeError(TenantryError):
    """An object that can't be read. `field` is the path of the offending field, "" when it is the whole object."""

    def __init__(self, message: str, field: str = "") -> None:
        self.field = field
        super().__init__(f"{field}: {message}" if field else message)
