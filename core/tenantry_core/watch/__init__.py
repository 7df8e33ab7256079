"""Stage 1: what the API server says, brought into the cache and the queue.

Belongs here: one feed per kind over `kube.stream`, raw lines to structs, which parts of an object an update changed,
and the order in which cache and queue learn of it. Called by the loop and by the app, which starts the feeds. Must not
be here: requests of any kind but lists and watches, decisions, rules of particular plugins.

    stream line -> translate (pure) -> Feed (old and new version) -> ClusterWriter -> cache, then queue
"""
