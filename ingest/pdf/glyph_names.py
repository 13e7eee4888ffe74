"""Unicode maps of fonts, completed and corrected from the names of their glyphs.

Some programs write maps without a glyph such as "one.oldstyle" or "a.sc", or maps in which "Sigma" is an arrow,
though the encoding of the font names the glyph; Macs map the large signs of TeX to letters, and leave out ligatures.
PowerPoint maps sums and arrows to their glyph numbers. Distiller maps a letter whose glyph has no character in the font
to a private code, though the glyphs beside it are its neighbours in the alphabet, and leaves out letters of formulas.
Printer drivers write no map for fonts of Windows, whose glyphs are numbered in a known order.
"""

import contextlib
import functools
import io
import itertools
import re
import string
import unicodedata
from collections.abc import Collection, Mapping, Set

import pikepdf
from fontTools import agl
from fontTools.ttLib import TTFont
from fontTools.ttLib.standardGlyphOrder import standardGlyphOrder
from pdfminer.cmapdb import CMapParser, FileUnicodeMap

from ingest.pdf.model import UNKNOWN
from ingest.pdf.private_signs import SYMBOL_SIGNS
from ingest.pdf.tex import LARGE, MATHTIME, encoding_named, encoding_used

_BITMAP = re.compile(r"a\d+")
"""Name that pdfTeX and dvips give to a glyph."""
_DIGITS = string.digits + string.ascii_uppercase
"""Digits of the names that Ghostscript gives to glyphs without one."""
_NUMBERED = re.compile("[A-H][0-9A-Z]")
"""Name that dvips or Ghostscript gives to a glyph by its code."""
PRIVATE = 0xF0000
"""First private code to which macOS maps glyphs without a character."""
SPACE_CODE = 3
"""Number of the space among the glyphs of Windows fonts."""

_ARABIC_POINTS = frozenset("\u064b\u064c\u064d\u064e\u064f\u0650\u0651\u0652")
"""Arabic signs for vowels and the like."""

_WINDOWS_LETTERS = range(0xE0, 0x100)
"""Codes of small letters with accents in Windows and Latin-1, where Macintosh has capitals and signs."""
_MACINTOSH_LETTERS = range(0x80, 0xA0)
"""Codes of letters with accents on a Macintosh, where Windows has other signs."""
_LATIN_1 = range(0xA0, 0x100)
"""Codes at which Windows and Latin-1 have the characters of Unicode."""
MIN_LETTERS = 2
"""Minimum number of codes of letters in Windows that tell its encoding."""
MAX_ASCII = 127
"""Greatest code of ASCII."""

MAX_CODE = 255
"""Greatest character code of fonts with an encoding that names glyphs."""

_SIZE = re.compile(r"(?:text|display|[bB]igg?)$")
"""End of the name of a sign that TeX has in several sizes, as in "summationdisplay"."""

_BRACKETS = frozenset("()[]{}|")
"""Brackets and bars."""

_OF_TEX = {
    "lscript": "ℓ",
    "prime": "′",
    "floorleft": "⌊",
    "floorright": "⌋",
    "ceilingleft": "⌈",
    "ceilingright": "⌉",
    "angbracketleft": "⟨",
    "angbracketright": "⟩",
    "angleleft": "⟨",
    "angleright": "⟩",
    "circleR": "®",
    "Delta": "Δ",
    "Omega": "Ω",
    "mu": "μ",
    "epsilon1": "ϵ",
    "rho1": "ϱ",
    "planckover2pi1": "ℏ",
    "bardbl": "‖",
    "latticetop": "⊤",
    "mapsto": "↦",
    "negationslash": "\u0338",
    "lessorequalslant": "⩽",
    "greaterorequalslant": "⩾",
    "xlessequal": "⩽",
    "xgreaterequal": "⩾",
    "square": "□",
    "trianglerightsld": "▶",
    "vextendsingle": "|",
    "vextenddouble": "‖",
    "hatwide": "ˆ",
    "tildewide": "˜",
    "lessmuch": "≪",
    "greatermuch": "≫",
    "lessorsimilar": "≲",
    "greaterorsimilar": "≳",
    "similarequal": "≃",
    "equivasymptotic": "≍",
    "owner": "∋",
    "Circle": "○",
    "CIRCLE": "●",
    "Box": "□",
    "Diamond": "◇",
    # upright capitals of MathTime
    "Gamma1": "Γ",
    "Delta1": "Δ",
    "Theta1": "Θ",
    "Lambda1": "Λ",
    "Xi1": "Ξ",
    "Pi1": "Π",
    "Sigma1": "Σ",
    "Phi1": "Φ",
    "Psi1": "Ψ",
    "Omega1": "Ω",
}
"""Names in mathematical fonts that Adobe's list lacks, or has for a sign of the same shape."""

_NAMED = re.compile(rb"dup (\d+) ?/([\w.]+) put")
"""Entry of the encoding in the program of a Type 1 font."""

_NO_TEXT = "\0\ufffd\ufffe\uffff"
"""Characters of the entries of a map that say nothing."""

_STANDARD = [
    name for name in standardGlyphOrder if name not in ("nonbreakingspace", "apple")
]
"""Names of the first glyphs of Windows fonts, in their order."""
_ALPHABETS = {570: (ord("А"), 64), 672: (ord("א"), 27), 154: (ord("א"), 27)}
"""First letter of alphabets that follow in the order of Unicode, and their numbers of letters, by the first glyph."""
_ORDERED = {
    "Arial": (len(_STANDARD), 570, 672),
    "TimesNewRoman": (len(_STANDARD), 570, 672),
    "CourierNew": (len(_STANDARD), 672),
    "Tahoma": (len(_STANDARD), 672),
    "David": (98, 154),
}
"""Number of the standard glyphs with which a family of fonts begins, and the first glyphs of its alphabets."""

_LETTERS = string.ascii_uppercase + string.ascii_lowercase
"""Latin letters in the order of Cambria Math."""

_GREEK = "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡϴΣΤΥΦΧΨΩ∇αβγδεζηθικλμνξοπρσςτυφχψω∂ϵϑϰϕϱϖ"
"""Greek letters and their variants in the order of Cambria Math."""

_UPRIGHT_GREEK = "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩαβγδεζηθικλμνξοπρσςτυφχψω"
"""Greek letters without variants in the order of Cambria Math."""

_OF_CAMBRIA = {
    0x3C3: "∑",
    0x4A7: "\u0305",
    0x526: "\u20d7",
    0x5EC: "∫",
    0x723: _LETTERS,
    0x7BF: _GREEK,
    0x86D: _LETTERS,  # in bold
    0xAD9: "0123456789",
    0xB34: "0123456789+−=",  # smaller signs, for exponents
    0xB45: _LETTERS,
    0xB79: _UPRIGHT_GREEK,
    0xBBA: _LETTERS + _GREEK,
    0xC2C: "0123456789+−=",  # and smaller ones
    0xC3D: _LETTERS,
    0xC71: _UPRIGHT_GREEK,
    0xCB2: _LETTERS + _GREEK,
    0xD24: "\u0305\u0305",
    0xD45: "+−±×",
    0xD4C: "=",
    0xD4F: "<>≤≥",
    0xD57: "/",
    0xD5B: "{{{{}}}}[[[[]]]](((())))",
    0xDA5: "√√√",
    0xDB1: "∫",
    0xDCC: "∑∑∑∑∏∏∏∏",
    0xDDC: "\u0302" * 8,
    0xDE8: "\u0303",
    0xE2B: "|",
    0x11F1: "′′",
    0x1218: "\u0302",
    0x1236: "\u0307\u0308",
    0x123A: "(){}[]()[]{}()[]{}()[]{}",
}
"""Signs and letters of Cambria Math by the number of the first of their glyphs; Office and printer drivers map them to
these numbers."""


def with_glyph_names(content: bytes) -> bytes:
    """Add the glyphs that the encodings of its fonts name to the Unicode maps of a PDF, and private codes for others.

    The names of Greek letters and symbols also replace the entries of a map that contradicts most of them, in an
    embedded Type 1 font, whose glyphs are found by their names.

    Returns:
        The changed file, or `content` if there is nothing to add.

    Reference:
        Adobe, Glyph List Specification: the part of a name before its first full stop names the character.
    """
    # qpdf raises many kinds on a damaged or encrypted file, which is read unchanged
    with contextlib.suppress(Exception), pikepdf.open(io.BytesIO(content)) as pdf:
        is_changed = False
        for item in pdf.objects:
            with contextlib.suppress(Exception):  # the font is damaged
                is_changed |= _complete(pdf, item)
        if is_changed:
            written = io.BytesIO()
            pdf.save(written)
            return written.getvalue()
    return content


def _complete(pdf: pikepdf.Pdf, font: pikepdf.Object) -> bool:
    """Complete the map of an object that is a font, and return whether it has changed."""
    if not isinstance(font, pikepdf.Dictionary) or font.get("/Type") != "/Font":
        return False
    cmap = font.get("/ToUnicode")
    entries: dict[int, str] = {}
    if isinstance(cmap, pikepdf.Stream):
        entries = _read_map(cmap.read_bytes())
    mapped = {code: text for code, text in entries.items() if text.strip(_NO_TEXT)}

    is_numbered = font.get("/Encoding") == "/Identity-H"
    if is_numbered:
        found, n_digits = _numbered_glyphs(font, mapped) | _lost_letters(entries), 4
        found |= _misread_by_word(entries)
        if _is_cambria(font):
            found |= _glyphs_of_cambria(mapped)
    else:
        lost = entries.keys() - mapped.keys()
        found, n_digits = _named_glyphs(font, mapped, lost), 2
    if is_numbered or font.get("/Subtype") != "/Type0":
        found |= _reversed_ligatures(mapped | found)
    if found:
        font.ToUnicode = pdf.make_stream(_write_map(mapped | found, n_digits))
    return bool(found)


def _named_glyphs(
    font: pikepdf.Dictionary, mapped: dict[int, str], lost: Set[int]
) -> dict[int, str]:
    """Return the characters of glyphs that the encoding of a font names and its map lacks, or has wrong.

    Args:
        mapped: the characters in its map by code.
        lost: the codes that its map gives no text.
    """
    encoding = font.get("/Encoding")
    if encoding is None:
        return _glyphs_without_encoding(font, mapped, lost)
    if not isinstance(encoding, pikepdf.Dictionary):
        return {}
    differences = encoding.get("/Differences")
    if not isinstance(differences, pikepdf.Array):
        return {}

    names = _names_by_code(differences)
    if numbered := _numbered_characters(names):
        # Ghostscript maps a glyph with the name "CR" to the character of this name
        return numbered
    if names and _are_characters(names):
        return _characters_of_codes(names)
    characters = _characters_of(names, font)
    wrong = _wrong_codes(characters, mapped) if _is_found_by_name(font) else set()
    added = characters.keys() - (mapped.keys() - wrong)
    return {code: characters[code] for code in added}


def _glyphs_without_encoding(
    font: pikepdf.Dictionary, mapped: Mapping[int, str], lost: Set[int]
) -> dict[int, str]:
    """Return the characters of glyphs in a font whose program alone encodes them; the arguments are as above."""
    has_map = "/ToUnicode" in font
    if font.get("/Subtype") == "/TrueType":
        if has_map:
            return _glyphs_without_character(font, mapped)
        return _letters_of_windows(font)
    if not has_map:
        return _unusual_glyphs(font)
    characters = _characters(_names_in_program(font)) if lost else {}
    return {code: characters[code] for code in characters.keys() & lost}


def _characters_of(
    names: Mapping[int, str], font: pikepdf.Dictionary
) -> dict[int, str]:
    """Return the characters of the glyphs with certain names; of a font without a map, those that PDFium lacks."""
    if isinstance(font.get("/ToUnicode"), pikepdf.Stream):
        return _characters(names)
    if font.get("/Subtype") == "/Type3":
        return _bitmap_characters(names)
    # PDFium does not know names of ligatures such as "f_i", and few of TeX
    unknown = {
        code: name
        for code, name in names.items()
        if "_" in name or not agl.toUnicode(name)
    }
    return _characters(unknown)


def _unusual_glyphs(font: pikepdf.Dictionary) -> dict[int, str]:
    """Return the characters of glyphs whose names Adobe's list lacks, in a Type 1 font with an encoding of its own.

    Those of MathTime are known by their codes.
    """
    base_font = _name_of(font)
    if encoding_named(base_font, is_unmapped=True) is not None:
        return {}
    names = _names_in_program(font)
    for pattern, encoding in MATHTIME.items():
        if pattern.match(base_font):
            return {code: encoding[code] for code in names if code in encoding}
    return _characters(
        {code: name for code, name in names.items() if not agl.toUnicode(name)}
    )


def _names_in_program(font: pikepdf.Dictionary) -> dict[int, str]:
    """Return the names of glyphs by code in the encoding of an embedded Type 1 font."""
    program = font.get("/FontDescriptor", pikepdf.Dictionary()).get("/FontFile")
    if program is None:
        return {}
    named = _NAMED.findall(program.read_bytes())
    return {int(code): name.decode() for code, name in named}


def _letters_of_windows(font: pikepdf.Dictionary) -> dict[int, str]:
    """Return the letters with accents at their codes in Windows, which PDFium takes for those of Macintosh.

    A font without encoding and map uses several codes of such letters in Windows, and none of those of Macintosh.
    """
    used = _codes_with_width(font)
    n_letters = sum(code in _WINDOWS_LETTERS for code in used)
    if n_letters < MIN_LETTERS or any(code in _MACINTOSH_LETTERS for code in used):
        return {}
    return {code: chr(code) for code in used if code in _LATIN_1}


def _codes_with_width(font: pikepdf.Dictionary) -> list[int]:
    """Return the codes whose glyphs have a width in a font."""
    widths = font.get("/Widths")
    if not isinstance(widths, pikepdf.Array):
        return []
    numbered = enumerate(widths, int(font.get("/FirstChar", 0)))
    return [code for code, width in numbered if width and 0 <= code <= MAX_CODE]


def _glyphs_without_character(
    font: pikepdf.Dictionary, mapped: Mapping[int, str]
) -> dict[int, str]:
    """Return private characters for the codes of a font that its map lacks, where macOS has numbered its glyphs.

    PDFium would return the codes themselves.
    """
    n_renumbered = sum(text != chr(code) for code, text in mapped.items())
    if 2 * n_renumbered <= len(mapped):
        return {}
    unmapped = [code for code in _codes_with_width(font) if code not in mapped]
    return {code: chr(PRIVATE + code) for code in unmapped}


def _lost_letters(entries: Mapping[int, str]) -> dict[int, str]:
    """Return the letters of glyphs that are mapped to none, between glyphs numbered in the order of the alphabet.

    PDFium returns the code of a glyph that is not mapped.
    """
    letters = {
        code: ord(text)
        for code, text in sorted(entries.items())
        if len(text) == 1 and text.isalpha() and not _is_lost(text)
    }

    found = {}
    for before, after in itertools.pairwise(letters):
        step = letters[before] - before
        if step != letters[after] - after:
            continue
        for code in range(before + 1, after):
            letter = chr(code + step)
            # a font of Latin letters lacks those that its text does not use
            is_absent = code not in entries
            is_hebrew = unicodedata.bidirectional(letter) == "R"
            is_lost = is_hebrew if is_absent else _is_lost(entries[code])
            if is_lost and letter.isalpha():
                found[code] = letter
    return found


def _misread_by_word(entries: Mapping[int, str]) -> dict[int, str]:
    """Return the characters of glyphs of Arabic text that Word maps to a part of the letters around them.

    These are ligatures of lam and alef that are mapped to lam alone, beside their other form, and the space.
    """
    found = {}
    if entries.get(SPACE_CODE) in _ARABIC_POINTS:
        found[SPACE_CODE] = " "
    for code, text in entries.items():
        beside = entries.get(code - 1), entries.get(code + 1)
        if code > MAX_CODE and text == "ل" and "لا" in beside:
            found[code] = "لا"
    return found


def _reversed_ligatures(mapped: Mapping[int, str]) -> dict[int, str]:
    """Return the letters of Arabic ligatures from the last to the first, which PDFium reverses."""
    return {
        code: text[::-1]
        for code, text in mapped.items()
        if len(text) > 1
        and all(unicodedata.bidirectional(char) == "AL" for char in text)
    }


def _is_cambria(font: pikepdf.Dictionary) -> bool:
    """Return whether a font is Cambria or Cambria Math, which have the same glyphs.

    Microsoft Print to PDF names fonts by numbers; the name is in the program of the font.
    """
    if "/CIDFont+" not in str(font.BaseFont):
        return _name_of(font) in ("Cambria", "CambriaMath")
    descriptor = font.DescendantFonts[0].get("/FontDescriptor", pikepdf.Dictionary())
    program = descriptor.get("/FontFile2")
    if program is None:
        return False
    names = TTFont(io.BytesIO(program.read_bytes()), lazy=True).get("name")
    return names is not None and names.getBestFamilyName() in (
        "Cambria",
        "Cambria Math",
    )


def _glyphs_of_cambria(mapped: Mapping[int, str]) -> dict[int, str]:
    """Return the signs of glyphs of Cambria Math that are not mapped, or to the character with the glyph's number."""
    found = {}
    for first, signs in _OF_CAMBRIA.items():
        for code, sign in enumerate(signs, first):
            if mapped.get(code, chr(code)) == chr(code):
                found[code] = sign
    return found


def _numbered_glyphs(
    font: pikepdf.Dictionary, mapped: Mapping[int, str]
) -> dict[int, str]:
    """Return the characters of the glyphs that the map of a font lacks, if the order of glyphs in its family is known.

    A map that contradicts this order is that of a font whose glyphs are numbered anew.

    Reference:
        Apple, TrueType Reference Manual: the 'post' table, the standard order of glyphs.
    """
    base_font = _name_of(font)
    family, *_ = re.split("[,-]|PS|MT", base_font)
    is_true_type = font.DescendantFonts[0].Subtype == "/CIDFontType2"
    if family not in (*_ORDERED, "Symbol") or not is_true_type:
        return {}
    ordered = _ordered_characters(family)
    common = mapped.keys() & ordered.keys()
    n_alike = sum(mapped[code] == ordered[code] for code in common)
    if 2 * n_alike < len(common) or (mapped and not common):
        return {}
    return {code: text for code, text in ordered.items() if text and code not in mapped}


@functools.cache
def _ordered_characters(family: str) -> Mapping[int, str]:
    """Return the characters of the glyphs of a family of fonts by their numbers; "" if a name stands for none."""
    if family == "Symbol":
        return dict(
            enumerate(SYMBOL_SIGNS[0x20:0x7F] + SYMBOL_SIGNS[0xA1:0xF0], SPACE_CODE)
        )
    n_standard, *alphabets = _ORDERED[family]
    characters = {
        code: agl.toUnicode(name) for code, name in enumerate(_STANDARD[:n_standard])
    }
    for start in alphabets:
        first, n_letters = _ALPHABETS[start]
        for place in range(n_letters):
            characters[start + place] = chr(first + place)
    return characters


def _name_of(font: pikepdf.Dictionary) -> str:
    """Return the name of a font without the prefix of a subset."""
    return str(font.BaseFont).rpartition("+")[2].lstrip("/")


def _is_lost(text: str) -> bool:
    """Return whether a glyph is mapped to nothing, to a private code or to another letter.

    Microsoft Print to PDF maps the nun of David to a letter of Icelandic.
    """
    is_unknown = not text.strip(_NO_TEXT) or unicodedata.category(text[0]) == "Co"
    return is_unknown or text == "ð"


def _wrong_codes(named: dict[int, str], mapped: dict[int, str]) -> set[int]:
    """Return the codes of ligatures and spaces that are mapped to a sign, and of signs that are mapped to another one.

    If few of the signs are wrong, only those count that are mapped to ASCII. A map of all codes to themselves says
    nothing: its letters may be wrong too.
    """
    common = named.keys() & mapped.keys()
    wrong = {code for code in common if _plain(named[code]) != _plain(mapped[code])}
    if all(text == chr(code) for code, text in mapped.items()):
        return wrong

    shown = {code for code in wrong if _differ(named[code], mapped[code])}
    signs = set()
    for code in common:
        is_bracket = named[code] in _BRACKETS and mapped[code] not in _BRACKETS
        if is_bracket or _is_sign(named[code]):
            signs.add(code)
    wrong &= signs
    if len(wrong) > len(signs) / 2:
        return wrong | shown
    return {code for code in wrong if mapped[code].isascii()} | shown


def _plain(text: str) -> str:
    """Return the letters of a text, without the forms that they have as capitals or in ligatures."""
    return unicodedata.normalize("NFKC", text).casefold()


def _is_found_by_name(font: pikepdf.Dictionary) -> bool:
    """Return whether a font is an embedded Type 1 font, in which glyphs are found by their names."""
    descriptor = font.get("/FontDescriptor", pikepdf.Dictionary())
    is_embedded = "/FontFile" in descriptor or "/FontFile3" in descriptor
    return font.get("/Subtype") == "/Type1" and is_embedded


def _differ(named: str, mapped: str) -> bool:
    """Return whether a space or several letters, as those of one glyph such as "ffi", are mapped to a sign."""
    letters = unicodedata.normalize("NFKC", named)
    is_ligature = len(letters) > 1 and letters.isalpha()
    return (is_ligature or named == " ") and not (mapped[0].isalpha() or mapped == " ")


def _is_sign(text: str) -> bool:
    """Return whether a character is Greek or a symbol; fonts of other scripts use the names of Latin letters."""
    char = text.casefold()[0]
    return not char.isascii() and "LATIN" not in unicodedata.name(char, "LATIN")


def _names_by_code(differences: pikepdf.Array) -> dict[int, str]:
    """Return the names of the glyphs of an encoding by code."""
    names = {}
    code = 0
    for item in differences:
        if isinstance(item, pikepdf.Name):
            names[code] = bytes(item)[1:].decode("latin-1")
            code += 1
        else:
            code = int(item)
    return names


def _characters(names: Mapping[int, str]) -> dict[int, str]:
    """Return the characters that names of glyphs stand for, by code."""
    characters = {}
    for code, name in names.items():
        sign = _SIZE.sub("", name)
        text = _OF_TEX.get(sign) or agl.toUnicode(sign)
        if sign != name:
            text = text.translate(LARGE)
        if text and code <= MAX_CODE:
            characters[code] = text
    return characters


def _bitmap_characters(names: Mapping[int, str]) -> dict[int, str]:
    """Return the characters of a bitmap font of TeX, whose glyphs are named by their codes; none for other fonts."""
    codes = [
        code
        for code, name in names.items()
        if _BITMAP.fullmatch(name) or _named_number(name) == code
    ]
    return _characters_of_codes(codes)


def _characters_of_codes(codes: Collection[int]) -> dict[int, str]:
    """Return the characters of a bitmap font of TeX by the codes of its glyphs.

    A font without gaps from code 0 to beyond ASCII has the glyphs of several fonts, which Ghostscript numbers in the
    order in which they are drawn: they are unknown.
    """
    if len(codes) > MAX_ASCII and list(codes) == list(range(len(codes))):
        return dict.fromkeys(codes, UNKNOWN)
    encoding = encoding_used(codes)
    return {code: encoding.get(code, chr(code)) for code in codes}


def _are_characters(names: Mapping[int, str]) -> bool:
    """Return whether each glyph is named by the character of its code, signs too, which have other names in fonts."""
    in_ascii = {code: name for code, name in names.items() if 0 < code < MAX_ASCII}
    has_signs = any(not name.isalnum() for name in in_ascii.values())
    return has_signs and all(name == chr(code) for code, name in in_ascii.items())


def _numbered_characters(names: Mapping[int, str]) -> dict[int, str]:
    """Return the characters of a bitmap font whose glyphs are all named by numbers; none for other fonts.

    A number is the code that dvips has used: Distiller numbers the codes anew, and leaves the names.
    """
    numbers = {code: _named_number(name) for code, name in names.items()}
    if not all(0 <= number <= MAX_CODE for number in numbers.values()):
        return {}
    characters = _characters_of_codes(sorted(numbers.values()))
    return {code: characters[number] for code, number in numbers.items()}


def _named_number(name: str) -> int:
    """Return the number that is the name of a glyph of dvips: "A0", ..., "AZ", "B0" and so on; -1 for another name."""
    if not _NUMBERED.fullmatch(name):
        return -1
    return (ord(name[0]) - ord("A")) * len(_DIGITS) + _DIGITS.index(name[1])


def _read_map(cmap: bytes) -> dict[int, str]:
    """Parse a map of codes to characters."""
    parsed = FileUnicodeMap()
    CMapParser(parsed, io.BytesIO(cmap)).run()
    return parsed.cid2unichr


def _write_map(characters: Mapping[int, str], n_digits: int = 2) -> bytes:
    rows = "\n".join(
        f"<{code:0{n_digits}x}> <{text.encode('utf-16-be').hex()}>"
        for code, text in sorted(characters.items())
    )
    return (
        "/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n/CMapName /Named def\n/CMapType 2 def\n"
        f"1 begincodespacerange\n<{'0' * n_digits}> <{'f' * n_digits}>\nendcodespacerange\n"
        f"{len(characters)} beginbfchar\n{rows}\nendbfchar\nendcmap\nCMapName currentdict /CMap defineresource pop\n"
        "end\nend\n"
    ).encode("ascii")
