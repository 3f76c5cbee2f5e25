from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudare.errors import CeilingReached, InvalidParameter
from sudare.guarantees import Budget
from sudare.ledger.accounts import Accounts, part_names, read_ceilings, subjects_name

TREE = {
    "all": [("all/a", "all/b"), ("all/x", "all/y")],
    "all/a": [("all/a/1", "all/a/2")],
}
NAMES = ["all", "all/a", "all/b", "all/x", "all/y", "all/a/1", "all/a/2"]
# Every kind of person that the declared splits allow: the subjects that the person belongs to.
PEOPLE = [
    {"all", site, sex, *inner}
    for site, inners in (("all/a", [["all/a/1"], ["all/a/2"]]), ("all/b", [[]]))
    for inner in inners
    for sex in ("all/x", "all/y")
]
charges = st.lists(st.tuples(st.sampled_from(NAMES), st.integers(0, 8), st.integers(0, 3)), max_size=12)


def tree() -> Accounts:
    accounts = Accounts()
    for subjects, splits in TREE.items():
        for parts in splits:
            accounts.split(subjects, parts)
    return accounts


def budget(epsilon: int, delta: int) -> Budget:
    return Budget(Fraction(epsilon, 7), Fraction(delta, 10**6))


def worst(charged: list[tuple[str, int, int]], name: str) -> Budget:
    totals = [
        sum((budget(epsilon, delta) for subjects, epsilon, delta in charged if subjects in person), Budget())
        for person in PEOPLE
        if name in person
    ]
    return Budget.largest(totals)


@given(charges)
def test_what_is_paid_is_what_the_worst_off_person_pays(charged: list[tuple[str, int, int]]) -> None:
    accounts = tree()
    for subjects, epsilon, delta in charged:
        accounts.charge(subjects, budget(epsilon, delta))
    for name in NAMES:
        assert accounts.paid(name) == worst(charged, name)


@given(charges, st.dictionaries(st.sampled_from(NAMES), st.integers(0, 12), min_size=1), st.sampled_from(NAMES))
def test_exactly_what_is_left_may_still_be_charged(
    charged: list[tuple[str, int, int]], ceilings: dict[str, int], name: str
) -> None:
    accounts = tree()
    accounts.ceilings = {subjects: budget(epsilon, 10) for subjects, epsilon in ceilings.items()}
    for subjects, epsilon, delta in charged:
        try:
            accounts.refuse_over(subjects, budget(epsilon, delta))
        except CeilingReached:
            continue
        accounts.charge(subjects, budget(epsilon, delta))
    for subjects, ceiling in accounts.ceilings.items():
        assert accounts.paid(subjects).within(ceiling)
    left = accounts.left(name)
    if left is None:
        accounts.refuse_over(name, Budget(Fraction(10**6), Fraction(0)))
        return
    accounts.refuse_over(name, left)
    with pytest.raises(CeilingReached):
        accounts.refuse_over(name, Budget(left.epsilon + Fraction(1, 10**30), Fraction(0)))
    with pytest.raises(CeilingReached):
        accounts.refuse_over(name, Budget(Fraction(0), left.delta + Fraction(1, 10**30)))


def test_a_ceiling_declared_after_the_spending_stops_further_spending_but_not_free_charges() -> None:
    accounts = Accounts()
    accounts.charge("patients", Budget.of("2"))
    accounts.ceilings["patients"] = Budget.of("1")
    accounts.refuse_over("patients", Budget())
    with pytest.raises(CeilingReached):
        accounts.refuse_over("patients", Budget.of("1e-30"))
    assert accounts.left("patients") == Budget()


def test_a_split_may_be_repeated_and_crossed_but_not_changed() -> None:
    accounts = tree()
    assert accounts.has_split("all", ("all/b", "all/a"))
    assert not accounts.has_split("all", ("all/1", "all/2"))
    with pytest.raises(InvalidParameter):
        accounts.has_split("all", ("all/a", "all/c"))


@pytest.mark.parametrize(
    "name", ["", " patients", "patients ", "a/", "/a", "a//b", "a\nb", "か\u3099", None, 3, "x" * 201]
)
def test_names_that_would_be_mistaken_are_refused(name: object) -> None:
    with pytest.raises(InvalidParameter):
        subjects_name(name)


@pytest.mark.parametrize(
    "parts", [1, 0, -1, True, 1.5, "ab", b"ab", None, [], ["a"], ["a", "a"], ["a", "b/c"], ["a", 3]]
)
def test_parts_that_are_no_split_are_refused(parts: object) -> None:
    with pytest.raises(InvalidParameter):
        part_names("patients", parts)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "ceilings",
    [
        *("a", [("a", (1, 0))], {3: (1, 0)}, {"a": "30"}, {"a": 3}, {"a": None}, {"a": ("1", 0, 0)}),
        *({"a": (value, 0)} for value in (float("nan"), float("inf"), -1, True, "one")),
        {"a": ("1", 1)},
    ],
)
def test_ceilings_that_are_no_pairs_of_exact_numbers_are_refused(ceilings: object) -> None:
    with pytest.raises(InvalidParameter):
        read_ceilings(ceilings)  # type: ignore[arg-type]
