"""The first entry of a ledger, and the ceilings that are declared later."""

from sudare.errors import CeilingReached
from sudare.guarantees import Budget
from sudare.ledger.book import Book, Page
from sudare.ledger.history import FORMAT
from sudare.version import __version__


def begin(book: Book, ceilings: dict[str, Budget], *, simulated: bool) -> None:
    """Write the first entry of a new ledger; in one that is there, compare the key and add ceilings."""
    with book.writing() as page:
        for name, ceiling in ceilings.items():
            page.history.accounts.refuse_unwritable(name, ceiling)
        if len(page.history.entries) == 0:
            page.append(
                "opened",
                format=FORMAT,
                version=__version__,
                public_key=book.signer.public_key,
                simulated=simulated,
                ceilings={name: _amounts(ceiling) for name, ceiling in ceilings.items()},
            )
            return
        for name, ceiling in ceilings.items():
            _declare(page, name, ceiling)


def _declare(page: Page, name: str, ceiling: Budget) -> None:
    accounts = page.history.accounts
    accounts.refuse_unknown(name)
    known = accounts.ceilings.get(name)
    if known is None:
        epsilon, delta = _amounts(ceiling)
        page.append("ceiling", subjects=name, epsilon=epsilon, delta=delta)
    elif known != ceiling:
        raise CeilingReached(
            f"the ceiling of {name!r} is {known} and never changes",
            where="ceilings",
            remedy="open the ledger with the ceiling that was declared, or without ceilings",
        )


def _amounts(budget: Budget) -> list[str]:
    return [str(budget.epsilon), str(budget.delta)]
