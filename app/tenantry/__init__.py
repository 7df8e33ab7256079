"""The composition root: command line, wiring, process life cycle. It may import every package; none imports it."""
