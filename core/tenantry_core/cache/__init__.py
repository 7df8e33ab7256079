"""Stage 2: cluster state in columns, and what is assumed of it while binds are under way.

Belongs here: tables, counts, the pod state machine, drift audit. Called by the loop, the watch stage and the bind
stage; the cycle and plugins read it through `framework.snapshot.Snapshot`. Must not be here: I/O, clocks, rules of
scheduling.
"""
