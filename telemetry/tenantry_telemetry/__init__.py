"""Signals: recorder protocols with no-op defaults, the metric catalogue, Prometheus exposition, logs and health checks.

Core sees `api` only; the composition root builds the rest. Nothing here imports another package of the project, talks
to Kubernetes, or opens a port.
"""
