import json
import shutil
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sudare.errors import (
    InvalidParameter,
    LedgerDamaged,
    LedgerError,
    LedgerRolledBack,
    LedgerUnavailable,
    SudareWarning,
)
from sudare.guarantees import LocalDP
from sudare.ledger import Evidence, Ledger, Receipt, read_file, verify_file
from sudare.ledger.signing import Signer
from sudare.ledger.witness import Mark
from sudare.mechanisms import RandomizedResponse

YES_OR_NO = RandomizedResponse(categories=2, epsilon="0.1")
UNBOUNDED = b'{"ledger": "", "sequence": Infinity, "hash": "", "ranges": 0, "ranges_hash": "", "signature": ""}'
FILES = ("study.ledger", "study.ledger-wal", "study.ledger-shm")


def copied(path: Path, to: Path) -> Path:
    to.mkdir()
    for name in FILES:
        if (path.parent / name).exists():
            shutil.copy2(path.parent / name, to / name)
    return to


def restore(backup: Path, path: Path) -> None:
    for name in FILES:
        (path.parent / name).unlink(missing_ok=True)
        if (backup / name).exists():
            shutil.copy2(backup / name, path.parent / name)


def released(ledger: Ledger, receipt: Receipt, folder: Path) -> None:
    folder.mkdir()
    facts = {"ledger": ledger.evidence(receipt).to_dict(), "receipt": receipt.to_dict()}
    (folder / "release.json").write_text(json.dumps(facts), encoding="utf-8")


@pytest.fixture
def backup(path: Path, ledger: Ledger, charged: Callable[..., Receipt], tmp_path: Path) -> Path:
    charged(ledger, "0.5")
    ledger.close()
    return copied(path, tmp_path / "backup")


def test_last_nights_backup_is_refused_by_the_witness(path: Path, ledger: Ledger, backup: Path, charged) -> None:
    charged(ledger, "1")
    ledger.close()
    restore(backup, path)
    with pytest.raises(LedgerRolledBack):
        Ledger.open(path)
    with pytest.raises(LedgerRolledBack):
        charged(ledger, "1")


def test_a_backup_with_another_continuation_is_refused(path: Path, ledger: Ledger, backup: Path, charged) -> None:
    charged(ledger, "1")
    ledger.close()
    head = (path.parent / "study.ledger.head").read_bytes()
    restore(backup, path)
    (path.parent / "study.ledger.head").unlink()
    with pytest.warns(SudareWarning, match="witness"):
        other = Ledger.open(path)
    charged(other, "0.25")
    charged(other, "0.25")
    other.close()
    (path.parent / "study.ledger.head").write_bytes(head)
    with pytest.raises(LedgerRolledBack):
        Ledger.open(path)


def test_a_backup_with_its_own_witness_is_refused_by_a_release_beside_it(
    path: Path, ledger: Ledger, backup: Path, charged, tmp_path: Path
) -> None:
    shutil.copy2(path.parent / "study.ledger.head", backup / "head")
    released(ledger, charged(ledger, "1"), tmp_path / "mean-age")
    ledger.close()
    restore(backup, path)
    shutil.copy2(backup / "head", path.parent / "study.ledger.head")
    with pytest.raises(LedgerRolledBack, match=r"release\.json"):
        Ledger.open(path)


def test_a_release_that_is_handed_in_shows_a_backup(
    path: Path, ledger: Ledger, backup: Path, charged, tmp_path: Path
) -> None:
    released(ledger, charged(ledger, "1"), tmp_path / "mean-age")
    facts = json.loads((tmp_path / "mean-age" / "release.json").read_text(encoding="utf-8"))
    ledger.check_release(facts)
    ledger.close()
    restore(backup, path)
    shutil.rmtree(tmp_path / "mean-age")
    (path.parent / "study.ledger.head").unlink()
    with pytest.warns(SudareWarning, match="witness"):
        older = Ledger.open(path)
    with pytest.raises(LedgerRolledBack):
        older.check_release(facts)


def test_releases_of_this_ledger_and_of_others_are_no_hindrance(
    path: Path, ledger: Ledger, charged, tmp_path: Path
) -> None:
    other = Ledger.open(tmp_path / "other.ledger")
    released(ledger, charged(ledger, "1"), tmp_path / "ours")
    released(other, charged(other, "1"), tmp_path / "theirs")
    charged(ledger, "1")
    assert len(Ledger.open(path).charges) == 2
    assert len(Ledger.open(tmp_path / "other.ledger").charges) == 1


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"ledger": 3}', b'{"ledger": {}}', b"\xff", b"[" * 100_000])
def test_a_damaged_release_beside_the_ledger_is_no_hindrance(path: Path, ledger: Ledger, content: bytes) -> None:
    (path.parent / "damaged").mkdir()
    (path.parent / "damaged" / "release.json").write_bytes(content)
    Ledger.open(path)


@pytest.mark.parametrize(
    "mark", [{}, {"sequence": "1"}, {"sequence": 1, "head": 3}, {"sequence": -1, "head": "0" * 64}]
)
def test_a_release_of_this_ledger_without_a_true_head_is_refused(path: Path, ledger: Ledger, mark: dict) -> None:
    (path.parent / "forged").mkdir()
    (path.parent / "forged" / "release.json").write_text(json.dumps({"ledger": {"id": ledger.id, **mark}}))
    with pytest.raises(LedgerRolledBack):
        Ledger.open(path)


def test_a_deleted_ledger_is_not_begun_anew_beside_its_witness(path: Path, ledger: Ledger, charged) -> None:
    charged(ledger)
    ledger.close()
    path.unlink()
    with pytest.raises(LedgerRolledBack, match="is gone"):
        Ledger.open(path)
    path.touch()
    with pytest.raises(LedgerRolledBack, match="is gone"):
        Ledger.open(path)
    path.with_name("study.ledger.head").unlink()
    path.with_name("study.ledger-wal").write_bytes(b"a log without its database")
    with pytest.raises(LedgerRolledBack, match="is gone"):
        Ledger.open(path)


def test_a_deleted_ledger_is_not_begun_anew_beside_its_releases(
    path: Path, ledger: Ledger, charged, tmp_path: Path
) -> None:
    released(ledger, charged(ledger), tmp_path / "mean-age")
    ledger.close()
    path.unlink()
    path.with_name("study.ledger.head").unlink()
    with pytest.raises(LedgerRolledBack, match=r"release\.json"):
        Ledger.open(path)
    assert not path.exists()


def test_the_ledger_of_another_study_under_the_same_path_is_refused(
    path: Path, ledger: Ledger, charged, tmp_path: Path
) -> None:
    charged(ledger)
    ledger.close()
    (tmp_path / "elsewhere").mkdir()
    other = Ledger.open(tmp_path / "elsewhere" / "study.ledger")
    other.close()
    shutil.copy2(tmp_path / "elsewhere" / "study.ledger", path)
    with pytest.raises(LedgerError):
        Ledger.open(path)
    shutil.copy2(tmp_path / "elsewhere" / "study.ledger.key", path.with_name("study.ledger.key"))
    with pytest.raises(LedgerRolledBack):
        Ledger.open(path)


def test_a_file_replaced_under_an_open_handle_is_refused(path: Path, ledger: Ledger, backup: Path, charged) -> None:
    charged(ledger, "1")
    restore(backup, path)
    path.with_name("study.ledger.head").unlink()
    with pytest.raises(LedgerRolledBack, match="while the ledger was open"):
        charged(ledger, "1")


@pytest.mark.parametrize("name", ["study.ledger", "study.ledger-wal", "study.ledger-shm"])
def test_a_file_removed_under_an_open_handle_is_refused(path: Path, ledger: Ledger, charged, name: str) -> None:
    charged(ledger, "1")
    (path.parent / name).unlink()
    with pytest.raises(LedgerRolledBack, match="while the ledger was open"):
        charged(ledger, "1")


def test_an_older_copy_under_a_closed_handle_is_refused_without_any_witness(
    path: Path, ledger: Ledger, backup: Path, charged
) -> None:
    charged(ledger, "1")
    ledger.close()
    restore(backup, path)
    path.with_name("study.ledger.head").unlink()
    with pytest.raises(LedgerRolledBack):
        charged(ledger, "1")


def test_a_log_that_is_lost_is_refused(path: Path, ledger: Ledger, charged, tmp_path: Path) -> None:
    charged(ledger, "1")
    lost = copied(path, tmp_path / "lost")  # the handle is open, so the charge is in the log alone
    for name in ("study.ledger.key", "study.ledger.head"):
        shutil.copy2(path.parent / name, lost / name)
    (lost / "study.ledger-wal").unlink()
    (lost / "study.ledger-shm").unlink()
    with pytest.raises(LedgerError):
        Ledger.open(lost / "study.ledger")


def test_a_witness_that_is_missing_is_told_and_made_anew(path: Path, ledger: Ledger, charged) -> None:
    charged(ledger)
    path.with_name("study.ledger.head").unlink()
    with pytest.warns(SudareWarning, match="witness"):
        again = Ledger.open(path)
    charged(again)
    Ledger.open(path)


@pytest.mark.parametrize("content", [b"", b"{}", b"null", b"[1]", b'{"sequence": 1', b"\xff\xfe", UNBOUNDED])
def test_a_witness_that_cannot_be_read_is_refused(path: Path, ledger: Ledger, charged, content: bytes) -> None:
    path.with_name("study.ledger.head").write_bytes(content)
    with pytest.raises(LedgerDamaged, match="witness"):
        Ledger.open(path)
    with pytest.raises(LedgerDamaged, match="witness"):
        charged(ledger)


def test_forgotten_ranges_of_rows_are_recognized_too(path: Path, ledger: Ledger, tmp_path: Path) -> None:
    answers = np.zeros(100, dtype=np.int64)
    with ledger.charge(YES_OR_NO.guarantee, "patients", "smokers", request="May") as receipt:
        YES_OR_NO.randomize(answers, receipt.source("smoker"))
        ledger.close()
        older = copied(path, tmp_path / "older")
        YES_OR_NO.randomize(answers, receipt.source("smoker", 100))
    ledger.close()
    restore(older, path)
    with pytest.raises(LedgerRolledBack):
        Ledger.open(path)


@pytest.fixture
def drawn_since(path: Path, ledger: Ledger, tmp_path: Path) -> Path:
    """A backup with its own witness, restored after more rows were drawn; a later release lies beside it."""
    answers = np.zeros(100, dtype=np.int64)
    with ledger.charge(YES_OR_NO.guarantee, "patients", "smokers", request="May") as receipt:
        YES_OR_NO.randomize(answers, receipt.source("smoker"))
        ledger.close()
        older = copied(path, tmp_path / "older")
        shutil.copy2(path.parent / "study.ledger.head", older / "head")
        YES_OR_NO.randomize(answers, receipt.source("smoker", 100))
        released(ledger, receipt, tmp_path / "smokers")
    ledger.close()
    Ledger.open(path).close()
    restore(older, path)
    shutil.copy2(older / "head", path.parent / "study.ledger.head")
    return tmp_path / "smokers" / "release.json"


def test_forgotten_ranges_of_rows_are_recognized_by_a_release(path: Path, drawn_since: Path) -> None:
    with pytest.raises(LedgerRolledBack, match=r"release\.json"):
        Ledger.open(path)


def test_a_release_of_an_earlier_version_knows_no_ranges(path: Path, drawn_since: Path) -> None:
    facts = json.loads(drawn_since.read_text(encoding="utf-8"))
    del facts["ledger"]["ranges"], facts["ledger"]["ranges_head"]
    drawn_since.write_text(json.dumps(facts), encoding="utf-8")
    assert len(Ledger.open(path).charges) == 1
    assert Evidence.from_dict(facts["ledger"]).ranges is None


@pytest.mark.parametrize("ranges", ["1", 1.5, [], {}, -2, 2, True])
def test_a_release_of_this_ledger_without_a_true_range_is_refused(path: Path, ledger: Ledger, ranges: object) -> None:
    (path.parent / "forged").mkdir()
    facts = {"id": ledger.id, "sequence": 0, "head": ledger.id, "ranges": ranges, "ranges_head": "0" * 64}
    (path.parent / "forged" / "release.json").write_text(json.dumps({"ledger": facts}))
    with pytest.raises(LedgerRolledBack):
        Ledger.open(path)


@pytest.mark.parametrize("signature", ["", "00" * 64, "another key"])
def test_a_witness_that_a_stranger_wrote_is_refused(path: Path, ledger: Ledger, charged, signature: str) -> None:
    charged(ledger)
    head = path.with_name("study.ledger.head")
    mark = Mark(**json.loads(head.read_bytes()))
    forged = mark.signed(Signer.fresh()) if signature == "another key" else replace(mark, signature=signature)
    head.write_text(json.dumps(vars(forged)))
    for use in (lambda: Ledger.open(path), lambda: charged(ledger), lambda: read_file(path)):
        with pytest.raises(LedgerDamaged, match="witness") as refused:
            use()
        assert refused.value.remedy
    assert not verify_file(path).passed


def test_an_earlier_mark_over_a_later_one_is_not_signed(path: Path, ledger: Ledger, charged) -> None:
    head = path.with_name("study.ledger.head")
    charged(ledger, "0.5")
    earlier = json.loads(head.read_bytes())
    charged(ledger, "0.5")
    later = json.loads(head.read_bytes())
    head.write_text(json.dumps({**later, "ranges": -1, "sequence": earlier["sequence"], "hash": earlier["hash"]}))
    with pytest.raises(LedgerDamaged, match="witness"):
        Ledger.open(path)


def test_a_deleted_ledger_is_not_begun_anew_beside_its_run_keys(path: Path, ledger: Ledger, charged) -> None:
    charged(ledger, request="May")
    ledger.close()
    path.unlink()
    path.with_name("study.ledger.head").unlink()
    with pytest.raises(LedgerRolledBack, match=r"beside study\.ledger\.keys"):
        Ledger.open(path)
    assert not path.exists()


def test_a_backup_of_everything_is_the_known_limit(path: Path, ledger: Ledger, backup: Path, charged) -> None:
    shutil.copy2(path.parent / "study.ledger.head", backup / "head")
    charged(ledger, "1")
    ledger.close()
    restore(backup, path)
    shutil.copy2(backup / "head", path.parent / "study.ledger.head")
    assert len(Ledger.open(path).charges) == 1


def test_a_slower_process_never_puts_an_older_mark_over_a_newer_one(path: Path, ledger: Ledger, charged) -> None:
    charged(ledger)
    newer = path.with_name("study.ledger.head").read_bytes()
    other = Ledger.open(path)
    with ledger._book.lock:
        ledger._book._remember()
    assert path.with_name("study.ledger.head").read_bytes() == newer
    charged(other)
    newest = json.loads(path.with_name("study.ledger.head").read_bytes())
    ledger._book._remember()  # this handle has not looked since, so its own mark is one entry older
    assert json.loads(path.with_name("study.ledger.head").read_bytes()) == newest


def test_the_guards_of_the_file_refuse_to_change_the_past(path: Path, ledger: Ledger, charged) -> None:
    charged(ledger)
    stranger = sqlite3.connect(path)
    for statement in ("DELETE FROM entries", "UPDATE entries SET body = '{}'"):
        with pytest.raises(sqlite3.IntegrityError, match="only grows"):
            stranger.execute(statement)
    stranger.close()


def test_a_release_kept_elsewhere_is_compared_by_its_folder(path: Path, tmp_path: Path) -> None:
    ledger = Ledger.open(path)
    with ledger.charge(LocalDP("1"), "patients", "a survey") as receipt:
        pass
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    facts = {"ledger": ledger.evidence(receipt).to_dict()}
    (folder / "release.json").write_text(json.dumps(facts))
    ledger.check_release(folder)
    ledger.check_release(str(folder))
    ledger.check_release(facts)
    (folder / "release.json").write_text(json.dumps({"ledger": {**facts["ledger"], "sequence": 9}}))
    with pytest.raises(LedgerRolledBack):
        ledger.check_release(folder)


@pytest.mark.parametrize("nothing", [None, 3, {}, {"ledger": 1}, "nowhere"])
def test_what_is_no_release_is_not_compared_in_silence(path: Path, nothing: object) -> None:
    with pytest.raises(InvalidParameter, match="no release"):
        Ledger.open(path).check_release(nothing)  # type: ignore[arg-type]


def test_a_lost_witness_is_told_and_made_anew(path: Path) -> None:
    ledger = Ledger.open(path)
    with ledger.charge(LocalDP("1"), "patients", "a survey"):
        pass
    ledger.close()
    head = path.with_name(f"{path.name}.head")
    head.unlink()
    with pytest.warns(SudareWarning, match="check_release"):
        Ledger.open(path)
    assert head.exists()


def test_a_release_of_another_ledger_proves_nothing(path: Path, tmp_path: Path) -> None:
    other = Ledger.open(tmp_path / "other.ledger")
    with other.charge(LocalDP("1"), "patients", "a survey") as receipt:
        pass
    with pytest.raises(InvalidParameter, match="another ledger"):
        Ledger.open(path).check_release({"ledger": other.evidence(receipt).to_dict()})


def test_looking_for_a_ledger_makes_none(tmp_path: Path) -> None:
    with pytest.raises(LedgerUnavailable, match="no ledger here"):
        verify_file(tmp_path / "nothing")
    assert not list(tmp_path.iterdir())
