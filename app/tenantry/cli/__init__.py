"""The command line: one module per command, each with `add_arguments(parser)` and `run(args) -> exit code`.

Called by the `tenantry` and `kubectl-tenantry` entry points. Must not be here: anything that a library user would want;
commands parse, call and print.
"""
