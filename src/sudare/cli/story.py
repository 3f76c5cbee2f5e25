"""The lines that the tour runs, one step after the other in one namespace, exactly as they are printed."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Step:
    """One step: its name in the texts, the Python that does it, and whether the ledger is to refuse it."""

    name: str
    code: str
    refused: bool = False


STEPS = (
    Step("table", "table = patients(rows)"),
    Step(
        "schema",
        """\
schema = Schema([
    Numeric("age", 0, 120),
    Numeric("glucose", 0, 400),
    Categorical("smoker", ["yes", "no", "former"]),
])
columns = schema.read(table)""",
    ),
    Step(
        "error",
        """\
age, glucose, smoker = Piecewise("1"), Piecewise("1"), RandomizedResponse(3, "1")
expected = [age.expected_error(rows), glucose.expected_error(rows), smoker.expected_error(rows)]""",
    ),
    Step("ledger", 'ledger = Ledger.open(folder / "study.ledger", ceilings={"patients": ("3", 0)})'),
    Step(
        "charge",
        """\
promise = compose([age.guarantee, glucose.guarantee, smoker.guarantee])
with ledger.charge(promise, subjects="patients", purpose="age, glucose and smoking") as receipt:
    ages = age.randomize(schema["age"].to_unit(columns["age"]), receipt.source("age"))
    levels = glucose.randomize(schema["glucose"].to_unit(columns["glucose"]), receipt.source("glucose"))
    habits = smoker.randomize(columns["smoker"], receipt.source("smoker"))""",
    ),
    Step(
        "estimate",
        """\
estimates = {
    "age": schema["age"].from_unit(age.mean(ages)),
    "glucose": schema["glucose"].from_unit(glucose.mean(levels)),
    "smoker": smoker.frequencies(habits),
}""",
    ),
    Step(
        "refusal",
        """\
with ledger.charge(age.guarantee, subjects="patients", purpose="one more look"):
    pass""",
        refused=True,
    ),
    Step("left", "print(ledger)"),
    Step(
        "release",
        """\
release = Release(estimates, receipt, {"schema": schema, "table": "synthetic patients", "rows": rows})
saved = release.save(folder / "release", language=language)""",
    ),
    Step("verify", "verification = verify(saved, key=ledger.fingerprint)"),
)
