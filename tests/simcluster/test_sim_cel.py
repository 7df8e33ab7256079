"""Expressions as Kubernetes extends them."""

from typing import Any

import pytest

from tenantry_sim.cel import CelError, compile_expression

_HOLDS: list[tuple[str, Any]] = [
    ("self.size < 9 || self.color == 'blue'", {"size": 3}),
    ("!has(self.size)", {}),
    ("self.all(x, x > 0) && self.exists_one(x, x == 2)", [1, 2]),
    ("self.isSorted() && self.sum() == 6 && self.min() == 1 && self.max() == 3", [1, 2, 3]),
    ("self.find('[0-9]+') == '12' && self.findAll('[a-z]').size() == 3", "ab12c"),
    ("isURL(self) && url(self).getHost() == 'a.example:80'", "https://a.example:80/x?y=1"),
    ("!isURL(self)", "not a url"),
    ("quantity(self).isGreaterThan(quantity('999m')) && isQuantity('5Gi')", "1"),
    ("quantity('1500m').add(quantity(self)).compareTo(quantity('2')) == 0", "500m"),
    ("quantity('1.0') == quantity('1') && quantity(self).asInteger() == 1024", "1Ki"),
    ("isIP(self) && cidr('10.0.0.0/8').containsIP(self) && !isCIDR(self)", "10.1.2.3"),
    ("sets.contains(self, [1]) && sets.intersects(self, [2, 9]) && sets.equivalent(self, [2, 1])", [1, 2]),
    ("self.all(i, v, i < v) && self.exists(i, v, i == 1 && v == 2)", [1, 2]),
    ("self.?missing.orValue('x') == 'x'", {}),
    ("cel.bind(x, self, x.split(',').map(y, y.lowerAscii()) == ['a', 'b'])", "A,B"),
    ("duration(self) > duration('1s') && math.greatest(1, 2) == 2", "5s"),
]
_FAIL = [("self.missing == 1", "no such key: missing"), ("self.a.find('(') == ''", "missing")]


@pytest.mark.parametrize(("rule", "value"), _HOLDS, ids=[rule for rule, _ in _HOLDS])
def test_expression_holds(rule: str, value: Any) -> None:
    assert compile_expression(rule).evaluate({"self": value}) is True


@pytest.mark.parametrize(("rule", "why"), _FAIL, ids=[rule for rule, _ in _FAIL])
def test_expression_fails_with_a_reason(rule: str, why: str) -> None:
    with pytest.raises(CelError, match=why):
        compile_expression(rule).evaluate({"self": {"a": "x"}})


@pytest.mark.parametrize("rule", ["self.", "nobody == 1", "1 + 'a'"])
def test_expression_that_does_not_compile(rule: str) -> None:
    with pytest.raises(CelError):
        compile_expression(rule)
