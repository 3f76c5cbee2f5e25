import warnings
from fractions import Fraction
from pathlib import Path

import pytest

from sudare.errors import CeilingReached, InvalidParameter, LedgerDamaged, SudareWarning
from sudare.guarantees import ApproximateDP, Budget, Guarantee, Hidden, LocalDP, compose, share
from sudare.ledger import Ledger


def test_the_charge_is_in_the_file_before_the_block_runs(ledger: Ledger, path: Path) -> None:
    with ledger.charge(LocalDP("1"), subjects="patients", purpose="mean age"):
        other = Ledger.open(path)
        assert other.spent("patients") == Budget.of("1")


def test_a_ceiling_is_exact_to_the_last_digit(path: Path, charged) -> None:
    ledger = Ledger.open(path, ceilings={"patients": ("1", 0)})
    third = share("1", 3)
    for _ in range(3):
        with ledger.charge(LocalDP(third), "patients", "a third"):
            pass
    assert ledger.left("patients") == Budget()
    with pytest.raises(CeilingReached), ledger.charge(LocalDP("1e-60"), "patients", "a trace"):
        pytest.fail("the block ran")
    assert ledger.spent("patients") == Budget.of("1")


def test_a_refused_charge_says_what_is_spent_left_and_asked(ledger: Ledger, charged) -> None:
    charged(ledger, "2.5")
    with pytest.raises(CeilingReached) as refused:
        charged(ledger, "0.75")
    text = str(refused.value)
    assert "asked ε = 0.75" in text
    assert "spent ε = 2.5" in text
    assert "left ε = 0.5" in text
    assert "'patients'" in text
    assert len(ledger.charges) == 1


def test_delta_has_a_ceiling_of_its_own(ledger: Ledger) -> None:
    promise = ApproximateDP("0.1", "6e-7", neighbors="replace-one")
    with ledger.charge(promise, "patients", "once"):
        pass
    with pytest.raises(CeilingReached), ledger.charge(promise, "patients", "twice"):
        pytest.fail("the block ran")


def test_nothing_that_happens_in_the_block_refunds_the_charge(ledger: Ledger) -> None:
    with pytest.raises(RuntimeError), ledger.charge(LocalDP("1"), "patients", "a failure"):
        raise RuntimeError("it may depend on the data")
    assert ledger.spent("patients") == Budget.of("1")


def test_a_promise_without_epsilon_is_recorded_and_never_summed(ledger: Ledger) -> None:
    with ledger.charge(Hidden("sums", "the server"), "patients", "masks") as receipt:
        pass
    assert ledger.spent("patients") == Budget()
    assert ledger.charges[-1].budget is None
    assert receipt.guarantee == Hidden("sums", "the server")


def test_a_subnormal_charge_is_not_lost(ledger: Ledger, charged) -> None:
    charged(ledger, "5e-324")
    assert ledger.spent("patients").epsilon == Fraction(5, 10**324)


def test_a_composition_costs_its_sum(ledger: Ledger) -> None:
    with ledger.charge(compose([LocalDP("0.5"), LocalDP("0.25")]), "patients", "two columns"):
        pass
    assert ledger.spent("patients") == Budget.of("0.75")


def test_a_split_is_paid_in_parallel_under_the_ceiling_of_the_whole(ledger: Ledger, charged) -> None:
    east, west = ledger.split("patients", ["east", "west"])
    charged(ledger, "1")
    charged(ledger, "2", east)
    charged(ledger, "2", west)
    assert ledger.spent("patients") == Budget.of("3")
    with pytest.raises(CeilingReached):
        charged(ledger, "0.1", east)
    with pytest.raises(CeilingReached):
        charged(ledger, "0.1")


def test_a_split_outlives_the_handle_and_is_the_same_when_repeated(ledger: Ledger, path: Path) -> None:
    assert ledger.split("patients", 2) == ["patients/1", "patients/2"]
    again = Ledger.open(path)
    assert again.split("patients", 2) == ["patients/1", "patients/2"]
    assert len(again.entries()) == 2
    with pytest.raises(InvalidParameter):
        again.split("patients", 3)


def test_a_part_that_nobody_declared_is_refused(ledger: Ledger, charged) -> None:
    with pytest.raises(InvalidParameter, match="split"):
        charged(ledger, "1", "patients/east")
    with pytest.raises(InvalidParameter):
        ledger.split("patients/east", 2)


def test_a_part_can_have_a_lower_ceiling_of_its_own(ledger: Ledger, path: Path, charged) -> None:
    east, _ = ledger.split("patients", ["east", "west"])
    again = Ledger.open(path, ceilings={east: ("1", 0)})
    charged(again, "0.75")
    with pytest.raises(CeilingReached, match="patients/east"):
        charged(again, "0.5", east)
    with pytest.raises(CeilingReached, match="patients/east"):
        charged(again, "0.5")


def test_subjects_that_no_ceiling_names_are_told_as_a_slip_of_the_pen(ledger: Ledger, charged) -> None:
    with pytest.warns(SudareWarning, match="'patients'") as caught:
        charged(ledger, "1", "patient")
    assert caught[0].filename.endswith("conftest.py")  # where the charge was written
    charged(ledger, "1", "patient")


def test_a_warning_that_is_an_error_charges_nothing(ledger: Ledger, charged) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(SudareWarning):
            charged(ledger, "1", "patient")
    assert ledger.charges == ()


@pytest.mark.parametrize(
    ("guarantee", "subjects", "purpose", "request_"),
    [
        (1.0, "patients", "p", None),
        (None, "patients", "p", None),
        (Hidden("a lone \ud800", "the server"), "patients", "p", None),
        (LocalDP("1"), "", "p", None),
        (LocalDP("1"), None, "p", None),
        (LocalDP("1"), "patients", "", None),
        (LocalDP("1"), "patients", None, None),
        (LocalDP("1"), "patients", "two\nlines", None),
        (LocalDP("1"), "patients", "a lone \ud800", None),
        (LocalDP("1"), "patients", "p" * 2001, None),
        (LocalDP("1"), "patients", "p", ""),
        (LocalDP("1"), "patients", "p", 7),
        (LocalDP("1"), "patients", "p", "0123456789abcdef" * 2),  # a receipt is named like this
    ],
)
def test_a_charge_that_cannot_be_kept_is_refused(
    ledger: Ledger, guarantee: object, subjects: object, purpose: object, request_: object
) -> None:
    with pytest.raises(InvalidParameter), ledger.charge(guarantee, subjects, purpose, request_):  # type: ignore[arg-type]
        pytest.fail("the block ran")
    assert ledger.charges == ()


def test_a_promise_that_claims_to_cost_less_than_nothing_is_refused(ledger: Ledger) -> None:
    class Refund(Guarantee):
        kind = "refund"
        budget = Budget(Fraction(-1))

        def sentence(self, language: str = "en") -> str:
            return "a refund"

        def to_dict(self) -> dict[str, str]:
            return {"kind": self.kind}

        @classmethod
        def _from_dict(cls, facts: object) -> "Refund":
            return cls()

    try:
        with pytest.raises(InvalidParameter), ledger.charge(Refund(), "patients", "p"):
            pytest.fail("the block ran")
    finally:
        del Guarantee._kinds["refund"]
    assert ledger.charges == ()


def test_calling_charge_without_a_block_charges_nothing(ledger: Ledger) -> None:
    ledger.charge(LocalDP("1"), "patients", "forgotten with")
    assert ledger.charges == ()


def test_a_ledger_without_ceilings_counts_without_limit(path: Path, charged) -> None:
    ledger = Ledger.open(path)
    charged(ledger, "1000000")
    assert ledger.left("patients") is None
    assert ledger.spent("patients") == Budget.of("1000000")


def test_a_charge_without_its_block_is_told_and_charges_nothing(ledger: Ledger) -> None:
    with pytest.raises(InvalidParameter, match=r"write .with ledger"):
        ledger.charge(LocalDP("1"), "patients", "a survey").source("age")  # type: ignore[attr-defined]
    assert not ledger.charges


def test_a_table_is_not_taken_for_a_ledger(tmp_path: Path) -> None:
    table = tmp_path / "patients.csv"
    table.write_text("age\n30\n")
    with pytest.raises(LedgerDamaged, match="not a ledger"):
        Ledger.open(table)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["patients.csv"]
