"""Signs at private codes: those of Symbol and MT Extra, arrows of Wingdings, pieces of brackets, and ligatures."""

import re
import string

from pdfminer.fontmetrics import FONT_METRICS
from pypdf._codecs import charset_encoding

from ingest.pdf.model import UNKNOWN

SYMBOL_SIGNS = charset_encoding["/Symbol"]
"""Signs of Symbol by their codes."""

_, _METRICS = FONT_METRICS["Symbol"]
_WIDTHS = {**_METRICS, "μ": _METRICS["µ"]}
"""Widths of the signs of Symbol, in thousandths of an em; its mu is the micro sign there."""

SAME_WIDTH = 10
"""Maximum difference of the width of a sign from that in Symbol, in thousandths of an em."""

_ARROWS = dict(enumerate("←→↑↓↖↗↙↘⇐⇒⇑⇓", 0xF0DF))
"""Arrows of Wingdings; Word writes them for "-->" and the like."""

_MT_EXTRA = dict(zip(b"&KLMNOUIahlorv", "\u0307…⋯⋮⋰⋱⋃⋂↦ℏℓ∘\u20d7\u20d7", strict=True))
"""Signs and accents of MathType by their codes."""

_MATHTYPE = re.compile("MT[- ]?Extra")
"""Name of MT Extra, the font of these signs."""

_ORNAMENTS = re.compile("W(?:ing|eb)dings|MarVoSym|^Dingbats")
"""Part of the names of fonts of ornaments."""

_LIBERTINE = re.compile("Libertin|Biolinum")
"""Part of the names of Linux Libertine and its kin."""

_LIGATURES = "fb ffb ffh ffj ffk fft fh fj fk ft ck ch tt ct"
_LIBERTINE_LETTERS = (
    dict(enumerate(_LIGATURES.split(), 0xE030))
    | {0xE048: "Qu", 0xE049: "Th", 0xE04A: "tz", 0xE0E0: "f", 0xE0E1: "ff"}
    | dict(enumerate(string.ascii_lowercase, 0xE051))
)
"""Ligatures of these fonts, their letters before accents, and their small capitals."""

_PIECES = dict(enumerate("⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪⎮⎞⎟⎠⎤⎥⎦⎫⎬⎭", 0xF8EB))
"""Pieces of tall brackets at the codes of Adobe."""


def has_own_signs(font: str) -> bool:
    """Return whether a font with this name has signs at the codes of letters."""
    return _ORNAMENTS.search(font) is not None or _MATHTYPE.search(font) is not None


def private_letters(code: int, font: str) -> str:
    """Return the letters at a private code of a font with this name, "" if it has none."""
    is_private = 0xE000 <= code < 0xF000 and _LIBERTINE.search(font)
    return _LIBERTINE_LETTERS.get(code, "") if is_private else ""


def private_sign(code: int, font: str, width: float) -> str:
    """Return the sign at a private code, UNKNOWN if it cannot be known.

    Windows adds F000 to the codes of fonts of symbols. These may have no name, but Symbol has widths of its own. Euclid
    Symbol, a font of MathType, has the signs of Symbol.

    Args:
        font: name of the font, and of its family.
        width: in thousandths of an em.
    """
    if _ORNAMENTS.search(font):
        return _ARROWS.get(code, UNKNOWN) if "Wingdings" in font else UNKNOWN
    if _MATHTYPE.search(font):
        return _MT_EXTRA.get(code & 0xFF, UNKNOWN)
    sign = SYMBOL_SIGNS[code & 0xFF]
    is_as_wide = abs(width - _WIDTHS.get(sign, 0)) < SAME_WIDTH
    is_symbol = is_as_wide or "Euclid Symbol" in font
    if 0xF020 <= code < 0xF100 and is_symbol:
        code = ord(sign)
    is_known = not 0xE000 <= code < 0xF900
    return chr(code) if is_known else _PIECES.get(code, UNKNOWN)
