"""Which of three lists has a word that stands anywhere in the paragraph."""

from __future__ import annotations

from quarry.player.questions.lists import ListKind

KIND = ListKind(
    name="anywhere",
    share=0.4,
    wrong=0.04,
    sizes=(1, 3),
    in_opening=False,
    ask={
        "en": "Which of these words occur anywhere in the paragraph: {0}? Choose the first option with a word that is "
        "there. Only this exact form counts; capital letters do not matter.",
        "he": "אילו מהמילים האלה מופיעות בפסקה: {0}? יש לבחור באפשרות הראשונה שבה מילה שמופיעה שם. "
        "רק הצורה המדויקת נחשבת.",
    },
    has={"en": "it has", "he": "יש בה"},
    has_none={"en": "it has none of the words named", "he": "אין בה אף אחת מהמילים שנשאלו"},
)
