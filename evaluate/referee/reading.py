"""Answering a question by reading its wording and that of its options, English or Hebrew, by rules."""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from quarry.evaluate.referee.text import VisibleContext, fold, normalise, tokens_of
from quarry.player.questions.answer import LETTERS, NOT_RELEVANT

_QUOTED = re.compile(r"(?<!\w)[הובלמכש]{0,2}-?\"(.+?)\"(?!\w)")
_SINGLE_QUOTED = re.compile(r"(?<!\w)'(.+?)'(?!\w)")


def quoted_terms(text: str) -> tuple[list[str], str]:
    """Return the terms in double quotation marks, else those in single ones, and the text with "#" in their place."""
    pattern = _QUOTED if _QUOTED.search(text) else _SINGLE_QUOTED
    return [term.strip() for term in pattern.findall(text) if term.strip()], pattern.sub(" # ", text)


Says = Literal["words", "yes", "no", "none", "nothing"]

_SAYS: tuple[tuple[Says, re.Pattern[str]], ...] = (
    (
        "nothing",
        re.compile(
            r"-*|.*\b(?:not sure|unsure|unclear|unknown|cannot|can't|maybe|perhaps|partly|partially|not applicable)\b.*"
            r"|.*(?:לא ידוע|לא ניתן|אי אפשר|לא ברור|אולי|חלקית).*"
            r"|(?:both|all|more than one|two or more|several|שתיהן|שניהם|כולן|כולם|שתיים|יותר)\b.*|.*\b(?:only|רק)\b.*"
        ),
    ),
    (
        "none",
        re.compile(
            r"(?:none|neither|nothing) .*|no (?:such )?(?:words?|one|lists?)\b.*|something else"
            r"|(?:an|some |any )?other (?:word|one)s?|(?:אף|שום) .*|מילה אחרת"
        ),
    ),
    ("yes", re.compile(r"(?:yes|true|כן|נכון)\b.*")),
    ("no", re.compile(r"(?:no|false|לא)\b.*")),
)
_NONE_AS_LAST = re.compile(r"none|neither|nothing|(?:an)?other|otherwise|אחרת?|אף")
_LABEL = re.compile(r"^\(?[A-Da-d][).:]\s+")
_LEAD_IN = re.compile(
    r"^(?:with |by )?(?:the )?(?:words?|names?|terms?|phrases?) (?!or |and )(?=\S)|^with (?=\S)"
    r"|^ב?ה?מיל(?:ה|ים) (?!או )(?=\S)"
)
_PARTED = re.compile(r",\s*|;\s*|(?<=\S) (?:or|and|או|/) (?=\S)")
_BOTH = re.compile(r"\band\b|&|\bboth\b|# ?ו-? ?#")


@dataclass(frozen=True, slots=True)
class Option:
    """An option as read.

    Attributes:
        says: the kind of statement; an option that says "nothing" never fits.
        terms: the words that the option names.
        all_meant: True if all terms must be there, False if one is enough.
    """

    says: Says
    terms: tuple[str, ...] = ()
    all_meant: bool = False


def read_option(option: str, *, last: bool = False, repeated: bool = False) -> Option:
    """Read the text of an option.

    Args:
        last: True for the last option, where even a single word, such as "other", is about the other options.
        repeated: True if the question repeats the option: it names words then, even if it looks like "none" or "no".
    """
    text = _LABEL.sub("", normalise(option)).strip().rstrip(".")
    quoted, frame = quoted_terms(text)
    folded = fold(text)
    if quoted:
        return Option("words", tuple(quoted), _BOTH.search(fold(frame)) is not None)
    if repeated:
        return Option("words", tuple(_PARTED.split(folded)))
    for says, pattern in _SAYS:
        if pattern.fullmatch(folded):
            return Option(says)
    if last and _NONE_AS_LAST.fullmatch(folded):
        return Option("none")
    terms = (re.sub(r"^(?:or|and|או) (?=\S)", "", part) for part in _PARTED.split(_LEAD_IN.sub("", folded)))
    return Option("words", tuple(terms), " and " in folded)


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
"""Words of questions that these rules cannot check: amounts, later places, order, meaning."""
_NOT_CHECKED = re.compile(
    r"\b(?:any|whatever) (?:\w+ )?forms?\b|בכל (?:צורה|הטיה)"
    r"|\b(?:does|do|is|are|has|have) (?:[^,?]*? )?not\b|n't\b|\babsent\b|\bmissing\b"
    r"|\bלא (?:מופיע|מוזכר|נזכר|נמצא|כלול)|\bאינ[והםן]\b"
)
"""Words of questions about inflected forms, or about words that are absent."""
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
"""Matches separators between the options that a question repeats."""


@dataclass(frozen=True, slots=True)
class Wording:
    """A question as read.

    Attributes:
        readable: True if these rules can check what the question asks.
        terms: words that the question itself names; () if the options name them.
        all_meant: True if the question asks about all of its terms, False if about any.
        n_repeated: number of options, the first ones, that the question repeats; they always name words.
        in_opening: True if the question is about the first sentence, False if about the whole text.
        edge: "begin" or "end" if the question asks how its text begins or ends.
        first_of_several: True if the first of several fitting options counts.
    """

    readable: bool
    terms: tuple[str, ...]
    all_meant: bool
    n_repeated: int
    in_opening: bool
    edge: Literal["", "begin", "end"]
    first_of_several: bool

    def there(self, term: str, seen: VisibleContext) -> bool:
        """Return whether a term is at the place that the question asks about."""
        text = next(iter(seen.sentences), "") if self.in_opening else seen.text
        if not self.edge:
            return occurs_in(term, text)
        parts, words = _words(term), _words(text)
        here = words[: len(parts)] if self.edge == "begin" else words[-len(parts) :]
        return bool(parts) and parts == here


def read_question(question: str, options: Sequence[str], *, of_itself: bool) -> Wording:
    """Read the text of a question next to the options that it may repeat.

    Args:
        options: those that seem to name words.
        of_itself: True if the options name no words, so that the question must.
    """
    frame, n_repeated = _without_options(normalise(question), [normalise(option) for option in options])
    quoted, frame = quoted_terms(frame)
    terms = tuple(dict.fromkeys(quoted))
    # the sentences that ask, without asides, and the others, which say how to choose
    sentences = re.split(r"(?<=[.?!]) +", fold(frame))
    asking = [sentence for sentence in sentences if "?" in sentence] or sentences
    rules = " ".join(sentence for sentence in sentences if sentence not in asking)
    asked = re.sub(r"\([^()]*\)", " ", " ".join(asking))
    named = next(filter(None, (pattern.search(asked) for pattern in _NAMED)), None)
    if of_itself and not terms and named:
        asked, terms = f"{asked[: named.start(1)]}#{asked[named.end(1) :]}", (named[1].strip(" '\""),)
    bare = _FIRST_SENTENCE.sub(" ", asked)
    edge: Literal["", "begin", "end"] = "begin" if _BEGINS.search(bare) else "end" if _ENDS.search(bare) else ""
    return Wording(
        readable=bool(edge or _OCCURS.search(asked)) and not (_BEYOND.search(bare) or _NOT_CHECKED.search(bare)),
        terms=terms,
        all_meant=_ALL_MEANT.search(asked) is not None,
        n_repeated=n_repeated,
        in_opening=_FIRST_SENTENCE.search(asked) is not None,
        edge=edge,
        first_of_several=_FIRST_OF_SEVERAL.search(rules) is not None,
    )


def _without_options(question: str, options: Sequence[str]) -> tuple[str, int]:
    """Replace the options that a question repeats, the first two or more, by "#"; return their number too."""
    for n in range(len(options), 1, -1):
        bare = [option.strip(" .\"'") for option in options[:n]]
        repeated = _BETWEEN.join(map(re.escape, bare))
        found = re.search(rf"(?<!\w)[\"']?{repeated}[\"']?(?!\w)", question, re.IGNORECASE) if all(bare) else None
        if found:
            return f"{question[: found.start()]}#{question[found.end() :]}", n
    return question, 0


def occurs_in(term: str, text: str) -> bool:
    """Return whether a text has a word or phrase as whole words, in any case.

    The words of a phrase may be joined otherwise ("inverted-index", "inverted index"), but a stop or comma may separate
    them only if the phrase has one too. A sign, a term with signs ("c++") and one in a script without blanks are looked
    for literally.
    """
    term, text = fold(term).strip(" .,;:"), fold(text)
    parts = _words(term)
    if term and (not parts or re.search("[+#%=<>$€£°*^\u3040-\u9fff]", term)):
        left, right = (r"(?<!\w)", r"(?!\w)")
        pattern = (left if _is_latin(term[0]) else "") + re.escape(term) + (right if _is_latin(term[-1]) else "")
        return re.search(pattern, text) is not None
    words = tokens_of(text)
    stops_allowed = any(char in ".,;:!?" for char in term)
    for row in range(len(words) - len(parts) + 1 if parts else 0):
        window = words[row : row + len(parts)]
        if parts == [word for word, _, _ in window]:
            gaps = "".join(text[left[2] : right[1]] for left, right in itertools.pairwise(window))
            if stops_allowed or not any(char in ".,;:!?" for char in gaps):
                return True
    return False


def _is_latin(char: str) -> bool:
    return char.isascii() and char.isalnum()


def _words(text: str) -> list[str]:
    return [word for word, _, _ in tokens_of(fold(text))]


@functools.lru_cache(maxsize=2**17)
def answer_by_reading(seen: VisibleContext, question: str, options: tuple[str, ...]) -> str:
    """Return the letter of the one option that holds, or "Not Relevant"; always the same answer.

    The rules, English and Hebrew, understand which of the words that options or question name occur in the text or in
    its first sentence, and with which words these begin or end. Words match whole, in any script, after NFKC and case
    folding. The answer is "Not Relevant" if the question cannot be parsed, if no option fits, or if several fit and the
    question has no rule for that.
    """
    options = options[: len(LETTERS)]
    read = [read_option(option, last=row == len(options) - 1) for row, option in enumerate(options)]
    says = [option.says for option in read]
    yes_or_no = "yes" in says and "no" in says
    way_out = bool(says) and says[-1] != "words"
    wording = read_question(question, options[: len(options) - way_out], of_itself=yes_or_no)
    read[: wording.n_repeated] = [read_option(option, repeated=True) for option in options[: wording.n_repeated]]
    if not wording.readable:
        return NOT_RELEVANT

    says = [option.says for option in read]
    if "yes" in says and "no" in says:
        found = [wording.there(term, seen) for term in wording.terms]
        holds = "yes" if (all(found) if wording.all_meant else any(found)) else "no"
        fits = [bool(found) and option.says == holds for option in read]
    else:
        fits = _fitting(read, wording, seen)
    fitting = [row for row, fit in enumerate(fits) if fit]
    if not fitting or (len(fitting) > 1 and not wording.first_of_several):
        return NOT_RELEVANT
    return LETTERS[fitting[0]]


def _fitting(options: Sequence[Option], wording: Wording, seen: VisibleContext) -> list[bool]:
    """Return for each option whether the words that it names are there, or whether none of the others is."""
    found = [[wording.there(term, seen) for term in option.terms] for option in options]
    fits = [
        option.says == "words" and (all(there) if option.all_meant else any(there))
        for option, there in zip(options, found, strict=True)
    ]
    none_fits = not any(wording.there(term, seen) for term in wording.terms) if wording.terms else not any(fits)
    return [fit or (option.says == "none" and none_fits) for option, fit in zip(options, fits, strict=True)]
