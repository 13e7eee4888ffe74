"""With which word the opening sentence ends."""

from __future__ import annotations

from quarry.player.questions.boundary_words import EndKind

KIND = EndKind(
    name="ending",
    share=0.03,
    wrong=0.04,
    last=True,
    misread=0.025,
    ask={
        "en": "With which word does the first sentence of the paragraph end: {0}; or another word?",
        "he": "באיזו מילה מסתיים המשפט הראשון של הפסקה: {0}; או במילה אחרת?",
    },
    cites={"en": 'its first sentence ends with "{0}"', "he": 'המשפט הראשון שלה מסתיים במילה "{0}"'},
)
