"""The composition root: command line, wiring, process life cycle. It may import every other package; none imports it."""
