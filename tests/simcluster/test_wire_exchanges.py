"""Exchanges recorded from a real API server, replayed in order against the embedded one."""

import asyncio
import gzip
import json
import re
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from yarl import URL

from tenantry_sim import SimCluster, SimConfig

_DATA = Path(__file__).parents[1] / "data" / "wire" / "exchanges.json.gz"
_EXCHANGES: list[dict[str, Any]] = json.loads(gzip.decompress(_DATA.read_bytes()))
_TOKEN = "t0ken"

NOT_YET: dict[str, str] = {}
"""Exchanges that the server does not answer as recorded. Shrinks only: one that agrees must leave the table."""

_MARKS = {
    "<uid>": r"[0-9a-f-]{36}",
    "<time>": r"\d{4}-\d\d-\d\dT[\d:.]+Z",
    "gen-xxxxx": r"gen-[a-z0-9]{5}",
    "<age>": r"(\d+[dhms])+|<unknown>",
}
# Texts that depend on the server's build or on Go's decoder; their status code and reason are still compared.
_FREE_TEXT = re.compile(
    "strict decoding|cannot be handled as|json parse error|unable to parse requirement|continue|StorageError"
    "|Too large resource version|some validation rules were not checked|regular expression|precondition|unknown format"
)


def _text_agrees(want: str, got: str) -> bool:
    pattern = re.escape(want)
    for mark, regex in _MARKS.items():
        pattern = pattern.replace(re.escape(mark), f"(?:{regex})")
    return re.fullmatch(pattern, got) is not None


def faults(want: Any, got: Any, path: str = "") -> list[str]:
    """Every place where an answer is not as recorded."""
    if want == "*":
        return [] if got not in (None, "") else [f"{path} is missing"]
    if isinstance(want, dict) and isinstance(got, dict):
        keys = sorted((want.keys() | got.keys()) - {"managedFields", "selfLink"})
        found = [f"{path}.{k} is only on one side" for k in keys if (k in want) != (k in got)]
        for key in (k for k in keys if k in want and k in got):
            if not (key == "message" and _FREE_TEXT.search(str(want[key]))):
                found += faults(want[key], got[key], f"{path}.{key}")
        return found
    if isinstance(want, list) and isinstance(got, list) and len(want) == len(got):
        return [f for i, (w, g) in enumerate(zip(want, got, strict=True)) for f in faults(w, g, f"{path}[{i}]")]
    if isinstance(want, str) and isinstance(got, str):
        return [] if _text_agrees(want, got) else [f"{path}: want {want!r}, got {got!r}"]
    return [] if want == got else [f"{path}: want {want!r}, got {got!r}"]


def _fill(text: str, captured: dict[str, str]) -> str:
    for key, value in captured.items():
        text = text.replace("{" + key + "}", value)
    return text


def _decode(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        pass
    try:
        return [json.loads(line) for line in text.splitlines() if line]
    except ValueError:
        return text


async def _one(http: aiohttp.ClientSession, base: str, wanted: dict[str, Any], captured: dict[str, str]) -> list[str]:
    request, response = wanted["request"], wanted["response"]
    body = request["body"]
    data = None if body is None else _fill(body if isinstance(body, str) else json.dumps(body), captured)
    headers = {"Accept": request["accept"], "Authorization": f"Bearer {_TOKEN}"}
    if data is not None:
        headers["Content-Type"] = request["contentType"]
    url = URL(base + _fill(request["path"], captured), encoded=True)
    async with http.request(request["method"], url, data=data, headers=headers) as answer:
        status, got = answer.status, _decode(await answer.text())
    for key, path in (wanted["capture"] or {}).items():
        value = got
        for part in path.split("."):
            value = value.get(part, {}) if isinstance(value, dict) else {}
        captured[key] = str(value)
    found = [] if status == response["status"] else [f"status: want {response['status']}, got {status}"]
    # Discovery lists only what a server has; its status code is what counts.
    return found if wanted["group"] == "discovery" else found + faults(response["body"], got)


async def _replay() -> dict[str, list[str]]:
    captured: dict[str, str] = {}
    found = {}
    async with SimCluster(SimConfig(token=_TOKEN)) as cluster, aiohttp.ClientSession() as http:
        for wanted in _EXCHANGES:
            found[wanted["id"]] = await _one(http, cluster.url, wanted, captured)
    return found


@pytest.fixture(scope="module")
def replayed() -> dict[str, list[str]]:
    """What disagrees, per exchange."""
    return asyncio.run(_replay())


@pytest.mark.parametrize("name", [e["id"] for e in _EXCHANGES if e["id"] not in NOT_YET])
def test_exchange_is_answered_as_recorded(replayed: dict[str, list[str]], name: str) -> None:
    assert replayed[name] == []


def test_table_of_missing_exchanges_is_exact(replayed: dict[str, list[str]]) -> None:
    assert {name for name, found in replayed.items() if found} == set(NOT_YET)
