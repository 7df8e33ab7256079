"""The only code that talks to an API server.

Belongs here: the port that the rest of the core sees (`port.py`), its client over a `Transport`, credentials,
list-then-watch streams, the event recorder and status patches, leader election. Bodies go in and out as bytes or
`msgspec.Raw`; whoever asks decodes them.

Called by: watch (streams), bind (bind, evict, patches, events), loop and app (assembly, leases).

Must not be here: what an object means to scheduling (model, cache), any decision, any object struct that a plugin
reads.
"""
