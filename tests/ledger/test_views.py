import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from sudare.errors import InvalidParameter, LedgerDamaged, LedgerRolledBack, LedgerUnavailable, SudareWarning
from sudare.guarantees import Hidden, LocalDP
from sudare.ledger import Evidence, Ledger, Receipt, default_ledger, manifest_signature_holds, read_file, verify_file
from sudare.mechanisms import RandomizedResponse

YES_OR_NO = RandomizedResponse(categories=2, epsilon="1")


@pytest.fixture
def used(ledger: Ledger, charged) -> Ledger:
    charged(ledger, "0.5")
    ledger.split("patients", ["east", "west"])
    with ledger.charge(YES_OR_NO.guarantee, "patients/east", "smokers", request="May") as receipt:
        YES_OR_NO.randomize(np.zeros(10, int), receipt.source("smoker"))
    with ledger.charge(Hidden("sums", "the server"), "patients", "masks"):
        pass
    return ledger


def test_the_text_shows_what_was_spent_and_what_is_left(used: Ledger, path: Path) -> None:
    text = str(used)
    assert str(path) in text
    assert used.fingerprint in text
    row = next(line.split("  ") for line in text.splitlines() if line.startswith("patients "))
    assert [cell.strip() for cell in row if cell] == [
        "patients",
        "ε = 1.5",
        "ε = 3, δ = 1e-6",
        "ε = 1.5, δ = 1e-6",
        "2",
    ]
    assert "request 'May'" in text
    assert "no ε, recorded only" in text


def test_the_page_escapes_what_users_wrote(ledger: Ledger) -> None:
    with ledger.charge(LocalDP("1"), "patients", "<script>alert(1)</script>"):
        pass
    assert "<script>" not in ledger._repr_html_()
    assert "&lt;script&gt;" in ledger._repr_html_()


def test_an_export_is_plain_json_without_a_key(used: Ledger, path: Path) -> None:
    text = json.dumps(used.export())
    assert json.loads(text)["subjects"]["patients"]["left"] == {"epsilon": "3/2", "delta": "1/1000000"}
    run_key = next(path.with_name("study.ledger.keys").iterdir()).read_bytes()
    signing_key = path.with_name("study.ledger.key").read_text()
    assert run_key.hex() not in text
    assert signing_key.splitlines()[1] not in text


def test_looking_never_changes_the_files(used: Ledger, path: Path) -> None:
    used.close()
    before = {file.name: file.read_bytes() for file in path.parent.iterdir() if file.is_file()}
    again = Ledger.open(path)
    looks = (str, repr, Ledger._repr_html_, Ledger.verify, Ledger.export, Ledger.entries)
    for look in looks:
        look(again)
    again.spent("patients"), again.left("patients"), again.charges
    assert again.spent("nobody").epsilon == 0
    again.close()
    assert {file.name: file.read_bytes() for file in path.parent.iterdir() if file.is_file()} == before


def test_a_file_is_verified_alone_and_left_alone(used: Ledger, path: Path, tmp_path: Path) -> None:
    used.close()
    alone = tmp_path / "alone"
    alone.mkdir()
    shutil.copy2(path, alone / "copy.ledger")
    found = verify_file(alone / "copy.ledger")
    assert found.passed
    assert found.key == used.fingerprint
    assert [check.name for check in found.checks if check.passed is None] == ["witness"]
    assert [file.name for file in alone.iterdir()] == ["copy.ledger"]


def test_a_ledger_in_use_is_verified_with_its_log(used: Ledger, path: Path, charged) -> None:
    assert path.with_name("study.ledger-wal").exists()
    found = verify_file(path)
    assert found.passed
    assert "6 entries" in str(found)
    charged(used, "0.25")
    assert "7 entries" in str(verify_file(path))


def test_a_file_that_is_no_ledger_fails_verification(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"patients,epsilon\n" * 100)
    assert not verify_file(tmp_path / "x").passed


def test_a_receipt_is_read_back_and_verified(used: Ledger) -> None:
    with used.charge(LocalDP("1/3"), "patients", "a third") as receipt:
        pass
    again = Receipt.from_dict(json.loads(json.dumps(receipt.to_dict())))
    assert again == receipt
    again.verify()
    assert again.fingerprint == used.fingerprint


@pytest.mark.parametrize("field", ["id", "ledger", "subjects", "purpose", "request", "time", "entry", "public_key"])
def test_a_changed_receipt_does_not_verify(used: Ledger, field: str) -> None:
    with used.charge(LocalDP("1"), "patients", "a survey", request="June") as receipt:
        facts = receipt.to_dict()
    with pytest.raises(LedgerDamaged):
        Receipt.from_dict({**facts, field: facts[field][:-1] + "0"[: facts[field][-1] != "0"]}).verify()
    for changed in ({"simulated": True}, {"sequence": 1}, {"guarantee": LocalDP("0.5").to_dict()}, {"signature": ""}):
        with pytest.raises(LedgerDamaged):
            Receipt.from_dict({**facts, **changed}).verify()


@pytest.mark.parametrize("field", ["id", "sequence", "guarantee", "request", "simulated", "signature"])
@pytest.mark.parametrize("value", [..., 3.5, [], b"x"])
def test_what_is_no_receipt_is_refused(used: Ledger, field: str, value: object) -> None:
    facts = {**used_receipt(used).to_dict(), field: value}
    if value is ...:
        del facts[field]
    with pytest.raises(InvalidParameter, match="no receipt"):
        Receipt.from_dict(facts)


def used_receipt(ledger: Ledger) -> Receipt:
    with ledger.charge(LocalDP("0.25"), "patients", "a survey") as receipt:
        return receipt


def test_evidence_lets_a_stranger_recompute_the_head(used: Ledger) -> None:
    receipt = used_receipt(used)
    evidence = Evidence.from_dict(json.loads(json.dumps(used.evidence(receipt).to_dict())))
    evidence.verify(Receipt.from_dict(receipt.to_dict()))
    assert evidence.head == used.entries()[-1].hash
    assert evidence.sequence == len(used.entries()) - 1
    assert "smokers" not in json.dumps(evidence.to_dict())  # the purposes of other charges stay unread


def test_evidence_put_together_from_pieces_is_refused(used: Ledger) -> None:
    first, second = used_receipt(used), used_receipt(used)
    facts = used.evidence(first).to_dict()
    Evidence.from_dict(facts).verify(first)
    turned = [facts["bodies"][-1], *facts["bodies"][1:-1], facts["bodies"][0]]
    forgeries = [
        {**facts, "head": facts["head"][::-1]},
        {**facts, "bodies": facts["bodies"][:-1]},
        {**facts, "bodies": turned},
        {**facts, "id": "0" * 64},
        {**facts, "public_key": "0" * 64},
        {**facts, "entry": facts["entry"].replace("0.25", "0.125").replace('"1/4"', '"1/8"')},
        {**facts, "opening": facts["opening"].replace("false", "true")},
    ]
    for forgery in forgeries:
        with pytest.raises(LedgerDamaged):
            Evidence.from_dict(forgery).verify(first)
    with pytest.raises(LedgerDamaged):
        Evidence.from_dict(facts).verify(second)


def test_evidence_is_given_for_own_receipts_only(used: Ledger) -> None:
    with pytest.raises(InvalidParameter):
        used.evidence(used_receipt(Ledger.simulation()))


@pytest.mark.parametrize("facts", [{}, {"id": 3}, {"bodies": ["x"]}])
def test_what_is_no_evidence_is_refused(facts: dict) -> None:
    with pytest.raises(InvalidParameter):
        Evidence.from_dict(facts)


def test_a_manifest_is_signed_apart_from_everything_else(used: Ledger) -> None:
    signature = used.sign(b"files")
    assert manifest_signature_holds(used.public_key, b"files", signature)
    assert not manifest_signature_holds(used.public_key, b"other files", signature)
    assert not manifest_signature_holds(used.public_key, b"files", used.entries()[1].signature)
    assert not manifest_signature_holds("", b"files", signature)


def test_who_names_no_ledger_gets_one_in_this_folder_and_is_told(tmp_path: Path) -> None:
    with pytest.warns(SudareWarning, match=r"sudare\.ledger") as caught:
        ledger = default_ledger()
    assert caught[0].filename == __file__ or "test_views" not in caught[0].filename
    assert ledger.path == str(tmp_path / "sudare.ledger")
    again = default_ledger(None)
    assert again.id == ledger.id


def test_an_environment_that_names_nothing_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUDARE_LEDGER", "~no such user/study.ledger")
    with pytest.raises(InvalidParameter, match="no path"):
        default_ledger()


def test_the_environment_names_a_ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUDARE_LEDGER", str(tmp_path / "named.ledger"))
    Ledger.open(tmp_path / "named.ledger", ceilings={"patients": ("1", 0)})
    assert default_ledger().left("patients") is not None


def test_what_is_no_ledger_is_refused() -> None:
    with pytest.raises(InvalidParameter):
        default_ledger("study.ledger")  # type: ignore[arg-type]


def test_a_ledger_is_looked_at_without_its_key(used: Ledger, path: Path) -> None:
    path.with_name("study.ledger.key").unlink()
    seen = read_file(path)
    assert str(seen) == str(used)
    assert seen._repr_html_() == used._repr_html_()
    assert seen.export() == used.export()
    assert (seen.charges, seen.fingerprint, seen.simulated) == (used.charges, used.fingerprint, used.simulated)
    assert not path.with_name("study.ledger.key").exists()


def test_looking_at_a_file_changes_nothing(used: Ledger, path: Path) -> None:
    used.close()
    before = {file.name: file.read_bytes() for file in path.parent.iterdir() if file.is_file()}
    read_file(path)
    assert {file.name: file.read_bytes() for file in path.parent.iterdir() if file.is_file()} == before


def test_a_file_that_is_missing_damaged_or_older_is_not_shown(path: Path, ledger: Ledger, charged) -> None:
    with pytest.raises(LedgerUnavailable, match="no ledger here"):
        read_file(path.with_name("missing"))
    (path.parent / "table.csv").write_text("age\n30\n" * 1000)
    with pytest.raises(LedgerDamaged):
        read_file(path.parent / "table.csv")
    ledger.close()
    older = path.read_bytes()
    charged(ledger)
    ledger.close()
    path.write_bytes(older)
    with pytest.raises(LedgerRolledBack):
        read_file(path)
