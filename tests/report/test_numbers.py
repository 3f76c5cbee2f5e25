"""As many digits as the uncertainty leaves meaning."""

import pytest

from sudare.report.numbers import moment, percent, plain, with_interval


@pytest.mark.parametrize(
    ("value", "spread", "text"),
    [
        (47.2534, 1.75, "47.3"),
        (0.000123456, 0.0000021, "0.0001235"),
        (1234567.8, 350.0, "1,234,568"),
        (-0.2, 0.05, "−0.200"),
        (-0.0001, 0.05, "0.000"),
        (float("nan"), 1.0, "–"),
        (0.25, 0.0, "0.25"),
    ],
)
def test_digits_follow_the_uncertainty(value: float, spread: float, text: str) -> None:
    assert plain(value, spread) == text


def test_an_interval_is_written_as_each_language_does() -> None:
    assert with_interval(0.5, 0.4, 0.6, "en") == "0.50 (0.40 to 0.60)"
    assert with_interval(0.5, 0.4, 0.6, "ja") == "0.50\uff080.40\uff5e0.60\uff09"


def test_a_share_is_written_in_percent() -> None:
    assert percent(0.995) == "99.5 %"


def test_a_moment_is_written_in_utc_whatever_its_zone() -> None:
    assert moment("2026-11-18T18:05:00+09:00") == "2026-11-18 09:05 UTC"
    assert moment("2026-11-18T18:05:00+09:00", "ja").startswith("2026年11月18日 09:05")


def test_what_is_no_moment_is_shown_as_it_is() -> None:
    assert moment("yesterday") == "yesterday"
