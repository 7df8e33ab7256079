"""A feed turns lists and watches into old and new versions."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from fakes.kube import HOLD, line, status
from watch_kit import Bench, broken, item

from tenantry_core.kube.errors import MaybeSent
from tenantry_core.kube.resources import CSI_DRIVERS, NODES, PODS

P = "/api/v1"


@pytest.fixture
def bench() -> Bench:
    return Bench(PODS)


def store(bench: Bench, *items: dict[str, Any]) -> None:
    for one in items:
        bench.kube.add(P, "pods", one)


async def test_list_then_changes(bench: Bench) -> None:
    store(bench, item("a"))
    changed = item("a", 900)
    bench.kube.watches.append(
        [line("ADDED", item("b", 800)), line("MODIFIED", changed), line("DELETED", changed), HOLD]
    )
    async with bench.running():
        assert bench.diary.lines == ["add a", "add b", "change a", "delete a"]
        assert bench.feed.ready


async def test_relist_deletes_what_is_missing_and_repeats_nothing_t44(bench: Bench) -> None:
    store(bench, item("stays"), item("goes"))
    bench.kube.watches.append([line("ERROR", {"code": 410, "reason": "Expired", "message": "too old"})])
    async with bench.running():
        del bench.kube.objects[P, "pods", "ns", "goes"]
        await bench.clock.advance(5)
        assert bench.diary.lines == ["add goes", "add stays", "delete goes"]


async def test_namesake_with_another_uid_is_deleted_and_added_t54(bench: Bench) -> None:
    store(bench, item("a", uid="one"))
    bench.kube.watches.append([line("MODIFIED", item("a", 900, uid="two")), HOLD])
    async with bench.running():
        assert bench.diary.lines == ["add a", "delete a", "add a"]


async def test_unreadable_object_is_left_out_and_reported_once(bench: Bench) -> None:
    store(bench, broken("bad"), item("good"))
    bench.kube.watches.append([line("MODIFIED", broken("bad", 102)), HOLD])
    async with bench.running():
        assert bench.diary.lines == ["add good"]
        assert bench.unreadable[0].field == "spec.containers[0].resources.requests.cpu"
        assert bench.unreadable[0].identity.name == "bad"
        assert bench.feed.ready


async def test_object_that_became_unreadable_keeps_its_last_good_version(bench: Bench) -> None:
    store(bench, item("a"))
    bench.kube.watches.append([line("MODIFIED", broken("a", 900)), MaybeSent("cut")])
    bench.kube.watches.append([line("DELETED", broken("a", 901)), HOLD])
    async with bench.running():
        assert bench.diary.lines == ["add a"]
        assert [found.field for found in bench.unreadable] == ["spec.containers[0].resources.requests.cpu"]
        await bench.clock.advance(5)
        assert bench.diary.lines == ["add a", "delete a"]


async def test_fault_in_handling_one_object_does_not_stop_the_feed(bench: Bench) -> None:
    store(bench, item("a"), item("b"))
    bench.diary.fail_on = "a"
    async with bench.running():
        assert bench.diary.lines == ["add b"]


@pytest.mark.parametrize("code", [pytest.param(403, id="forbidden"), pytest.param(404, id="not-served")])
async def test_optional_kind_that_the_server_refuses_is_put_up_with(code: int) -> None:
    bench = Bench(CSI_DRIVERS)
    bench.kube.script("GET", "csidrivers", *[status(code, "No", "no")] * 3)
    async with bench.running():
        async with asyncio.timeout(5):
            await bench.feed.wait_ready()
        assert bench.feed.refused.startswith(str(code))
        await bench.feed.catch_up()
        await bench.clock.advance(60)
        assert bench.feed.refused == ""


async def test_required_kind_that_the_server_refuses_is_waited_for() -> None:
    bench = Bench(NODES)
    bench.kube.script("GET", "nodes", status(403, "Forbidden", "no"))
    async with bench.running():
        assert not bench.feed.ready
        await bench.clock.advance(60)
        assert bench.feed.ready


async def test_catching_up_sees_what_was_stored_before_it_began_t10_t43(bench: Bench) -> None:
    store(bench, item("a"))
    async with bench.running():
        store(bench, item("b"))
        async with asyncio.timeout(5):
            await bench.feed.catch_up()
        assert bench.diary.lines == ["add a", "add b"]


async def test_catching_up_with_a_server_whose_history_was_restored_lists_again(bench: Bench) -> None:
    store(bench, item("a"))
    async with bench.running():
        bench.kube.version = 5
        store(bench, item("b"))
        async with asyncio.timeout(5):
            await bench.feed.catch_up()
        assert bench.diary.lines == ["add a", "add b"]
