"""ingest/pdf/tex.py: what the codes of TeX's fonts stand for where a file does not say."""

import string

from ingest.pdf.model import Glyph
from ingest.pdf.tex import (
    COMPANION,
    CYRILLIC,
    ESINT,
    MATHABX,
    NAMELESS,
    OLD_HEBREW,
    OML,
    OMS,
    OMX,
    OT1,
    encoding_named,
    encoding_used,
    join_bracket_pieces,
    join_relation,
    raise_low_quote,
)


def test_two_arrows_one_over_the_other_are_one_sign() -> None:
    for y, is_one in ((105.6, True), (112.0, False)):
        upper = Glyph("→", 0, 10, 100, 10, 0, False)
        assert join_relation(upper, Glyph("→", 0, 10, y, 10, 0, False)) is is_one
        assert upper.text == ("⇉" if is_one else "→")


def test_a_quotation_mark_over_the_end_of_a_letter_is_its_caron() -> None:
    for x, is_one in ((2.3, True), (4.0, False)):
        letter = Glyph("t", 0, 4, 100, 10, 0, False)
        mark = Glyph("’", x, x + 3, 100, 10, 0, False)
        assert join_relation(letter, mark) is is_one
        assert letter.text == ("ť" if is_one else "t")


def test_a_mathematical_tex_font_is_known_by_its_name() -> None:
    for font, code, sign in (
        ("CMSY10", "k", "‖"),
        ("LMMathSymbols7-Regular", "f", "{"),
        ("CMMI10", "`", "ℓ"),
        ("CMMI10", "~", "\u20d7"),
        ("LMMathItalic8-Regular", ";", ","),
        ("CMEX10", "P", "∑"),
        ("Fourier-Math-Extension", "n", "{"),
        ("Fourier-Math-Extension", "¯", "|"),
        ("Fourier-Math-Extension", "Ã", "("),
        ("Fourier-Math-Symbols", "\x83", "⟧"),
        ("Kp--M-Ex-Regular", "Z", "∫"),
        ("Kp--M-Syc-Regular", ",", "≠"),
        ("MathDesign-CH-Regular-Extension-10", "X", "∑"),
        ("MathDesign-CH-Regular-Symbol-10", "p", "√"),
        ("LucidaNewMath-AltItalic", "\x82", "⟦"),
        ("txexs", "Õ", "∑"),
        ("MSAM10", "E", "⊴"),
        ("MSBM7", "n", "⋉"),
        ("MSBM10", "r", "∖"),
        ("MSBM10", "[", "ˆ"),
        ("txsya", "X", "✓"),
        ("stmary10", "J", "⟦"),
        ("TeX-vect10", "«", "\u20d7"),
        ("TeX-vect10", "#", ""),
    ):
        encoding = encoding_named(font, is_unmapped=True) or {}

        assert encoding[ord(code)] == sign, font


def test_other_fonts_are_not_taken_for_them() -> None:
    assert encoding_named("CambriaMath", is_unmapped=True) is None
    assert encoding_named("LMRoman10-Regular", is_unmapped=True) is None
    assert encoding_named("CMSY10", is_unmapped=False) is None


def test_a_font_whose_glyphs_have_the_names_of_other_signs_is_known_by_its_name() -> (
    None
):
    signs = encoding_named("TeX-matha10", is_unmapped=False) or {}
    assert [signs[ord(letter)] for letter in "P“ąÑ"] == ["∈", "=", ">", "→"]
    signs = encoding_named("TeX-mathb10", is_unmapped=False) or {}
    assert (signs[ord("§")], signs[ord("r")]) == ("▶", "⌈")
    signs = encoding_named("TeX-matha8", is_unmapped=False) or {}
    assert "".join([signs[ord(letter)] for letter in "x|y"]) == "⟨|⟩"
    signs = encoding_named("TeX-mathx7", is_unmapped=False) or {}
    assert "".join([signs[ord(letter)] for letter in "ř´ÿ#˘"]) == "∑(∑{)"
    brackets = encoding_named("yhcmex10", is_unmapped=False) or {}
    assert "".join(map(brackets.__getitem__, map(ord, "ÅãñôÇ®≠ª»"))) == "()[]({⟨⟩√"
    integrals = encoding_named("esint10", is_unmapped=False) or {}
    assert (integrals[ord("´")], integrals[ord("¸")]) == ("∫", "∮")
    signs = encoding_named("MathematicalPi-One", is_unmapped=False) or {}
    assert (signs[ord("5")], signs[ord("u")]) == ("=", "θ")
    signs = encoding_named("txsyc", is_unmapped=True) or {}
    assert [signs[ord(code)] for code in "B,<^"] == ["≔", "≠", "∉", "◇"]
    brackets = encoding_named("MathematicalPi-Three", is_unmapped=False) or {}
    assert (brackets[ord("s")], brackets[ord("Ï")]) == ("(", "√")


def test_a_bitmap_font_is_known_by_the_codes_that_are_used() -> None:
    for used, encoding in (
        ("\0\2", OMS),
        ("!)2;EV[fgk", OMS),
        (":;=EPabcdx", OML),
        ("\0;DFghmnxyz", OML),
        ("\2\x0f2CF", OMS),
        ("0@", OMX),
        ("\1\2\4", ESINT),
        ("\2\x10Hpq\xd1", MATHABX),
        ("\2\x10pqn", NAMELESS),
        ("\1\2a", NAMELESS),
        ("()+012:=", NAMELESS),
        ("Definot!,.", NAMELESS),
        ("ikn", NAMELESS),
        ("Éa", NAMELESS),
        ("\x88¿", COMPANION),
        ("*\x88", COMPANION),
        ("\x88ªº", COMPANION),
        ("é", NAMELESS),
        ("aeiouàéêô", NAMELESS),
        ("Òåîðåìà f", CYRILLIC),
        (f"{string.ascii_letters}àâçèéêëîïôùûüÿÀÉÇ", NAMELESS),
        ("().`abcdeghilmnpqtxz", OLD_HEBREW),
        ("`Tabcdeghilmn", NAMELESS),
        ("`()x", NAMELESS),
        ('\f"\\aeinost', OT1),
        ('"\\aeinost', NAMELESS),
        (string.ascii_letters + "".join(map(chr, range(0xE0, 0xFF))), CYRILLIC),
    ):
        assert encoding_used(map(ord, used)) is encoding, used


def test_relations_of_polish_fonts_are_among_the_symbols() -> None:
    assert OMS[0xAC] + OMS[0xAD] == "⩽⩾"


def test_quotation_marks_and_dashes_are_at_the_codes_of_ot1() -> None:
    assert "".join(OT1[ord(char)] for char in '\\"{|\f') == "“”–—fi"


def test_hebrew_letters_are_at_the_codes_of_small_latin_ones() -> None:
    assert "".join(OLD_HEBREW[ord(char)] for char in "yly`az") == "שלשאבת"


def test_cyrillic_letters_are_at_the_codes_of_accented_ones() -> None:
    read = "".join(CYRILLIC[ord(char)] for char in "Ëåììà¼\x13\x14")
    assert read == "Леммаё«»"


def test_signs_of_mathabx_in_bitmap_fonts_are_at_the_codes_of_their_names() -> None:
    assert "".join(MATHABX[code] for code in (2, 16, 0x50, 0x70, 0xD1)) == "×=∈(→"


def test_letters_of_european_languages_are_at_the_codes_of_t1() -> None:
    assert "".join(NAMELESS[code] for code in (255, 170, 0xA7, 215)) == "ßłğŒ"


def test_a_font_without_a_name_has_the_ligatures_of_two_encodings() -> None:
    signs = {3: "Λ", 11: "ff", 15: "ffl", 21: "–", 28: "fi"}
    assert signs.items() <= NAMELESS.items()
    assert ord("f") not in NAMELESS


def test_two_signs_that_are_drawn_over_each_other_are_one_relation() -> None:
    for signs, x, y, relation in (
        ("∼=", 0.0, 3.5, "≅"),
        ("−→", 6.5, 0.0, "⟶"),
        ("−−", 6.5, 0.0, "−"),
        ("=⇒", 6.5, 0.0, "⟹"),
        ("⇒=", -6.5, 0.0, "⟹"),
        ("˓→", 6.5, 0.0, "↪"),
        ("7→", 0.0, 0.0, "↦"),
        ("-d", -2.5, 3.5, "đ"),
        ("−→", 9.0, 0.0, ""),
        ("∼=", 0.0, 12.0, ""),
        ("<=", 6.5, 0.0, ""),
    ):
        first, second = [*signs]

        before = Glyph(first, 0.0, 8.0, 0.0, 10.0, 0, False)
        glyph = Glyph(second, x, x + 8, y, 10.0, 0, False)
        assert join_relation(before, glyph) is (relation != ""), signs
        assert before.text == (relation or first)
        assert before.x0 == (min(0.0, x) if relation else 0.0)


def test_a_closing_quotation_mark_that_is_lowered_before_a_glyph_is_a_low_one() -> None:
    for text, y, x, size, low in (
        ("”", 105.9, 5.0, 10.0, "„"),
        ("’", 105.9, 4.6, 10.0, "‚"),
        ("”", 100.0, 5.0, 10.0, "”"),
        ("”", 105.9, 9.0, 10.0, "”"),
        # the mark of a note
        ("”", 104.5, 5.0, 7.0, "”"),
    ):
        mark = Glyph(text, 0.0, 5.0, y, 10.0, 0, False)
        raise_low_quote(mark, Glyph("o", x, x + 5, 100.0, size, 0, False))
        assert mark.text == low
        assert mark.y == (y if low == text else 100.0)


def test_the_pieces_of_a_tall_bar_are_one_sign() -> None:
    bars: list[Glyph] = []
    for x, y in ((50, 97), (50, 103), (60, 97), (50, 150)):
        piece = Glyph("|", x, x + 3, y, 10, 0, False, height=6)
        join_bracket_pieces(bars, piece)
        bars.append(piece)
    places = [(bar.x0, bar.y, bar.height) for bar in bars]
    assert places == [(50, 100, 12), (60, 97, 6), (50, 150, 6)]


def test_the_pieces_of_a_tall_brace_are_one_sign() -> None:
    signs: list[Glyph] = []
    for text, y in (("⎧", 0), ("⎩", 24), ("⎪", 6), ("⎪", 18), ("⎨", 12)):
        piece = Glyph(text, 50, 53, y, 10, 0, False, height=6)
        join_bracket_pieces(signs, piece)
        signs.append(piece)
    assert [(sign.text, sign.y, sign.height) for sign in signs] == [("{", 12, 30)]
