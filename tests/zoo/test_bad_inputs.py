"""A zoo over every entry point but tables (see tests/schema): refused with place and remedy, telling nothing.

Each animal carries a planted number or text; it must turn up in no message, no argument and no file.
"""

import math
import pickle
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sudare.errors import SudareError
from sudare.estimate import Estimate
from sudare.guarantees import ApproximateDP, Budget, Hidden, LocalDP, compose, from_dict, share
from sudare.ledger import Ledger
from sudare.mechanisms import (
    Hybrid,
    Laplace,
    OptimizedUnaryEncoding,
    Piecewise,
    RandomizedResponse,
    TwoPoint,
    project_to_simplex,
    rebuilt,
)
from sudare.randomness import Recorded, Seeded
from sudare.release import Release, verify
from sudare.schema import Numeric, Schema

MARKER = "73519"
PRIVATE = float(MARKER)
NUMERIC = {"two-point": TwoPoint("1"), "piecewise": Piecewise("1"), "hybrid": Hybrid("1"), "laplace": Laplace("1")}
CATEGORICAL = {"response": RandomizedResponse(3, "1"), "unary": OptimizedUnaryEncoding(3, "1")}
Animal = Callable[[Path], Any]
ANIMALS: dict[str, Animal] = {}


def animal(name: str, call: Animal) -> None:
    assert name not in ANIMALS
    ANIMALS[name] = call


NOT_NUMBERS: dict[str, Any] = {
    "text": np.array(["0.5", MARKER]),
    "objects": np.array([0.5, None], dtype=object),
    "too large": np.array([0.0, PRIVATE]),
    "a little too large": np.array([0.0, np.nextafter(1, 2)]),
    "not a number": np.array([0.0, math.nan]),
    "infinite": np.array([0.0, -math.inf]),
    "complex": np.array([0.5 + 1j]),
    "truth": np.array([True, False]),
    "two columns": np.zeros((2, 2)),
    "dates": np.array(["2020-01-01"], dtype="datetime64[D]"),
    "one number": np.float64(0.5),
    "none": None,
    "a ragged list": [[1.0], [1.0, 2.0]],
}
for kind, mechanism in NUMERIC.items():
    for what, values in NOT_NUMBERS.items():
        animal(f"{kind}: {what}", lambda _, m=mechanism, v=values: m.randomize(v))
    animal(f"{kind}: foreign reports", lambda _, m=mechanism: m.mean(np.array([PRIVATE])))
    animal(f"{kind}: no reports", lambda _, m=mechanism: m.mean(np.array([])))
    animal(f"{kind}: reports with a gap", lambda _, m=mechanism: m.mean(np.array([m.outputs[0], math.nan])))
    animal(f"{kind}: unequal products", lambda _, m=mechanism: m.products(m.outputs[:1], m.outputs[:2]))
    animal(f"{kind}: no rows expected", lambda _, m=mechanism: m.expected_error(0))
    animal(f"{kind}: sure beyond doubt", lambda _, m=mechanism: m.mean(m.outputs, confidence=1))

NOT_CODES: dict[str, Any] = {
    "text": np.array(["a", MARKER]),
    "fractions": np.array([0.5]),
    "too large": np.array([0, int(MARKER)]),
    "negative": np.array([0, -1]),
    "truth": np.array([True]),
    "objects": np.array([1, None], dtype=object),
    "two columns": np.zeros((2, 2), int),
    "none": None,
}
for kind, mechanism in CATEGORICAL.items():
    for what, values in NOT_CODES.items():
        animal(f"{kind}: {what}", lambda _, m=mechanism, v=values: m.randomize(v))
    animal(f"{kind}: foreign reports", lambda _, m=mechanism: m.frequencies(np.array([int(MARKER)])))
    animal(f"{kind}: no reports", lambda _, m=mechanism: m.frequencies(m.randomize(np.array([], int))))
    animal(f"{kind}: fractional rows", lambda _, m=mechanism: m.expected_error(1.5))

NOT_EPSILONS: dict[str, Any] = {
    "a word": "ten",
    "empty": "",
    "nan": math.nan,
    "nan in words": "nan",
    "infinite": math.inf,
    "truth": True,
    "negative": -1,
    "zero": 0,
    "tiny": "1e-7",
    "huge": "41",
    "endless": "1e999999999",
    "by zero": "1/0",
    "none": None,
    "a list": [1],
    "an array": np.array([1.0]),
    "full width": "１".replace("１", "1") + "\u0661",
}
for what, epsilon in NOT_EPSILONS.items():
    animal(f"epsilon: {what}", lambda _, e=epsilon: Piecewise(e))
    animal(f"response epsilon: {what}", lambda _, e=epsilon: RandomizedResponse(3, e))

animal("categories: one", lambda _: RandomizedResponse(1, "1"))
animal("categories: truth", lambda _: RandomizedResponse(True, "1"))
animal("categories: text", lambda _: OptimizedUnaryEncoding("3", "1"))
animal("categories: too many", lambda _: OptimizedUnaryEncoding(10**9, "1"))
animal("rebuild: unknown", lambda _: rebuilt({"mechanism": MARKER}))
animal("rebuild: no parameters", lambda _: rebuilt({"mechanism": "Laplace"}))
animal("projection: nothing", lambda _: project_to_simplex([]))
animal("projection: not a number", lambda _: project_to_simplex([math.nan, PRIVATE]))
animal("the square of a coin", lambda _: TwoPoint("1").second_moment(TwoPoint("1").outputs))
animal("seed: text", lambda _: Seeded(MARKER))
animal("recording: too short", lambda _: TwoPoint("1").randomize(np.zeros(2), Recorded(np.zeros(1, np.uint32))))

animal("promise: negative", lambda _: LocalDP(-1))
animal("promise: outputs", lambda _: LocalDP(1, outputs=0))
animal("promise: delta of one", lambda _: ApproximateDP(1, 1, "replace-one"))
animal("promise: neighbors", lambda _: ApproximateDP(1, 0, "anyone"))
animal("promise: language", lambda _: LocalDP(1).sentence("xx"))
animal("promise: nothing to add", lambda _: compose([]))
animal("promise: read from nothing", lambda _: from_dict({}))
animal("budget: negative delta", lambda _: Budget.of(1, -1))
animal("share: no parts", lambda _: share("1", 0))
animal("share: a part of a part", lambda _: share("1", 0.5))
for what, (rows, delta, bound) in {
    "no rows": (0, "1e-6", None),
    "rows in words": ("many", "1e-6", None),
    "no delta": (100, 0, None),
    "delta of one": (100, 1, None),
    "delta not a number": (100, "nan", None),
    "an unknown bound": (100, "1e-6", "magic"),
    "the closed form where it fails": (10, "1e-6", "closed-form"),
    "the blanket without binary reports": (100, "1e-6", "blanket"),
}.items():
    animal(f"shuffle: {what}", lambda _, r=rows, d=delta, b=bound: LocalDP(4).shuffled(r, d, b))
animal("shuffle: what is not local", lambda _: compose([Hidden("rows", "anyone")]).shuffled(10, "1e-6"))


def ledger(folder: Path) -> Ledger:
    return Ledger.open(folder / "study.ledger", ceilings={"patients": ("1", 0)})


def charged(folder: Path, inside: Callable[[Any], Any]) -> None:
    with ledger(folder).charge(LocalDP("1", outputs=2), "patients", "a survey") as receipt:
        inside(receipt)


def afterwards(folder: Path) -> Any:
    with ledger(folder).charge(TwoPoint("1").guarantee, "patients", "a survey") as receipt:
        pass
    return TwoPoint("1").randomize(np.zeros(1), receipt.source("age"))


def changed_rows(receipt: Any) -> None:
    TwoPoint("1").randomize(np.zeros(4), receipt.source("age"))
    TwoPoint("1").randomize(np.ones(4), receipt.source("age"))


def overlapping_rows(receipt: Any) -> None:
    TwoPoint("1").randomize(np.zeros(4), receipt.source("age"))
    TwoPoint("1").randomize(np.zeros(4), receipt.source("age", first_row=2))


def second_column(receipt: Any) -> None:
    TwoPoint("1").randomize(np.zeros(4), receipt.source("age"))
    TwoPoint("1").randomize(np.zeros(4), receipt.source("glucose"))


def not_a_ledger(folder: Path) -> Any:
    (folder / "study.ledger").write_text(f"age,glucose\n{MARKER},1\n")
    return ledger(folder)


animal("ledger: over the ceiling", lambda f: ledger(f).charge(LocalDP("1.01"), "patients", "x").__enter__())
animal("ledger: no promise", lambda f: ledger(f).charge(1.0, "patients", "x").__enter__())
animal("ledger: no subjects", lambda f: ledger(f).charge(LocalDP(1), "", "x").__enter__())
animal("ledger: subjects in a list", lambda f: ledger(f).charge(LocalDP(1), ["patients"], "x").__enter__())
animal("ledger: no purpose", lambda f: ledger(f).charge(LocalDP(1), "patients", "").__enter__())
animal("ledger: ceiling in words", lambda f: Ledger.open(f / "l.ledger", ceilings={"patients": ("ten", 0)}))
animal("ledger: negative ceiling", lambda f: Ledger.open(f / "l.ledger", ceilings={"patients": ("-1", 0)}))
animal("ledger: ceiling without delta", lambda f: Ledger.open(f / "l.ledger", ceilings={"patients": "1"}))
animal("ledger: ceilings in a list", lambda f: Ledger.open(f / "l.ledger", ceilings=["patients"]))
animal("ledger: another ceiling", lambda f: (ledger(f), Ledger.open(f / "study.ledger", {"patients": ("9", 0)})))
animal("ledger: a folder", lambda f: Ledger.open(f))
animal("ledger: in no folder", lambda f: Ledger.open(f / "nowhere" / "study.ledger"))
animal("ledger: not a ledger", not_a_ledger)
animal("ledger: split in none", lambda f: ledger(f).split("patients", 0))
animal("ledger: split in two of a name", lambda f: ledger(f).split("patients", ["a", "a"]))
animal("ledger: forget what is not", lambda f: ledger(f).forget("May"))
animal("receipt: another mechanism", lambda f: charged(f, lambda r: Laplace("1").randomize(np.zeros(1), r.source("a"))))
animal("receipt: another epsilon", lambda f: charged(f, lambda r: TwoPoint("2").randomize(np.zeros(1), r.source("a"))))
animal("receipt: changed rows", lambda f: charged(f, changed_rows))
animal("receipt: overlapping rows", lambda f: charged(f, overlapping_rows))
animal("receipt: a second column", lambda f: charged(f, second_column))
animal("receipt: a column without a name", lambda f: charged(f, lambda r: r.source("")))
animal("receipt: a negative row", lambda f: charged(f, lambda r: r.source("age", first_row=-1)))
animal("receipt: pickled without a request", lambda f: charged(f, pickle.dumps))
animal("receipt: after the block", afterwards)


def released(folder: Path) -> Path:
    age = TwoPoint("1")
    with ledger(folder).charge(age.guarantee, "patients", "a survey") as receipt:
        estimate = age.mean(age.randomize(np.zeros(100), receipt.source("age")))
    return Release(estimate, receipt).save(folder / "released")


def twice(folder: Path) -> Any:
    target = released(folder)
    return Release.load(target).save(target, ledger=ledger(folder))


def broken(name: str, content: bytes) -> Animal:
    def load(folder: Path) -> Any:
        (released(folder) / name).write_bytes(content)
        return Release.load(folder / "released")

    return load


animal("release: over another", twice)
animal("release: no receipt", lambda f: Release(1.0, None).save(f / "r"))
animal("release: a function", lambda f: charged(f, lambda r: Release(print, r).save(f / "r")))
animal("release: objects", lambda f: charged(f, lambda r: Release(np.array([None]), r).save(f / "r")))
animal("release: load nothing", lambda f: Release.load(f / "nothing"))
animal("release: load a file", lambda f: (f.joinpath("x").write_text(MARKER), Release.load(f / "x")))
animal("release: load an empty folder", lambda f: (f.joinpath("x").mkdir(), Release.load(f / "x")))
animal("release: a manifest in prose", broken("release.json", MARKER.encode()))
animal("release: a manifest of nothing", broken("release.json", b"{}"))
animal("release: a manifest that nests", broken("release.json", b"[" * 100_000))
animal("release: a value in prose", broken("value.json", MARKER.encode()))
animal("release: a receipt of nothing", broken("receipt.json", b"{}"))
animal("verify: nothing there", lambda f: verify(f / "nothing"))
animal("verify: a key in prose", lambda f: verify(released(f), key="my key"))


def table(folder: Path) -> Any:
    """A raw table with a drawn column's name, under a charge for that column."""
    age = TwoPoint("1")
    with ledger(folder).charge(age.guarantee, "patients", "a survey") as receipt:
        age.randomize(np.zeros(3), receipt.source("age"))
    return {"age": np.array([0.1, 0.2, PRIVATE])}, receipt


animal("release: raw values in a drawn column's name", lambda f: Release(*table(f)))
animal("release: a table beside its reports", lambda f: Release({"age": table(f)[0]["age"]}, table(f.joinpath("."))[1]))
WRONG_TYPES: dict[str, Animal] = {
    "compose nothing": lambda _: compose(None),
    "compose numbers": lambda _: compose([1.0]),
    "a promise without its epsilon": lambda _: from_dict({"kind": "local-dp"}),
    "hidden in numbers": lambda _: Hidden(1, 2),
    "a source that is none": lambda _: TwoPoint("1").randomize(np.zeros(1), 5),
    "products with a number": lambda _: TwoPoint("1").products(np.zeros(1), np.zeros(1), 5),
    "products with categories": lambda _: TwoPoint("1").products(
        TwoPoint("1").outputs, TwoPoint("1").outputs, RandomizedResponse(3, "1")
    ),
    "rebuild a number": lambda _: rebuilt(5),
    "a negative first row": lambda _: Seeded(1, first_row=-5),
    "the variance of what is no value": lambda _: TwoPoint("1").variance(5),
    "the variance of text": lambda _: Laplace("1").variance(MARKER + "x"),
    "a masked array": lambda _: TwoPoint("1").randomize(np.ma.array([PRIVATE], mask=[True])),
    "durations": lambda _: TwoPoint("1").randomize(np.array([int(MARKER)], "timedelta64[s]")),
    "load a schema from a number": lambda _: Schema.load(5),
    "save a schema to nothing": lambda _: Schema([Numeric("age", 0, 1)]).save(None),
    "limits that are none": lambda _: Schema([Numeric("age", 0, 1)]).read({"age": [0.5]}, limits=5),
    "open a ledger at nothing": lambda _: Ledger.open(None),
    "open a ledger at bytes": lambda _: Ledger.open(b"study.ledger"),
    "open a ledger and wait for words": lambda f: Ledger.open(f / "l.ledger", wait_seconds="a"),
    "verify nothing": lambda _: verify(None),
    "load a release from a number": lambda _: Release.load(5),
}
for what, call in WRONG_TYPES.items():
    animal(f"wrong type: {what}", call)
animal("schema: a file that is none", lambda f: (f.joinpath("s.toml").write_text(MARKER), Schema.load(f / "s.toml")))
animal("schema: an unknown column", lambda _: Schema.from_dict({"columns": [{"kind": MARKER}]}))


def told(error: BaseException) -> str:
    """Everything that an error says, holds, or drags along."""
    return "\n".join([*traceback.format_exception_only(error), repr(error), repr(error.args), repr(vars(error))])


@pytest.mark.filterwarnings("ignore::sudare.errors.SudareWarning")
@pytest.mark.parametrize("name", ANIMALS)
def test_it_is_refused_with_place_and_remedy_and_tells_nothing(name, tmp_path, capfd, caplog):
    with pytest.raises(SudareError) as refusal:
        ANIMALS[name](tmp_path)
    printed = "".join(capfd.readouterr()) + caplog.text
    assert MARKER not in printed
    error = refusal.value
    assert error.what
    assert error.where
    assert error.remedy
    assert len(str(error).splitlines()) == 3
    seen = error
    while seen is not None:
        assert MARKER not in told(seen)
        seen = seen.__cause__ or (None if seen.__suppress_context__ else seen.__context__)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert not [path for path in files if "partial" in path.name or "tmp" in path.name]
    # A file that is nothing but what the animal planted is the animal's own.
    written = [path for path in files if not path.read_bytes().strip().startswith((MARKER.encode(), b"age,glucose"))]
    assert not [path for path in written if MARKER.encode() in path.read_bytes()]


def test_the_zoo_is_large_enough():
    assert len(ANIMALS) >= 150


def test_an_estimate_shows_what_it_is():
    assert "not private" in repr(Estimate(1.0, 0.0, 2.0, 0.95, private=False))
