"""Builders for configuration texts."""

from textwrap import dedent, indent

SCHEDULER = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
TENANTRY = "apiVersion: tenantry.io/v1alpha1\nkind: TenantryConfiguration\n"


def scheduler(body: str = "") -> str:
    """A KubeSchedulerConfiguration with these fields."""
    return SCHEDULER + dedent(body)


def tenantry(body: str = "") -> str:
    """A TenantryConfiguration with these fields."""
    return TENANTRY + dedent(body)


def profile(body: str) -> str:
    """A KubeSchedulerConfiguration with one profile of these fields."""
    return SCHEDULER + "profiles:\n- schedulerName: default-scheduler\n" + indent(dedent(body), "  ")


def arguments(plugin: str, body: str) -> str:
    """A KubeSchedulerConfiguration whose one profile gives `plugin` these arguments, in flow or block style."""
    return profile(f"pluginConfig:\n- name: {plugin}\n  args:\n{indent(dedent(body), '    ')}")
