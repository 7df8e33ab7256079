"""Built-in plugins, one file each; none imports another.

Belongs here: the default plugins of kube-scheduler 1.36 in vector form, and the loaders of plugins from outside. The
app builds profiles from `defaults.py`. Must not be here: I/O other than through a port given at construction.
"""
