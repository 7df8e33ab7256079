"""Simulated nodes and the small controllers that keep the cluster alive: kubelet stand-in, namespace clean-up,
budget status, volume binder.

Belongs here: actors that follow the store and write to it, each driven by data and a clock. Called by `cluster`.
Must not be here: HTTP and admission.
"""
