"""ingest/pdf/private_signs.py: signs at private codes."""

import pytest

from ingest.pdf.model import UNKNOWN
from ingest.pdf.private_signs import private_letters, private_sign


@pytest.mark.parametrize(
    ("code", "font", "width", "sign"),
    [
        (0xF0CE, "Symbol", 713, "∈"),
        (0xF0CE, "CIDFont+F8", 712, "∈"),
        (0xF06D, "Symbol", 576, "μ"),
        (0xF06A, "Symbol", 603, "ϕ"),
        (0xF061, "F1+MTExtra", 1000, "↦"),
        (0xF0A1, "CIDFont+F8", 722, UNKNOWN),  # as wide as no ϒ
        (0xF071, "CIDFont+F10, Euclid Symbol", 469, "θ"),
        (0xF0EC, "CIDFont+F11, Euclid Symbol", 500, "⎧"),
        (0xF0BE, "CIDFont+F11, Euclid Symbol", 500, UNKNOWN),
        (0xF071, "CIDFont+F10, Unknown", 469, UNKNOWN),
        (0xF0E0, "Wingdings-Regular", 979, "→"),
        (0xF0E0, "Webdings", 979, UNKNOWN),
        (0xF028, "Wingdings-Regular", 333, UNKNOWN),
        (0xF07A, "RENQHA+MarVoSym", 494, UNKNOWN),
        (0xF8F1, "CMEX10", 889, "⎧"),
        (0xF04B, "F1, MT Extra", 1000, "…"),
        (0xF026, "MTExtra", 333, "\u0307"),
        (0xF030, "MT-Extra", 333, UNKNOWN),
    ],
)
def test_private_codes_are_signs_of_symbol_by_their_widths(
    code: int, font: str, width: float, sign: str
) -> None:
    assert private_sign(code, font, width) == sign


def test_ligatures_and_small_capitals_of_libertine_are_letters() -> None:
    codes = (0xE039, 0xE035, 0xE0E0, 0xE051, 0xE0FF, 0x66)
    letters = [private_letters(code, "ABCDEF+LinLibertineI") for code in codes]
    assert letters == ["ft", "fft", "f", "a", "", ""]
    assert private_letters(0xE039, "ABCDEF+Serif") == ""
