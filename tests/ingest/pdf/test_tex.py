"""ingest/pdf/tex.py: what the codes of TeX's fonts stand for where a file does not say."""

from collections.abc import Mapping

from ingest.pdf.tex import OML, OMS, OT1, encoding_measured, encoding_named


def test_a_tex_font_is_known_by_its_name() -> None:
    for font, code, sign in (
        ("CMSY10", "k", "‖"),
        ("LMMathSymbols7-Regular", "f", "{"),
        ("CMMI10", "`", "ℓ"),
        ("LMMathItalic8-Regular", ";", ","),
        ("CMEX10", "P", "∑"),
        ("MSBM10", "R", "R"),
        ("CMR10", "\x0c", "fi"),
        ("CMTT10", "_", "_"),
    ):
        encoding = encoding_named(font)
        assert encoding is not None, font
        assert encoding[ord(code)] == sign


def test_other_fonts_are_not_taken_for_them() -> None:
    assert encoding_named("CambriaMath") is None
    assert encoding_named("LMRoman10-Regular") is None


def _measured(**widths: float) -> Mapping[int, str]:
    return encoding_measured({ord(char): width for char, width in widths.items()})


def test_a_font_without_a_name_is_told_by_its_widths() -> None:
    # as Computer Modern's mathematical symbols at 10 points: 2 is the sign of membership, ! an arrow, f a brace
    symbols = {"2": 0.667, "!": 1.0, "f": 0.5, "\x14": 0.778}
    assert _measured(**symbols) is OMS
    # as its mathematical italics at 7 points
    assert _measured(n=0.706, k=0.607, i=0.404) is OML
    # as its text at 10 points
    text = {"n": 0.556, "k": 0.528, "i": 0.278, "e": 0.444}
    assert _measured(**text) is OT1


def test_a_font_without_a_name_that_fits_no_font_of_tex_is_unknown() -> None:
    assert not _measured(**{"\x01": 0.5})


def test_a_font_of_one_pitch_is_a_typewriter_even_if_one_glyph_is_wider() -> None:
    pitch = dict.fromkeys("intx_<=f1", 0.525)
    encoding = _measured(**pitch, w=0.526, m=0.55)
    assert encoding[ord("_")] == "_"
    assert encoding[ord("<")] == "<"
