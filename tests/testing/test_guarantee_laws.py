"""The laws of a promise reject one that forgets, hides or miscounts."""

from dataclasses import dataclass
from fractions import Fraction

import pytest

from sudare.errors import LawBroken
from sudare.guarantees import ApproximateDP, Budget, Guarantee, LocalDP
from sudare.testing import check_guarantee


def planted(base, *arguments, **methods):
    methods = {"kind": f"planted-{len(Guarantee._kinds)}", **methods}
    return type("Planted", (base,), methods)(*arguments)


@pytest.fixture(autouse=True)
def _kinds_are_restored(monkeypatch):
    monkeypatch.setattr(Guarantee, "_kinds", dict(Guarantee._kinds))


DEFECTS = {
    "it says itself": lambda: planted(
        ApproximateDP, 1, 0, "replace-one", ("the moon is full",), sentence=lambda self, language="en": "Trust us."
    ),
    "its budget is exact": lambda: planted(LocalDP, 1, budget=property(lambda self: Budget(0.1, Fraction(0)))),
    "storage keeps it": lambda: planted(LocalDP, 1, to_dict=lambda self: LocalDP(2).to_dict()),
}


@pytest.mark.parametrize("law", DEFECTS)
def test_each_planted_defect_breaks_the_law_that_names_it(law):
    with pytest.raises(LawBroken) as broken:
        check_guarantee(DEFECTS[law]())
    assert broken.value.law == law


@dataclass(frozen=True)
class Forgetful(LocalDP):
    kind = "forgetful"

    @property
    def parts(self):
        return (LocalDP(self.epsilon / 2),)


def test_a_promise_that_forgets_half_of_itself_is_found():
    with pytest.raises(LawBroken):
        check_guarantee(Forgetful(1))
