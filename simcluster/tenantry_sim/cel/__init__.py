"""Expressions of the Common Expression Language (CEL) over decoded objects.

Belongs here: compiling and evaluating expressions, and the functions that Kubernetes adds to the language. Called by
the validation of custom resources and by match conditions of webhooks. Must not be here: what an expression decides.
"""

from tenantry_sim.cel.expressions import CelError, Program, compile_expression

__all__ = ["CelError", "Program", "compile_expression"]
