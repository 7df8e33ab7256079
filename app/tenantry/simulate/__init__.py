"""Placing pods on a cluster that is only described: what would happen if these pods came.

What belongs here: backlogs placed on a `ClusterCache` by the same queue, cycle and plugins that `run` uses. Who calls
it: the benchmarks and `tenantry simulate`. What must not be here: servers, watches, and any rule of scheduling.
"""
