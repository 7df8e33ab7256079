"""Unknown and duplicate fields: refused, warned about, or dropped without a word."""

import json
from typing import Any

import pytest
from simcluster_client import JSON, PODS, Api, pod

_MAPS = "/api/v1/namespaces/default/configmaps"


def _body(extra: bool = True) -> str:
    text = json.dumps({"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "m"}, "data": {"a": "1"}})
    return text[:-1] + ', "junk": 1, "data": {"a": "2"}}' if extra else text


async def _send(api: Api, method: str, path: str, body: str, kind: str = JSON) -> tuple[int, Any, list[str]]:
    headers = {"Content-Type": kind}
    async with api.session.request(method, api.url + path, data=body, headers=headers) as answer:
        return answer.status, await answer.json(), answer.headers.getall("Warning", [])


_MODES = {
    "Strict": (400, []),
    "Warn": (201, ['299 - "duplicate field \\"data\\""', '299 - "unknown field \\"junk\\""']),
    "Ignore": (201, []),
    "": (201, ['299 - "unknown field \\"junk\\""']),
}


@pytest.mark.parametrize("mode", _MODES)
async def test_create(api: Api, mode: str) -> None:
    code, body, warnings = await _send(api, "POST", f"{_MAPS}?fieldValidation={mode}", _body())
    assert (code, warnings) == _MODES[mode]
    if code == 201:
        assert "junk" not in body
    else:
        assert body["message"].endswith('strict decoding error: duplicate field "data", unknown field "junk"')


async def test_patch(api: Api) -> None:
    await _send(api, "POST", _MAPS, _body(extra=False))
    change = json.dumps({"metadata": {"labels": {"a": "b"}}, "dta": {}})
    kind = "application/merge-patch+json"
    code, body, _ = await _send(api, "PATCH", f"{_MAPS}/m?fieldValidation=Strict", change, kind)
    assert (code, 'unknown field "dta"' in body["message"]) == (400, True)
    code, body, warnings = await _send(api, "PATCH", f"{_MAPS}/m", change, kind)
    assert (code, body["metadata"]["labels"], len(warnings)) == (200, {"a": "b"}, 1)


async def test_paths_lead_into_lists(api: Api) -> None:
    body = pod("p")
    body["spec"]["containers"][0]["imag"] = "x"
    body["spec"]["contaners"] = []
    code, answer, _ = await _send(api, "POST", f"{PODS}?fieldValidation=Strict", json.dumps(body))
    assert code == 400
    assert 'unknown field "spec.containers[0].imag"' in answer["message"]
    assert 'unknown field "spec.contaners"' in answer["message"]


async def test_free_keys_are_not_unknown(api: Api) -> None:
    body = pod("p", nodeSelector={"any": "key"})
    body["metadata"]["annotations"] = {"a/b": "c"}
    assert (await _send(api, "POST", f"{PODS}?fieldValidation=Strict", json.dumps(body)))[0] == 201


async def test_mode_must_exist(api: Api) -> None:
    code, body, _ = await _send(api, "POST", f"{_MAPS}?fieldValidation=Maybe", _body())
    assert (code, body["details"]["causes"][0]["field"]) == (422, "fieldValidation")


async def test_wrong_types_are_refused(api: Api) -> None:
    bad = {"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "m"}, "immutable": "yes"}
    code, body, _ = await _send(api, "POST", _MAPS, json.dumps(bad))
    assert (code, "cannot be handled as a ConfigMap" in body["message"]) == (400, True)


async def test_ports_of_ingresses_are_objects(api: Api) -> None:
    service = {"name": "s", "port": {"number": 80}}
    path = {"path": "/", "pathType": "Prefix", "backend": {"service": service}}
    body = {"metadata": {"name": "i"}, "spec": {"rules": [{"host": "a.example", "http": {"paths": [path]}}]}}
    where = "/apis/networking.k8s.io/v1/namespaces/default/ingresses"
    assert (await api.post(where, body))[0] == 201
    service["port"] = "http"
    assert (await api.post(where, {**body, "metadata": {"name": "j"}}))[0] == 400
