"""The tour runs the lines that it prints, on people who do not exist, and leaves what it says."""

import json
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from tests.report.pages import complaints

from sudare.cli.running import run
from sudare.cli.story import STEPS
from sudare.errors import CeilingReached
from sudare.release import verify
from sudare.texts import LANGUAGES, say


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert run(["tour", "--rows", "500", *arguments]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_step_is_told_with_the_python_that_did_it(capsys: pytest.CaptureFixture[str], language: str) -> None:
    out = told(capsys, "--language", language)
    for step in STEPS:
        assert say(f"tour.{step.name}", language) in out
        assert all(f"   {line}" in out for line in step.code.splitlines())
    assert "the charge would pass the ceiling of 'patients'" in out
    assert "the release holds" in out


IMPORTS = """
from sudare.cli.patients import patients
from sudare.guarantees import compose
from sudare.ledger import Ledger
from sudare.mechanisms import Piecewise, RandomizedResponse
from sudare.release import Release, verify
from sudare.schema import Categorical, Numeric, Schema
"""


def test_the_printed_lines_run_as_they_are(tmp_path: Path) -> None:
    names: dict[str, Any] = {"folder": tmp_path, "rows": 300, "language": "en"}
    exec(IMPORTS, names)  # noqa: S102
    for step in STEPS:
        with pytest.raises(CeilingReached) if step.refused else nullcontext():
            exec(step.code, names)  # noqa: S102
    assert names["verification"].ok


def test_the_folder_holds_what_the_tour_says(capsys: pytest.CaptureFixture[str]) -> None:
    last = told(capsys).splitlines()[-2:]
    paths = [Path(line.split("  ")[-1]) for line in last]
    assert [path.name for path in paths] == ["beside_the_truth.html", "card.html"]
    assert [complaints(path.read_text()) for path in paths] == [[], []]
    assert verify(paths[1].parent).ok


def test_a_second_tour_takes_a_new_folder(capsys: pytest.CaptureFixture[str]) -> None:
    folders = [json.loads(told(capsys, "--json"))["folder"] for _ in range(2)]
    assert folders == ["sudare-tour/1", "sudare-tour/2"]


def test_a_named_folder_is_used_once(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    told(capsys, "--out", "empty")
    told(capsys, "--out", "new/deep")
    assert run(["tour", "--out", "empty"]) == 2


def test_with_json_there_is_one_document_and_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    facts = json.loads(told(capsys, "--json"))
    assert facts["refused"]["error"] == "CeilingReached"
    assert facts["verification"]["ok"] is True
    assert facts["ledger"]["patients"]["left"] == {"epsilon": "0", "delta": "0"}
    assert (
        set(facts["expected_error"]) == set(facts["estimates"]) == set(facts["truth"]) == {"age", "glucose", "smoker"}
    )


def test_the_error_that_is_told_before_is_the_one_that_comes(capsys: pytest.CaptureFixture[str]) -> None:
    facts = json.loads(told(capsys, "--json", "--rows", "20000"))
    estimate, (truth,) = facts["estimates"]["age"], facts["truth"]["age"]
    assert abs(estimate["value"] - truth) < 6 * facts["expected_error"]["age"]


def test_the_truth_is_beside_the_release_and_not_in_it(capsys: pytest.CaptureFixture[str]) -> None:
    facts = json.loads(told(capsys, "--json", "--rows", "487"))
    truth = [str(number)[:8] for numbers in facts["truth"].values() for number in numbers if len(str(number)) > 6]
    pages = [path.read_text() for path in Path(facts["card"]).parent.iterdir()]
    assert truth
    assert [number for number in truth if any(number in page for page in pages)] == []
    assert "truth" in Path(facts["page"]).read_text()


def test_the_table_is_written_once_and_written_over_nothing(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert "500 people who do not exist" in told(capsys, "--table", "patients.csv")
    told(capsys, "--table", "patients.csv")
    assert json.loads(told(capsys, "--table", "patients.csv", "--json")) == {"table": "patients.csv", "rows": 500}
    assert len((tmp_path / "patients.csv").read_text().splitlines()) == 501
    (tmp_path / "patients.csv").write_text("mine")
    assert run(["tour", "--table", "patients.csv"]) == 2
    assert (tmp_path / "patients.csv").read_text() == "mine"
