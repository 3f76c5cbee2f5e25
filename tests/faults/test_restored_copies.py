"""An older copy is refused every time that the witness or a release survives, whatever was copied."""

import json
import shutil
from itertools import combinations, product
from pathlib import Path

import pytest
from tests.faults import study

from sudare.errors import LedgerError, LedgerRolledBack
from sudare.ledger import Ledger

pytestmark = pytest.mark.faults
STAGES = 12
FILES = ("study.ledger", "study.ledger-wal", "study.ledger-shm", "study.ledger.head")


def copied(source: Path, target: Path) -> None:
    for name in FILES:
        (target / name).unlink(missing_ok=True)
        if (source / name).exists():
            shutil.copy2(source / name, target / name)


@pytest.fixture(scope="module", params=[False, True], ids=["in use", "closed"])
def stages(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a copy of the ledger after each charge, and the release of each charge."""
    folder = tmp_path_factory.mktemp("stages")
    path = folder / "live" / "study.ledger"
    path.parent.mkdir()
    ledger = Ledger.open(path, study.CEILINGS)
    for stage in range(STAGES):
        with ledger.charge(study.MECHANISM.guarantee, "patients", "a study") as receipt:
            study.drawn(receipt)
            release = folder / "releases" / str(stage)
            release.mkdir(parents=True)
            facts = {"ledger": ledger.evidence(receipt).to_dict()}
            (release / "release.json").write_text(json.dumps(facts), encoding="utf-8")
        if request.param:
            ledger.close()
        (folder / str(stage)).mkdir()
        copied(path.parent, folder / str(stage))
    ledger.close()
    return folder


def restored(stages: Path, stage: int, tmp_path: Path) -> Path:
    live = tmp_path / "live"
    live.mkdir()
    shutil.copy2(stages / "live" / "study.ledger.key", live)
    copied(stages / str(stage), live)
    return live


@pytest.mark.parametrize("stage", range(STAGES))
def test_a_copy_is_refused_beside_every_later_witness(stages: Path, stage: int, tmp_path: Path) -> None:
    live = restored(stages, stage, tmp_path)
    for later in range(stage + 1, STAGES):
        shutil.copy2(stages / str(later) / "study.ledger.head", live)
        with pytest.raises(LedgerRolledBack):
            Ledger.open(live / "study.ledger")
    shutil.copy2(stages / str(stage) / "study.ledger.head", live)
    assert len(Ledger.open(live / "study.ledger").charges) == stage + 1  # its own witness is the known limit


@pytest.mark.parametrize(("stage", "later"), list(combinations(range(STAGES), 2)))
def test_a_copy_with_its_own_witness_is_refused_beside_every_later_release(
    stages: Path, stage: int, later: int, tmp_path: Path
) -> None:
    live = restored(stages, stage, tmp_path)
    shutil.copytree(stages / "releases" / str(later), live / "a release")
    with pytest.raises(LedgerRolledBack):
        Ledger.open(live / "study.ledger")


@pytest.mark.parametrize(("stage", "log"), list(product(range(STAGES), [False, True])))
def test_a_copy_of_a_part_of_the_files_is_refused_or_whole(stages: Path, stage: int, log: bool, tmp_path: Path) -> None:
    live = restored(stages, stage, tmp_path)
    (live / "study.ledger-shm").unlink(missing_ok=True)
    if not log:
        (live / "study.ledger-wal").unlink(missing_ok=True)
    try:
        charges = len(Ledger.open(live / "study.ledger").charges)
    except LedgerRolledBack:
        assert not log
    else:
        assert charges == stage + 1


@pytest.mark.parametrize(("stage", "later"), list(combinations(range(STAGES), 2)))
def test_an_older_database_under_a_newer_log_is_refused_or_whole(
    stages: Path, stage: int, later: int, tmp_path: Path
) -> None:
    live = restored(stages, stage, tmp_path)
    (live / "study.ledger-shm").unlink(missing_ok=True)
    shutil.copy2(stages / str(later) / "study.ledger.head", live)
    (live / "study.ledger-wal").unlink(missing_ok=True)
    if (stages / str(later) / "study.ledger-wal").exists():
        shutil.copy2(stages / str(later) / "study.ledger-wal", live)
    try:
        charges = len(Ledger.open(live / "study.ledger").charges)
    except LedgerError:
        return
    assert charges == later + 1
