"""ingest/pdf/tex.py: what the codes of TeX's fonts stand for where a file does not say."""

from __future__ import annotations

import pytest

from ingest.pdf.tex import OML, OMS, encoding_measured, encoding_named


@pytest.mark.parametrize(
    ("font", "code", "sign"),
    [
        ("CMSY10", ord("k"), "‖"),
        ("LMMathSymbols7-Regular", ord("f"), "{"),
        ("CMMI10", ord("`"), "ℓ"),
        ("LMMathItalic8-Regular", ord(";"), ","),
        ("CMEX10", ord("P"), "∑"),
        ("MSBM10", ord("R"), "R"),
        ("CMR10", 0x0C, "fi"),
        ("CMTT10", ord("_"), "_"),
    ],
)
def test_a_tex_font_is_known_by_its_name(font: str, code: int, sign: str) -> None:
    encoding = encoding_named(font)
    assert encoding is not None
    assert encoding[code] == sign


@pytest.mark.parametrize(
    "font",
    [
        "CambriaMath",
        "LMRoman10-Regular",
    ],
)
def test_other_fonts_are_not_taken_for_them(font: str) -> None:
    assert encoding_named(font) is None


def test_a_font_without_a_name_is_told_by_its_widths() -> None:
    # as Computer Modern's mathematical symbols at 10 points: 2 is the sign of membership, ! an arrow, f a brace
    assert (
        encoding_measured({ord("2"): 0.667, ord("!"): 1.0, ord("f"): 0.5, 0x14: 0.778})
        is OMS
    )
    # as its mathematical italics at 7 points
    assert encoding_measured({ord("n"): 0.706, ord("k"): 0.607, ord("i"): 0.404}) is OML


def test_a_font_of_one_pitch_is_a_typewriter_even_if_one_glyph_is_wider() -> None:
    pitch = dict.fromkeys(b"intx_<=f", 0.525) | {
        ord("w"): 0.526,
        ord("m"): 0.55,
        ord("1"): 0.525,
    }
    encoding = encoding_measured(pitch)
    assert (encoding[ord("_")], encoding[ord("<")]) == ("_", "<")
