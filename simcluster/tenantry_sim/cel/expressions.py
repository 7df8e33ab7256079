"""Compiled expressions. Values are checked when they are evaluated: variables have no declared type."""

from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any

from cel_expr_python import cel
from cel_expr_python.ext import ext_bindings, ext_encoders, ext_math, ext_optional, ext_strings

from tenantry_sim.cel.functions import declarations

_CONFIG = "name: kubernetes\nextensions:\n- name: sets\n- name: two-var-comprehensions\n"
"""Extensions that the library offers by name only."""


class CelError(Exception):
    """An expression that does not compile or cannot be evaluated; the text says why."""


class Program:
    """One compiled expression."""

    __slots__ = ("_compiled", "text")

    def __init__(self, text: str, compiled: Any) -> None:
        self.text = text
        self._compiled = compiled

    def evaluate(self, values: Mapping[str, Any]) -> Any:
        """The result as a plain Python value. Raises CelError, also for a missing key or a wrong type."""
        try:
            result = self._compiled.eval(data=values)
            if result.type() == cel.Type.ERROR:
                raise CelError(_reason(result.plain_value()))
            return result.plain_value()
        except (RuntimeError, TypeError, ValueError, OverflowError) as problem:
            raise CelError(str(problem).strip()) from None


def _reason(text: Any) -> str:
    words = str(text)
    if words.startswith("NOT_FOUND: Key not found in map : "):
        return "no such key: " + words.rpartition(" : ")[2].strip('"')
    return words.partition(": ")[2] or words


@cache
def _environment(variables: tuple[str, ...]) -> Any:
    return cel.NewEnv(
        config=cel.NewEnvConfigFromYaml(_CONFIG),
        variables=dict.fromkeys(variables, cel.Type.DYN),
        functions=declarations(),
        extensions=[
            ext_strings.ExtStrings(),
            ext_math.ExtMath(),
            ext_optional.ExtOptional(),
            ext_bindings.ExtBindings(),
            ext_encoders.ExtEncoders(),
        ],
    )


@lru_cache(maxsize=2048)
def compile_expression(text: str, variables: tuple[str, ...] = ("self", "oldSelf")) -> Program:
    """Compile an expression over variables; kept, so that compiling again costs nothing. Raises CelError."""
    try:
        return Program(text, _environment(variables).compile(text))
    except (RuntimeError, TypeError, ValueError) as problem:
        raise CelError(str(problem).strip()) from None
