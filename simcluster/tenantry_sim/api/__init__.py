"""The HTTP face: routing, verbs, watches, patches, Status errors, Table output, discovery.

Belongs here: whatever turns a request into store operations and an answer. Called by `cluster`.
Must not be here: rules of single kinds (see `kinds`), simulated nodes (see `nodes`).
"""
