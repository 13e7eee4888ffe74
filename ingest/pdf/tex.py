"""Encodings of TeX's fonts, found by the name of a font or by the widths of its glyphs.

Reference:
    Knuth, The TeXbook, appendix F; Knuth, Computer Modern Typefaces; the LaTeX font encodings OT1, T1, OML, OMS, OMX.
"""

import math
import re
from collections.abc import Mapping

from ingest.pdf.model import of_one_pitch

_GREEK = "ΓΔΘΛΞΠΣΥΦΨΩ"
_ASCII = "".join(map(chr, range(0x21, 0x7F)))
_CAPITALS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def _encoding(text: str) -> dict[int, str]:
    """Number the signs of a text from 0, without "_"."""
    return {code: sign for code, sign in enumerate(text.split()) if sign != "_"}


def _signs(codes: str, signs: str) -> dict[int, str]:
    """Map the codes of some characters to signs."""
    return dict(zip(map(ord, codes), signs, strict=True))


OML = _encoding(
    " ".join(_GREEK)
    + " α β γ δ ϵ ζ η θ ι κ λ μ ν ξ π ρ σ τ υ ϕ χ ψ ω ε ϑ ϖ ϱ ς φ ↼ ↽ ⇀ ⇁ _ _ ▹ ◃ 0 1 2 3 4 5 6 7 8 9 . , < / > ⋆ ∂ "
    + " ".join(_CAPITALS)
    + " ♭ ♮ ♯ ⌣ ⌢ ℓ "
    + " ".join(_CAPITALS.lower())
    + " ı ȷ ℘"
)
"""Mathematical italics: CMMI and its kin."""

OMS = _encoding(
    "− · × ∗ ÷ ⋄ ± ∓ ⊕ ⊖ ⊗ ⊘ ⊙ ◯ ∘ • ≍ ≡ ⊆ ⊇ ≤ ≥ ⪯ ⪰ ∼ ≈ ⊂ ⊃ ≪ ≫ ≺ ≻ ← → ↑ ↓ ↔ ↗ ↘ ≃ ⇐ ⇒ ⇑ ⇓ ⇔ ↖ ↙ ∝ ′ ∞ ∈ ∋ △ ▽ ̸ ↦ "
    "∀ ∃ ¬ ∅ ℜ ℑ ⊤ ⊥ ℵ "
    + " ".join(_CAPITALS)
    + " ∪ ∩ ⊎ ∧ ∨ ⊢ ⊣ ⌊ ⌋ ⌈ ⌉ { } ⟨ ⟩ | ‖ ↕ ⇕ \\ ≀ √ ⨿ ∇ ∫ ⊔ ⊓ ⊑ ⊒ § † ‡ ¶ ♣ ♢ ♡ ♠"
)
"""Mathematical symbols: CMSY and its kin."""

OMX = _encoding(
    "( ) [ ] ⌊ ⌋ ⌈ ⌉ { } ⟨ ⟩ | ‖ / \\ ( ) ( ) [ ] ⌊ ⌋ ⌈ ⌉ { } ⟨ ⟩ / \\ ( ) [ ] ⌊ ⌋ ⌈ ⌉ { } ⟨ ⟩ / \\ / \\ "
    "⎛ ⎞ ⎡ ⎤ ⎣ ⎦ ⎢ ⎥ ⎧ ⎫ ⎩ ⎭ ⎨ ⎬ ⎪ ⏐ ⎝ ⎠ ⎜ ⎟ ⟨ ⟩ ⊔ ⊔ ∮ ∮ ⊙ ⊙ ⊕ ⊕ ⊗ ⊗ ∑ ∏ ∫ ⋃ ⋂ ⊎ ⋀ ⋁ ∑ ∏ ∫ ⋃ ⋂ ⊎ ⋀ ⋁ ∐ ∐ ˆ ˆ ˆ ˜ ˜ ˜ "
    "[ ] ⌊ ⌋ ⌈ ⌉ { } √ √ √ √ √ √ √ ‖ ↑ ↓ ⎧ ⎫ ⎩ ⎭ ⇑ ⇓"
)
"""Large signs: CMEX and its kin."""

MSA = _signs("\x03\x046>.rsF", "□■⩽⩾⇝∠∢★")
MSB = _signs("?<{~\x7f", "∅≮κℏℏ") | _signs(_CAPITALS, _CAPITALS)

OT1 = (
    dict(enumerate(_ASCII, 0x21))
    | dict(enumerate(_GREEK))
    | dict(enumerate(("ff", "fi", "fl", "ffi", "ffl"), 11))
    | dict(enumerate("ıȷ`´ˇ˘¯˚¸ßæœøÆŒØ", 16))
    | _signs('"<>\\_{|}~\x7f', "”¡¿“˙–—˝˜¨")
)
"""Text of 128 codes: CMR and its kin."""

OTT = OT1 | dict(enumerate(_ASCII[1:], 0x22)) | dict(enumerate("↑↓'¡¿", 11))
"""Text of fixed pitch: CMTT and its kin."""

T1 = (
    dict(enumerate(_ASCII, 0x21))
    | dict(enumerate("`´ˆ˜¨˝˚ˇ˘¯˙¸˛‚‹›“”„«»–—"))
    | dict(enumerate(("ı", "ȷ", "ff", "fi", "fl", "ffi", "ffl"), 0x19))
    | _signs("'`\x7f", "’‘-")
    | dict(
        enumerate(
            "ĂĄĆČĎĚĘĞĹĽŁŃŇŊŐŔŘŚŠŞŤŢŰŮŸŹŽŻĲİđ§ăąćčďěęğĺľłńňŋőŕřśšşťţűůÿźžżĳ¡¿£", 0x80
        )
    )
    | dict(enumerate(map(chr, range(0xC0, 0x100)), 0xC0))
    | {0xD7: "Œ", 0xDF: "SS", 0xF7: "œ", 0xFF: "ß"}
)
"""Text of 256 codes, the "Cork" encoding: EC and its kin."""

_NAMES = (
    (r"(?i)(?:^|[A-Z])(?:CM|LM|EU|TX|PX)?(?:B?MI)B?\d+$|MathItalic|Math-?Letters", OML),
    (r"(?i)(?:CM|TX|PX)B?SY[A-Z]?\d*$|MathSymbols|Math-?Symbol$", OMS),
    (r"(?i)(?:CM|TX|PX)EX[A-Z]?\d*$|MathExtension", OMX),
    (r"^MSAM\d+$", MSA),
    (r"^MSBM\d+$", MSB),
    (r"^CM(?:R|BX|TI|SL|CSC|SS|BXTI|SSBX|DUNH|B|U)\d+$|^LMRoman.*-OT1", OT1),
    (r"^CM(?:TT|SLTT|ITT|CSLTT|TCSC)\d+$", OTT),
)
"""Patterns of names of fonts, and their encodings."""


def _widths(thousandths: str) -> dict[int, float]:
    """Map codes to the widths of their glyphs in ems, from thousandths in the order of the codes."""
    return {code: int(width) / 1000 for code, width in _encoding(thousandths).items()}


_OML_WIDTHS = _widths(
    "_ _ _ _ _ _ _ _ _ _ _ 640 566 518 444 406 438 497 469 354 576 583 603 494 438 570 517 571 437 540 "
    "596 626 651 622 _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ 278 278 778 500 778 _ _ 750 759 715 "
    "828 738 643 786 831 440 555 849 681 970 803 763 642 791 759 613 584 683 583 944 828 581 683 _ _ _ _ "
    "_ 417 529 429 433 520 466 490 477 576 344 412 521 298 878 600 485 503 446 451 469 361 572 485 716 "
    "572 490 465"
)
_OMS_WIDTHS = _widths(
    "778 278 778 500 778 500 778 _ _ _ _ _ _ _ 500 500 _ 778 778 778 778 778 _ _ 778 778 778 778 1000 "
    "1000 _ _ 1000 1000 500 500 1000 _ _ 778 1000 1000 _ _ 1000 _ _ 778 275 1000 667 667 _ _ 0 0 556 556 "
    "667 500 _ _ 778 778 _ 799 657 527 771 528 719 595 845 545 678 762 690 1201 820 796 696 817 848 606 "
    "545 626 613 988 713 668 725 667 667 _ 667 667 _ _ 444 444 444 444 500 500 389 389 278 500 _ _ 500 _ "
    "833 _ 833"
)
_OT1_WIDTHS = _widths(
    "_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ 278 _ _ _ _ _ _ 389 389 _ 778 278 "
    "_ 278 500 500 500 500 500 500 500 500 500 500 500 278 278 _ 778 _ _ _ 750 708 722 764 681 653 785 "
    "750 361 514 778 625 917 750 778 681 778 736 556 722 750 750 1028 750 750 611 278 _ 278 _ _ _ 500 556 "
    "444 556 444 306 500 556 278 306 528 278 833 556 500 556 528 392 394 389 556 528 722 528 528 444"
)
_SCALES = (1.0, 1.03, 1.06, 1.1, 1.14, 1.18, 1.22)
"""Widths of the glyphs of Computer Modern at 10 to 5 points, in ems, relative to those at 10 points."""

MAX_MISFIT = 0.06
"""Maximal mean relative difference between the widths of a font and those of its encoding."""

MAX_TEXT_MISFIT = 0.7
"""Maximal mean relative difference between the widths of a font and those of text; above it, it is no font of TeX."""

CLEARLY = 0.5
"""Maximal difference of the widths of a mathematical font, as a share of the difference from text."""


def encoding_named(font: str) -> Mapping[int, str] | None:
    """Return the encoding of the TeX font of a name without the prefix of a subset, None for other names."""
    for pattern, encoding in _NAMES:
        if re.search(pattern, font):
            return encoding
    return None


def encoding_measured(widths: Mapping[int, float]) -> Mapping[int, str]:
    """Return the encoding of a TeX font without a name that fits the widths of its glyphs best, none if none fits.

    Args:
        widths: code -> width of the glyph in ems.
    """
    is_cork = any(
        code in (0x15, 0x16) or 0x1B <= code <= 0x1F or code >= 0x80 for code in widths
    )
    if of_one_pitch(widths.values()):
        return T1 if is_cork else OTT
    italic, symbol = _misfit(widths, _OML_WIDTHS), _misfit(widths, _OMS_WIDTHS)
    text = _misfit(widths, _OT1_WIDTHS)
    if min(italic, symbol) < min(MAX_MISFIT, CLEARLY * text):
        return OML if italic <= symbol else OMS
    if is_cork:
        return T1
    return OT1 if text < MAX_TEXT_MISFIT else {}


def _misfit(widths: Mapping[int, float], reference: Mapping[int, float]) -> float:
    """Return the mean relative difference of widths from known ones at the best size; an unknown code counts 1."""
    # the widths of signs that overlay the next one vary between files
    codes = [code for code in widths if reference.get(code) != 0]
    misfits = []
    for scale in _SCALES:
        total = 0.0
        for code in codes:
            usual = scale * reference.get(code, math.inf)
            total += min(1.0, abs(widths[code] / usual - 1))
        misfits.append(total / max(1, len(codes)))
    return min(misfits)
