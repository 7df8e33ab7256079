"""Replays recorded scheduling cases and says where we differ from kube-scheduler.

Belongs here: reading cases, deciding them, comparing. Called by `tenantry parity` and by the tests. Must not be here:
anything that talks to a cluster.
"""
