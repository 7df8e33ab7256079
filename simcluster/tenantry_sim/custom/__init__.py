"""Custom resource definitions and the resources that they define.

Belongs here: what a definition must look like, reading its structural schemas, pruning, defaulting, validation with CEL
rules, printer columns, and serving what is defined. Called by `api` through `Resource.custom` and by the cluster.
Must not be here: HTTP, built-in kinds.
"""
