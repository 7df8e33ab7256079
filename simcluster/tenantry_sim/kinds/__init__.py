"""What the server knows of each kind: the resource table, defaulting, validation, admission, binding and eviction.

Belongs here: data and pure functions over decoded objects. Called by `api` and `nodes`.
Must not be here: HTTP and streams.
"""
