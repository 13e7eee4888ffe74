"""Signs of TeX's fonts that a file does not explain: of mathematical fonts by their names, of bitmap fonts without any.

Reference:
    Knuth, The TeXbook, appendix F; the LaTeX font encodings OML, OMS, OMX, OT1 and T1.
"""

import re
from collections.abc import Mapping

_GREEK = "ΓΔΘΛΞΠΣΥΦΨΩ"
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

_LIGATURES = ("ff", "fi", "fl", "ffi", "ffl")
NAMELESS = (
    dict(enumerate(_LIGATURES, 11))
    | dict(enumerate("“”„«»–—", 16))
    | dict(enumerate(_LIGATURES, 27))
)
"""Text in bitmap fonts: ligatures of OT1, then quotes, dashes and ligatures of T1; the other codes are ASCII."""

_NAMES = (
    (r"(?i)(?:^|[A-Z])(?:CM|LM|EU|TX|PX)?(?:B?MI)B?\d+$|MathItalic|Math-?Letters", OML),
    (r"(?i)(?:CM|TX|PX)B?SY[A-Z]?\d*$|MathSymbols|Math-?Symbol$", OMS),
    (r"(?i)(?:CM|TX|PX)EX[A-Z]?\d*$|MathExtension", OMX),
)
"""Patterns of names of fonts, and their encodings."""


def encoding_named(font: str) -> Mapping[int, str] | None:
    """Return the encoding of a mathematical TeX font by its name without the prefix of a subset; None for others."""
    for pattern, encoding in _NAMES:
        if re.search(pattern, font):
            return encoding
    return None
