"""The controllers of a cluster, small: each follows the store and writes what Kubernetes' own controller would.

Belongs here: one file per controller and what they share: the runner, the views of pods, the index of owners. Called by
`cluster`. Must not be here: HTTP, admission, what a kubelet does.
"""
