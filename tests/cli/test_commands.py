"""Every command says what it did, to people and to machines, and ends with the exit code that help promises."""

import json
import os
import shutil
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest
from tests.release.studies import opened, released
from tests.report.pages import complaints

from sudare.cli.running import run
from sudare.errors import SudareWarning
from sudare.ledger import Ledger
from sudare.version import __version__


@pytest.fixture
def study(tmp_path: Path) -> Path:
    ledger = opened(tmp_path)
    released(ledger).save(tmp_path / "release")
    ledger.close()
    return tmp_path


def ran(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, str, str]:
    code = run([str(one) for one in arguments])
    out, err = capsys.readouterr()
    return code, out, err


def document(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> Any:
    code, out, _ = ran(capsys, *arguments, "--json")
    return code, json.loads(out)


COMMANDS = [(), ("tour",), ("verify",), ("ledger",), *(("ledger", one) for one in ("open", "show", "verify", "export"))]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_explains_itself_with_an_example(
    capsys: pytest.CaptureFixture[str], command: tuple[str, ...]
) -> None:
    code, out, _ = ran(capsys, *command, "--help")
    assert code == 0
    assert "Usage: sudare" in out
    assert command in ((), ("ledger",)) or "Example" in out


@pytest.mark.parametrize("command", [(), ("ledger",)])
def test_the_list_of_commands_is_not_cut(capsys: pytest.CaptureFixture[str], command: tuple[str, ...]) -> None:
    short, long = (ran(capsys, *command, option)[1] for option in ("-h", "--help"))
    assert short == long
    assert "..." not in short.partition("Commands:")[2]


def test_a_ceiling_with_a_comma_for_a_point_is_told_how_to_write_it(capsys: pytest.CaptureFixture[str]) -> None:
    _, _, err = ran(capsys, "ledger", "open", "new.ledger", "--ceiling", "patients=1,5")
    assert "where:  --ceiling patients=1,5" in err
    assert "decimal point" in err


def test_an_option_without_its_value_names_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert "where:  sudare tour\n" in ran(capsys, "tour", "--table")[2]


def test_the_exit_codes_are_in_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert "Exit codes: 0 done; 1" in ran(capsys, "--help")[1]


def test_the_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert ran(capsys, "--version") == (0, f"sudare {__version__}\n", "")


@pytest.mark.parametrize("command", [(), ("ledger",)])
def test_a_missing_command_shows_help_and_is_wrong_usage(
    capsys: pytest.CaptureFixture[str], command: tuple[str, ...]
) -> None:
    code, out, err = ran(capsys, *command)
    assert (code, out) == (2, "")
    assert "Commands:" in err


def test_a_sound_release_is_0_and_a_changed_one_1(study: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key = opened(study).fingerprint
    code, out, _ = ran(capsys, "verify", study / "release", "--key", key)
    assert (code, out.splitlines()[-1]) == (0, "the release holds, signed by the key that you named")
    assert "signed by an unknown key" in ran(capsys, "verify", study / "release")[1].splitlines()[-1]
    (study / "release" / "card.html").write_text("nice")
    code, out, _ = ran(capsys, "verify", study / "release")
    assert code == 1
    assert "FAILED       card.html: the file is not the one that was signed" in out
    facts = document(capsys, "verify", study / "release")[1]
    assert facts["ok"] is False
    assert {finding["outcome"] for finding in facts["findings"]} == {"holds", "FAILED", "not checked"}


def test_another_signer_fails(study: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ran(capsys, "verify", study / "release", "--key", Ledger.simulation().fingerprint)[0] == 1


WRONG = [
    ("verify",),
    ("verify", "nowhere"),
    ("verify", "release", "--key", "12"),
    ("verify", "release", "extra"),
    ("verify", "release", "--keys", "12"),
    ("lodger",),
    ("tour", "--rows", "0"),
    ("tour", "--rows", "many"),
    ("tour", "--language", "fr"),
    ("tour", "--table", "release"),
    ("tour", "--table", "nowhere/patients.csv"),
    ("tour", "--out", "release"),
    ("ledger", "show", "nowhere.ledger"),
    ("ledger", "verify", "nowhere.ledger"),
    ("ledger", "export", "nowhere.ledger"),
    ("ledger", "show", "study.ledger", "--html", "release/card.html"),
    ("ledger", "show", "study.ledger", "--html", "page.html", "--language", "fr"),
    ("ledger", "show", "study.ledger", "--language", "ja"),
    ("tour", "--table"),
    ("ledger", "open", "new.ledger", "--ceiling", "patients=1,5"),
    ("ledger", "export", "study.ledger", "--out", "nowhere/out.json"),
    ("ledger", "open", "nowhere/new.ledger"),
    ("ledger", "open", "new.ledger", "--ceiling", "patients"),
    ("ledger", "open", "new.ledger", "--ceiling", "patients="),
    ("ledger", "open", "new.ledger", "--ceiling", "=3"),
    ("ledger", "open", "new.ledger", "--ceiling", "patients=x"),
    ("ledger", "open", "new.ledger", "--ceiling", "patients=-1"),
    ("ledger", "open", "new.ledger", "--ceiling", "patients=1,2"),
    ("ledger", "open", "new.ledger", "--ceiling", "patients=nan"),
    ("ledger", "open", "new.ledger", "--ceiling", "a=1", "--ceiling", "a=2"),
]


@pytest.mark.parametrize("arguments", WRONG, ids=" ".join)
def test_wrong_usage_is_refused_in_three_lines_with_a_remedy(
    study: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...]
) -> None:
    before = sorted(path for path in study.rglob("*") if "study.ledger" not in path.name)
    code, out, err = ran(capsys, *arguments)
    assert out == ""
    what, where, remedy = err.splitlines()
    assert what
    assert where.startswith("  where:  ")
    assert remedy.startswith("  remedy: ")
    assert code == 2
    assert sorted(path for path in study.rglob("*") if "study.ledger" not in path.name) == before


@pytest.mark.parametrize("arguments", WRONG[:8], ids=" ".join)
def test_with_json_an_error_is_one_document_on_stderr(
    study: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...]
) -> None:
    code, out, err = ran(capsys, *arguments, "--json")
    assert (code, out) == (2, "")
    assert set(json.loads(err)) == {"error", "what", "where", "remedy"}


def test_a_file_that_is_no_ledger_is_not_relied_on(study: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = ran(capsys, "ledger", "show", study / "release" / "card.json")
    assert code == 1
    assert "not a ledger" in err.splitlines()[0]


def test_a_folder_that_is_no_release_is_wrong_usage_and_no_forgery(capsys: pytest.CaptureFixture[str]) -> None:
    Path("empty").mkdir()
    code, out, err = ran(capsys, "verify", "empty")
    assert (code, out) == (2, "")
    assert err.splitlines()[0] == "this is no release"
    assert "release.json" in err


def test_a_ledger_is_made_with_its_ceilings_and_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "new.ledger"
    code, facts = document(capsys, "ledger", "open", path, "--ceiling", "patients=3", "--ceiling", "staff=1,1e-6")
    assert code == 0
    assert facts["subjects"]["patients"]["ceiling"] == {"epsilon": "3", "delta": "0"}
    assert facts["subjects"]["staff"]["ceiling"] == {"epsilon": "1", "delta": "1/1000000"}
    assert document(capsys, "ledger", "show", path) == (0, facts)
    assert "patients" in ran(capsys, "ledger", "show", path)[1]


def test_a_ceiling_that_is_there_cannot_be_raised(study: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = ran(capsys, "ledger", "open", study / "study.ledger", "--ceiling", "patients=99")
    assert code == 1
    assert "never changes" in err


def test_the_ledger_of_the_environment_then_of_the_folder_is_used(
    study: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = document(capsys, "ledger", "show", study / "study.ledger")
    monkeypatch.setenv("SUDARE_LEDGER", str(study / "study.ledger"))
    assert document(capsys, "ledger", "show") == shown
    monkeypatch.delenv("SUDARE_LEDGER")
    assert ran(capsys, "ledger", "show")[0] == 2
    assert ran(capsys, "ledger", "open")[0] == 0
    assert document(capsys, "ledger", "show")[1]["path"] == str(Path("sudare.ledger").resolve())


@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_page_of_a_ledger_needs_nothing(study: Path, capsys: pytest.CaptureFixture[str], language: str) -> None:
    page = study / "page.html"
    code, out, _ = ran(capsys, "ledger", "show", study / "study.ledger", "--html", page, "--language", language)
    assert (code, out.splitlines()[-1]) == (0, f"written: {page}")
    assert complaints(page.read_text()) == []
    assert "age and smoking" in page.read_text()


def test_a_damaged_ledger_is_1(study: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ran(capsys, "ledger", "verify", study / "study.ledger")[0] == 0
    assert document(capsys, "ledger", "verify", study / "study.ledger")[1]["passed"] is True
    content = bytearray((study / "study.ledger").read_bytes())
    place = content.index(b"age and smoking")
    content[place] ^= 1
    (study / "study.ledger").write_bytes(content)
    code, out, _ = ran(capsys, "ledger", "verify", study / "study.ledger")
    assert code == 1
    assert "FAILS" in out


def test_an_older_ledger_is_1(study: Path, capsys: pytest.CaptureFixture[str]) -> None:
    copies = [path for path in study.iterdir() if path.is_file() and path.name.startswith("study.ledger")]
    (study / "old").mkdir()
    for path in copies:
        shutil.copy(path, study / "old")
    released(opened(study)).save(study / "later")
    for path in (study / "old").iterdir():
        if not path.name.endswith(".head"):
            shutil.copy(path, study)
    code, _, err = ran(capsys, "ledger", "show", study / "study.ledger")
    assert code == 1
    assert "older" in err


def test_a_release_kept_elsewhere_shows_that_the_ledger_is_an_older_copy(
    study: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (study / "old").mkdir()
    for path in study.glob("study.ledger*"):
        shutil.copy(path, study / "old") if path.is_file() else None
    (study / "sent").mkdir()
    later = released(opened(study)).save(study / "sent" / "release")
    command = ("ledger", "verify", study / "study.ledger", "--release", study / "release", "--release", later)
    code, out, _ = ran(capsys, *command)
    assert (code, out.splitlines()[-1].split()[:3]) == (0, ["releases", "holds", "2"])
    assert document(capsys, *command)[1]["releases"] == [str(study / "release"), str(later)]
    old = study / "old" / "study.ledger"
    assert ran(capsys, "ledger", "verify", old)[0] == 0
    code, out, err = ran(capsys, "ledger", "verify", old, "--release", later)
    assert (code, out) == (1, "")
    assert "older" in err
    assert ran(capsys, "ledger", "verify", old, "--release", study / "sent")[0] == 2
    other = Ledger.open(study / "sent" / "other.ledger")
    code, _, err = ran(capsys, "ledger", "verify", other.path or "", "--release", study / "release")
    assert code == 2
    assert "another ledger" in err.splitlines()[0]


def test_a_ledger_without_its_key_can_be_looked_at(study: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ledger = study / "study.ledger"
    commands = [("ledger", "show", ledger), ("ledger", "export", ledger), ("ledger", "show", ledger, "--json")]
    with_key = [ran(capsys, *command) for command in commands]
    (study / "study.ledger.key").unlink()
    assert [ran(capsys, *command) for command in commands] == with_key
    assert ran(capsys, "ledger", "show", ledger, "--html", study / "page.html")[0] == 0
    assert ran(capsys, "ledger", "open", ledger, "--ceiling", "staff=1")[0] != 0
    assert not (study / "study.ledger.key").exists()


def test_a_ledgers_checks_have_the_same_words_in_both_forms(study: Path, capsys: pytest.CaptureFixture[str]) -> None:
    facts = document(capsys, "ledger", "verify", study / "study.ledger")[1]
    lines = ran(capsys, "ledger", "verify", study / "study.ledger")[1].splitlines()
    assert [line.split()[:2] for line in lines] == [[check["name"], check["outcome"]] for check in facts["checks"]]


ODD = "x\x1b[2K\nthe release holds\u202e\x9b8m"


def test_nothing_from_a_folder_acts_on_the_terminal(study: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (study / "release" / ODD).touch()
    code, out, _ = ran(capsys, "verify", study / "release")
    assert code == 1
    assert all(line.isprintable() for line in out.splitlines())
    assert "the release holds" not in [line.strip() for line in out.splitlines()]
    raw = ran(capsys, "verify", study / "release", "--json")[1]
    assert all(line.isprintable() for line in raw.splitlines())
    assert ODD in [finding["where"] for finding in json.loads(raw)["findings"]]


@pytest.mark.parametrize("json_too", [(), ("--json",)])
def test_an_error_that_names_a_path_acts_on_no_terminal(
    capsys: pytest.CaptureFixture[str], json_too: tuple[str, ...]
) -> None:
    for command in (("verify", ODD), ("ledger", "show", ODD), ("tour", "--table", f"{ODD}/x.csv")):
        code, out, err = ran(capsys, *command, *json_too)
        assert (code, out) == (2, "")
        assert all(line.isprintable() for line in err.splitlines())
        assert len(err.splitlines()) == (1 if json_too else 3)


def test_an_export_is_all_of_the_ledger_and_no_key(study: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, facts = document(capsys, "ledger", "export", study / "study.ledger")
    assert code == 0
    assert facts == opened(study).export()
    done = ran(capsys, "ledger", "export", study / "study.ledger", "--out", study / "out.json")
    assert done == (0, f"written: {study / 'out.json'}\n", "")
    again = document(capsys, "ledger", "export", study / "study.ledger", "--out", study / "again.json")
    assert again == (0, {"written": str(study / "again.json")})
    assert json.loads((study / "out.json").read_text()) == facts
    assert "PRIVATE KEY" not in json.dumps(facts)


def test_a_warning_of_ours_is_one_line(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    from sudare.cli import tour

    def noted(*_: Any, **__: Any) -> None:
        warnings.warn("the witness is missing", SudareWarning, stacklevel=1)

    monkeypatch.setattr(tour, "run", noted)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        assert ran(capsys, "tour") == (0, "", "note: the witness is missing\n")


def test_what_is_a_fault_of_ours_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    from sudare.cli import tour

    def broken(*_: Any, **__: Any) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(tour, "run", broken)
    with pytest.raises(ZeroDivisionError):
        run(["tour"])


@pytest.mark.parametrize("stop", [KeyboardInterrupt, BrokenPipeError])
def test_being_stopped_is_no_traceback(monkeypatch: pytest.MonkeyPatch, stop: type[BaseException]) -> None:
    from sudare.cli import running, tour

    def stopped(*_: Any, **__: Any) -> None:
        raise stop

    monkeypatch.setattr(tour, "run", stopped)
    monkeypatch.setattr(running.os, "dup2", lambda *_: None)
    assert run(["tour"]) in (1, 130)


def test_the_installed_command_works_where_the_terminal_knows_no_greek(study: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from sudare.cli import main; main()", "ledger", "show", str(study / "study.ledger")],
        env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "patients" in done.stdout
