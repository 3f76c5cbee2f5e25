"""Whoever changes a release is found out, and the file is named; what cannot be checked is said."""

import hashlib
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.release.studies import AGE, ROWS, SCHEMA, SMOKER, drawn, opened, released

from sudare.errors import InvalidParameter, ReleaseDamaged, ReleaseError, SudareWarning
from sudare.guarantees import compose
from sudare.ledger import Ledger
from sudare.mechanisms import RandomizedResponse
from sudare.release import Release, values, verification, verify
from sudare.release.findings import OUTSIDE
from sudare.release.folder import json_bytes, read_file

FILES = ["card.html", "card.json", "chain.json", "mechanisms.json", "provenance.json", "receipt.json", "release.json",
         "value.json", "value.npz"]  # fmt: skip


@pytest.fixture
def copied(saved: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(saved, tmp_path / "copy"))


def named(folder: Path) -> set[str]:
    return {finding.where for finding in verify(folder).failed}


def test_a_sound_release_holds_and_the_files_of_the_test_are_all_there_are(saved: Path) -> None:
    assert verify(saved).ok
    assert sorted(os.listdir(saved)) == FILES


def test_what_nobody_can_check_is_said(saved: Path) -> None:
    unchecked = [finding.where for finding in verify(saved).unchecked]
    assert unchecked == ["value", "signer", *OUTSIDE]


def test_the_signer_is_checked_where_the_key_is_known(saved: Path) -> None:
    key = Release.load(saved).receipt.fingerprint
    assert "signer" in [finding.where for finding in verify(saved, key).checked]
    assert verify(saved, key.replace("-", " ").upper()).ok
    assert [finding.where for finding in verify(saved, Ledger.simulation().fingerprint).failed] == ["signer"]


@pytest.mark.parametrize("key", ["", "1234", "x" * 32, "é"])
def test_what_is_no_fingerprint_is_refused(saved: Path, key: str) -> None:
    with pytest.raises(InvalidParameter):
        verify(saved, key)


@pytest.mark.parametrize("name", FILES)
def test_a_changed_file_is_named(copied: Path, name: str) -> None:
    content = bytearray((copied / name).read_bytes())
    content[len(content) // 2] ^= 1
    (copied / name).write_bytes(content)
    found = verify(copied)
    assert [finding.where for finding in found.failed] == [name]
    assert "changed" in found.failed[0].what or name == "release.json"


@pytest.mark.parametrize("name", FILES)
def test_a_removed_file_is_named(copied: Path, name: str) -> None:
    (copied / name).unlink()
    if name == "release.json":
        with pytest.raises(ReleaseError, match="no release"):
            verify(copied)
    else:
        assert named(copied) == {name}


@pytest.mark.parametrize("name", FILES)
def test_a_file_replaced_by_a_link_is_named(copied: Path, saved: Path, name: str) -> None:
    (copied / name).unlink()
    (copied / name).symlink_to(saved / name)
    assert named(copied) == {name}


@pytest.mark.parametrize("name", ["extra.json", ".hidden", "value.parquet", "Thumbs.db"])
def test_an_added_file_is_named(copied: Path, name: str) -> None:
    (copied / name).write_bytes(b"{}")
    assert named(copied) == {name}


def test_any_changed_byte_is_found_out(saved: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = Path(shutil.copytree(saved, tmp_path_factory.mktemp("bytes") / "copy"))
    sound = {name: (folder / name).read_bytes() for name in FILES}

    @settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(st.sampled_from(FILES), st.floats(0, 1, exclude_max=True), st.integers(1, 255))
    def changed(name: str, place: float, mask: int) -> None:
        content = bytearray(sound[name])
        content[int(place * len(content))] ^= mask
        (folder / name).write_bytes(content)
        try:
            assert named(folder) == {name}
        finally:
            (folder / name).write_bytes(sound[name])

    changed()


def test_a_folder_that_is_none_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path / "nowhere", tmp_path / "file"):
        (tmp_path / "file").write_text("x")
        with pytest.raises(ReleaseError):
            verify(path)


def test_a_folder_without_a_manifest_is_no_release_and_no_forgery(tmp_path: Path) -> None:
    with pytest.raises(ReleaseError) as refused:
        verify(tmp_path)
    assert (refused.value.what, refused.value.where) == ("this is no release", str(tmp_path))
    assert "release.json" in refused.value.remedy


@pytest.mark.parametrize("name", sorted(set(FILES) - {"release.json", "card.html"}))
def test_what_rests_on_a_changed_file_is_said_once(copied: Path, name: str) -> None:
    (copied / name).write_bytes(b"{}")
    rest = [finding.where for finding in verify(copied).unchecked if "not looked at" in finding.what]
    assert rest == [name]


class Forger:
    """Writes a release again with the true key, as a dishonest owner of the ledger could."""

    def __init__(self, folder: Path) -> None:
        self.ledger = opened(folder)
        self.path = released(self.ledger).save(folder / "release")

    def facts(self, name: str) -> Any:
        return json.loads((self.path / name).read_text())

    def write(self, name: str, facts: Any) -> None:
        (self.path / name).write_bytes(facts if isinstance(facts, bytes) else json_bytes(facts))

    def sign(self, **changes: Any) -> None:
        manifest = {**self.facts("release.json"), **changes}
        manifest.pop("signature")
        for name in manifest["files"]:
            content = (self.path / name).read_bytes()
            manifest["files"][name] = {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}
        self.write("release.json", {**manifest, "signature": self.ledger.sign(json_bytes(manifest))})


@pytest.fixture
def forger(tmp_path: Path) -> Forger:
    return Forger(tmp_path)


def test_a_forger_who_changes_nothing_passes(forger: Forger) -> None:
    forger.sign()
    assert verify(forger.path).ok


def larger_proof(facts: Any) -> None:
    facts["certificates"][0]["proved_epsilon"] = "1/2"


def other_table(facts: Any) -> None:
    facts["certificates"][0]["table_sha256"] = "0" * 64


def no_certificate(facts: Any) -> None:
    facts["certificates"].pop()


def other_mechanism(facts: Any) -> None:
    stronger = RandomizedResponse(3, "4").identity()
    facts["columns"][0]["mechanism"] = facts["certificates"][0]["mechanism"] = stronger
    facts["certificates"][0]["epsilon"] = "4"


def unknown_mechanism(facts: Any) -> None:
    facts["certificates"][0]["mechanism"]["mechanism"] = "Mystery"


def hidden_column(facts: Any) -> None:
    facts["columns"].pop()
    facts["certificates"].pop()


def foreign_part(facts: Any) -> None:
    facts["columns"][0]["parts"] = [1]


FORGERIES: list[tuple[str, Callable[[Any], None], str]] = [
    ("mechanisms.json", larger_proof, "mechanisms.json"),
    ("mechanisms.json", other_table, "mechanisms.json"),
    ("mechanisms.json", no_certificate, "mechanisms.json"),
    ("mechanisms.json", other_mechanism, "mechanisms.json"),
    ("mechanisms.json", unknown_mechanism, "mechanisms.json"),
    ("mechanisms.json", hidden_column, "mechanisms.json"),
    ("mechanisms.json", foreign_part, "mechanisms.json"),
    ("mechanisms.json", lambda facts: facts.clear(), "mechanisms.json"),
    ("chain.json", lambda facts: facts["bodies"].pop(), "chain.json"),
    ("chain.json", lambda facts: facts["bodies"].reverse(), "chain.json"),
    ("chain.json", lambda facts: facts.update(uses=[]), "mechanisms.json"),
    ("chain.json", lambda facts: facts["uses"][0].update(sequence=0), "chain.json"),
    ("chain.json", lambda facts: facts["uses"][0].update(sequence=-1), "chain.json"),
    ("chain.json", lambda facts: facts["uses"][0].update(body="[]"), "chain.json"),
    ("chain.json", lambda facts: facts.update(entry=facts["opening"]), "chain.json"),
    ("receipt.json", lambda facts: facts.update(subjects="nobody"), "receipt.json"),
    ("receipt.json", lambda facts: facts["guarantee"]["parts"].pop(), "receipt.json"),
    ("receipt.json", lambda facts: facts.update(extra="text"), "receipt.json"),
    ("receipt.json", lambda facts: facts.update(simulated=True), "receipt.json"),
    ("card.json", lambda facts: facts["budget"]["charged"].update(epsilon="0.1"), "card.json"),
    ("card.json", lambda facts: facts.update(private=False), "card.json"),
    ("card.json", lambda facts: facts["promise"].update(en="Nothing can happen."), "card.json"),
    ("card.json", lambda facts: facts["results"][1]["rows"][0].update(value=3.0), "card.json"),
    ("card.json", lambda facts: facts.update(results={}), "card.json"),
    ("card.json", lambda facts: facts.update(language="fr"), "card.json"),
    ("provenance.json", lambda facts: facts["schema"]["attributes"].clear(), "provenance.json"),
    ("provenance.json", lambda facts: facts["versions"].pop("sudare"), "provenance.json"),
    ("value.json", lambda facts: facts.update(value=7), "card.json"),
    ("value.json", lambda facts: facts["value"].update({"is": "spell"}), "value.json"),
]


@pytest.mark.parametrize(("name", "forge", "found"), FORGERIES, ids=lambda one: getattr(one, "__name__", one))
def test_a_forgery_signed_with_the_true_key_is_found_out(
    forger: Forger, name: str, forge: Callable[[Any], None], found: str
) -> None:
    facts = forger.facts(name)
    forge(facts)
    forger.write(name, facts)
    forger.sign()
    assert found in named(forger.path)


@pytest.mark.parametrize(
    "changes",
    [
        {"private": False},
        {"notices": ["simulation"]},
        {"budget": None},
        {"budget": {"charged": {"epsilon": "1e999999999", "delta": "0"}, "spent": None, "ceiling": None, "left": None}},
        {"receipt": "another"},
        {"format": 2},
        {"kind": "/etc"},
        {"kind": None},
        {"ledger": {}},
        {"ledger": []},
        {"files": {}},
        {"files": []},
        {"files": {"../../x.json": {}}},
        {"files": {"release.json": {}}},
        {"files": {"value.json": "x"}},
        {"signature": 7},
        {"extra": "text"},
    ],
    ids=str,
)
def test_a_manifest_that_says_otherwise_is_found_out(forger: Forger, changes: dict[str, Any]) -> None:
    manifest = {**forger.facts("release.json"), **changes}
    unsigned = {name: value for name, value in manifest.items() if name != "signature"}
    signature = forger.ledger.sign(json_bytes(unsigned)) if "signature" not in changes else changes["signature"]
    forger.write("release.json", {**unsigned, "signature": signature})
    if changes != {"extra": "text"}:
        assert not verify(forger.path).ok
    else:
        assert verify(forger.path).ok  # a later version may say more, and it is signed


def test_a_page_that_its_facts_do_not_draw_is_found_out(forger: Forger) -> None:
    page = (forger.path / "card.html").read_text().replace("% sure", "% certain")
    forger.write("card.html", page.encode())
    forger.sign()
    assert named(forger.path) == {"card.html"}


def test_another_ledgers_release_cannot_lend_its_receipt(forger: Forger, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    other = Forger(tmp_path / "other")
    for name in ("receipt.json", "chain.json", "mechanisms.json"):
        shutil.copy(other.path / name, forger.path / name)
    forger.sign()
    assert "receipt.json" in named(forger.path)


def test_an_older_version_is_said_instead_of_guessed(forger: Forger) -> None:
    provenance = forger.facts("provenance.json")
    provenance["versions"]["sudare"] = "0.0.9"
    card = forger.facts("card.json")
    card["provenance"]["sudare"] = "0.0.9"
    forger.write("provenance.json", provenance)
    forger.write("card.json", card)
    forger.sign()
    found = verify(forger.path)
    assert found.ok
    assert "card.html" in [finding.where for finding in found.unchecked]


def test_deep_and_huge_files_are_named_and_not_read(forger: Forger) -> None:
    for name, content in (("chain.json", b"[" * 200_000), ("card.json", b'{"a":' * 200_000)):
        forger.write(name, content)
    with (forger.path / "value.json").open("wb") as file:
        file.truncate((1 << 26) + 1)
    assert {"chain.json", "card.json", "value.json"} <= named(forger.path)


def test_a_folder_of_very_many_files_is_refused(copied: Path) -> None:
    for number in range(100):
        (copied / f"x{number}.json").touch()
    with pytest.raises(ReleaseError, match="files"):
        verify(copied)


def test_released_reports_are_those_that_the_mechanism_can_make(tmp_path: Path) -> None:
    reports, receipt = drawn(opened(tmp_path))
    found = verify(Release(reports, receipt, kind="reports").save(tmp_path / "release"))
    assert found.ok
    assert [finding.where for finding in found.checked if "can make" in finding.what] == [
        "value, 'smoker'",
        "value, 'age'",
    ]
    assert "reports" in [finding.where for finding in found.unchecked]


@pytest.mark.parametrize("changed", ["rows", "name"])
def test_what_is_no_column_of_reports_does_not_pass_as_one(tmp_path: Path, changed: str) -> None:
    reports, receipt = drawn(opened(tmp_path))
    value = {"smoker": reports["smoker"][:-1]} if changed == "rows" else {"other": reports["smoker"]}
    with pytest.warns(SudareWarning, match="may be raw data"):
        path = Release(value, receipt, kind="reports").save(tmp_path / "release")
    assert not verify(path).ok


def test_raw_values_that_the_owner_of_the_key_signs_as_reports_are_found_out(forger: Forger) -> None:
    shifted = values.to_files({**Release.load(forger.path).value, "age": np.arange(ROWS)})
    for name, content in shifted.items():
        forger.write(name, content)
    forger.sign()
    assert "value, 'age'" in named(forger.path)


def test_a_kind_that_is_not_known_here_is_said(tmp_path: Path) -> None:
    reports, receipt = drawn(opened(tmp_path))
    found = verify(Release(reports, receipt, kind="future").save(tmp_path / "release"))
    assert found.ok
    assert "kind" in [finding.where for finding in found.unchecked]


def test_one_release_of_two_charges_of_the_same_column_names_its_own(tmp_path: Path) -> None:
    ledger = opened(tmp_path)
    first = released(ledger)
    drawn(ledger, purpose="another")
    path = first.save(tmp_path / "release")
    assert verify(path).ok
    facts = json.loads((path / "mechanisms.json").read_text())
    assert [column["rows"] for column in facts["columns"]] == [200, 200]


def test_the_findings_are_plain_facts_and_text(saved: Path) -> None:
    found = verify(saved)
    assert found.to_dict()["ok"] is True
    assert json.loads(json.dumps(found.to_dict())) == found.to_dict()


def test_without_a_key_the_verdict_says_that_the_signer_is_unknown(saved: Path) -> None:
    key = Release.load(saved).receipt.fingerprint
    found, named_key = verify(saved), verify(saved, key)
    assert f"the release holds, signed by an unknown key {key}" in str(found).splitlines()[-1]
    assert "another way than this folder" in str(found).splitlines()[-1]
    assert str(named_key).splitlines()[-1] == "the release holds, signed by the key that you named"
    assert [(one.to_dict()["signed_by"], one.to_dict()["signer_known"]) for one in (found, named_key)] == [
        (key, False),
        (key, True),
    ]


def test_a_signature_written_otherwise_is_a_changed_file(copied: Path) -> None:
    start, sign, signature = (copied / "release.json").read_text().rpartition('"signature": ')
    (copied / "release.json").write_text(start + sign + signature.upper())
    assert named(copied) == {"release.json"}


SENSELESS: list[tuple[str, Callable[[Any], None]]] = [
    ("receipt.json", lambda facts: facts.update(public_key="zz")),
    ("receipt.json", lambda facts: facts.update(guarantee={"kind": [1]})),
    ("chain.json", lambda facts: facts.update(uses=5)),
    ("chain.json", lambda facts: facts["uses"][0].update(sequence=10**30)),
    ("mechanisms.json", lambda facts: facts.update(certificates=[5])),
    ("mechanisms.json", lambda facts: facts["columns"][0].update(parts=[99])),
    ("provenance.json", lambda facts: facts.update(schema=5)),
    ("provenance.json", lambda facts: facts.pop("schema_sha256")),
    ("provenance.json", lambda facts: facts.update(parameters=[1])),
    ("card.json", lambda facts: facts.update(title=5)),
    ("card.json", lambda facts: facts.update(results=5)),
    ("card.json", lambda facts: facts["results"][0]["rows"][0].update(value=10**290)),
]


@pytest.mark.parametrize("place", range(len(SENSELESS)))
def test_a_file_of_another_shape_is_a_finding_that_names_it(forger: Forger, place: int) -> None:
    name, change = SENSELESS[place]
    facts = forger.facts(name)
    change(facts)
    forger.write(name, facts)
    forger.sign()
    assert name in named(forger.path)


@pytest.mark.parametrize("text", ["1e999", '"\\ud800"', "[" * 970 + "]" * 970, "9" * 5000])
def test_what_no_manifest_can_hold_is_a_finding_and_damage(copied: Path, text: str) -> None:
    manifest = (copied / "release.json").read_text()
    (copied / "release.json").write_text(manifest.replace('"format": 1,', f'"format": 1,\n "x": {text},'))
    assert named(copied) == {"release.json"}
    with pytest.raises(ReleaseDamaged):
        Release.load(copied)


def test_a_fault_of_ours_is_not_blamed_on_a_file(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: Any) -> Any:
        raise TypeError

    monkeypatch.setattr(verification, "parts_of", lambda *_: broken(0))
    with pytest.raises(TypeError):
        verify(saved)


@pytest.mark.parametrize("folder", [None, 5, "", "\0", b"release"])
def test_what_can_be_no_folder_is_refused(folder: Any) -> None:
    for read in (verify, Release.load):
        with pytest.raises(InvalidParameter) as refused:
            read(folder)
        assert refused.value.remedy


FORGED = "x\x1b[2K\nholds        signer: it is\u202e\x9b8m"


def test_nothing_in_a_folder_writes_the_lines_of_a_verification(forger: Forger) -> None:
    provenance = forger.facts("provenance.json")
    provenance["versions"]["sudare"] = FORGED
    forger.write("provenance.json", provenance)
    forger.sign()
    (forger.path / FORGED).touch()
    found = verify(forger.path)
    lines = str(found).splitlines()
    assert len(lines) == len(found.findings) + 1
    assert all(line.isprintable() for line in lines)
    with pytest.raises(ReleaseDamaged) as refused:
        read_file(forger.path, FORGED)
    assert refused.value.where.isprintable()


def test_every_mechanism_of_the_ground_floor_is_proved_anew(tmp_path: Path) -> None:
    from sudare.mechanisms import Hybrid, Laplace, OptimizedUnaryEncoding, Piecewise

    mechanisms = {"a": Piecewise("1"), "b": Hybrid("2"), "c": Laplace("1"), "d": OptimizedUnaryEncoding(4, "1"),
                  "e": SMOKER, "f": AGE}  # fmt: skip
    ledger = opened(tmp_path)
    promise = compose([mechanism.guarantee for mechanism in mechanisms.values()])
    with ledger.charge(promise, subjects="patients", purpose="all of them") as receipt:
        reports = {
            name: mechanism.randomize(np.zeros(50, int if name in "de" else float), receipt.source(name))
            for name, mechanism in mechanisms.items()
        }
    found = verify(Release(reports, receipt, {"schema": SCHEMA}, kind="reports").save(tmp_path / "release"))
    assert found.ok, str(found)
    assert sum("proved anew" in finding.what for finding in found.checked) == len(mechanisms)
