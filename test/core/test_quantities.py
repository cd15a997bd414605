"""Numbers and units in text: one form for one quantity, no form for what can be read in two ways."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robotmem_ros.core.quantities import Quantity, read_chinese, read_digits, read_words, readable
from robotmem_ros.core.units import read_unit


def digits(text: str) -> Quantity:
    read = read_digits(readable(text), 0)
    assert read is not None
    return read


@pytest.mark.parametrize(
    ('one', 'two'),
    [
        ('12.5N', '12,5 N'),
        ('0.5 m', '50 cm'),
        ('500 mm', '50cm'),
        ('36 km/h', '10 m/s'),
        ('2 m/s', '2 metres per second'),
        ('2 m/s²', '2 m/s^2'),
        ('2 m·s⁻¹', '2 m/s'),
        ('5 Nm', '5 N·m'),
        ('5 Nm', '5 N m'),
        ('90 min', '1.5 hours'),
        ('45 deg', '45°'),
        ('20 °C', '20 degrees Celsius'),
        ('20 ℃', '20 °C'),
        ('50%', '50 percent'),
        ('1,234,567 m', '1234567 m'),
        ('1e3 g', '1 kg'),
        ('5 µm', '5 μm'),
        ('10 Ω', '10 ohms'),
        ('.5 m', '0.5 m'),
        ('5-mm', '5 mm'),
        ('8牛', '8 N'),
        ('3千克', '3公斤'),
        ('2米每秒', '2 m/s'),
        ('40分钟', '40 min'),
    ],
)
def test_two_spellings_of_one_quantity(one, two):
    assert digits(one)[:2] == digits(two)[:2]
    assert '/' in digits(one).number, 'a value, not the digits as written'


@pytest.mark.parametrize(
    ('one', 'two'),
    [
        ('5 Nm', '5 nm'),
        ('5 mW', '5 MW'),
        ('2 m/s', '2 mm/s'),
        ('2 m/s', '2 m/s²'),
        ('12 m²', '12 m2'),
        ('3.5 m', '35 m'),
        ('3.5', '3,5'),
        ('1,000 N', '1000 N'),
        ('1,000 N', '1.0 N'),
        ('-5 N', '5 N'),
        ('5 J', '5 Nm'),
        ('20 °C', '20 °F'),
        ('3 rad', '3 deg'),
        ('1.10', '1.1'),
        ('03', '3'),
        ('3rd', '3'),
        ('5 MB', '5 GB'),
        ('0e5 m', '0e6 m'),
        ('1e999999999 m', '1e999999998 m'),
    ],
)
def test_what_is_not_one_quantity(one, two):
    """DUP-01."""
    assert digits(one)[:2] != digits(two)[:2]


@pytest.mark.parametrize(
    ('words', 'number'),
    [
        ('twelve newtons', '12 N'),
        ('twenty-five mm', '25 mm'),
        ('two hundred and five kg', '205 kg'),
        ('three thousand forty rpm', '3040 rpm'),
        ('twelve point five N', '12.5 N'),
        ('zero', '0'),
    ],
)
def test_number_words(words, number):
    read = read_words(words, 0)
    assert read is not None and read[:2] == digits(number)[:2]
    assert read.end == len(words)


@pytest.mark.parametrize(
    ('numeral', 'number'),
    [
        ('十二牛顿', '12 N'),
        ('十二点五牛顿', '12.5 N'),
        ('二十五毫米', '25 mm'),
        ('一百零五公斤', '105 kg'),
        ('三千米', '3 km'),
        ('两万三千克', '23 kg'),
        ('百分之五十', '50 %'),
        ('百分之20', '20%'),
        ('三号', '3'),
        ('二〇二四年', '2024'),
        ('第三', '3rd'),
        ('第3', '3rd'),
    ],
)
def test_chinese_numerals(numeral, number):
    read = read_chinese(numeral, 0)
    assert read is not None and read[:2] == digits(number)[:2]


@pytest.mark.parametrize('text', ['一起', '一直走', '十分重要', '千万不要', '一般'])
def test_a_numeral_sign_inside_a_word_is_no_number(text):
    assert read_chinese(text, 0) is None


@pytest.mark.parametrize(
    ('text', 'folded'),
    [
        ('10⁵', '10^5'),
        ('m⁻¹', 'm^-1'),
        ('m²', 'm^2'),
        ('①', '①'),
        ('½', '½'),
        ('ＡＢ１２', 'AB12'),
        ('a\u200bb', 'ab'),
        ('−5', '-5'),
    ],
)
def test_compatibility_forms_keep_what_folding_would_lose(text, folded):
    """DUP-08: 'm²' is not 'm2', '①' is not '1'; full width and invisible signs do not count."""
    assert readable(text) == folded


@pytest.mark.parametrize('text', ['m2', 'xyz', 'in', 'C3', '', '/s', 'Mw'])
def test_what_is_no_unit(text):
    assert read_unit(text, 0) is None


@given(st.integers(0, 10**9), st.sampled_from(['m', 'kg', 'N', 'm/s', 'Nm', '%', '°C', 'kWh']))
def test_a_quantity_does_not_depend_on_blanks_or_trailing_zeros(number, unit):
    expected = digits(f'{number}{unit}')[:2]
    assert digits(f'{number} {unit}')[:2] == expected
    assert digits(f'{number}.0 {unit}')[:2] == expected
    assert digits(f'{number * 1000} m{unit}')[:2] == expected or unit not in ('m', 'N')


@given(st.text(alphabet='0123456789.,eE+-', min_size=1, max_size=200))
def test_any_run_of_digits_is_read_to_its_end_or_refused(text):
    read = read_digits(text, 0)
    assert read is None or 0 < read.end <= len(text)
