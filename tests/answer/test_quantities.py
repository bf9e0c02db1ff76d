"""What is read as a quantity: its kind, value and unit, in five languages' writings."""

from __future__ import annotations

from fractions import Fraction

import pytest

from showtell.answer.quantities import Quantity, read_quantities


def read(text: str, language: str) -> Quantity:
    (quantity,) = read_quantities(text, language)
    return quantity


@pytest.mark.parametrize(
    ("text", "language", "value"),
    [
        ("a 9/8 in wrench", "en", "9/8"),
        ("Drei Viertel davon", "de", "3/4"),
        ("près de deux tiers", "fr", "2/3"),
        ("百分之三点一", "zh", "3.1"),
        ("约四分之三", "zh", "3/4"),
        ("il rapporte 48 M€", "fr", "48000000"),
        ("1,2 million d'exemplaires", "fr", "1200000"),
        ("aged 19", "en", "19"),
        ("2小时01分09秒", "zh", "7269"),
        ("成绩为9秒98", "zh", "9.98"),
    ],
)
def test_values(text: str, language: str, value: str) -> None:
    assert [reading.value for reading in read(text, language).readings][:1] == [Fraction(value)]


@pytest.mark.parametrize(
    ("text", "language", "times"),
    [
        ("um 9.28 Uhr", "de", [(9, 28)]),
        ("von 9 bis 17:30 Uhr", "de", [(9, 0), (17, 30)]),
        ("a las 23.45", "es", [(23, 45)]),
        ("早上5点50分", "zh", [(5, 50)]),
    ],
)
def test_times_of_day(text: str, language: str, times: list[tuple[int, int]]) -> None:
    found = read_quantities(text, language)
    assert [quantity.kind for quantity in found] == ["clock"] * len(times)
    assert [quantity.keys[0][:2] for quantity in found] == times


def test_hours_of_running_are_no_time_of_day() -> None:
    assert read("a las 7.520 horas", "es").readings[0].value == 7520


def test_a_speed_may_be_named_before_its_number() -> None:
    assert read("时速350公里", "zh").units[0] == read("350 km/h", "en").units[0]


@pytest.mark.parametrize("text", ["See section 4.2.1.", "As shown in Fig. 2 [3].", "3. Open the page.", "Schritt 2"])
def test_what_only_points_is_no_quantity(text: str) -> None:
    assert read_quantities(text, "") == []
