"""The few names that most work starts with are those of their homes, and come when they are asked for."""

import pytest

import sudare


@pytest.mark.parametrize("name", sudare.__all__)
def test_a_name_is_that_of_its_home(name):
    home = getattr(__import__(f"sudare.{sudare._HOMES[name]}", fromlist=[name]), name)
    assert getattr(sudare, name) is home
    assert name in dir(sudare)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'Magic'"):
        sudare.Magic  # noqa: B018
