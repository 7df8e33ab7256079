"""Who owns which field of an object: server-side apply and the bookkeeping of `metadata.managedFields`.

Belongs here: sets of field paths, merging an applied configuration, conflicts, tracking of updates. Called by `api`.
Must not be here: HTTP, the store. Nothing here runs for a write to an object whose fields nobody tracks.
The rules are those of "Server-Side Apply" in the Kubernetes documentation.
"""
