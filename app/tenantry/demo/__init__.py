"""`tenantry demo`: the whole thing on one machine, with no cluster, in a minute.

Belongs here: the story, its load, what is observed of it, how it is shown. Called by the command. Must not be here: any
scheduling of its own; the demo runs the scheduler that `tenantry run` runs, over HTTP, against the embedded API server.
"""
