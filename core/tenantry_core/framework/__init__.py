"""The public plugin API: extension points, statuses, what a plugin may see of the cluster and of a pod.

Belongs here: Protocols, value types and the read side of the columns. Called by plugin authors, the cycle, the queue
and the cache. Must not be here: any plugin, any mutation of cluster state, I/O, clocks.
"""
