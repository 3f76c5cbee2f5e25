import copy
import pickle
from collections.abc import Callable

import numpy as np
import pytest

from sudare.errors import KeyForgotten, NotCovered
from sudare.ledger.keys import RunKey

SECRET = bytes(range(32))


def test_the_same_address_has_the_same_words_and_no_other_address_has() -> None:
    keys = {
        RunKey(receipt, secret).word_key(column)
        for receipt, secret, column in [
            ("r", SECRET, "ab"),
            ("ra", SECRET, "b"),
            ("r", SECRET, "b"),
            ("s", SECRET, "ab"),
            ("r", bytes(32), "ab"),
        ]
    }
    assert len(keys) == 5
    assert RunKey("r", SECRET).word_key("ab") in keys
    assert {len(key) for key in keys} == {16}


VALUES = np.arange(6, dtype=np.int64)


@pytest.mark.parametrize(
    ("column", "first_row", "values"),
    [
        ("b", 0, VALUES),
        ("a", 1, VALUES),
        ("a", 0, VALUES + 1),
        ("a", 0, VALUES.astype(np.uint64)),
        ("a", 0, VALUES.reshape(2, 3)),
        ("a", 0, VALUES[:5]),
        ("a", 0, VALUES.astype(np.float64)),
    ],
)
def test_a_fingerprint_tells_other_values_types_shapes_and_places_apart(
    column: str, first_row: int, values: np.ndarray
) -> None:
    key = RunKey("r", SECRET)
    assert key.fingerprint("a", 0, VALUES) != key.fingerprint(column, first_row, values)


def test_a_fingerprint_is_of_the_values_not_of_their_place_in_memory() -> None:
    key = RunKey("r", SECRET)
    doubled = np.repeat(VALUES, 2)[::2]
    assert key.fingerprint("a", 0, VALUES) == key.fingerprint("a", 0, doubled)
    assert key.fingerprint("a", 0, VALUES) != RunKey("r", bytes(32)).fingerprint("a", 0, VALUES)


def test_a_fingerprint_is_no_word_and_no_word_a_fingerprint() -> None:
    key = RunKey("r", SECRET)
    assert key.word_key("a").hex() not in key.fingerprint("a", 0, VALUES)


def test_a_forgotten_key_is_overwritten_and_refuses() -> None:
    key = RunKey("r", SECRET)
    held = key._secret
    key.forget()
    assert not any(held)
    for use in (key.secret, lambda: key.word_key("a"), lambda: key.fingerprint("a", 0, VALUES)):
        with pytest.raises(KeyForgotten):
            use()


def test_a_new_key_is_one_that_nobody_knows() -> None:
    assert RunKey("r").secret() != RunKey("r").secret()


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_key_is_never_copied(duplicate: Callable[[RunKey], object]) -> None:
    with pytest.raises(NotCovered, match="never copied"):
        duplicate(RunKey("r", SECRET))
