"""The canary controller: annotations to steps to traffic. Imports core, never the guard or app."""
