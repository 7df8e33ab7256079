"""Objects in memory: revisions, indexes, history and the watchers of each kind.

Belongs here: records, the global revision, bounded history, paging snapshots. Called by `api` and `nodes`.
Must not be here: HTTP, the meaning of any one kind, defaulting or validation.
"""
