"""With which word the paragraph begins."""

from __future__ import annotations

from quarry.player.questions.boundary_words import EndKind

KIND = EndKind(
    name="beginning",
    share=0.03,
    wrong=0.03,
    last=False,
    misread=0.01,
    ask={
        "en": "With which word does the paragraph begin: {0}; or another word?",
        "he": "באיזו מילה מתחילה הפסקה: {0}; או במילה אחרת?",
    },
    cites={"en": 'it begins with "{0}"', "he": 'היא מתחילה במילה "{0}"'},
)
