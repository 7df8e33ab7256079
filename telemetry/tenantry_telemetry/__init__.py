"""Signals: recorder protocols with no-op defaults, metric catalogue, logs, exposition. Imports nothing else of the project."""
