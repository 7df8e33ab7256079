"""The sentence that users read: `0/N nodes are available: …`.

Source: FitError of kube-scheduler 1.36. Reasons are counted over nodes and sorted as strings including the number.
"""

from __future__ import annotations

from collections import Counter

from tenantry_core.cycle.decision import Diagnosis

NO_NODES = "no nodes available to schedule pods"
EVENT_NOTE_LIMIT = 1024


def fit_message(diagnosis: Diagnosis) -> str:
    """The full text of the PodScheduled condition."""
    if diagnosis.nodes == 0:
        return NO_NODES
    text = f"0/{diagnosis.nodes} nodes are available:"
    if diagnosis.pre_filter.reasons:
        text += f" {diagnosis.pre_filter.message}."
    else:
        reasons = counted(diagnosis)
        if reasons:
            text += f" {', '.join(reasons)}."
    if diagnosis.post_filter:
        text += f" {diagnosis.post_filter}"
    return text


def counted(diagnosis: Diagnosis) -> list[str]:
    """`count reason`, sorted as strings."""
    totals: Counter[str] = Counter()
    for reason in diagnosis.reasons:
        totals[reason.text] += int(reason.rows.sum())
    return sorted(f"{count} {text}" for text, count in totals.items() if count)


def event_note(message: str) -> str:
    """The text cut to what an Event note may hold, in upstream's way."""
    if len(message) <= EVENT_NOTE_LIMIT:
        return message
    return message[: EVENT_NOTE_LIMIT - len(" ...")] + " ..."
