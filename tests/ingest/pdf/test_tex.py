"""ingest/pdf/tex.py: what the codes of TeX's fonts stand for where a file does not say."""

from ingest.pdf.tex import NAMELESS, encoding_named


def test_a_mathematical_tex_font_is_known_by_its_name() -> None:
    for font, code, sign in (
        ("CMSY10", "k", "‖"),
        ("LMMathSymbols7-Regular", "f", "{"),
        ("CMMI10", "`", "ℓ"),
        ("LMMathItalic8-Regular", ";", ","),
        ("CMEX10", "P", "∑"),
    ):
        encoding = encoding_named(font)
        assert encoding is not None, font
        assert encoding[ord(code)] == sign


def test_other_fonts_are_not_taken_for_them() -> None:
    assert encoding_named("CambriaMath") is None
    assert encoding_named("LMRoman10-Regular") is None


def test_a_font_without_a_name_has_the_ligatures_of_two_encodings() -> None:
    assert [NAMELESS[code] for code in (11, 15, 21, 28)] == ["ff", "ffl", "–", "fi"]
    assert ord("f") not in NAMELESS
