"""The demo on a small cluster, headless, from first to last."""

from __future__ import annotations

import json

import pytest

from tenantry.cli import exits
from tenantry.cli.main import call
from tenantry.demo import story


def test_the_demo_keeps_its_promises(capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["demo", "--nodes", "12", "--headless", "--json"]) == exits.DONE
    found = json.loads(capsys.readouterr().out)
    assert found["broken"] == []
    assert (found["nodes"], found["pods"]) == (12, 120)
    assert found["bound"] == 121 - len(found["preemption"]["victims"])
    assert found["unfit"]["condition"].startswith("0/12 nodes are available: 12 Insufficient cpu.")
    assert found["unfit"]["reasons"][0]["for_example"][0]["detail"].startswith("asks 64, free ")
    assert found["preemption"]["victims"]


def test_without_json_the_story_is_told_line_by_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["demo", "--nodes", "8", "--headless", "--duration", "0.3"]) == exits.DONE
    said = capsys.readouterr().out
    assert "burst: 80 pods of 5 shapes" in said
    assert "tenantry explain pod batch/too-big" in said
    assert "checked: no pod bound twice" in said


def test_pods_that_keep_apart_are_no_more_than_the_nodes() -> None:
    pods = list(story.burst(2000, 20))
    assert len(pods) == 2000
    assert len({p["metadata"]["name"] for p in pods}) == 2000
    assert sum(p["metadata"]["labels"]["app"] == "cart-db" for p in pods) == 20
