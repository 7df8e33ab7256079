"""Worlds to begin with whose pods are spread over nodes with room."""

from __future__ import annotations

from hypothesis import strategies as st
from spread_templates import spread_templates
from worlds import CHOSEN, NODES, TEMPLATES

SPREAD = (5, 6, 7, *range(len(TEMPLATES) - len(spread_templates()), len(TEMPLATES)))
"""Templates with spread constraints, their own or those of a Service."""
roomy_shapes = st.fixed_dictionaries(
    {
        "zone": st.sampled_from(["z0", "z0", "z1", "z2", ""]),
        "disk": st.sampled_from(["", "fast", "slow"]),
        "taint": st.sampled_from(["", "", "", "NoSchedule", "PreferNoSchedule"]),
        "cordoned": st.just(False),
        "cpu": st.just("4"),
        "gpu": st.just(""),
        "pods": st.sampled_from(["3", "6", "110"]),
        "image": st.booleans(),
        "bare": st.integers(0, 9).map(lambda n: n == 0),
    }
)
spread_starts = st.tuples(
    st.lists(roomy_shapes, min_size=NODES, max_size=NODES),
    st.lists(st.sampled_from(SPREAD), min_size=CHOSEN, max_size=CHOSEN),
)
"""All nodes are there, and pods to be spread over them."""
