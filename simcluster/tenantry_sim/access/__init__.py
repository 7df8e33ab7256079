"""Who calls, and what they may do: certificates, tokens, impersonation, RBAC, and the reviews that tell of them.

Belongs here: everything that turns credentials into a user and a user's request into yes or no. Called by the HTTP
server before a request reaches its verb. Must not be here: HTTP itself, verbs, admission.
"""
