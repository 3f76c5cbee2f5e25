import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from sudare.errors import CeilingReached, InvalidParameter, KeyForgotten
from sudare.guarantees import Budget
from sudare.ledger import Ledger
from sudare.mechanisms import RandomizedResponse
from sudare.randomness import is_private

YES_OR_NO = RandomizedResponse(categories=2, epsilon="1")
ANSWERS = np.zeros(200, dtype=np.int64)


def reports(ledger: Ledger, request: str | None = None) -> np.ndarray:
    with ledger.charge(YES_OR_NO.guarantee, "patients", "smokers", request) as receipt:
        assert receipt.simulated
        return YES_OR_NO.randomize(ANSWERS, receipt.source("smoker"))


def test_all_that_comes_out_of_a_simulation_is_marked() -> None:
    drawn = reports(Ledger.simulation())
    assert not is_private(drawn)
    assert not YES_OR_NO.frequencies(drawn).private


def test_a_seed_repeats_the_noise_and_no_charge_repeats_another() -> None:
    first, second = Ledger.simulation(7), Ledger.simulation(7)
    assert (reports(first) == reports(second)).all()
    assert (reports(first) == reports(second)).all()
    assert (reports(first) != reports(second, "May")).sum() == 0
    assert (reports(Ledger.simulation(7)) != reports(Ledger.simulation(8))).any()
    assert (reports(first) != reports(Ledger.simulation(7))).any()


def test_without_a_seed_nothing_repeats() -> None:
    assert (reports(Ledger.simulation()) != reports(Ledger.simulation())).any()


def test_a_simulation_keeps_ceilings_splits_and_requests_like_a_ledger() -> None:
    ledger = Ledger.simulation(ceilings={"patients": ("2", 0)})
    assert (reports(ledger, "May") == reports(ledger, "May")).all()
    reports(ledger)
    with pytest.raises(CeilingReached):
        reports(ledger)
    ledger.forget("May")
    with pytest.raises(KeyForgotten):
        reports(ledger, "May")
    assert ledger.spent("patients") == Budget.of("2")
    assert ledger.verify().passed


def test_a_simulation_leaves_no_file(tmp_path: Path) -> None:
    reports(Ledger.simulation(), "May")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("seed", [1.5, "7", True])
def test_a_seed_that_is_no_whole_number_is_refused(seed: object) -> None:
    with pytest.raises(InvalidParameter):
        Ledger.simulation(seed)  # type: ignore[arg-type]


def test_a_pickle_within_the_process_is_the_same_simulation() -> None:
    ledger = Ledger.simulation()
    assert pickle.loads(pickle.dumps(ledger)) is ledger


def test_a_pickle_elsewhere_is_an_empty_simulation_that_says_so(tmp_path: Path) -> None:
    ledger = Ledger.simulation(ceilings={"patients": ("1", 0)})
    reports(ledger)
    (tmp_path / "handle").write_bytes(pickle.dumps(ledger))
    script = """
import pickle, sys, warnings
from pathlib import Path
from sudare.guarantees import LocalDP
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    ledger = pickle.loads(Path(sys.argv[1]).read_bytes())
    again = pickle.loads(Path(sys.argv[1]).read_bytes())
print(len(caught), caught[0].category.__name__, again is ledger, len(ledger.charges), ledger.left("patients"))
"""
    command = [sys.executable, "-c", script, str(tmp_path / "handle")]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    assert ran.stdout == "1 SudareWarning True 0 ε = 1, δ = 0\n"


def test_a_forked_simulation_says_that_it_counts_by_itself() -> None:
    script = """
import os, warnings
warnings.filterwarnings("ignore", ".*fork", DeprecationWarning)
from sudare.guarantees import LocalDP
from sudare.ledger import Ledger
ledger = Ledger.simulation()
def charge():
    with ledger.charge(LocalDP("1"), "patients", "p"): pass
charge()
if os.fork() == 0:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        charge(); charge()
    print([str(w.message)[:12] for w in caught], len(ledger.charges), flush=True)
    os._exit(0)
os.wait()
print(len(ledger.charges))
"""
    ran = subprocess.run([sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout == "['a simulation'] 3\n1\n"


def test_a_simulation_says_what_it_is() -> None:
    ledger = Ledger.simulation()
    assert ledger.simulated
    assert ledger.path is None
    assert "not private" in str(ledger)
