"""Why a pod is where it is, or nowhere: a one-off look at a cluster through the same cycle that schedules.

Belongs here: loading a cluster into a cache, the report and its text. Called by `tenantry explain pod` and by `demo`.
Must not be here: anything that changes a cluster.
"""
