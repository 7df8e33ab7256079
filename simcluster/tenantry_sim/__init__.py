"""The embedded Kubernetes API server with simulated nodes. Imports nothing else of the project; it is an independent oracle."""
