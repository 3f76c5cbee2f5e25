"""Every public name says what it is for and shows it; the examples themselves run with the tests."""

import doctest
import importlib
import inspect
import pkgutil
from collections.abc import Iterator

import pytest

import sudare


def public_names() -> Iterator[tuple[str, object]]:
    for found in pkgutil.walk_packages(sudare.__path__, "sudare."):
        module = importlib.import_module(found.name)
        for name in getattr(module, "__all__", ()):
            thing = getattr(module, name)
            if callable(thing):
                yield f"{found.name}.{name}", thing


NAMES = dict(public_names())


@pytest.mark.parametrize("thing", NAMES.values(), ids=NAMES)
def test_every_public_name_has_an_example(thing: object) -> None:
    own = thing.__dict__.get("__doc__") if inspect.isclass(thing) else thing.__doc__
    assert own, "no docstring of its own"
    assert doctest.DocTestParser().get_examples(own), "no example in the docstring"


@pytest.mark.parametrize("thing", NAMES.values(), ids=NAMES)
def test_every_public_name_is_ours_so_that_its_example_runs(thing: object) -> None:
    assert str(getattr(thing, "__module__", "")).startswith("sudare.")
