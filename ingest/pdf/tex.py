"""Encodings of TeX's fonts, found by the name of a font or by the widths of its glyphs.

Reference:
    Knuth, The TeXbook, appendix F; Knuth, Computer Modern Typefaces; the LaTeX font encodings OT1, T1, OML, OMS, OMX.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from quarry.ingest.pdf.model import of_one_pitch

_GREEK = "ΓΔΘΛΞΠΣΥΦΨΩ"
_ASCII = "".join(map(chr, range(0x21, 0x7F)))
_CAPITALS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def _encoding(text: str) -> dict[int, str]:
    """Number the signs of a text from 0, without "_"."""
    return {code: sign for code, sign in enumerate(text.split()) if sign != "_"}


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

MSA = {0x03: "□", 0x04: "■", 0x36: "⩽", 0x3E: "⩾", 0x2E: "⇝", 0x72: "∠", 0x73: "∢", 0x46: "★"}
MSB = {0x3F: "∅", 0x3C: "≮", 0x7B: "κ", 0x7E: "ℏ", 0x7F: "ℏ"} | {ord(letter): letter for letter in _CAPITALS}

OT1 = (
    {0x21 + position: sign for position, sign in enumerate(_ASCII)}
    | dict(enumerate(_GREEK))
    | {11: "ff", 12: "fi", 13: "fl", 14: "ffi", 15: "ffl", 16: "ı", 17: "ȷ"}
    | dict(enumerate("`´ˇ˘¯˚¸ßæœøÆŒØ", 18))
    | {0x22: "”", 0x3C: "¡", 0x3E: "¿", 0x5C: "“", 0x5F: "˙", 0x7B: "–", 0x7C: "—", 0x7D: "˝", 0x7E: "˜", 0x7F: "¨"}
)
"""Text of 128 codes: CMR and its kin."""

OTT = OT1 | {code: chr(code) for code in range(0x22, 0x7F)} | dict(enumerate("↑↓'¡¿", 11))
"""Text of fixed pitch: CMTT and its kin."""

T1 = (
    {0x21 + position: sign for position, sign in enumerate(_ASCII)}
    | dict(enumerate("`´ˆ˜¨˝˚ˇ˘¯˙¸˛‚‹›“”„«»–—"))
    | dict(enumerate(("ı", "ȷ", "ff", "fi", "fl", "ffi", "ffl"), 0x19))
    | {0x27: "’", 0x60: "‘", 0x7F: "-"}
    | dict(enumerate("ĂĄĆČĎĚĘĞĹĽŁŃŇŊŐŔŘŚŠŞŤŢŰŮŸŹŽŻĲİđ§ăąćčďěęğĺľłńňŋőŕřśšşťţűůÿźžżĳ¡¿£", 0x80))
    | {code: chr(code) for code in range(0xC0, 0x100)}
    | {0xD7: "Œ", 0xDF: "SS", 0xF7: "œ", 0xFF: "ß"}
)
"""Text of 256 codes, the "Cork" encoding: EC and its kin."""

_NAMES = (
    (re.compile(r"(?:^|[A-Z])(?:CM|LM|EU|TX|PX)?(?:B?MI)B?\d+$|MathItalic|Math-?Letters", re.IGNORECASE), OML),
    (re.compile(r"(?:CM|TX|PX)B?SY[A-Z]?\d*$|MathSymbols|Math-?Symbol$", re.IGNORECASE), OMS),
    (re.compile(r"(?:CM|TX|PX)EX[A-Z]?\d*$|MathExtension", re.IGNORECASE), OMX),
    (re.compile(r"^MSAM\d+$"), MSA),
    (re.compile(r"^MSBM\d+$"), MSB),
    (re.compile(r"^CM(?:R|BX|TI|SL|CSC|SS|BXTI|SSBX|DUNH|B|U)\d+$|^LMRoman.*-OT1"), OT1),
    (re.compile(r"^CM(?:TT|SLTT|ITT|CSLTT|TCSC)\d+$"), OTT),
)


def _widths(codes: list[int], thousandths: str) -> dict[int, float]:
    """Map codes to their widths in ems, from a text of thousandths."""
    return {code: int(width) / 1000 for code, width in zip(codes, thousandths.split(), strict=True)}


_OML_WIDTHS = _widths(
    [*range(11, 34), *range(58, 63), *range(65, 91), *range(96, 123)],
    "640 566 518 444 406 438 497 469 354 576 583 603 494 438 570 517 571 437 540 596 626 651 622 278 278 778 "
    "500 778 750 759 715 828 738 643 786 831 440 555 849 681 970 803 763 642 791 759 613 584 683 583 944 828 "
    "581 683 417 529 429 433 520 466 490 477 576 344 412 521 298 878 600 485 503 446 451 469 361 572 485 716 "
    "572 490 465",
)
_OMS_WIDTHS = _widths(
    [*range(7), 14, 15, *range(17, 22), *range(24, 30), *range(32, 37), 39, 40, 41, 44, *range(47, 52), *range(54, 60)],
    "778 278 778 500 778 500 778 500 500 778 778 778 778 778 778 778 778 778 1000 1000 1000 1000 500 500 1000 "
    "778 1000 1000 1000 778 275 1000 667 667 0 0 556 556 667 500",
) | _widths(
    [62, 63, *range(65, 93), 94, 95, *range(98, 108), 110, 112, 114],
    "778 778 799 657 527 771 528 719 595 845 545 678 762 690 1201 820 796 696 817 848 606 545 626 613 988 713 "
    "668 725 667 667 667 667 444 444 444 444 500 500 389 389 278 500 500 833 833",
)
_OT1_WIDTHS = _widths(
    [33, 40, 41, 43, 44, 46, 47, *range(48, 60), 61, *range(65, 92), 93, *range(97, 123)],
    "278 389 389 778 278 278 500 500 500 500 500 500 500 500 500 500 500 278 278 778 750 708 722 764 681 653 "
    "785 750 361 514 778 625 917 750 778 681 778 736 556 722 750 750 1028 750 750 611 278 278 500 556 444 556 "
    "444 306 500 556 278 306 528 278 833 556 500 556 528 392 394 389 556 528 722 528 528 444",
)
_SCALES = (1.0, 1.03, 1.06, 1.1, 1.14, 1.18, 1.22)
"""Widths of the glyphs of Computer Modern at 10 to 5 points, in ems, relative to those at 10 points."""

MAX_MISFIT = 0.06
"""Maximal mean relative difference between the widths of a font and those of its encoding."""

CLEARLY = 0.5
"""Maximal difference of the widths of a mathematical font, as a share of the difference from text."""


def encoding_named(font: str) -> Mapping[int, str] | None:
    """Return the encoding of the TeX font of a name without the prefix of a subset, None for other names."""
    return next((encoding for pattern, encoding in _NAMES if pattern.search(font)), None)


def encoding_measured(widths: Mapping[int, float]) -> Mapping[int, str]:
    """Return the encoding of a TeX font without a name that fits the widths of its glyphs best.

    Args:
        widths: code -> width of the glyph in ems.
    """
    is_cork = any(code in (0x15, 0x16) or 0x1B <= code <= 0x1F or code >= 0x80 for code in widths)
    if of_one_pitch(widths.values()):
        return T1 if is_cork else OTT
    misfit, encoding = min(
        ((_misfit(widths, known), encoding) for encoding, known in ((OML, _OML_WIDTHS), (OMS, _OMS_WIDTHS))),
        key=lambda fit: fit[0],
    )
    if misfit < min(MAX_MISFIT, CLEARLY * _misfit(widths, _OT1_WIDTHS)):
        return encoding
    return T1 if is_cork else OT1


def _misfit(widths: Mapping[int, float], known: Mapping[int, float]) -> float:
    """Return the mean relative difference of widths from known ones at the best size; an unknown code counts 1."""
    misfits = []
    for scale in _SCALES:
        shares = [
            min(1.0, abs(width / (scale * known[code]) - 1)) if code in known else 1.0
            for code, width in widths.items()
            if known.get(code) != 0  # the widths of signs that overlay the next one vary between files
        ]
        misfits.append(sum(shares) / max(1, len(shares)))
    return min(misfits)
