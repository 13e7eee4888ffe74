"""Reading a question: of which words it asks, and where they are to stand."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from quarry.evaluate.referee.places import ends, stands_in, starts
from quarry.evaluate.referee.quotes import quoted_terms, unquoted
from quarry.evaluate.referee.text import fold, normalise
from quarry.evaluate.referee.visible_context import Seen

Edge = Literal["", "begin", "end"]

_FIRST_SENTENCE = re.compile(
    r"(?:first|opening) sentence|sentence (?:that|which) (?:opens|begins|starts)"
    r"|[בהלו]{0,2}משפט (?:ה(?:ראשון|פותח)|הפתיחה)"
)
_BEGINS = re.compile(
    r"\b(?:begin|start|open)(?:s|ning|ing)?\b|\b(?:first|opening) words?\b"
    r"|\b(?:מתחיל|נפתח|פותח|תתחיל|תיפתח)\w*|המילה הראשונה"
)
_ENDS = re.compile(
    r"\b(?:end|close|finish)(?:s|es)?\b|\b(?:last|final|closing) words?\b|\b(?:מסתיי|נגמר|נחתמ)\w*|המילה האחרונה"
)
_OCCURS = re.compile(
    r"\b(?:occur|appear|contain|mention|includ|use|found|find|present|stand|written|has|have|absent|missing)\w*"
    r"|\bthere\b|\bin the\b|מופיע|מוזכר|נזכר|נמצא|כלול|כתוב|מכיל|כולל|מזכיר|\bיש\b"
)
_BEYOND = re.compile(
    r"\b(?:how (?:many|much|often|long)|why|who|where|when|letters?|sentences|longest|shortest|before|after|later|often"
    r"|times|twice|once|most|more"
    r"|best|main|topics?|subjects?|themes?|about|means?|meaning|similar|synonym\w*|purpose|tone|kind|describ\w+"
    r"|(?:last|second|third|next|final) sentence|not in|(?:occurs?|appears?|comes?) (?:first|last|earliest))\b"
    r"|\b[בל]?כמה\b|\bאיך\b|\bמדוע\b|היכן|נושא|עוסק|משמעות|דומה|מטרת|לפני|אחרי|בהמשך|פעמי|\bאות\b|משפט ה(?:אחרון|שני)"
    r"|(?:מופיע|נזכר|מוזכר)\w* ראשונ"
)
"""What these rules cannot check: amounts, places further down, order, meaning."""
_ANY_FORM = re.compile(r"(?<!no )(?<!no other )\b(?:any|whatever) (?:\w+ )?forms?\b|בכל (?:צורה|הטיה)")
_NEGATED = re.compile(
    r"\b(?:does|do|is|are|has|have) (?:[^,?]*? )?not\b|n't\b|\babsent\b|\bmissing\b"
    r"|\bלא (?:מופיע|מוזכר|נזכר|נמצא|כלול)|\bאינ[והםן]\b"
)
_FIRST_OF_SEVERAL = re.compile(
    r"\b(?:first|earliest)\b(?! (?:sentence|words?\b|in the (?:par|text|pas)))|\bב?ראשונה?\b|\bהראשונה\b"
)
_ALL_MEANT = re.compile(r"\bboth\b|\ball\b|# and (?:\w+ )*#|# ו-? ?#")
_NAMED = tuple(
    re.compile(pattern)
    for pattern in (
        r"\b(?:word|term|name|phrase) (.+?)(?= (?:occurs?|appears?|is|in|stands?|mentioned|used|there)\b|[?,;]|$)",
        r"\b(?:contain|mention|include|use|have) (?!any |some |an? |the )(.+?)(?= (?:in|by|or)\b|[?,;]|$)",
        r"ה(?:מילה|מונח|שם|ביטוי) (.+?)(?= (?:מופיע|מוזכר|נזכר|נמצא|כלול|כתוב|בפסקה|בטקסט|במשפט)|[?,;]|$)",
    )
)
_BETWEEN = r"[\"'\s;,/.]*(?:(?:or|and|או)\s)?[\"'\s]*"
"""What may part the options that a question repeats."""


@dataclass(frozen=True, slots=True)
class Wording:
    """A question as read.

    Attributes:
        readable: these rules can check what it asks.
        terms: words that the question itself asks of; none where the options name them.
        all_meant: all of them, else any of them.
        n_repeated: of the options, the first ones, that the question repeats: they name words, whatever they say.
        in_opening: it asks of the first sentence, else of the whole text.
        edge: it asks how that begins or ends.
        any_form: inflected forms count.
        negated: it asks for what is not there.
        first_of_several: it says that the first of several fitting options counts.
    """

    readable: bool
    terms: tuple[str, ...]
    all_meant: bool
    n_repeated: int
    in_opening: bool
    edge: Edge
    any_form: bool
    negated: bool
    first_of_several: bool

    def there(self, term: str, seen: Seen) -> bool:
        """Whether a term stands where the question asks for it."""
        sentences = seen.sentences
        part = (sentences[0] if sentences else "") if self.in_opening else seen.text
        if self.edge == "begin":
            return starts(term, part, self.any_form)
        if self.edge == "end":
            return ends(term, part, self.any_form)
        return stands_in(term, part, self.any_form)


def read_question(question: str, options: Sequence[str], *, of_itself: bool) -> Wording:
    """A question's text, next to the options that it may repeat.

    Args:
        options: those that name words, as far as can be told without the question.
        of_itself: the options name no words, so that the question must.
    """
    frame, n_repeated = _without_options(normalise(question), [normalise(option) for option in options])
    terms = tuple(dict.fromkeys(quoted_terms(frame)))
    asking, rules = _parted(fold(unquoted(frame)))
    if of_itself and not terms:
        asking, terms = _named(asking)
    in_opening = _FIRST_SENTENCE.search(asking) is not None
    bare = _FIRST_SENTENCE.sub(" ", asking)
    edge: Edge = "begin" if _BEGINS.search(bare) else "end" if _ENDS.search(bare) else ""
    return Wording(
        readable=bool(edge or _OCCURS.search(asking)) and not _BEYOND.search(bare),
        terms=terms,
        all_meant=_ALL_MEANT.search(asking) is not None,
        n_repeated=n_repeated,
        in_opening=in_opening,
        edge=edge,
        any_form=_ANY_FORM.search(f"{asking} {rules}") is not None,
        negated=_NEGATED.search(bare) is not None,
        first_of_several=_FIRST_OF_SEVERAL.search(rules) is not None,
    )


def _without_options(question: str, options: Sequence[str]) -> tuple[str, int]:
    """A question with the options that it repeats, the first two or more, as "#", and how many these are."""
    for n in range(len(options), 1, -1):
        bare = [option.strip(" .\"'") for option in options[:n]]
        repeated = _BETWEEN.join(map(re.escape, bare))
        found = re.search(rf"(?<!\w)[\"']?{repeated}[\"']?(?!\w)", question, re.IGNORECASE) if all(bare) else None
        if found:
            return f"{question[: found.start()]}#{question[found.end() :]}", n
    return question, 0


def _parted(folded: str) -> tuple[str, str]:
    """The sentences that ask, without asides, and the others, which say how to choose."""
    sentences = re.split(r"(?<=[.?!]) +", folded)
    asking = [sentence for sentence in sentences if "?" in sentence] or sentences
    rules = " ".join(sentence for sentence in sentences if sentence not in asking)
    return re.sub(r"\([^()]*\)", " ", " ".join(asking)), rules


def _named(asking: str) -> tuple[str, tuple[str, ...]]:
    """A question with the unquoted word that it names as "#", and that word, if it names one."""
    for pattern in _NAMED:
        if found := pattern.search(asking):
            return f"{asking[: found.start(1)]}#{asking[found.end(1) :]}", (found[1].strip(" '\""),)
    return asking, ()
