"""The plain HTTP port of a process: metrics, health, configuration.

The composition root starts one server; other parts hand it routes. No decision is made here, and nothing is changed:
whoever can reach this port can only read.
"""
