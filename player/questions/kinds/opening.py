"""Which of three lists has a word of the opening sentence: settled for whoever sees that sentence, whatever else."""

from __future__ import annotations

from quarry.player.questions.lists import ListKind

KIND = ListKind(
    name="opening",
    share=0.5,
    wrong=0.04,
    sizes=(1, 4),
    in_opening=True,
    ask={
        "en": "Which of these words does the first sentence of the paragraph contain: {0}? Choose the first option "
        "with a word that is there. Only this exact form counts; capital letters do not matter.",
        "he": "אילו מהמילים האלה נמצאות במשפט הראשון של הפסקה: {0}? יש לבחור באפשרות הראשונה שבה מילה שנמצאת שם. "
        "רק הצורה המדויקת נחשבת.",
    },
    has={"en": "its first sentence has", "he": "במשפט הראשון שלה יש"},
    has_none={
        "en": "its first sentence has none of the words named",
        "he": "במשפט הראשון שלה אין אף אחת מהמילים שנשאלו",
    },
)
