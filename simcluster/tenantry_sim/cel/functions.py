"""The functions that Kubernetes adds to CEL, as declarations with Python bodies.

Source of the list: "Common Expression Language in Kubernetes" in the Kubernetes documentation. Left out: `indexOf` and
`lastIndexOf` of lists (the names belong to the strings extension), `semver`, `format.*` and the authorizer.
"""

import ipaddress
import re
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from typing import Any
from urllib.parse import parse_qs, urlsplit

from cel_expr_python import cel

from tenantry_sim import quantities

_T = cel.Type
_STRING_LIST = _T.List(_T.STRING)
_Map = dict[str, Any]


def _function(name: str, *overloads: tuple[Any, list[Any], Callable[..., Any]], member: bool = True) -> Any:
    made = [
        cel.Overload(f"k8s_{name.replace('.', '_')}_{i}", returns, takes, is_member=member, impl=body)
        for i, (returns, takes, body) in enumerate(overloads)
    ]
    return cel.FunctionDecl(name, made)


def _is_sorted(items: list[Any]) -> bool:
    return all(a <= b for a, b in pairwise(items))


def _find_all(text: str, pattern: str, limit: int = -1) -> list[str]:
    found = [match.group(0) for match in re.finditer(pattern, text)]
    return found if limit < 0 else found[:limit]


def _find(text: str, pattern: str) -> str:
    match = re.search(pattern, text)
    return match.group(0) if match else ""


def _url(text: str) -> _Map:
    parts = urlsplit(text)
    if not (parts.scheme or text.startswith("/")):
        raise ValueError(f"URL parse error during conversion from string: {text}")
    port = "" if parts.port is None else str(parts.port)
    return {
        "scheme": parts.scheme,
        "host": parts.netloc.rpartition("@")[2],
        "hostname": parts.hostname or "",
        "port": port,
        "path": parts.path,
        "query": parse_qs(parts.query, keep_blank_values=True),
    }


def _holds(parse: Callable[[str], Any]) -> Callable[[str], bool]:
    def test(text: str) -> bool:
        try:
            parse(text)
        except ValueError:
            return False
        return True

    return test


def _quantity(text: str) -> _Map:
    return {"quantity": str(quantities.parse(text))}


def _number(value: Any) -> Fraction:
    return Fraction(value["quantity"] if isinstance(value, dict) else value)


def _compare(a: _Map, b: _Map) -> int:
    left, right = _number(a), _number(b)
    return (left > right) - (left < right)


def _plus(sign: int) -> Callable[[_Map, Any], _Map]:
    return lambda a, b: {"quantity": str(_number(a) + sign * _number(b))}


def _as_integer(value: _Map) -> int:
    number = _number(value)
    if number.denominator != 1:
        raise ValueError("cannot convert value to integer")
    return int(number)


def _ip(text: str) -> _Map:
    address = ipaddress.ip_address(text)
    return {"ip": str(address), "family": address.version}


def _cidr(text: str) -> _Map:
    if "/" not in text:
        raise ValueError(f"network address parse error: {text}")
    network = ipaddress.ip_network(text, strict=False)
    return {"cidr": str(network), "family": network.version, "prefixLength": network.prefixlen}


def _contains_ip(network: _Map, other: Any) -> bool:
    inside = other["ip"] if isinstance(other, dict) else other
    return ipaddress.ip_address(inside) in ipaddress.ip_network(network["cidr"])


def _lists() -> list[Any]:
    return [
        _function("isSorted", (_T.BOOL, [_T.LIST], _is_sorted)),
        _function("sum", (_T.DYN, [_T.LIST], sum)),
        _function("min", (_T.DYN, [_T.LIST], min)),
        _function("max", (_T.DYN, [_T.LIST], max)),
    ]


def _texts() -> list[Any]:
    return [
        _function("find", (_T.STRING, [_T.STRING, _T.STRING], _find)),
        _function(
            "findAll",
            (_STRING_LIST, [_T.STRING, _T.STRING], _find_all),
            (_STRING_LIST, [_T.STRING, _T.STRING, _T.INT], _find_all),
        ),
        _function("url", (_T.MAP, [_T.STRING], _url), member=False),
        _function("isURL", (_T.BOOL, [_T.STRING], _holds(_url)), member=False),
        *(
            _function(name, (_T.DYN, [_T.MAP], lambda u, key=key: u[key]))
            for name, key in (
                ("getScheme", "scheme"),
                ("getHost", "host"),
                ("getHostname", "hostname"),
                ("getPort", "port"),
                ("getEscapedPath", "path"),
                ("getQuery", "query"),
                ("family", "family"),
                ("prefixLength", "prefixLength"),
            )
        ),
        _function("ip", (_T.MAP, [_T.STRING], _ip), member=False),
        _function("isIP", (_T.BOOL, [_T.STRING], _holds(_ip)), member=False),
        _function("cidr", (_T.MAP, [_T.STRING], _cidr), member=False),
        _function("isCIDR", (_T.BOOL, [_T.STRING], _holds(_cidr)), member=False),
        _function(
            "containsIP", (_T.BOOL, [_T.MAP, _T.STRING], _contains_ip), (_T.BOOL, [_T.MAP, _T.MAP], _contains_ip)
        ),
    ]


def _amounts() -> list[Any]:
    both = [_T.MAP, _T.MAP]
    return [
        _function("quantity", (_T.MAP, [_T.STRING], _quantity), (_T.MAP, [_T.INT], _quantity), member=False),
        _function("isQuantity", (_T.BOOL, [_T.STRING], _holds(_quantity)), member=False),
        _function("isGreaterThan", (_T.BOOL, both, lambda a, b: _compare(a, b) > 0)),
        _function("isLessThan", (_T.BOOL, both, lambda a, b: _compare(a, b) < 0)),
        _function("compareTo", (_T.INT, both, _compare)),
        _function("add", (_T.MAP, both, _plus(1)), (_T.MAP, [_T.MAP, _T.INT], _plus(1))),
        _function("sub", (_T.MAP, both, _plus(-1)), (_T.MAP, [_T.MAP, _T.INT], _plus(-1))),
        _function("sign", (_T.INT, [_T.MAP], lambda a: _compare(a, {"quantity": 0}))),
        _function("isInteger", (_T.BOOL, [_T.MAP], lambda a: _number(a).denominator == 1)),
        _function("asInteger", (_T.INT, [_T.MAP], _as_integer)),
        _function("asApproximateFloat", (_T.DOUBLE, [_T.MAP], lambda a: float(_number(a)))),
    ]


def declarations() -> list[Any]:
    """Every function, ready for an environment."""
    return [*_lists(), *_texts(), *_amounts()]
