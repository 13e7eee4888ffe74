"""Signs of fonts that a file does not explain: of mathematical fonts by their names, of bitmap fonts without any.

Reference:
    Knuth, The TeXbook, appendix F; the LaTeX font encodings OML, OMS, OMX, OT1, T1 and TS1; the AMS fonts of amssymb;
    mathabx by Anthony Phan; Adobe's Mathematical Pi, the fonts of textbooks that are set without TeX.
"""

import functools
import re
from collections.abc import Callable, Iterable, Mapping, Set

from ingest.pdf.model import Glyph

_GREEK = "ΓΔΘΛΞΠΣΥΦΨΩ"
"""Greek capitals with which OML and OT1 begin."""

_CAPITALS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
"""Latin capitals."""


def _encoding(text: str) -> dict[int, str]:
    """Number the signs of a text from 0, without "_"."""
    return {code: sign for code, sign in enumerate(text.split()) if sign != "_"}


OML = _encoding(
    " ".join(_GREEK)
    + " α β γ δ ϵ ζ η θ ι κ λ μ ν ξ π ρ σ τ υ ϕ χ ψ ω ε ϑ ϖ ϱ ς φ ↼ ↽ ⇀ ⇁ ˓ ˒ ▹ ◃ 0 1 2 3 4 5 6 7 8 9 . , < / > ⋆ ∂ "
    + " ".join(_CAPITALS)
    + " ♭ ♮ ♯ ⌣ ⌢ ℓ "
    + " ".join(_CAPITALS.lower())
    + " ı ȷ ℘ \u20d7"
)
"""Mathematical italics: CMMI and its kin."""

OMS = _encoding(
    "− · × ∗ ÷ ⋄ ± ∓ ⊕ ⊖ ⊗ ⊘ ⊙ ◯ ∘ • ≍ ≡ ⊆ ⊇ ≤ ≥ ⪯ ⪰ ∼ ≈ ⊂ ⊃ ≪ ≫ ≺ ≻ ← → ↑ ↓ ↔ ↗ ↘ ≃ ⇐ ⇒ ⇑ ⇓ ⇔ ↖ ↙ ∝ ′ ∞ ∈ ∋ △ ▽ ̸ ↦ "
    "∀ ∃ ¬ ∅ ℜ ℑ ⊤ ⊥ ℵ "
    + " ".join(_CAPITALS)
    + " ∪ ∩ ⊎ ∧ ∨ ⊢ ⊣ ⌊ ⌋ ⌈ ⌉ { } ⟨ ⟩ | ‖ ↕ ⇕ \\ ≀ √ ⨿ ∇ ∫ ⊔ ⊓ ⊑ ⊒ § † ‡ ¶ ♣ ♢ ♡ ♠"
) | {172: "⩽", 173: "⩾"}
"""Mathematical symbols: CMSY and its kin, with the relations of Polish fonts."""

_DOUBLE_BRACKETS = {130: "⟦", 131: "⟧"}
"""Brackets of other fonts of symbols and italics."""

FOURIER = OMS | _DOUBLE_BRACKETS
"""Symbols of Fourier, with brackets that CMSY lacks."""

LUCIDA = OML | _DOUBLE_BRACKETS | {241: "▶"}
"""Italics of Lucida, with the same brackets."""

OMX = _encoding(
    "( ) [ ] ⌊ ⌋ ⌈ ⌉ { } ⟨ ⟩ | ‖ / \\ ( ) ( ) [ ] ⌊ ⌋ ⌈ ⌉ { } ⟨ ⟩ / \\ ( ) [ ] ⌊ ⌋ ⌈ ⌉ { } ⟨ ⟩ / \\ / \\ "
    "⎛ ⎞ ⎡ ⎤ ⎣ ⎦ ⎢ ⎥ ⎧ ⎫ ⎩ ⎭ ⎨ ⎬ ⎪ ⏐ ⎝ ⎠ ⎜ ⎟ ⟨ ⟩ ⊔ ⊔ ∮ ∮ ⊙ ⊙ ⊕ ⊕ ⊗ ⊗ ∑ ∏ ∫ ⋃ ⋂ ⊎ ⋀ ⋁ ∑ ∏ ∫ ⋃ ⋂ ⊎ ⋀ ⋁ ∐ ∐ ˆ ˆ ˆ ˜ ˜ ˜ "
    "[ ] ⌊ ⌋ ⌈ ⌉ { } √ √ √ √ √ √ √ ‖ ↑ ↓ _ _ _ _ ⇑ ⇓"
)
OMX |= dict.fromkeys(range(122, 126), "")
OMX |= {code + 161: OMX[code] for code in range(10)}
OMX |= {code + 163: OMX[code] for code in range(10, 33)}
OMX |= {code + 125: OMX[code] for code in range(80, 98)}
"""Large signs: CMEX and its kin; the pieces of braces below and above a formula are no text. Fonts of Type 1 repeat the
first 33 signs from 161 on. newtx, in which papers of the ACM are set, has operators of its own 125 codes above."""

MSA = _encoding(
    "⊡ ⊞ ⊠ □ ■ · ◊ ⧫ ↻ ↺ ⇌ ⇋ ⊟ ⊩ ⊪ ⊨ ↠ ↞ ⇇ ⇉ ⇈ ⇊ ↾ ⇂ ↿ ⇃ ↣ ↢ ⇆ ⇄ ↰ ↱ ⇝ ↭ ↫ ↬ ≗ ≿ ≳ ⪆ ⊸ ∴ ∵ ≑ ≜ ≾ ≲ ⪅ "
    "⪕ ⪖ ⋞ ⋟ ≼ ≦ ⩽ ≶ ‵ _ ≓ ≒ ≽ ≧ ⩾ ≷ ⊏ ⊐ ⊳ ⊲ ⊵ ⊴ ★ ≬ ▼ ▶ ◀ _ _ △ ▲ ▽ ≖ ⋚ ⋛ ⪋ ⪌ ¥ ⇛ ⇚ ✓ ⊻ ⊼ ⩞ ∠ ∡ ∢ ∝ "
    "⌣ ⌢ ⋐ ⋑ ⋓ ⋒ ⋏ ⋎ ⋋ ⋌ ⫅ ⫆ ≏ ≎ ⋘ ⋙ ⌜ ⌝ ® Ⓢ ⋔ ∔ ∽ ⋍ ⌞ ⌟ ✠ ∁ ⊺ ⊚ ⊛ ⊝"
)
"""Symbols of the AMS: MSAM and its kin."""

MSB = _encoding(
    "≨ ≩ ≰ ≱ ≮ ≯ ⊀ ⊁ ≨ ≩ ≰ ≱ ⪇ ⪈ ⋠ ⋡ ⋨ ⋩ ⋦ ⋧ ≰ ≱ ⪵ ⪶ ⪹ ⪺ ⪉ ⪊ ≁ ≇ ╱ ╲ ⊊ ⊋ ⊈ ⊉ ⫋ ⫌ ⫋ ⫌ ⊊ ⊋ ⊈ ⊉ ∦ ∤ ∤ ∦ "
    "⊬ ⊮ ⊭ ⊯ ⋭ ⋬ ⋪ ⋫ ↚ ↛ ⇍ ⇏ ⇎ ↮ ⋇ ∅ ∄ "
    + " ".join(_CAPITALS)
    + " ˆ ˆ ˜ ˜ _ Ⅎ ⅁ _ _ _ _ ℧ ð ≂ ℶ ℷ ℸ ⋖ ⋗ ⋉ ⋊ ∣ ∥ ∖ ∼ ≈ ≊ ⪸ ⪷ ↶ ↷ ϝ ϰ k ℏ ℏ ϶"
)
"""Symbols of the AMS: MSBM and its kin."""

STMARY = dict(zip(map(ord, "JKLM"), "⟦⟧⦇⦈", strict=True))
"""Brackets of stmaryrd; its other signs are rare."""

_LIGATURES = ("ff", "fi", "fl", "ffi", "ffl")
"""Ligatures in the order of OT1 and T1."""

NAMELESS = (
    dict(enumerate(_GREEK))
    | dict(enumerate(_LIGATURES, 11))
    | dict(enumerate("“”„«»–—", 16))
    | dict(enumerate(_LIGATURES, 27))
    | dict(enumerate("ĂĄĆČĎĚĘĞĹĽŁŃŇŊŐŔŘŚŠŞŤŢŰŮŸŹŽŻĲİđ§", 128))
    | dict(enumerate("ăąćčďěęğĺľłńňŋőŕřśšşťţűůÿźžżĳ¡¿£", 160))
    | {215: "Œ", 223: "SS", 247: "œ", 255: "ß"}
)
"""Text in bitmap fonts: Greek letters and ligatures of OT1, then quotes, dashes, ligatures and letters of T1; other
codes are those of Latin-1."""

CYRILLIC = (
    NAMELESS
    | dict(enumerate(map(chr, range(ord("А"), ord("я") + 1)), 192))
    | {0x9C: "Ё", 0x9D: "№", 0xBC: "ё", 0xBE: "«", 0xBF: "»"}
)
"""Text in bitmap fonts with Cyrillic letters (T2A), where T1 has the accented letters."""

OT1 = NAMELESS | dict(zip(map(ord, '"\\{|<>'), "”“–—¡¿", strict=True))
"""Text in bitmap fonts whose ligatures are those of OT1, with its quotation marks and dashes."""

OLD_HEBREW = NAMELESS | dict(enumerate("אבגדהוזחטיךכלםמןנסעףפץצקרשת", ord("`")))
"""Text in the bitmap fonts of the older Hebrew LaTeX, whose letters are at the codes of small Latin ones."""

MIN_OLD_HEBREW = 8
"""Minimum number of letters of such a font; none is a capital."""

MAX_ACCENTED = 3
"""Maximum number of accented letters in a font with hardly any plain ones."""

MAX_LATIN_ACCENTED = 20
"""Maximum number of accented letters in a font of any Latin text."""

COMPANION = {ord(sign): sign for sign in "*¢£¥§©ª¬®°±²³µ¶·¹º¼½¾"} | dict(
    zip([132, 133, 136, 151, 187, 191], "†‡•™√€", strict=True)
)
"""Signs of the companion of text fonts (TS1), which has no letters."""

_INTEGRALS = "∫∫∬∬∭∭⨌⨌"
"""Integrals of esint, each in text and in a display."""

ESINT = dict(enumerate(_INTEGRALS, 1))
"""Integrals of esint by their codes."""

ESINT_NAMED = dict(zip(map(ord, "´ˆ˜¨˝˚ˇ˘¯˙¸˛"), f"{_INTEGRALS}∫∫∮∮", strict=True))
"""The same and two more, by the accents of T1 whose names the glyphs bear."""

_OF_T1 = '`´ˆ˜¨˝˚˘¯˙¸‚‹›“”„«»–—!"$%(189@ABDEHJKPQRSXYZ^_abdpqrstuz{ĂĄĆČĎĚĘĞĹĽŹăąćčďěęğÀÁÐÑØÝÞðñô:xy|}'
_OF_MATHABX = (
    "+−×÷·∘∗±∓⋉⋊•⋆⋆"
    "=≡∼≈≃≅≍"
    "≪≫⊢⊣⊨′∞∝∀∁∂∃∄∅⊤⊥∈∋∉∌∩∪⊎∧∨⊖⊗⊙()[]{}\\/"
    "⊂⊃⊄⊅⊆⊇⊈⊉⊊⊋▷<>≮≯≤≥≰≱≲≳←→↔−↦⇐⇒⇔"
    "†⟨⟩|‖"
)
MATHABX_NAMED = dict(zip(map(ord, _OF_T1), _OF_MATHABX, strict=True))
"""Signs of mathabx, by the letters of T1 whose names the glyphs bear."""

MATHABX_LARGE = dict(
    zip(
        map(ord, '`´ˆ˜¨˝˚˘¯˙¸˛‚‹!"#()*acdřÿˇ'),
        "((((((()))))))" + "{{{}}}√√√∑∑|",
        strict=True,
    )
)
"""Large signs of mathabx, by the letters of T1 whose names the glyphs bear; its other ones are rare."""

_T1 = (
    dict(enumerate("`´ˆ˜¨˝˚ˇ˘¯˙¸˛‚‹›“”„«»–—"))
    | {code: chr(code) for code in range(ord(" "), 256)}
    | {code: NAMELESS[code] for code in range(128, 189)}
)
"""Signs and letters of T1."""
MATHABX_OTHERS = dict(zip(map(ord, "67rstu§"), "∴∵⌈⌉⌊⌋▶", strict=True))
"""Other signs of mathabx, by the letters of T1 whose names the glyphs bear."""
MATHABX = {
    code: MATHABX_NAMED[ord(letter)]
    for code, letter in _T1.items()
    if ord(letter) in MATHABX_NAMED
}
"""The same by their codes, in bitmap fonts."""

PI_ONE = dict(
    zip(map(ord, "123456#$,.abdeglmpstu"), "+−×÷=±≤≥<>αβδεγλμπστθ", strict=True)
)
"""Signs and Greek letters of Mathematical Pi."""

PI_THREE = dict(zip(map(ord, "sdfghju123456yÏ"), "()[]{}|()[]{}/√", strict=True))
"""Brackets of Mathematical Pi in two sizes."""

_BRACKETS = (
    "(" * 10 + ")" * 10 + "[[[]]]⌊⌊⌊⌋⌋⌋⌈⌈⌈⌉⌉⌉{{{}}}" + "⟨" * 10 + "⟩" * 10 + "√" * 10
)
"""Brackets and roots of yhmath in the order of their codes, each in all of its sizes."""

YHMATH = dict(
    zip(map(ord, bytes(range(128, 202)).decode("mac_roman")), _BRACKETS, strict=True)
)
"""Large brackets and roots of yhmath, by the letters of Macintosh whose names the glyphs bear."""

SYC = dict(zip(map(ord, "BC,.<=^"), "≔≕≠≢∉∌◇", strict=True))
"""Signs of txfonts and newtx; its others are rare."""

MATHTIME = {
    re.compile(r"MT2?B?MI"): OML | dict(zip([46, 47, 140, 141], "()[]", strict=True)),
    re.compile(r"MT2?B?SY[STF]"): {
        code: sign for code, sign in OMS.items() if sign not in _CAPITALS
    }
    | dict(zip(map(ord, "CDIW"), "+=;:", strict=True)),
    re.compile(r"MT2?EX"): OMX,
}
"""Encodings of the fonts of MathTime, whose glyphs have the names of other signs, by patterns of their names."""

VECTOR_ACCENTS = dict.fromkeys(range(0x21, 0x100), "\u20d7") | dict.fromkeys(b" #", "")
"""Arrows over vectors in the fonts of esvect: the shaft is left out, its heads are accents."""

_NAMES: tuple[tuple[str, Mapping[int, str], bool], ...] = (
    (
        r"(?i)(?:^|[A-Z])(?:CM|LM|EU|TX|PX)?(?:B?MI)B?\d+$|MathItalic|Math-?Letters",
        OML,
        False,
    ),
    (r"LucidaNewMath-\w*Italic", LUCIDA, False),
    (r"(?i)MSAM\d|[TP]XSYA|^Kp-.*-SyA-", MSA, False),
    (r"(?i)MSBM\d|[TP]XSYB|^Kp-.*-SyB-", MSB, False),
    (r"(?i)[TP]XSYC|^Kp-.*-SyC-", SYC, True),
    (r"(?i)^yhcmex", YHMATH, True),
    (r"(?i)^stmary\d", STMARY, False),
    (
        r"(?i)(?:CM|TX|PX)B?SY[A-Z]?\d*$|MathSymbols|Math-?Symbol$|^Kp-.*-Sy-|^MathDesign.*-Symbol-",
        OMS,
        False,
    ),
    (r"Fourier-Math-Symbols", FOURIER, False),
    (
        r"(?i)(?:CM|TX|PX)EX[A-Z]?\d*$|Math-?Extension|^Kp-.*-Ex-|^MathDesign.*-Extension-",
        OMX,
        False,
    ),
    (r"MathematicalPi-?One", PI_ONE, True),
    (r"MathematicalPi-?Three", PI_THREE, True),
    (r"esint\d", ESINT_NAMED, True),
    (r"matha\d", MATHABX_NAMED, True),
    (r"mathb\d", MATHABX_OTHERS, True),
    (r"mathx\d", MATHABX_LARGE, True),
    (r"vect\d", VECTOR_ACCENTS, True),
)
"""Patterns of names of fonts, their encodings, and whether the glyphs have the names of other signs."""


_DRAWING = re.compile(r"^(?:LINE|LCIRCLE)W?\d|^XY(?:[AB]TIP|BSQL|CIRC|DASH|LINE)\d")
"""Names of the fonts of LaTeX's pictures and of XY-pic, whose glyphs are pieces of lines and arrows."""


def draws_lines(font: str) -> bool:
    """Return whether the glyphs of a font are pieces of a drawing, and no text."""
    return _DRAWING.match(font) is not None


def encoding_used(codes: Iterable[int]) -> Mapping[int, str]:
    """Return the encoding of a bitmap font without names by the codes that a file uses."""
    used = {chr(code) for code in codes}
    for has_encoding, encoding in _BY_USE:
        if has_encoding(used):
            return encoding
    return NAMELESS


def _is_cyrillic(used: Set[str]) -> bool:
    """Return whether a font has more letters at the codes of accented ones than plain letters or a language has."""
    n_plain = sum(char.isascii() and char.isalpha() for char in used)
    n_accented = sum(char >= "À" for char in used)
    is_mostly = n_accented > max(n_plain, MAX_ACCENTED)
    return is_mostly or n_accented > MAX_LATIN_ACCENTED


def _has_integrals_alone(used: Set[str]) -> bool:
    """Return whether a font has nothing but integrals."""
    return ESINT.keys() >= set(map(ord, used))


def _is_companion(used: Set[str]) -> bool:
    """Return whether a font has nothing but signs such as the euro."""
    return COMPANION.keys() >= set(map(ord, used))


def _is_old_hebrew(used: Set[str]) -> bool:
    """Return whether a font has an aleph at the opening quotation mark, many small letters, and no capitals."""
    n_small = sum(map(str.islower, used))
    return "`" in used and n_small >= MIN_OLD_HEBREW and used.isdisjoint(_CAPITALS)


def _is_mathabx(used: Set[str]) -> bool:
    """Return whether a font has brackets at "p" and "q", and few other small letters."""
    return used >= {"p", "q"} and used.isdisjoint("cefghijklmnovwxy")


def _is_italic(used: Set[str]) -> bool:
    """Return whether a font has full stop and comma at ":" and ";", as mathematical italics have."""
    return not used.isdisjoint(":;") and used.isdisjoint("()+,.")


def _is_italic_with_letters(used: Set[str]) -> bool:
    """Return whether a font of mathematical italics has several of the usual names of variables."""
    return _is_italic(used) and len(used & set("mnuvwxyz")) > 2


def _is_symbols(used: Set[str]) -> bool:
    """Return whether a font has no vowels, but a minus at 0, a bullet at 15, an arrow at "!", or braces at "f", "g"."""
    has_signs = not used.isdisjoint("\0\x0f!") or used >= {"f", "g"}
    return has_signs and used.isdisjoint("aeou.,")


def _is_large_signs(used: Set[str]) -> bool:
    """Return whether a font has the corners of large brackets at "0" and "@", and no vowels."""
    return used >= {"0", "@"} and used.isdisjoint("aeiou")


def _is_ot1(used: Set[str]) -> bool:
    """Return whether a font has vowels, and ligatures where OT1 has them."""
    has_ligatures = not used.isdisjoint("\v\f\r\x0e\x0f")
    return has_ligatures and len(used & set("aeiou")) > 1


_BY_USE: tuple[tuple[Callable[[Set[str]], bool], Mapping[int, str]], ...] = (
    (_is_cyrillic, CYRILLIC),
    (_has_integrals_alone, ESINT),
    (_is_companion, COMPANION),
    (_is_old_hebrew, OLD_HEBREW),
    (_is_mathabx, MATHABX),
    (_is_italic_with_letters, OML),
    (_is_symbols, OMS),
    (_is_italic, OML),
    (_is_large_signs, OMX),
    (_is_ot1, OT1),
)
"""Encodings of bitmap fonts, each with a condition on the codes in use; the first one that applies is taken."""


@functools.lru_cache(maxsize=1024)
def encoding_named(font: str, is_unmapped: bool) -> Mapping[int, str] | None:
    """Return the encoding of a mathematical font by its name without the prefix of a subset; None for others.

    Args:
        is_unmapped: whether the file does not explain its signs.
    """
    for pattern, encoding, is_misnamed in _NAMES:
        if (is_unmapped or is_misnamed) and re.search(pattern, font):
            return encoding
    return None


LARGE = str.maketrans("∪∩⊎⊕⊗∧∨", "⋃⋂⨄⨁⨂⋀⋁")
"""Operators, and the large ones in fonts of large signs."""

PAIRED = str.maketrans("⇐⇒⇑⇓", "⇇⇉⇈⇊")
"""Double arrows, and the pairs of arrows that fonts of the AMS have instead."""

_TRIPLES = "∼=≅ −−− −→⟶ →→⇉ ←−⟵ ⟵−⟵ === ←→⟷ =⇒⟹ ⇐=⟸ ⇐⇒⟺ ↦→↦ 7→↦ ↦−⟼ 7−⟼ ⟼→⟼ |=⊨ ▹◃⋈ ⇀↽⇌ ˓→↪ ←˒↩ -dđ -DĐ t’ť d’ď l’ľ"
_RELATIONS = {signs[:2]: signs[2] for signs in _TRIPLES.split()}
"""Relations and letters, by the two signs of which TeX draws them, one over the other or joined."""

RELATION_SIGNS = frozenset("".join(_RELATIONS))
"""The signs of which it draws them."""

MIN_SIGN_OVERLAP = 0.1
"""Minimum overlap of two such signs, and maximum gap between the pieces of a bar, in ems."""

MAX_OFFSET = 0.4
"""Maximum distance of the baselines of two such signs, in ems."""

STACKED = 0.7
"""Maximum distance of the baselines of two arrows that are one sign, in ems."""
BRACKET_PIECES = dict.fromkeys("⎜⎟⎢⎥⎪", "") | dict(
    zip("|‖⎛⎝⎞⎠⎡⎣⎤⎦⎧⎨⎩⎫⎬⎭", "|‖(())[[]]{{{}}}", strict=True)
)
"""Pieces of tall brackets and bars, and the whole signs; those that lengthen a bracket do not tell which."""
LOW_QUOTES = {"”": "„", "’": "‚"}
"""Closing quotation marks, and the low opening ones that TeX makes of them in fonts that lack these."""
LOW_GAP = 0.15
"""Maximum white space after such a mark, in ems."""

MIN_LOW = 0.4
"""Minimum depth to which such a mark is lowered, in ems."""

MAX_LOW = 0.75
"""Maximum depth to which such a mark is lowered, in ems."""

PIECES_APART = 40
"""Maximum number of glyphs from a piece of a tall sign to the next one."""

SAME_EDGE = 0.1
"""Maximum distance of the left edges of two pieces, in points."""


def join_relation(before: Glyph, glyph: Glyph) -> bool:
    """Add one of `RELATION_SIGNS` to the glyph before it if both are one relation, and return whether that is done.

    PDFium has the right one first in right-to-left lines.
    """
    relation = _RELATIONS.get(before.text + glyph.text)
    if glyph.x0 < before.x0:
        relation = relation or _RELATIONS.get(glyph.text + before.text)
    if relation is None:
        return False
    most = STACKED if relation == "⇉" else MAX_OFFSET
    is_level = abs(glyph.y - before.y) < most * glyph.size
    overlap = min(before.x1, glyph.x1) - max(before.x0, glyph.x0)
    if not is_level or overlap < MIN_SIGN_OVERLAP * glyph.size:
        return False

    before.text = relation
    before.x0 = min(before.x0, glyph.x0)
    before.x1 = max(before.x1, glyph.x1)
    before.y = glyph.y
    return True


def raise_low_quote(before: Glyph, glyph: Glyph) -> None:
    """Put a closing quotation mark that is lowered before a glyph on its baseline, as a low opening one."""
    drop = (before.y - glyph.y) / before.size
    is_next = abs(glyph.x0 - before.x1) < LOW_GAP * before.size
    is_raised = glyph.size < before.size  # the mark of a note
    if is_next and not is_raised and MIN_LOW < drop < MAX_LOW:
        before.text = LOW_QUOTES[before.text]
        before.y = glyph.y


def join_bracket_pieces(before: list[Glyph], glyph: Glyph) -> None:
    """Remove the pieces of a tall sign from the glyphs before one of them that touches them, and add them to it."""
    for other in before[-PIECES_APART:]:
        signs = {
            BRACKET_PIECES.get(piece.text, piece.text) for piece in (other, glyph)
        } - {""}
        if abs(glyph.x0 - other.x0) > SAME_EDGE or len(signs) > 1:
            continue
        above, below = sorted((other, glyph), key=lambda piece: piece.y)
        top = above.y - above.height / 2
        bottom = below.y + below.height / 2
        if bottom - top < above.height + below.height + MIN_SIGN_OVERLAP * glyph.size:
            before.remove(other)
            glyph.text = "".join(signs) or glyph.text
            glyph.y = (top + bottom) / 2
            glyph.height = bottom - top
