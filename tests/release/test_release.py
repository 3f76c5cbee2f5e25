"""A release carries its promise, says whether it holds, and stands under its name whole or not at all."""

import copy
import json
import multiprocessing
import pickle
import shutil
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.release.studies import AGE, SCHEMA, SMOKER, drawn, opened, released
from tests.report.pages import complaints

from sudare.errors import FolderExists, InvalidParameter, LedgerDamaged, ReleaseDamaged, ReleaseError, SudareWarning
from sudare.guarantees import LocalDP
from sudare.ledger import Ledger, Receipt
from sudare.randomness import Seeded
from sudare.release import Release, verify
from sudare.texts import LANGUAGES, say


def test_what_is_saved_comes_back(saved: Path) -> None:
    release = Release.load(saved)
    assert release.private
    assert list(release.value) == ["smoker", "age", "reports"]
    assert release.value["reports"]["smoker"].dtype == np.int64
    assert release.guarantee == release.receipt.guarantee
    assert release.provenance["parameters"] == {"rows": 200, "method": "local reports"}
    assert release.provenance["schema_sha256"] == SCHEMA.hash
    assert release.card().to_dict() == json.loads((saved / "card.json").read_text())


def test_the_card_of_a_saved_release_is_its_file_and_is_one_small_page(saved: Path) -> None:
    page = (saved / "card.html").read_text()
    assert page == Release.load(saved).card().html
    assert complaints(page) == []


def test_the_same_release_saved_twice_has_the_same_bytes(tmp_path: Path) -> None:
    release = released(opened(tmp_path))
    one, other = release.save(tmp_path / "one"), release.save(tmp_path / "other")
    for path in one.iterdir():
        assert path.read_bytes() == (other / path.name).read_bytes()


def test_a_request_that_is_repeated_gives_the_same_value_and_receipt(tmp_path: Path) -> None:
    ledger = opened(tmp_path)
    paths = [released(ledger, request="May").save(tmp_path / name) for name in ("one", "other")]
    for name in ("value.json", "value.npz", "receipt.json", "mechanisms.json"):
        assert (paths[0] / name).read_bytes() == (paths[1] / name).read_bytes()
    assert all(verify(path).ok for path in paths)


def test_nothing_is_written_over(saved: Path, tmp_path: Path) -> None:
    release = released(opened(tmp_path))
    with pytest.raises(FolderExists):
        release.save(saved)
    assert verify(saved).ok


def test_a_simulation_is_marked_everywhere(tmp_path: Path) -> None:
    release = released(Ledger.simulation())
    path = release.save(tmp_path / "release")
    manifest = json.loads((path / "release.json").read_text())
    assert (manifest["private"], manifest["notices"]) == (False, ["simulation", "repeatable"])
    page = (path / "card.html").read_text()
    assert all(say("card.not_private", language) in page for language in LANGUAGES)
    assert "not private" in repr(release)
    assert "NOT PRIVATE" in str(release)
    assert not Release.load(path).private
    assert verify(path).ok


def test_reports_from_a_seed_are_marked_even_under_a_true_receipt(tmp_path: Path) -> None:
    reports, receipt = drawn(opened(tmp_path))
    seeded = SMOKER.randomize(np.zeros(200, int), Seeded(7))
    for value in ({"smoker": seeded}, {"smoker": SMOKER.frequencies(seeded)}, [seeded], seeded):
        assert not Release(value, receipt).private
    assert Release(reports, receipt).private


def test_a_receipt_that_was_never_drawn_from_says_so(tmp_path: Path) -> None:
    ledger = opened(tmp_path)
    with ledger.charge(LocalDP("1"), subjects="patients", purpose="nothing drawn") as receipt:
        pass
    with pytest.warns(SudareWarning, match="may be raw data"):
        path = Release(3.5, receipt).save(tmp_path / "release")
    assert say("card.notice.undrawn") in (path / "card.html").read_text()
    assert any(finding.what == say("card.notice.undrawn") for finding in verify(path).unchecked)


def test_a_promise_without_epsilon_has_a_card_too(tmp_path: Path) -> None:
    from sudare.guarantees import Hidden

    ledger = opened(tmp_path)
    with ledger.charge(Hidden("the sums", "the server", ("nobody helps it",)), "patients", "sums") as receipt:
        pass
    with pytest.warns(SudareWarning, match="may be raw data"):
        path = Release(np.arange(3), receipt).save(tmp_path / "release")
    assert verify(path).ok


def test_the_error_known_before_is_in_the_unit_of_the_column(saved: Path) -> None:
    rows = {row["column"]: row for row in json.loads((saved / "card.json").read_text())["mechanisms"]}
    assert rows["age"]["expected_error"] == pytest.approx(AGE.expected_error(200) * 60)
    assert rows["smoker"]["expected_error"] == pytest.approx(SMOKER.expected_error(200))
    assert (rows["age"]["unit"], rows["smoker"]["unit"]) == ("own", "share")


def test_the_card_shows_shares_by_the_names_of_the_schema(saved: Path) -> None:
    results = {one["name"]: one for one in json.loads((saved / "card.json").read_text())["results"]}
    assert [row["label"] for row in results["smoker"]["rows"]] == ["yes", "no", "former"]
    assert results["age"]["domain"] == [0.0, 120.0]


def test_an_estimate_without_a_name_is_that_of_the_one_column(tmp_path: Path) -> None:
    ledger = opened(tmp_path)
    with ledger.charge(SMOKER.guarantee, subjects="patients", purpose="smoking") as receipt:
        reports = SMOKER.randomize(np.zeros(50, int), receipt.source("smoker"))
    (result,) = Release(SMOKER.frequencies(reports), receipt, {"schema": SCHEMA}).card().to_dict()["results"]
    assert (result["name"], result["unit"], len(result["rows"])) == ("smoker", "share", 3)


def test_a_release_from_a_receipt_that_was_read_back_needs_the_ledger(tmp_path: Path) -> None:
    ledger = opened(tmp_path)
    reports, receipt = drawn(ledger)
    again = Release(reports, Receipt.from_dict(receipt.to_dict()))
    with pytest.raises(ReleaseError, match="read back"):
        again.save(tmp_path / "release")
    assert verify(again.save(tmp_path / "release", ledger=ledger)).ok


def test_a_forged_receipt_is_never_signed(tmp_path: Path) -> None:
    ledger = opened(tmp_path)
    reports, receipt = drawn(ledger)
    forged = Receipt.from_dict({**receipt.to_dict(), "subjects": "nobody"})
    with pytest.raises(LedgerDamaged, match="signature"):
        Release(reports, forged).save(tmp_path / "release", ledger=ledger)
    assert not (tmp_path / "release").exists()


def test_a_release_of_a_very_small_promise_is_saved_and_holds(tmp_path: Path) -> None:
    ledger = Ledger.open(tmp_path / "small.ledger")
    with ledger.charge(LocalDP("1e-399"), subjects="patients", purpose="almost nothing") as receipt:
        pass
    assert verify(Release("nothing to see", receipt).save(tmp_path / "release")).ok


PROVENANCE: list[Any] = [
    SCHEMA,
    5,
    {"schema": {"attributes": []}},
    {"ages": list(range(50))},
    {"ages": [1.5]},
    {"ages": ["x"] * 21},
    {"ages": {"all": [[1]]}},
    {"ages": "1, " * 500},
    {"ages": ["1, " * 50]},
    {"ages": 10**400},
    {1: "x"},
]


@pytest.mark.parametrize("provenance", PROVENANCE, ids=lambda one: repr(one)[:30])
def test_provenance_takes_no_data(tmp_path: Path, provenance: Any) -> None:
    _, receipt = drawn(opened(tmp_path))
    with pytest.raises(InvalidParameter, match="provenance") as refused:
        Release({}, receipt, provenance)
    assert refused.value.remedy


def test_a_schema_in_the_wrong_place_is_told_where_it_goes(tmp_path: Path) -> None:
    _, receipt = drawn(opened(tmp_path))
    with pytest.raises(InvalidParameter) as refused:
        Release({}, receipt, SCHEMA)  # type: ignore[arg-type]
    assert refused.value.remedy == 'write provenance={"schema": schema}'


def test_names_and_numbers_are_kept_as_provenance(tmp_path: Path) -> None:
    _, receipt = drawn(opened(tmp_path))
    given = {"columns": ["age", "smoker"], "rows": 200, "how": {"bins": 7, "rate": 0.5}}
    assert Release({}, receipt, given).provenance["parameters"] == given


@pytest.mark.parametrize("kind", [5, None, "", "A B"])
def test_a_kind_is_one_small_word(tmp_path: Path, kind: Any) -> None:
    _, receipt = drawn(opened(tmp_path))
    with pytest.raises(InvalidParameter):
        Release({}, receipt, kind=kind)


def test_a_foreign_ledger_cannot_sign(tmp_path: Path) -> None:
    _, receipt = drawn(opened(tmp_path))
    with pytest.raises(InvalidParameter):
        Release({}, receipt).save(tmp_path / "release", ledger=Ledger.simulation())
    assert not (tmp_path / "release").exists()


def test_a_release_can_be_copied_and_pickled(saved: Path) -> None:
    release = Release.load(saved)
    for again in (copy.deepcopy(release), pickle.loads(pickle.dumps(release))):
        assert again.receipt == release.receipt
        assert again.card().html == release.card().html


@pytest.mark.parametrize(
    "arguments",
    [
        {"receipt": "no receipt"},
        {"kind": "../x"},
        {"kind": ""},
        {"value": object()},
        {"provenance": {"rows": np.zeros(3)}},
        {"provenance": {"schema": {"age": 1}}},
        {"provenance": {"x": float("nan")}},
        {"provenance": {"x": [0] * 2000}},
        {"provenance": {"x": {1: 2}}},
    ],
    ids=lambda arguments: next(iter(arguments)),
)
def test_arguments_that_make_no_release_are_refused(arguments: dict[str, Any]) -> None:
    with Ledger.simulation().charge(LocalDP("1"), subjects="patients", purpose="x") as receipt:
        given = {"value": 1.0, "receipt": receipt, **arguments}
        with pytest.raises(InvalidParameter):
            Release(**given)


def test_an_unknown_language_is_refused(saved: Path) -> None:
    with pytest.raises(InvalidParameter):
        Release.load(saved).card("fr")


MARKER = 41.03125177


def test_no_private_value_and_no_key_is_in_any_file(tmp_path: Path) -> None:
    ledger = opened(tmp_path)
    values = np.full(300, SCHEMA["age"].to_unit(MARKER))
    with ledger.charge(AGE.guarantee, subjects="patients", purpose="ages", request="planted") as receipt:
        reports = AGE.randomize(values, receipt.source("age"))
        value = {"mean": AGE.mean(reports), "age": reports}
        path = Release(value, receipt, {"schema": SCHEMA}).save(tmp_path / "release")
    (run_key,) = (tmp_path / "study.ledger.keys").iterdir()
    ranges = [one["fingerprint"] for one in ledger.export()["ranges"]]
    secrets = [str(MARKER), repr(float(values[0])), str(values[0])[:9], run_key.read_bytes().hex(), *ranges]
    planted = [text.encode() for text in secrets] + [np.float64(values[0]).tobytes(), run_key.read_bytes()]
    pages = [file.read_bytes() for file in path.iterdir()]
    pages.append(np.load(path / "value.npz")["a0"].tobytes())
    assert [secret for secret in planted if any(secret in page for page in pages)] == []


def save_forever(folder: Path, about_to_save: Connection) -> None:
    release = released(opened(folder))
    for number in range(10_000):
        about_to_save.send(number)
        release.save(folder / f"release-{number}")


@pytest.mark.parametrize("kills", [8, pytest.param(200, marks=pytest.mark.faults)])
def test_a_kill_at_any_moment_leaves_nothing_half_written(tmp_path: Path, kills: int) -> None:
    forked = multiprocessing.get_context("fork")
    for kill in range(kills):
        folder = tmp_path / str(kill)
        folder.mkdir()
        reader, writer = forked.Pipe(duplex=False)
        child = forked.Process(target=save_forever, args=(folder, writer))
        child.start()
        writer.close()
        started = [reader.recv() for _ in range(2)]
        for _ in range(20_000 * kill % 150_000):  # each kill falls a little later into the second save
            pass
        child.kill()
        child.join()
        reader.close()
        releases = [path for path in folder.glob("release-*") if path.is_dir()]
        assert len(releases) >= len(started) - 1
        assert all(verify(path).ok for path in releases)


def test_a_folder_without_a_part_is_refused_by_name(saved: Path, tmp_path: Path) -> None:
    for name in sorted(path.name for path in saved.iterdir()):
        copied = tmp_path / name
        shutil.copytree(saved, copied)
        (copied / name).unlink()
        with pytest.raises(ReleaseError) as refused:
            Release.load(copied)
        assert name in str(refused.value)
        assert isinstance(refused.value, ReleaseDamaged) is (name != "release.json")
