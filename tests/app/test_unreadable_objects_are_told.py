"""A pod that can't be read gets a warning Event that names the field, and scheduling goes on without it."""

from __future__ import annotations

from wired import Wired


async def test_warning_event_names_field_and_rule() -> None:
    world = Wired()
    world.node("n1")
    world.pod("bad", cpu="plenty")
    world.pod("good")
    async with world.running():
        events = {event["reason"]: event for event in world.events()}
    assert events["Unreadable"]["type"] == "Warning"
    assert events["Unreadable"]["regarding"]["name"] == "bad"
    assert events["Unreadable"]["note"].startswith("spec.containers[0].resources.requests.cpu: ")
    assert events["Scheduled"]["note"] == "Successfully assigned ns/good to n1"
