"""Benchmarks: how fast decisions are, measured without a server.

What belongs here: workloads as data, the measurement, the yardstick, and the reports. Who calls it: `tenantry bench`
and `make bench`. What must not be here: rules of scheduling, and anything that `run` needs.
"""
