"""Quantities as five languages write them."""

from __future__ import annotations

from fractions import Fraction

import pytest

from showtell.answer.quantities import Quantity, read_quantities
from showtell.answer.quantities.agreement import agrees
from showtell.answer.quantities.numerals import read_han, read_number, voice
from showtell.answer.quantities.units import convert, read_unit


def texts(text: str, language: str = "en") -> list[str]:
    return [text[quantity.start : quantity.end] for quantity in read_quantities(text, language)]


def one(text: str, language: str = "en") -> Quantity:
    (found,) = read_quantities(text, language)
    return found


@pytest.mark.parametrize(
    ("written", "language", "value"),
    [
        ("1,234.5 kg", "en", "1234.5"), ("1.234,5 kg", "de", "1234.5"), ("1\u202f234,5 kg", "fr", "1234.5"),
        ("1\u00a0234,5 kg", "fr", "1234.5"), ("1'234.5 kg", "de", "1234.5"), ("1,234 kg", "en", "1234"),
        ("1,234 kg", "de", "1.234"), ("1.234 kg", "de", "1234"), ("1.234 kg", "en", "1.234"),
        ("0,125 kg", "en", "0.125"), ("12.345.678 kg", "es", "12345678"), (".5 kg", "en", "0.5"),
        ("１２３公斤", "zh", "123"), ("1.2万公斤", "zh", "12000"),
        ("三万公斤", "zh", "30000"), ("两千五百公斤", "zh", "2500"),
        ("3×10^6 kg", "en", "3000000"), ("3 × 10⁶ kg", "en", "3000000"), ("1.2e-3 kg", "en", "0.0012"),
        ("3 million kg", "en", "3000000"), ("3,5 Mio. kg", "de", "3500000"),
        ("2 milliards de kg", "fr", "2000000000"),
        ("3 millones de kg", "es", "3000000"), ("2 billones de kg", "es", "2000000000000"),
        ("2 billion kg", "en", "2000000000"),
        ("1½ kg", "en", "1.5"), ("1 1/2 kg", "en", "1.5"), ("3/4 kg", "en", "0.75"), ("−18 kg", "en", "-18"),
        ("minus 18 kg", "en", "-18"), ("twenty-five kg", "en", "25"), ("fünfundzwanzig kg", "de", "25"),
        ("vingt-cinq kg", "fr", "25"), ("quince kg", "es", "15"),
    ],
)  # fmt: skip
def test_numbers_are_read_in_every_format(written: str, language: str, value: str) -> None:
    quantity = one(written, language)
    assert quantity.kind == "measure"
    assert quantity.readings[0].value == Fraction(value)


@pytest.mark.parametrize(
    ("one_way", "other_way"),
    [
        ("90 minutes", "1.5 hours"), ("90 minutes", "1 h 30 min"), ("100 km/h", "62 mph"),
        ("5 kg/m³", "5 g/L"),
        ("14 N·m", "14 Nm"), ("14 Nm", "10.3 lbf·ft"), ("3.2 bar", "46 psi"),
        ("3.2 bar", "320 kPa"), ("20 °C", "68 °F"),
        ("300 K", "27 °C"), ("8 ft 1 in", "2.46 m"), ("5'11\"", "180 cm"),
        ("5′ 11″", "5 ft 11 in"), ("5 %", "5 percent"),
        ("$5", "5 dollars"), ("US$ 3 million", "$3,000,000"), ("5 March 2024", "2024-03-05"),
        ("March 5, 2024", "5.3.2024"),
        ("3 pm", "15:00"), ("3:25 pm", "15:25"), ("3:25", "3 min 25 s"), ("12 am", "0:00"),
        ("H-20", "H20"), ("v2.1.0", "2.1.0"),
        ("1 : 16", "1:16"), ("2024", "5 March 2024"), ("400 mg a day", "400 mg per day"),
        ("6.5 L/100 km", "6.5 litres per 100 km"),
        ("2 GiB", "2048 MiB"), ("half an hour", "30 minutes"), ("12 months", "1 year"), ("1 ha", "10,000 m²"),
    ],
)  # fmt: skip
def test_two_writings_agree(one_way: str, other_way: str) -> None:
    assert agrees(one(one_way), one(other_way)) >= 2


@pytest.mark.parametrize(
    ("one_way", "other_way"),
    [
        ("5 MB", "5 MiB"), ("5 MB", "5 Mbit"), ("3.10 kg", "3.11 kg"), ("3 pm", "3 am"),
        ("3:25", "15:25"), ("24 bar", "24 litres"),
        ("187.5 kg", "386 lb"), ("v2.1.0", "v2.1.1"), ("H-20", "H-40"),
        ("5 March 2024", "6 March 2024"), ("5 $", "5 €"),
        ("20 °C", "20 °F"), ("5 March 2024", "2024"), ("10 °C", "18 °F"), ("0 in", "0.004 in"),
    ],
)  # fmt: skip
def test_two_quantities_differ(one_way: str, other_way: str) -> None:
    assert agrees(one(one_way), one(other_way)) == 0


def test_rounding_is_allowed_to_the_digits_shown() -> None:
    source = one("187.5 kg")
    assert agrees(one("413 lb"), source)
    assert agrees(one("413.4 lb"), source)
    assert not agrees(one("410 lb"), source)
    assert agrees(one("about 410 lb"), source)
    assert not agrees(one("414 lb"), source)


def test_differences_of_temperature_convert_without_offset() -> None:
    assert agrees(one("18 °F"), one("10 °C"), differs=True)


@pytest.mark.parametrize(
    ("text", "language", "found"),
    [
        ("300–800 kg", "en", ["300", "800 kg"]), ("from 300 to 800 kg", "en", ["300", "800 kg"]),
        ("300 bis 800 kg", "de", ["300", "800 kg"]), ("de 300 a 800 kg", "es", ["300", "800 kg"]),
        ("300至800公斤", "zh", ["300", "800公斤"]), ("$5–10 million", "en", ["$5", "10 million"]),
        ("2, 4 and 8 bar", "en", ["2", "4", "8 bar"]), ("58 × 40 cm", "en", ["58", "40 cm"]),
        ("5 ± 0.2 mm", "en", ["5", "0.2 mm"]),
    ],
)  # fmt: skip
def test_ranges_and_lists_share_their_unit(text: str, language: str, found: list[str]) -> None:
    quantities = read_quantities(text, language)
    assert [text[q.start : q.end] for q in quantities] == found
    assert len({q.group for q in quantities}) == 1
    assert all(q.units == quantities[-1].units and q.units for q in quantities)


@pytest.mark.parametrize(
    "text",
    [
        "2. Dip a strip", "• see [3] and \\[4\\]", "Step 3, Figure 2 and page 12", "[here](https://a.test/5?x=6)",
        "steps 3 to 5", "https://a.test/v/31788", "第3步，图2", "Schritt 4", "1.", "[[M1]]",
    ],
)  # fmt: skip
def test_labels_references_and_addresses_are_no_quantities(text: str) -> None:
    assert read_quantities(text) == []


def test_a_price_does_not_lend_its_currency_to_a_year() -> None:
    assert [q.kind for q in read_quantities("$3.2 million in 2019 to $4.8 million", "en")] == [
        "measure",
        "number",
        "measure",
    ]


def test_codes_are_kept_whole() -> None:
    assert texts("H-20, A4, IPv6, 802.11ac, 0x1F, 192.168.0.1, 5G, ap-southeast-1") == [
        "H-20", "A4", "IPv6", "802.11ac", "0x1F", "192.168.0.1", "5G", "southeast-1",
    ]  # fmt: skip


def test_places_in_the_text_stay() -> None:
    text = "The **tank** holds\u00a0**24** litres [1] at `3.2` bar."
    assert texts(text) == ["24** litres", "3.2` bar"]


def test_an_inch_is_no_preposition() -> None:
    assert [bool(q.units) for q in read_quantities("35 in wide, 35 in (90 cm), 35 in the hall, 35 in Rome", "en")] == [
        True, True, True, False, False,
    ]  # fmt: skip


def test_units_of_many_words_and_powers() -> None:
    def end(name: str) -> int:
        found = read_unit(name, 0)
        return found.end if found else 0

    for name in (
        "fl oz",
        "US gallons",
        "degrees Celsius",
        "mètres carrés",
        "Umdrehungen pro Minute",
        "kg/m³",
        "m2",
        "公斤",
    ):
        assert end(name) == len(name)
    assert end("kilogrammes of") == len("kilogrammes")
    assert end("screws") == 0


def test_conversion_is_exact() -> None:
    celsius, fahrenheit = read_unit("°C", 0), read_unit("°F", 0)
    assert celsius
    assert fahrenheit
    assert convert(Fraction(100), celsius.units[0], fahrenheit.units[0]) == 212


def test_ambiguous_digits_keep_both_readings_without_a_language() -> None:
    assert [reading.value for reading in read_number("1,234", "")] == [1234, Fraction("1.234")]
    assert read_number("2.1.0", "") == ()
    assert read_han("二〇二四") == 2024


def test_the_language_is_guessed() -> None:
    assert voice("Der Tank fasst 24 Liter und wird mit dem Schlauch gefüllt.") == "de"
    assert voice("水箱容量为24升") == "zh"
    assert voice("24") == ""


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
def test_fractions_ages_and_lengths_of_time_are_read(text: str, language: str, value: str) -> None:
    assert [reading.value for reading in one(text, language).readings][:1] == [Fraction(value)]


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
    assert one("a las 7.520 horas", "es").readings[0].value == 7520


def test_a_speed_may_be_named_before_its_number() -> None:
    assert one("时速350公里", "zh").units[0] == one("350 km/h", "en").units[0]


@pytest.mark.parametrize("text", ["See section 4.2.1.", "As shown in Fig. 2 [3].", "3. Open the page.", "Schritt 2"])
def test_what_only_points_is_no_quantity(text: str) -> None:
    assert read_quantities(text, "") == []
