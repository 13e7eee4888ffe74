"""ingest/pdf/ligatures.py: ligatures to which a file gives no letters."""

from ingest.pdf.ligatures import UNMAPPED, spell_ligatures
from ingest.pdf.model import UNKNOWN, Glyph, text_of
from tests.ingest.layout.glyphs import glyphs

PRIVATE = "\U000f003d"


def spelled(text: str) -> str:
    drawn = glyphs(text)
    spell_ligatures(drawn, frozenset({(0, PRIVATE)}), {})
    return text_of(drawn)


def test_a_private_code_is_the_ligature_that_completes_most_words() -> None:
    for text, expected in (
        (f"systema{PRIVATE}cs", "systematics"),
        (f"plo{PRIVATE}ng", "plotting"),
        (f"Manha{PRIVATE}an", "Manhattan"),
        (f"o{PRIVATE}en", "often"),
        (f"x{PRIVATE}y", f"x{UNKNOWN}y"),
        (f"{PRIVATE}+1", f"{UNKNOWN}+1"),
        (f"qzw{PRIVATE}rrk", f"qzw{UNKNOWN}rrk"),
    ):
        assert spelled(text) == expected


def test_a_letter_of_another_script_between_latin_ones_is_a_ligature() -> None:
    private = frozenset({(0, "\u099e"), (0, "\x82"), (0, "Ĵ"), (0, "ĵ"), (0, "ŭ")})
    for text, expected in (
        ("ques\u099eon", "question"),
        ("a\x82ribute", "attribute"),
        ("laĴice", "lattice"),
        ("ĵaŭdo", "ĵaŭdo"),
        ("กข\u099e", "กข\u099e"),
        ("x\u099ey", "x\u099ey"),
    ):
        drawn = glyphs(text)
        spell_ligatures(drawn, private, {})
        assert text_of(drawn) == expected


def test_ligatures_without_any_code_are_spelled_word_by_word() -> None:
    text = "\0rst,\0le,con\0ict,\0nd,\0ag,speci\0c,Gra\0gny"
    drawn = glyphs(text)
    spell_ligatures(drawn, frozenset({(0, UNMAPPED)}), {})
    assert text_of(drawn) == "first,file,conflict,find,flag,specific,Grafigny"

    bullet = glyphs("\0,f")
    spell_ligatures(bullet, frozenset({(0, UNMAPPED)}), {})
    assert text_of(bullet) == f"{UNKNOWN},f"


def test_a_ligature_of_a_rare_word_is_known_from_pages_before_or_from_its_page() -> (
    None
):
    rare, other = f"vectoriza{PRIVATE}on", "\U000f003e"
    known: dict[tuple[int, str], str] = {}
    for text, expected in (
        (rare, f"vectoriza{UNKNOWN}on"),
        (f"{rare},ques{PRIVATE}on,men{PRIVATE}on", "vectorization,question,mention"),
        (rare, "vectorization"),
        (f"{rare},vectoriza{other}on", "vectorization,vectorization"),
    ):
        drawn = glyphs(text)
        spell_ligatures(drawn, frozenset({(0, PRIVATE), (0, other)}), known)
        assert text_of(drawn) == expected


def test_words_are_parted_by_white_space() -> None:
    drawn = glyphs(f"sta{PRIVATE}s{PRIVATE}cs{PRIVATE}me")
    drawn[8].parted = True
    spell_ligatures(drawn, frozenset({(0, PRIVATE)}), {})
    assert text_of(drawn) == "statisticstime"


def test_letters_at_the_numbers_of_ligatures_are_spelled_inside_words() -> None:
    for text, expected in (("relaƟes", "relaties"), ("Ɵ", "Ɵ")):
        drawn: list[Glyph] = glyphs(text)
        spell_ligatures(drawn, frozenset(), {})
        assert text_of(drawn) == expected
