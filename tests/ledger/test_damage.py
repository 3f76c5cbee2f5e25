import json
import shutil
import sqlite3
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sudare.errors import LedgerDamaged, LedgerError
from sudare.guarantees import compose
from sudare.ledger import Ledger, read_file, verify_file
from sudare.ledger.chain import canonical, digest, linked
from sudare.ledger.entries import Entry
from sudare.ledger.history import History
from sudare.ledger.signing import Signer, entry_bytes
from sudare.ledger.sqlite import _TABLES
from sudare.ledger.witness import Mark
from sudare.mechanisms import RandomizedResponse

YES_OR_NO = RandomizedResponse(categories=2, epsilon="0.5")


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A closed ledger with an entry of each kind."""
    path = tmp_path_factory.mktemp("sound") / "study.ledger"
    ledger = Ledger.open(path, ceilings={"patients": ("3", 0)})
    Ledger.open(path, ceilings={"nurses": ("1", 0)}).close()
    ledger.split("patients", 2)
    with ledger.charge(compose([YES_OR_NO.guarantee] * 3), "patients", "survey", request="May") as receipt:
        YES_OR_NO.randomize(np.zeros(10, int), receipt.source("smoker"))
        YES_OR_NO.randomize(np.zeros(10, int), receipt.source("smoker", 10))
        YES_OR_NO.randomize(np.zeros(10, int), receipt.source("drinker"))
    ledger.forget("May")
    with ledger.charge(YES_OR_NO.guarantee, "patients/1", "survey"):
        pass
    assert verify_file(path).passed
    ledger.close()
    return path


@pytest.fixture
def written(sound: Path, path: Path) -> Path:
    for file in sound.parent.glob("study.ledger*"):
        if file.is_file():
            shutil.copy2(file, path.parent / file.name)
    return path


def unguarded(path: Path) -> sqlite3.Connection:
    """A vandal's connection: the guards are down and will be put up again unseen."""
    connection = sqlite3.connect(path, isolation_level=None)
    for name, statement in _TABLES.items():
        if statement.startswith("CREATE TRIGGER"):
            connection.execute(f"DROP TRIGGER {name}")
    return connection


def guarded(connection: sqlite3.Connection) -> None:
    for statement in _TABLES.values():
        if statement.startswith("CREATE TRIGGER"):
            connection.execute(statement)
    connection.close()


@pytest.mark.parametrize("row", range(8))
@pytest.mark.parametrize("column", ["body", "previous", "hash"])
@pytest.mark.parametrize("change", ["substr({0}, 2)", "{0} || ' '", "''", "x'00'", "7"])
def test_no_changed_entry_goes_unseen(written: Path, row: int, column: str, change: str) -> None:
    vandal = unguarded(written)
    vandal.execute(f"UPDATE entries SET {column} = {change.format(column)} WHERE sequence = ?", (row,))  # noqa: S608
    guarded(vandal)
    with pytest.raises(LedgerDamaged):
        Ledger.open(written)
    assert not verify_file(written).passed


@pytest.mark.parametrize("row", range(8))
def test_no_entry_can_be_taken_out_or_doubled(written: Path, row: int) -> None:
    vandal = unguarded(written)
    vandal.execute("DELETE FROM entries WHERE sequence = ?", (row,))
    guarded(vandal)
    with pytest.raises(LedgerError):
        Ledger.open(written)
    assert not verify_file(written).passed


@pytest.mark.parametrize(
    "column", ["receipt", "column_name", "first_row", "row_count", "fingerprint", "previous", "hash"]
)
@pytest.mark.parametrize("row", range(3))
def test_no_changed_range_goes_unseen(written: Path, row: int, column: str) -> None:
    vandal = unguarded(written)
    vandal.execute(f"UPDATE ranges SET {column} = x'00ff' WHERE number = ?", (row,))  # noqa: S608
    guarded(vandal)
    with pytest.raises(LedgerDamaged):
        Ledger.open(written)
    assert not verify_file(written).passed


def test_a_ledger_without_its_guards_is_refused(written: Path) -> None:
    unguarded(written).close()
    with pytest.raises(LedgerDamaged, match="guards"):
        Ledger.open(written)
    assert not verify_file(written).passed


@pytest.mark.parametrize("pragma", ["application_id = 7", "user_version = 2"])
def test_a_file_of_another_form_is_refused(written: Path, pragma: str) -> None:
    vandal = sqlite3.connect(written)
    vandal.execute(f"PRAGMA {pragma}")
    vandal.close()
    with pytest.raises(LedgerDamaged):
        Ledger.open(written)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(data=st.data())
def test_any_flipped_byte_and_any_missing_end_is_noticed_or_harmless(written: Path, data: st.DataObject) -> None:
    original = written.read_bytes()
    expected = [entry.hash for entry in Ledger.open(written).entries()]
    damaged = bytearray(original)
    if data.draw(st.booleans()):
        place = data.draw(st.integers(0, len(original) - 1))
        damaged[place] ^= data.draw(st.integers(1, 255))
    else:
        del damaged[data.draw(st.integers(1, len(original) - 1)) :]
    for suffix in ("-wal", "-shm"):
        written.with_name(written.name + suffix).unlink(missing_ok=True)
    written.write_bytes(damaged)
    try:
        ledger = Ledger.open(written)
        assert [entry.hash for entry in ledger.entries()] == expected  # the byte was in an unused place
        ledger.close()
    except LedgerError:
        pass
    finally:
        for suffix in ("-wal", "-shm"):
            written.with_name(written.name + suffix).unlink(missing_ok=True)
        written.write_bytes(original)


def forged(written: Path, change) -> History:
    """Write the whole chain anew, soundly linked, with one entry changed; then fold it."""
    ledger = Ledger.open(written)
    bodies = [entry.facts for entry in ledger.entries()]
    ledger.close()
    change(bodies)
    history, previous = History(), "0" * 64
    for sequence, facts in enumerate(bodies):
        body = canonical(facts)
        link = linked(previous, digest(body))
        history.append(Entry(sequence, body, previous, link, ""))
        previous = link
    return history


def test_a_sound_chain_folds(written: Path) -> None:
    assert len(forged(written, lambda bodies: None).charges) == 2


def test_a_third_use_before_forgetting_would_have_been_sound(written: Path) -> None:
    third = forged(written, lambda bodies: bodies.insert(6, {**bodies[5], "column": "x", "parts": [2]}))
    assert len(third.forgotten) == 1


FORGERIES = {
    "a charge over its ceiling": lambda bodies: bodies[7].update(epsilon="5/2"),
    "a charge that would fill the memory": lambda bodies: bodies[7].update(epsilon="1e999999999"),
    "a receipt that is a path": lambda bodies: bodies[7].update(receipt="../../patients.csv"),
    "a negative charge": lambda bodies: bodies[3].update(epsilon="-1"),
    "a charge to an undeclared part": lambda bodies: bodies[7].update(subjects="patients/9"),
    "a request charged twice": lambda bodies: bodies[7].update(request="May"),
    "a receipt charged twice": lambda bodies: bodies[7].update(receipt=bodies[3]["receipt"]),
    "a ceiling declared twice": lambda bodies: bodies[1].update(subjects="patients"),
    "a ceiling below nothing": lambda bodies: bodies[1].update(epsilon="-1"),
    "a column bound twice": lambda bodies: bodies[5].update(column="smoker"),
    "a part used twice": lambda bodies: bodies[5].update(parts=bodies[4]["parts"]),
    "a part that is none": lambda bodies: bodies[5].update(parts=[3]),
    "no part at all": lambda bodies: bodies[5].update(parts=[]),
    "a use of an unknown receipt": lambda bodies: bodies[5].update(receipt="f" * 32),
    "a use after forgetting": lambda bodies: bodies.insert(7, {**bodies[5], "column": "x", "parts": [2]}),
    "a key forgotten twice": lambda bodies: bodies.insert(7, bodies[6]),
    "a split declared twice": lambda bodies: bodies.insert(3, bodies[2]),
    "a ledger opened twice": lambda bodies: bodies.append(bodies[0]),
    "a ledger never opened": lambda bodies: bodies.pop(0),
    "another format": lambda bodies: bodies[0].update(format=2),
    "an unknown kind": lambda bodies: bodies[7].update(kind="refund"),
    "a column drawn by a dearer mechanism": lambda bodies: bodies[5].update(
        covers=[{"kind": "local-dp", "epsilon": "5", "outputs": 2}]
    ),
    "an amount about other neighbors": lambda bodies: bodies[7].update(neighbors="add-remove"),
    "an amount about no neighbors": lambda bodies: bodies[7].update(neighbors=None),
    "a charge of no parts": lambda bodies: bodies[3].update(parts=[]),
    "no time": lambda bodies: bodies[7].pop("time"),
    "a time without a zone": lambda bodies: bodies[7].update(time="2026-01-01T00:00:00"),
    "a zero below the line": lambda bodies: bodies[7].update(epsilon="1/0"),
    "a kind that is no text": lambda bodies: bodies[7].update(kind=[]),
}


@pytest.mark.parametrize("forgery", FORGERIES.values(), ids=FORGERIES.keys())
def test_a_soundly_linked_lie_is_refused(written: Path, forgery) -> None:
    with pytest.raises(LedgerDamaged, match=r"no ledger would have written|broken"):
        forged(written, forgery)


@pytest.mark.parametrize("body", ["", "[]", "null", "{", "3", '"x"', "[" * 100_000])
def test_a_body_that_is_no_object_is_refused(body: str) -> None:
    history, link = History(), linked("0" * 64, digest(body))
    with pytest.raises(LedgerDamaged):
        history.append(Entry(0, body, "0" * 64, link, ""))


def rewritten(path: Path, change, signer: Signer | None) -> Mark:
    """Write the whole chain anew in the file, with one entry changed; return the witness that would go with it."""
    vandal = unguarded(path)
    rows = vandal.execute("SELECT sequence, body, signature FROM entries ORDER BY sequence").fetchall()
    last = vandal.execute("SELECT number, hash FROM ranges ORDER BY number DESC LIMIT 1").fetchall()
    hashes = ["0" * 64]
    for sequence, text, signature in rows:
        facts = json.loads(text)
        change(facts)
        body = canonical(facts)
        link = linked(hashes[-1], digest(body))
        kept = signature if signer is None else signer.sign(entry_bytes(link))
        vandal.execute(
            "UPDATE entries SET body = ?, previous = ?, hash = ?, signature = ? WHERE sequence = ?",
            (body, hashes[-1], link, kept, sequence),
        )
        hashes.append(link)
    guarded(vandal)
    return Mark(hashes[1], len(rows) - 1, hashes[-1], *last[0])


def raised_ceiling(facts: dict) -> None:
    if facts["kind"] == "opened":
        facts["ceilings"]["patients"] = ["1000", "0"]


def cheaper(facts: dict) -> None:
    if facts["kind"] == "charge":
        facts["epsilon"] = "0"


def test_a_rewritten_chain_is_shown_by_its_signatures(written: Path, charged) -> None:
    rewritten(written, raised_ceiling, Signer.fresh())
    found = verify_file(written)
    assert [check.name for check in found.checks if check.passed is False] == ["signatures", "witness"]
    with pytest.raises(LedgerError):  # and by the witness, as another copy
        Ledger.open(written)


@pytest.mark.parametrize("change", [raised_ceiling, cheaper])
@pytest.mark.parametrize("signer", [None, Signer.fresh()], ids=["the old signatures", "another key"])
@pytest.mark.parametrize("witness", ["none", "unsigned", "another key"])
def test_who_lacks_the_key_cannot_rewrite_the_ledger(
    written: Path, change, signer: Signer | None, witness: str
) -> None:
    mark, head = rewritten(written, change, signer), written.with_name("study.ledger.head")
    if witness == "none":
        head.unlink()
    else:
        head.write_text(json.dumps(vars(mark if witness == "unsigned" else mark.signed(Signer.fresh()))))
    for look in (Ledger.open, read_file):
        with pytest.raises(LedgerDamaged, match="not signed by the key"):
            look(written)


def test_a_ledger_under_a_strangers_key_is_refused_by_the_key_beside_it(written: Path) -> None:
    stranger = Signer.fresh()

    def taken_over(facts: dict) -> None:
        if facts["kind"] == "opened":
            facts["public_key"] = stranger.public_key

    mark = rewritten(written, taken_over, stranger).signed(stranger)
    written.with_name("study.ledger.head").write_text(json.dumps(vars(mark)))
    with pytest.raises(LedgerDamaged, match="another ledger"):
        Ledger.open(written)


def test_a_range_that_is_changed_under_an_open_handle_draws_nothing(ledger: Ledger, path: Path) -> None:
    with ledger.charge(YES_OR_NO.guarantee, "patients", "survey") as receipt:
        YES_OR_NO.randomize(np.zeros(10, int), receipt.source("smoker"))
        vandal = unguarded(path)
        vandal.execute("UPDATE ranges SET row_count = 5, fingerprint = ''")
        guarded(vandal)
        with pytest.raises(LedgerDamaged, match="range"):
            YES_OR_NO.randomize(np.ones(5, int), receipt.source("smoker", 5))
