"""What the fields of each kind are: read from the published JSON schemas, or from a custom resource definition.

Belongs here: reading schemas into trees of nodes, unknown and duplicate fields, checks of JSON types. Called by `api`,
`custom` and `ownership`. Must not be here: defaults, admission, anything that the schemas do not say.
Nothing here runs on the path of a bind, and schemas are read when they are first asked for.
"""
