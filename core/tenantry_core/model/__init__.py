"""Domain values: what the scheduler knows of pods, nodes and the objects around them.

Belongs here: frozen structs, quantities, selectors, effective requests, events and decisions, all pure. Called by
every other package of core. Must not be here: I/O, clocks, caches, anything that waits.
"""
