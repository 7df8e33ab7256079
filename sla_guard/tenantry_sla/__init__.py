"""The SLA guard: objectives to verdicts to actions. Imports core, never canary or app."""
