"""The laws of a store: ours keep them, and one that loses, doubles or mixes up is found by name."""

import pytest

from sudare.errors import LawBroken
from sudare.ledger import MemoryStore, Place, SQLiteStore
from sudare.testing import check_ledger_store


def test_our_stores_keep_them(tmp_path):
    check_ledger_store(lambda: SQLiteStore(Place.of(tmp_path / "study.ledger")))


class Planted(MemoryStore):
    """A sound store whose transactions have one defect."""

    def __init__(self, **defects):
        super().__init__()
        self.defects = defects

    def begin(self, *, write):
        transaction = super().begin(write=write)
        for name, method in self.defects.items():
            setattr(transaction, name, method.__get__(transaction))
        return transaction


def adds_at_once(self, entry):
    self._entries.append(entry)


def backwards(self, start):
    return (self._entries + self._new_entries)[::-1][start:]


DEFECTS = {
    "a rollback leaves nothing": {"append": adds_at_once},
    "a transaction reads what it added": {"entries": lambda self, start: self._entries[start:]},
    "a commit keeps all in order": {"entries": backwards},
    "the range before a row is found": {"range_before": lambda self, receipt, column, stop: self._ranges[0]},
}


@pytest.mark.parametrize("law", DEFECTS)
def test_each_planted_defect_breaks_the_law_that_names_it(law):
    store = Planted(**DEFECTS[law])
    with pytest.raises(LawBroken) as broken:
        check_ledger_store(lambda: store)
    assert broken.value.law == law


def test_a_store_that_forgets_when_it_lets_go_is_found():
    class Forgetful(MemoryStore):
        gone = False

        def begin(self, *, write):
            self.gone = False
            return super().begin(write=write)

        def let_go(self):
            if self.gone:  # the second time in a row
                self._entries.clear()
            self.gone = True

    store = Forgetful()
    with pytest.raises(LawBroken, match="letting go loses nothing"):
        check_ledger_store(lambda: store)


def test_a_store_that_keeps_only_some_of_what_is_committed_is_found():
    class Lossy(MemoryStore):
        def begin(self, *, write):
            if write and len(self._entries) > 7:
                self._entries.pop()
            return super().begin(write=write)

    store = Lossy()
    with pytest.raises(LawBroken, match="writers take turns"):
        check_ledger_store(lambda: store)
