"""The simulated referee: answers multiple-choice questions about a paragraph from their wording alone.

It reads questions by rules of its own and shares no code with the player, so that a question the player words badly, or
an option it assigns wrongly, costs it here what it would cost it in a game.
"""

from __future__ import annotations

import hashlib
import itertools
import math
import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from evaluate.errors import RefereeError
from evaluate.scoring import same_form

NOT_RELEVANT = "Not Relevant"
LETTERS = "ABCD"


class Referee(Protocol):
    """What answers the player's questions; it sees the paragraph, and of a question its text and its options."""

    def answer(self, paragraph: str, question: str, options: Sequence[str]) -> str:
        """One of "A", "B", "C", "D", for the option that fits, or "Not Relevant".

        Args:
            paragraph: the secret paragraph.
            question: the question's text, with no options in it.
            options: texts of A to D, in this order.
        """


class OracleReferee:
    """Reads a question's wording by rules, English or Hebrew, and checks the paragraph; always the same answer.

    It understands what can be checked in the paragraph's letters: which words occur, how the text begins or ends, where
    a word stands, what comes first or more often, what signs there are, how much there is of something. Words match
    whole, in any script, after NFKC and case folding; inflected forms only where the question says "in any form".
    It is strict: where no option fits, or several do and the question has no rule for that, nothing is relevant.
    """

    def answer(self, paragraph: str, question: str, options: Sequence[str]) -> str:
        """The letter of the one option that holds, "Not Relevant" for what it cannot parse or decide."""
        asked = _read_question(question)
        if _ODD_PART.search(asked.bare):
            return NOT_RELEVANT
        choices = [_read_option(option) for option in options[: len(LETTERS)]]
        text = _normalise(paragraph)
        for reader in (_by_amount, _by_place, _by_order, _by_letter, _by_yes_or_no, _by_presence):
            verdict = reader(asked, choices, text)
            if verdict is not None:
                return _settle(asked, verdict)
        return NOT_RELEVANT


class NoisyReferee:
    """Another referee with some of its answers replaced, the same ones whenever the same question is asked.

    Args:
        inner: whose answers are replaced.
        wrong: share of the answers that become another letter, each one equally likely; 0..1.
        not_relevant: share that become "Not Relevant"; 0..1, and at most 1 together with `wrong`.
        seed: another seed replaces other answers.

    Raises:
        RefereeError: the shares are no shares.
    """

    def __init__(self, inner: Referee, wrong: float, not_relevant: float, seed: int) -> None:
        if not (0.0 <= wrong <= 1.0 and 0.0 <= not_relevant <= 1.0 and wrong + not_relevant <= 1.0 + 1e-9):
            raise RefereeError(
                "--referee noisy:WRONG,NOT_RELEVANT must have shares of 0..1, at most 1 together, "
                f"got {wrong:g} and {not_relevant:g}; use e.g. noisy:0.15,0.10"
            )
        self._inner = inner
        self._wrong = wrong
        self._not_relevant = not_relevant
        self._seed = seed

    def answer(self, paragraph: str, question: str, options: Sequence[str]) -> str:
        """The inner referee's answer, or what the draw of (seed, paragraph, question) puts in its place."""
        answer = self._inner.answer(paragraph, question, options)
        digest = hashlib.sha256(repr((self._seed, paragraph, question)).encode("utf-8", "backslashreplace")).digest()
        draw = int.from_bytes(digest[:8], "big") / 2**64
        if draw < self._wrong:
            others = [letter for letter in LETTERS[: len(options)] if letter != answer]
            return others[int.from_bytes(digest[8:16], "big") % len(others)] if others else answer
        return NOT_RELEVANT if draw < self._wrong + self._not_relevant else answer


def make_referee(spec: str, seed: int = 0) -> Referee | None:
    """The referee of a SPEC: `none` (None), `oracle`, or `noisy:WRONG,NOT_RELEVANT`.

    Raises:
        RefereeError: it is none of these, or its shares are no shares.
    """
    if spec == "none":
        return None
    if spec == "oracle":
        return OracleReferee()
    shares = re.fullmatch(r"noisy:\s*(\d*\.?\d+)\s*,\s*(\d*\.?\d+)\s*", spec, re.ASCII)
    if shares is None:
        raise RefereeError(
            f"--referee must be none, oracle or noisy:WRONG,NOT_RELEVANT, got {spec!r}; use e.g. noisy:0.15,0.10"
        )
    return NoisyReferee(OracleReferee(), float(shares[1]), float(shares[2]), seed)


# --- text: words, sentences, signs ---------------------------------------------------------------------------------

_QUOTE_MARKS = str.maketrans(
    {**dict.fromkeys("“”„‟«»״″「」『』", '"'), **dict.fromkeys("‘’‚‛׳′`‹›", "'"), **dict.fromkeys("‐‑‒–—―−־", "-")}
)


def _normalise(text: str) -> str:
    """NFKC on one line; one kind of quotation mark and dash; no invisible characters and no Hebrew points."""
    plain = unicodedata.normalize("NFKC", text).translate(_QUOTE_MARKS)
    kept = (char for char in plain if unicodedata.category(char) != "Cf" and not "\u0591" <= char <= "\u05c7")
    return " ".join("".join(kept).split())


def _fold(text: str) -> str:
    return unicodedata.normalize("NFKC", text.casefold())


def _is_word_char(char: str) -> bool:
    return char.isalnum() or unicodedata.category(char).startswith("M")


@lru_cache(maxsize=4096)
def _tokens(folded: str) -> tuple[tuple[str, int, int], ...]:
    """The words of a folded text with their start and end; "3.5" and "1,000" are one word."""
    found: list[tuple[str, int, int]] = []
    at = 0
    for is_word, run in itertools.groupby(folded, _is_word_char):
        length = len(list(run))
        word, start, at = folded[at : at + length], at, at + length
        if not is_word:
            continue
        if found and word[0].isdigit() and found[-1][0][-1].isdigit() and folded[found[-1][2] : start] in (".", ","):
            _, start, _ = found.pop()
        found.append((folded[start:at], start, at))
    return tuple(found)


def _positions(term: str, text: str, any_form: bool = False) -> list[int]:
    """Where a word or phrase stands in a text as whole words; both in any case.

    The words of a phrase may be joined otherwise ("inverted-index", "inverted index"), but no stop or comma may part
    them that the phrase does not have itself.
    """
    term, text = _fold(term).strip(" .,;:"), _fold(text)
    parts = [word for word, _, _ in _tokens(term)]
    if not parts or any(char in "+#%=<>$€£°*^" or "\u3040" <= char <= "\u9fff" for char in term):
        return _literal_positions(term, text)
    words = _tokens(text)
    stops_allowed = any(char in ".,;:!?" for char in term)
    found = []
    for row in range(len(words) - len(parts) + 1):
        window = words[row : row + len(parts)]
        if not all(
            word == part or (any_form and same_form(word, part))
            for (word, _, _), part in zip(window, parts, strict=True)
        ):
            continue
        gaps = "".join(text[left[2] : right[1]] for left, right in itertools.pairwise(window))
        if stops_allowed or not any(char in ".,;:!?" for char in gaps):
            found.append(window[0][1])
    return found


def _literal_positions(term: str, text: str) -> list[int]:
    """Where a sign, a term with signs ("c++"), or one in a script without blanks stands; no Latin word is cut."""
    if not term:
        return []
    left = r"(?<!\w)" if term[0].isascii() and term[0].isalnum() else ""
    right = r"(?!\w)" if term[-1].isascii() and term[-1].isalnum() else ""
    return [match.start() for match in re.finditer(left + re.escape(term) + right, text)]


_ABBREVIATION = re.compile(r"e\.g|i\.e|cf|vs|dr|mr|mrs|ms|prof|figs|eqs|al|approx|resp|ca|eds?|jr|sr|st|viz|[a-hj-z]")
_ABBREVIATION_OF_NUMBERS = re.compile(r"nos?|fig|eq|pp?|vol|ch|sec|art")
_SENTENCE_END = re.compile(r"[.!?]+[\"')\]]*(?=\s|$)|[!?](?=[\u3040-\u9fff])|。")


@lru_cache(maxsize=1024)
def _sentences(text: str) -> tuple[str, ...]:
    """The sentences of a normalised text; abbreviations, initials and what goes on in lower case end none."""
    found, start = [], 0
    for end in _SENTENCE_END.finditer(text):
        ahead = text[end.end() :].lstrip()[:1]
        if ahead.islower():
            continue
        before = re.search(r"[\w.]+$", text[start : end.start()])
        word = before[0].casefold() if before else ""
        is_abbreviation = _ABBREVIATION.fullmatch(word) or (
            ahead.isdigit() and _ABBREVIATION_OF_NUMBERS.fullmatch(word)
        )
        if ahead and end[0].startswith(".") and is_abbreviation:
            continue
        found.append(text[start : end.end()].strip())
        start = end.end()
    if text[start:].strip():
        found.append(text[start:].strip())
    return tuple(found)


def _words(text: str) -> list[str]:
    """What a reader counts as words: stretches between blanks that have a letter or digit."""
    return [word for word in text.split() if any(char.isalnum() for char in word)]


def _matches(pattern: str) -> Callable[[str], int]:
    compiled = re.compile(pattern)
    return lambda text: len(compiled.findall(text))


def _count_names(text: str) -> int:
    """Capitalised words that do not begin a sentence."""
    inner = (word.lstrip("\"'([") for sentence in _sentences(text) for word in _words(sentence)[1:])
    return sum(word[:1].isupper() and word not in ("I", "I'm", "I've") for word in inner)


def _count_quotations(text: str) -> int:
    return len(re.findall(r"(?<!\w)\"[^\"]+\"(?!\w)|(?<!\w)'[^']+'(?!\w)", text))


_NUMBER_FORMS = (
    "0 zero, 1 one once single, 2 two twice, 3 three thrice, 4 four, 5 five, 6 six, 7 seven, 8 eight, 9 nine, 10 ten, "
    "11 eleven, 12 twelve, 13 thirteen, 14 fourteen, 15 fifteen, 16 sixteen, 17 seventeen, 18 eighteen, 19 nineteen, "
    "20 twenty, 30 thirty, 40 forty, 50 fifty, 60 sixty, 70 seventy, 80 eighty, 90 ninety, 100 hundred"
)
_HEBREW_NUMBER_FORMS = (
    "0 אפס, 1 אחד אחת, 2 שניים שתיים שני שתי פעמיים, 3 שלושה שלוש שלושת, 4 ארבעה ארבע ארבעת, 5 חמישה חמש חמשת, "
    "6 שישה שש ששת, 7 שבעה שבע שבעת, 8 שמונה שמונת, 9 תשעה תשע תשעת, 10 עשרה עשר עשרת, 20 עשרים, 30 שלושים, "
    "40 ארבעים, 50 חמישים, 60 שישים, 70 שבעים, 80 שמונים, 90 תשעים, 100 מאה"
)


def _numbers_by_word(forms: str) -> dict[str, int]:
    rows = (row.split() for row in forms.split(","))
    return {word: int(number) for number, *words in rows for word in words}


_NUMBER_WORDS = _numbers_by_word(_NUMBER_FORMS)
_HEBREW_NUMBER_WORDS = _numbers_by_word(_HEBREW_NUMBER_FORMS)
_TENS = re.compile(
    r"\b(twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)[ -](one|two|three|four|five|six|seven|eight|nine)\b"
)
_NUMBER_WORD = re.compile(rf"\b(?:an? )?({'|'.join(_NUMBER_WORDS)})\b")
_HEBREW_NUMBER_WORD = re.compile(
    rf"\b([מלבו]?)-?({'|'.join(sorted(_HEBREW_NUMBER_WORDS, key=len, reverse=True))})( עשרה?)?\b"
)


def _with_digits(folded: str) -> str:
    """A text with its number words as digits: "more than twenty-five" becomes "more than 25"."""
    text = _TENS.sub(lambda match: str(_NUMBER_WORDS[match[1]] + _NUMBER_WORDS[match[2]]), folded)
    text = _NUMBER_WORD.sub(lambda match: str(_NUMBER_WORDS[match[1]]), text)
    text = _HEBREW_NUMBER_WORD.sub(_hebrew_digits, text)
    return re.sub(r"(?<=\d),(?=\d{3}\b)", "", text)


def _hebrew_digits(match: re.Match[str]) -> str:
    prefix = f"{match[1]}-" if match[1] else ""
    return f"{prefix}{_HEBREW_NUMBER_WORDS[match[2]] + (10 if match[3] else 0)}"


@dataclass(frozen=True, slots=True)
class _Feature:
    """Something in a text that has a name of its own, such as a year.

    Attributes:
        name: pattern of its name in a question or option.
        count: how many of it a text has.
    """

    name: re.Pattern[str]
    count: Callable[[str], int]


def _feature(name: str, count: Callable[[str], int]) -> _Feature:
    return _Feature(re.compile(rf"(?<!\w)[הב]?(?:{name})(?!\w)"), count)


_SPELLED = rf"(?i)(?<!\w)(?:{'|'.join(word for word in _NUMBER_WORDS if word != 'single')})(?!\w)"

_FEATURES = (
    _feature(
        r"(?:numbers?|numerals?) (?:written |spel\w+ )?(?:out )?(?:in|as) (?:words|letters)|number words?"
        r"|spel\w+[- ]out numbers?|מספר(?:ים)? במילים",
        lambda text: (
            _matches(_SPELLED)(text) + sum(word in _HEBREW_NUMBER_WORDS for word, _, _ in _tokens(_fold(text)))
        ),
    ),
    _feature(r"percent(?:age)?s?(?: signs?)?|per cent|אחוז(?:ים)?|סימן אחוז", _matches(r"(?i)\d\s*%|\bper ?cent|אחוז")),
    _feature(
        r"(?:calendar )?years?|שנה(?: לועזית)?|שנים|ציון שנה",
        _matches(r"(?<![\d.,])(?:1\d{3}|20\d{2})(?!\d|[.,]\d)|\d (?:BCE?|CE|AD)\b|\bAD \d"),
    ),
    _feature(r"decimals?(?: numbers?| fractions?| points?)?|מספר עשרוני|שבר עשרוני", _matches(r"\d\.\d")),
    _feature(r"digits?|ספר(?:ה|ות)", _matches(r"\d")),
    _feature(r"numbers?|numerals?|integers?|מספר(?:ים)?", _matches(r"\d+(?:[.,]\d+)*")),
    _feature(
        r"question[- ]marks?|(?:an? |any )?(?:direct |rhetorical )?questions?|סימני? שאלה|שאל(?:ה|ות)",
        _matches(r"[?؟]"),
    ),
    _feature(r"exclamation (?:marks?|points?)|סימני? קריאה", _matches("!")),
    _feature(
        r"quotations?(?: marks?)?|quotes?|quoted (?:words?|text|phrases?|passages?)|inverted commas|ציטוט(?:ים)?"
        r"|מי?רכאות",
        _count_quotations,
    ),
    _feature(r"square brackets?|סוגריים מרובעים", _matches(r"\[")),
    _feature(r"parenthes[ei]s|parenthetical\w*(?: remarks?)?|(?:round )?brackets?|סוגריים", _matches(r"\(")),
    _feature(
        r"formulas?|formulae|equations?|mathematical (?:symbols?|expressions?|notation|signs?)|נוסחה|נוסחא(?:ות)?"
        r"|משווא(?:ה|ות)|ביטוי מתמטי|סימ(?:ן|נים) מתמטי(?:ים)?",
        lambda text: (
            sum(unicodedata.category(char) == "Sm" and char not in "|~<>+" for char in text)
            + _matches(r"\w\s*[+<>^]\s*\w|\\[a-z]{2,}")(text)
        ),
    ),
    _feature(r"semi-?colons?|נקודה ופסיק", _matches(";")),
    _feature(r"colons?|נקודתיים", _matches(":")),
    _feature(r"commas?|פסיק(?:ים)?", _matches(r"[,،、]")),
    _feature(r"hyphens?|hyphenated (?:words?|terms?)|מקף", _matches(r"\w-\w")),
    _feature(r"dash(?:es)?|קו מפריד", _matches(r"\s-+\s|\w--\w")),
    _feature(r"slash(?:es)?|לוכסן", _matches("/")),
    _feature(r"urls?|web address(?:es)?|links?|כתובת אינטרנט|קישור", _matches(r"(?i)https?://|www\.")),
    _feature(
        r"acronyms?|(?:words?|abbreviations?|terms?|letters?) (?:written |set )?(?:entirely |wholly )?in (?:all "
        r"|only )?(?:capitals?(?: letters)?|upper[- ]?case)|all[- ]caps? (?:words?|abbreviations?)"
        r"|upper[- ]?case (?:words?|abbreviations?)|(?:all[- ])?capital(?:-letter)? abbreviations?|ראשי תיבות",
        _matches(r"(?<!\w)(?:[^\W\d_a-zא-ת]){2,}(?![^\W\d_A-Z])|[א-ת]\"[א-ת](?![א-ת])"),
    ),
    _feature(
        r"proper (?:names?|nouns?)|capitali[sz]ed (?:words?|names?)"
        r"|(?:names?|words?) (?:written |that \w+ |which \w+ )?(?:in|with) (?:an? |initial )?capitals?(?: (?:letters?"
        r"|initials?))?|names? in capitals?",
        _count_names,
    ),
    _feature(
        r"(?:latin|english|foreign)[- ](?:letters?|words?|script|characters?|terms?)"
        r"|(?:words?|letters?|terms?) in (?:english|latin(?: script| letters)?)|אותיות (?:לועזיות|לטיניות|אנגליות)"
        r"|(?:מיל(?:ה|ים)|מונח(?:ים)?) (?:לועזי\w*|באנגלית|באותיות (?:לועזיות|לטיניות))|אנגלית",
        _matches(r"[A-Za-z]+"),
    ),
    _feature(r"hebrew (?:letters?|words?|script|characters?)|מיל(?:ה|ים) בעברית", _matches(r"[א-ת]+")),
)


def _features_in(folded: str) -> list[_Feature]:
    """The features that a phrase names, each stretch of it read once."""
    found = []
    for feature in _FEATURES:
        folded, n = feature.name.subn(" ", folded)
        if n:
            found.append(feature)
    return found


# --- questions -----------------------------------------------------------------------------------------------------

_QUOTED = re.compile(r"(?<!\w)[הובלמכש]{0,2}-?\"(.+?)\"(?!\w)")
_SINGLE_QUOTED = re.compile(r"(?<!\w)'(.+?)'(?!\w)")

_FIRST_SENTENCE = (
    r"(?:first|opening|initial|1st) sentence|sentence (?:that|which) (?:opens|begins|starts)|משפט ה?(?:ראשון|פותח)"
    r"|משפט הפתיחה"
)
_AFTER_FIRST = (
    r"(?:after|beyond|outside(?: of)?|past|following|other than|except(?: for)?|apart from|excluding"
    r"|later than|but not in)\s+"
    rf"(?:its |the |in )*(?:{_FIRST_SENTENCE})|(?:אחרי|לאחר|מחוץ ל|למעט|פרט ל)\s*ה?(?:משפט ה(?:ראשון|פותח)|משפט הפתיחה)"
)
_SCOPES = (
    ("rest", re.compile(_AFTER_FIRST)),
    ("first", re.compile(rf"[בהלו]?(?:{_FIRST_SENTENCE})")),
    ("last", re.compile(r"(?:last|final|closing|concluding) sentence|[בהלו]?משפט ה?(?:אחרון|סוגר|מסיים)")),
    ("second", re.compile(r"(?:second|2nd) sentence|[בהלו]?משפט השני")),
    ("head", re.compile(r"first (\d+) words|(\d+) המילים הראשונות")),
    ("tail", re.compile(r"last (\d+) words|(\d+) המילים האחרונות")),
)

_ODD_PART = re.compile(
    r"\b(?:longest|shortest|average|third|fourth|fifth|\d+(?:rd|th)|middle|each|every|next|previous"
    r"|penultimate) sentence"
    r"|\bsentences? (?:before|after|\d)|משפט ה(?:ארוך|קצר|שלישי|רביעי|אמצעי)"
)
_BEGINS = re.compile(
    r"\b(?:begin|start|open|commence)(?:s|n?ing)?\b|\bfirst (?:words?|letters?)\b"
    r"|\b(?:initial|opening) (?:words?|letters?)\b|\b(?:מתחיל|נפתח|פותח|התחל)\w*|המיל(?:ה|ים) הראשונ\w+|מילת הפתיחה"
    r"|האות הראשונה"
)
_ENDS = re.compile(
    r"\b(?:end|close|finish|conclude)(?:s|ing)?\b|\b(?:last|final|closing) words?\b|\b(?:מסתיי|נגמר|נחתמ)\w*"
    r"|המילה האחרונה"
)
_ANY_FORM = re.compile(
    r"\b(?:in|under) (?:any|whatever|whichever) (?:\w+ )?form|\bany (?:\w+ )?form of"
    r"|(?<!no )\b(?:inflected|plural|other|all|any) forms? (?:also )?counts?\b"
    r"|\bany inflection|\bincluding (?:its |their )?(?:plurals?|inflect\w+)|בכל (?:צורה|הטיה|נטייה)|על (?:כל )?הטיותי"
    r"|בהטיה כלשהי"
)
_NEGATED = re.compile(
    r"\b(?:does|do|is|are|was|were|has|have|can|could) (?:[^,?]*? )?not\b(?! (?:count|necess|just|only))"
    r"|(?<!^)\w(?:n't)\b|\bnever\b|\babsent\b|\bmissing\b|\bfails? to\b|\bnowhere\b"
    r"|\bלא (?:מופיע|מוזכר|נזכר|נמצא|כלול|קיימ|כתוב)|\bאינ(?:ו|ה|ם|ן)\b|\bחסר"
)
_NO_NEGATION = re.compile(
    r"\b(?:whether )?or (?:is it |does it )?not\b|\bnot (?:counting|only|just)\b|\bאו (?:ש?לא|אינ\w+)\b"
)

_INSTRUCTION = re.compile(
    r"(?:if|when|should|in case|choose|pick|select|answer|ties?|otherwise|prefer|in the case|for ties|where)\b|אם\b"
    r"|במקרה|בחר|יש לבחור|כאשר|סמן|ענה"
)
_ASKS = re.compile(r"\?|\b(?:which|what|how|does|is|are|do)\b|איז[הו]|\bכמה\b|\bהאם\b|\bכיצד\b|\bאיך\b|\bמה\b|\bבאיז")
_TRAILING_RULE = re.compile(
    r"[,;(:-]?\s*(?:and )?(?:\bif (?:several|more than|two|both|many|multiple|none|no\b|neither|it (?:does|is) not"
    r"|there|all|any\b(?!,))|\bin case\b|(?<=\S )(?:choose|pick|select|prefer|take)\b|\bאם (?:יש )?(?:כמה|יותר|שתי"
    r"|שני|אף|אין|מספר)|(?<=\S )(?:בחר|יש לבחור|סמן)).*$"
)
_SEVERAL_RULE = re.compile(
    r"(?:\b(?:if|when|should|in case)\b[^.?!]*?\b(?:several|more than (?:one|1)|two or more"
    r"|multiple|both|many|ties?|all)"
    r"|\b(?:where|for|with|among|of) (?:several|more than one|two or more|multiple|ties?)\b|\bties?\b"
    r"|\bאם[^.?!]*?(?:כמה|יותר מ|שתי|שתיים|שניים|מספר|שני))[^.?!]*"
)
_NONE_RULE = re.compile(
    r"\b(?:if|when|in case)\b[^.?!]*?\b(?:none|neither|no|not|nothing|absent)\b[^.?!]*?\b(?:choose|answer|pick|select"
    r"|mark|take)\s+(?:option |letter |answer )?[\"']?([a-d])\b"
    r"|\b(?:choose|answer|pick|select|mark|take)\s+(?:option |letter |answer )?[\"']?([a-d])[\"']?,? (?:if|when) "
    r"(?:none|neither|no|nothing|it does not|they do not)\b"
)
_LETTER_CHOICE = re.compile(
    r"\b(?:choose|answer|pick|select|mark|take)\s+(?:option |letter |answer )?[\"']?([b-d]\b|a\b(?! \w))"
)
_LETTER_BEFORE = re.compile(r"\b(?:option |letter |answer |choose |pick |select |mark |take )[\"']?([a-d])[\"']?,? $")
_TEXT_FIRST = re.compile(
    r"\b(?:occurs?|appears?|comes?|stands?|(?:is )?(?:mentioned|used|found))\s+(?:the )?(?:first|earliest"
    r"|soonest)\b(?! sentence| in the list| listed)|\bfirst to (?:occur|appear|come)"
    r"|\b(?:first|earliest) in the (?:paragraph|text|passage)|\bearliest\b(?! (?:\w+ )?(?:option|listed|in the list"
    r"|letter|in (?:the )?order|choice))|(?:מופיע|מוזכר|נזכר)\w* (?:ל?ראשונ\w*|קודם|תחילה|מוקדם)"
    r"|(?:ראשונ\w*|קודם) (?:בפסקה|בטקסט)"
)
_LIST_FIRST = re.compile(
    r"\b(?:first|earliest|topmost|uppermost)\s+(?:such |fitting |matching |correct |right |applicable "
    r"|suitable )?(?:\w+ )?(?:option|listed|choice|answer|entry|item)|\bearliest letter"
    r"|\b(?:first|earliest|topmost|uppermost) (?:\w+ )?(?:in|on|from|of) (?:the |this )?(?:list|options|order"
    r"|alphabet\w*|these|those|them|following|words|ones)|\bfirst (?:one )?whose\b"
    r"|\bfirst (?:one )?(?:that|which|to) (?:fits?|match\w*"
    r"|applies|apply|is (?:true|right|correct)|does)|\blisted first\b|\bcomes? first in the (?:list|options)"
    r"|ה?ראשונה? (?:ברשימה|מביני?הן|מבין|מהן|מהם|לפי הסדר|שמתאימה)|האפשרות הראשונה|התשובה הראשונה|המוקדמת ברשימה"
)
_LIST_LAST = re.compile(r"\blast (?:\w+ )?(?:option|listed|choice|letter|in the list|of (?:them|these))|האחרונה ברשימה")


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question as read.

    Attributes:
        main: the asking clause, folded.
        frame: the same with number words as digits and every quoted term replaced by "#".
        bare: the frame without the words that name a part of the paragraph or a rule.
        targets: the terms that the asking clause quotes.
        scope: (name, n) of the part of the paragraph that is asked about; "" for all of it.
        edge: "begin" or "end" where it asks how that part begins or ends.
        any_form: inflected forms count.
        negated: it asks for what is not there.
        rule: "first", "last" (in the list) or "text" (in the paragraph), for several fitting options.
        none_letter, several_letter: the option that the question reserves for these cases, "" if none.
    """

    main: str
    frame: str
    bare: str
    targets: tuple[str, ...]
    scope: tuple[str, int]
    edge: str
    any_form: bool
    negated: bool
    rule: str
    none_letter: str
    several_letter: str

    def count(self, term: str, text: str) -> int:
        """How often a term stands where the question asks for it."""
        part = _part(text, self.scope)
        if not self.edge:
            return len(_positions(term, part, self.any_form))
        words, parts = _tokens(_fold(part)), _tokens(_fold(term))
        if not words or not parts:
            bare = part.strip()
            return int(bool(term) and (bare.startswith(term) if self.edge == "begin" else bare.endswith(term)))
        window = words[: len(parts)] if self.edge == "begin" else words[-len(parts) :]
        equal = len(window) == len(parts) and all(
            word == other or (self.any_form and same_form(word, other))
            for (word, _, _), (other, _, _) in zip(window, parts, strict=True)
        )
        return int(equal)

    def count_feature(self, feature: _Feature, text: str) -> int:
        """How often a feature stands where the question asks for it."""
        part = _part(text, self.scope)
        if self.edge:
            words = part.split()
            part = (words[0] if self.edge == "begin" else words[-1]) if words else ""
        return feature.count(part)


def _part(text: str, scope: tuple[str, int]) -> str:
    name, n = scope
    sentences = _sentences(text)
    if name == "first":
        return sentences[0] if sentences else ""
    if name == "rest":
        return " ".join(sentences[1:])
    if name == "last":
        return sentences[-1] if sentences else ""
    if name == "second":
        return sentences[1] if len(sentences) > 1 else ""
    if name == "head":
        return " ".join(_words(text)[:n])
    if name == "tail":
        return " ".join(_words(text)[-n:]) if n else ""
    return text


def _quoted(text: str) -> list[str]:
    """The terms in double quotation marks, or in single ones where there are no double ones."""
    terms = _QUOTED.findall(text) or _SINGLE_QUOTED.findall(text)
    return [term.strip() for term in terms if term.strip()]


def _unquoted(text: str) -> str:
    """A text with its quoted terms replaced by "#"."""
    pattern = _QUOTED if _QUOTED.search(text) else _SINGLE_QUOTED
    return pattern.sub(" # ", text)


def _read_question(question: str) -> _Asked:
    whole = _normalise(question)
    main = _asking_clause(whole)
    frame = " ".join(_with_digits(_fold(_unquoted(main))).split())
    rules = _fold(_unquoted(whole))
    several = _SEVERAL_RULE.search(rules)
    rule, several_letter = "", ""
    if several:
        letter = _LETTER_CHOICE.search(several[0]) or _LETTER_BEFORE.search(rules[: several.start()])
        several_letter = letter[1].upper() if letter else ""
        if _LIST_LAST.search(several[0]):
            rule = "last"
        elif _LIST_FIRST.search(several[0]) or re.search(
            r"\b(?:first|earliest)\b(?! in the (?:par|text|pas))|הראשונה", several[0]
        ):
            rule = "first"
        if _TEXT_FIRST.search(_LIST_FIRST.sub(" ", several[0])):
            rule = "text"
    elif _LIST_FIRST.search(rules):
        rule = "first"
    none = _NONE_RULE.search(rules)
    scope_text = " ".join(_with_digits(_SEVERAL_RULE.sub(" ", rules)).split())
    scope, bare = ("", 0), frame
    for name, pattern in _SCOPES:
        found = pattern.search(scope_text)
        if found and not scope[0]:
            scope = (name, int(next((group for group in found.groups() if group), 0)))
        bare = pattern.sub(" ", bare)
    bare = _LIST_FIRST.sub(" ", bare)
    edge = "begin" if _BEGINS.search(bare) else "end" if _ENDS.search(bare) else ""
    if edge and not scope[0]:
        scope = ("first", 0) if edge == "begin" else ("last", 0)
    return _Asked(
        main=_fold(main),
        frame=frame,
        bare=bare,
        targets=tuple(dict.fromkeys(_quoted(main))) or _listed(main),
        scope=scope,
        edge=edge,
        any_form=_ANY_FORM.search(rules) is not None,
        negated=_NEGATED.search(_NO_NEGATION.sub(" ", bare)) is not None,
        rule=rule,
        none_letter=(none[1] or none[2]).upper() if none else "",
        several_letter=several_letter,
    )


def _asking_clause(whole: str) -> str:
    """A question without its asides and its rules for several or no fitting options."""
    plain = re.sub(r"\((?![\"'])[^()]*\)|\((?:e\.g|such as|for example|like|למשל)[^()]*\)", " ", whole)
    plain = re.sub(r",\s*if any,?|,\s*אם בכלל,?", " ", plain, flags=re.IGNORECASE)
    clauses = [clause for clause in re.split(r"(?<=[.?!;])\s+", plain.strip()) if clause.strip()]
    kept = [clause for clause in clauses if not _INSTRUCTION.match(_fold(clause)) or "?" in clause]
    if any(_ASKS.search(_fold(clause)) for clause in kept):
        clauses = kept
    trimmed = (re.sub(_TRAILING_RULE.pattern, "", clause, flags=re.IGNORECASE) or clause for clause in clauses)
    return " ".join(trimmed)


def _listed(main: str) -> tuple[str, ...]:
    """The unquoted words that a question lists after a colon: "How many of these occur: index, query, cache?"."""
    _, colon, tail = main.partition(":")
    items = [item.strip(" ?.") for item in re.split(r",|\band\b|\bor\b|\bאו\b", tail)]
    items = [item for item in items if item]
    too_long = any(len(item.split()) > 3 or re.match(r"an? ", item) for item in items)
    if not colon or len(items) < 2 or too_long or _ASKS.search(_fold(tail.rstrip("?"))):
        return ()
    return tuple(items)


_IN_PLACE = r"(?:occurs?|appears?|is|are|in|anywhere|at|mentioned|used|contained|found|present|more|exists?|or not)"
_UNQUOTED_TARGETS = tuple(
    re.compile(pattern)
    for pattern in (
        r"\b(?:word|term|name|phrase|expression|string|symbol|abbreviation)s? (?!of |in |or |an? |any "
        r"|some |that |which |does|do "
        r"|is |are |from |occur|appear)"
        rf"(.+?)(?= {_IN_PLACE}\b|[?,.;:]|$)",
        r"\b(?:mention|contain|include|use|have|cite|name)s? (?:of )?(?!an? |any |some |these|this|which|one |at "
        r"|more )(?:the (?:word|term|name|phrase) )?(.+?)(?= (?:in|anywhere|at|or|more|somewhere|by)\b|[?,.;]|$)",
        r"^(?:is|are|does|do|was|were) (?!an? |any |it |there )(?:the )?(.+?) (?:mentioned|named|used|contained"
        r"|included|found|present|occurs?|appears?|cited)\b",
        r"\b(?:begin|start|open|end)s? with (?:the (?:word|words|phrase) )?(?!an? |any )(.+?)(?=[?,.;]|$)",
        r"ה(?:מילה|מונח|שם|ביטוי|מושג|צירוף) (?!ה?ראשו)(.+?)(?= (?:מופיע|מוזכר|נזכר|נמצא|קיימ|כלול|כתוב|בפסקה|בטקסט"
        r"|במשפט)|[?,.]|$)",
        r"(?:מזכיר|מכיל|כולל)\w* (?:את )?(?:המילה |המונח |השם )?(.+?)(?= (?:בפסקה|בטקסט)|[?,.]|$)",
        r"^האם (.+?) (?:מופיע|מוזכר|נזכר|נמצא)",
    )
)


def _question_terms(asked: _Asked) -> tuple[str, ...]:
    """What a question is about: its quoted terms, else an unquoted one; none where that names no word."""
    if asked.targets:
        return asked.targets
    for pattern in _UNQUOTED_TARGETS:
        found = pattern.search(asked.bare)
        if found:
            term = found[1].strip(" '\"")
            if term and not re.search(
                r"\b(?:paragraph|passage|text|sentence|it|these|following)\b|פסקה|הטקסט|הבאות|הבאים", term
            ):
                return (term,)
    return ()


# --- options -------------------------------------------------------------------------------------------------------

_NONE = re.compile(
    r"\bnone\b|\bneither\b|\bnothing\b|\bno (?:such )?(?:word|one|name|term|phrase)s?\b|\bnot (?:any|one)\b"
    r"|\b(?:the )?(?:words? |terms? )?(?:do|does) not (?:occur|appear)|\ball (?:are |of them are )?absent"
    r"|\b(?:(?:an)?other|(?:a )?different) (?:word|letter|number|one|answer|phrase|option|way|term|than)s?\b"
    r"|\bsomething (?:else|different)\b|\bsome other\b|\b(?:any|every|anything) (?:other|else)\b|\bnone of|\bzero of"
    r"|^(?:an)?other$|\bאף (?:אחת?|מילה|אפשרות)|\bשום\b|\bלא מופיע\w*|\bאינ[הן] מופיע|\bמשהו אחר|\bמילה אחרת"
    r"|\bאחרת?\b|\bכל מילה אחרת"
)
_SEVERAL = re.compile(
    r"\bmore than (?:one|1)\b|\b(?:two|2) or more\b|\bat least (?:two|2)\b|^several\b"
    r"|\bseveral (?:of|occur|appear|words)|^multiple\b|\bsome of (?:them|these)\b|\ba few of\b|יותר מ-?(?:אחת|אחד|1)"
    r"|(?:שתיים|שניים|שתי|2)\b.* או יותר|\bלפחות (?:שתיים|שתי|שניים)|^כמה\b|\bמספר מהן"
)
_ALL = re.compile(
    r"^(?:yes,? )?both\b|^(?:yes,? )?all\b|\bboth (?:of|occur|appear|words|are|do)|\ball (?:of|\d|three|four|occur)"
    r"|^(?:כן,? )?(?:שתיהן|שניהם|שתי|שני|כולן|כולם|כל)\b"
)
_JUST_ONE = re.compile(r"\b(?:exactly|only|just) (?:one|1)\b|\bone of (?:the two|them) only|\bרק אחת?\b|בדיוק אחת?")
_ORDINAL_TARGET = re.compile(
    r"\b(?:the )?(first|second|third|fourth|former|latter)\b|\b(?:ה)(ראשונה?|שנייה?|שלישית?)\b"
)
_ORDINALS = {"first": 0, "former": 0, "second": 1, "latter": 1, "third": 2, "fourth": 3}
_HEBREW_ORDINALS = {"ראשון": 0, "ראשונה": 0, "שני": 1, "שנייה": 1, "שלישי": 2, "שלישית": 2}
_UNKNOWN = re.compile(
    r"\b(?:not sure|unsure|unclear|unknown|cannot|can't|could not|maybe|perhaps|partly|partially|not applicable|n/a"
    r"|unused|don't know|undetermined|implicitly|implied)\b|^-*$|לא ידוע|לא ניתן|אי אפשר|לא ברור|אולי|חלקית"
)
_NO = re.compile(
    r"^(?:no|not|false|absent|never|nowhere|missing|none|neither|without|incorrect|wrong)\b"
    r"|\b(?:does|do|is|are|has|have) not\b|n't\b|\bno\b|^(?:לא|אין|אינ\w+|שגוי|נעדר\w*|חסר\w*|אף)\b"
    r"|\bלא (?:מופיע|מוזכר|נמצא|קיימ)"
)
_YES = re.compile(
    r"^(?:yes|yep|true|correct|right|present|it (?:does|is|occurs|appears|contains|has)|they (?:do|are)|occurs?"
    r"|appears?|does|contains?|mentioned|included|there (?:is|are)|כן|נכון|אמת|מופיע\w*|מוזכר\w*|קיימ\w*|יש"
    r"|נמצא\w*)\b"
)
_BUT_NOT = re.compile(
    r"\b(?:but|and) not\b|\bwithout\b|\bnot\b|(?:\b|(?<=\s))(?:אך|אבל) (?:לא|בלי)|\bולא\b|\bבלי\b|\bללא\b"
)
_OPTION_LABEL = re.compile(r"^\(?[A-Da-d][).:]\s+")
_NOUN_AHEAD = re.compile(
    r"^(?:with |by )?(?:the )?(?:word|name|term|phrase|expression|abbreviation)s? (?=\S)"
    r"|^(?:ה?מיל(?:ה|ים)|ה?מונח|ה?שם|ה?ביטוי) (?=\S)|^with (?=\S)"
)


@dataclass(frozen=True, slots=True)
class _Choice:
    """An option as read: its text, folded; the same with quoted terms as "#"; its quoted terms."""

    text: str
    folded: str
    frame: str
    quoted: tuple[str, ...]


def _read_option(option: str) -> _Choice:
    text = _OPTION_LABEL.sub("", _normalise(option)).strip().rstrip(".")
    if len(text) > 2 and text[0] == text[-1] and text[0] in "\"'" and text.count(text[0]) == 2:
        return _Choice(text, _fold(text), "#", (text[1:-1].strip(),))
    return _Choice(text, _fold(text), " ".join(_fold(_unquoted(text)).split()), tuple(_quoted(text)))


def _is_way_out(choice: _Choice, others: Sequence[_Choice], named: bool = False) -> bool:
    """Whether an option speaks of the other options, or of words `named` in the question, and names nothing itself."""
    if choice.quoted or not (
        _NONE.search(choice.folded)
        or _SEVERAL.search(choice.folded)
        or _ALL.search(choice.folded)
        or _JUST_ONE.search(choice.folded)
    ):
        return False
    if named or len(choice.folded.split()) > 1 or choice.folded in ("none", "neither", "nothing", "nowhere"):
        return True
    # a lone "several" or "other" may be one of the words asked for; then it looks like them
    rest = [other for other in others if other is not choice]
    return any(other.quoted for other in rest) or (
        choice.text[:1].isupper() and any(other.text[:1].islower() for other in rest)
    )


def _way_out_holds(choice: _Choice, n_fitting: int, n_all: int) -> bool:
    text = choice.folded
    return (
        (n_fitting == 0 and _NONE.search(text) is not None)
        or (n_fitting >= 2 and _SEVERAL.search(text) is not None)
        or (n_fitting == n_all and n_all > 1 and _ALL.search(text) is not None and not _NONE.search(text))
        or (n_fitting == 1 and _JUST_ONE.search(text) is not None)
    )


def _terms(choice: _Choice) -> tuple[list[str], bool]:
    """The words or phrases of an option, and whether all of them are meant rather than any."""
    if choice.quoted:
        joined_by_and = re.search(r"#\s*(?:,?\s*and|&|\+|וגם|ו-?)\s*#|\bboth\b", choice.frame) is not None
        return list(choice.quoted), joined_by_and and not re.search(r"\bor\b|\beither\b|\bany\b|\bאו\b", choice.frame)
    text = _NOUN_AHEAD.sub("", choice.folded).strip()
    if re.search(r",|;|\bor\b|(?<!^)\bאו\b|\s/\s", text):
        parts = re.split(r"\s*(?:,|;|\s/\s|\beither\b|\bor\b|\band\b|\bאו\b)\s*", text)
        return [part for part in parts if part], False
    parts = re.split(r"\s+(?:and|&|\+)\s+", text)
    if len(parts) > 1 and all(len(part.split()) == 1 for part in parts):
        return parts, True
    return [text], False


_NUMBER = r"(\d+)"
_UNIT = r"(?:\s+[^\W\d]+){0,2}?"
_AMOUNTS = tuple(
    (kind, re.compile(pattern))
    for kind, pattern in (
        ("range", rf"(?:between|from|בין)\s+{_NUMBER}{_UNIT}\s+(?:and|to|through|ל-?|ועד|עד|ו-?)\s*{_NUMBER}"),
        ("range", rf"{_NUMBER}{_UNIT}\s*(?:-|to|through|until|עד|ל-)\s*{_NUMBER}"),
        ("range", rf"{_NUMBER}{_UNIT}\s*(?:\bor\b|/|,|\bאו\b)\s*{_NUMBER}"),
        (
            "most",
            rf"(?:\b(?:no|not) (?:more|longer|greater) than|at (?:the )?most|up to"
            rf"|max(?:imum)?(?: of)?)\s*{_NUMBER}",
        ),
        ("most", rf"(?:≤|<=|לכל היותר|לא יותר מ-?|(?<!\S)עד)\s*{_NUMBER}"),
        ("most", rf"{_NUMBER}{_UNIT}\s+(?:or|and) (?:fewer|less|shorter|under|below|lower|earlier)"),
        ("most", rf"{_NUMBER}{_UNIT}\s+(?:ומטה|או פחות|ופחות)"),
        ("least", rf"(?:\b(?:no|not) (?:fewer|less|shorter) than|at least|min(?:imum)?(?: of)?)\s*{_NUMBER}"),
        ("least", rf"(?:≥|>=|לפחות|לא פחות מ-?)\s*{_NUMBER}"),
        ("least", rf"{_NUMBER}{_UNIT}\s*\b(?:or|and) (?:more|above|over|longer|up|upwards?|greater|higher|later)"),
        ("least", rf"{_NUMBER}{_UNIT}\s*(?:\+|ומעלה|או יותר|ויותר)"),
        (
            "more",
            rf"(?:(?:more|longer|greater|larger|higher|later) than|\b(?:over|above|exceed(?:s|ing)?)|>)\s*{_NUMBER}",
        ),
        ("more", rf"(?:יותר מ-?|מעל(?: ל-?)?|ארו(?:ך|כה) מ-?|למעלה מ-?)\s*{_NUMBER}"),
        ("fewer", rf"(?:(?:fewer|less|shorter|smaller|lower) than|\b(?:under|below)|<)\s*{_NUMBER}"),
        ("fewer", rf"(?:פחות מ-?|מתחת ל-?|קצרה? מ-?)\s*{_NUMBER}"),
    )
)


def _bounds(kind: str, numbers: Sequence[int]) -> tuple[float, float]:
    n = numbers[0]
    if kind == "range":
        return min(numbers), max(numbers)
    if kind in ("most", "fewer"):
        return 0, n if kind == "most" else n - 1
    return n if kind == "least" else n + 1, math.inf


def _amount(folded: str, loose: bool = True) -> tuple[float, float] | None:
    """The smallest and largest number that a phrase such as "more than 3" or "4 to 6" allows.

    Args:
        folded: the phrase.
        loose: a bare number, "none" and "several" are amounts too.
    """
    text = _with_digits(folded)
    low, high, found = 0.0, math.inf, False
    for kind, pattern in _AMOUNTS:
        for match in pattern.finditer(text):
            least, most = _bounds(kind, [int(group) for group in match.groups()])
            low, high, found = max(low, least), min(high, most), True
        text = pattern.sub(" ", text)
    if found:
        return low, high
    numbers = [int(number) for number in re.findall(r"\d+", text)]
    if len(numbers) == 1 and (loose or re.search(r"\b(?:exactly|precisely|only|just) \d|בדיוק \d|רק \d", text)):
        return numbers[0], numbers[0]
    if loose and not numbers:
        if re.search(r"\b(?:none|zero|no|never|not|nothing)\b|\bאין\b|\bאף\b|\bלא\b|\bכלל לא\b", text):
            return 0, 0
        if re.search(r"\b(?:several|many|multiple)\b|\bכמה\b|\bהרבה\b", text):
            return 2, math.inf
    return None


# --- readers: each returns None for a question that is not of its kind ---------------------------------------------


@dataclass(frozen=True, slots=True)
class _Verdict:
    """What a reader found out about the options.

    Attributes:
        fits: whether each option holds, None for one that it cannot read.
        n_fitting: how many of the things asked for are there, where the question may have a letter for none or several.
        places: position in the paragraph of each option's term, where it has one.
    """

    fits: list[bool | None]
    n_fitting: int | None = None
    places: list[int] | None = None


def _settle(asked: _Asked, verdict: _Verdict) -> str:
    if verdict.n_fitting == 0 and asked.none_letter:
        return asked.none_letter
    fitting = [row for row, fits in enumerate(verdict.fits) if fits]
    if len(fitting) > 1 and asked.several_letter:
        return asked.several_letter
    if not fitting or (len(fitting) > 1 and not asked.rule):
        return NOT_RELEVANT
    if asked.rule == "last":
        return LETTERS[fitting[-1]]
    if asked.rule == "text" and verdict.places is not None:
        places = verdict.places
        return LETTERS[min(fitting, key=lambda row: places[row])]
    return LETTERS[fitting[0]]


_HOW_MANY = re.compile(
    r"\bhow (?:many|often|frequently|long|few|large|big)\b|\b(?:number|count|length|total) of\b"
    r"|\b(?:word|sentence|letter) count\b|\bin (?:which|what) sentence\b|\bwhich sentence\b|\bhow much\b"
    r"|(?:^|[\s,:])[בל]?כמה\b|אורכ\w*|אורך|\bמספר ה|\bבאיזה משפט\b"
)
_LONGER_OR_SHORTER = re.compile(
    r"\b(?:longer|shorter|more|fewer|less)\b[^?]*\bor\b[^?]*\b(?:shorter|longer|fewer|less|more)\b"
    r"|(?:ארו|קצר|יותר|פחות)\w*[^?]*\bאו\b[^?]*(?:ארו|קצר|יותר|פחות)"
)
_ODD_UNITS = re.compile(
    r"\b(?:words?|sentences?)\b (?:that|which|start|begin|end|with|longer|shorter|of (?!the|this)|in (?:quot|paren"
    r"|capital|ital|bold|english|latin|hebrew))|\b(?:long|short|capitali[sz]ed|hyphenated|quoted) words"
)
_UNITS: tuple[tuple[re.Pattern[str], Callable[[str], int]], ...] = (
    (
        re.compile(r"\b(?:different|distinct|unique) words\b|מילים שונות"),
        lambda text: len({word for word, _, _ in _tokens(_fold(text))}),
    ),
    (re.compile(r"\bsentences?\b|\bמשפט(?:ים)?\b"), lambda text: len(_sentences(text))),
    (
        re.compile(r"\bwords\b|\bword count\b|\bword long\b|\bמילים\b|\bהמילים\b|\bתיבות\b"),
        lambda text: len(_words(text)),
    ),
    (re.compile(r"\bletters\b|\bletter count\b|\bאותיות\b"), lambda text: sum(char.isalpha() for char in text)),
    (re.compile(r"\bcharacters\b|\bתווים\b"), len),
    *((feature.name, feature.count) for feature in _FEATURES),
)


def _by_amount(asked: _Asked, choices: Sequence[_Choice], text: str) -> _Verdict | None:
    """How many, how long, how often; longer or shorter than so many."""
    either = _LONGER_OR_SHORTER.search(asked.bare)
    how_many = _HOW_MANY.search(asked.bare)
    if not (either or how_many):
        return None
    if _answers_yes_or_no(asked, choices) and _amount(asked.bare, loose=False):
        return None
    n = _measured(asked, choices, text, how_many.end() if how_many else _after_number(asked.bare))
    if n is None:
        return None
    numbers = re.findall(r"\d+", asked.bare)
    fits: list[bool | None] = []
    for choice in choices:
        if either and len(numbers) == 1 and not re.search(r"\d", _with_digits(choice.folded)):
            fits.append(_compared(choice, n, int(numbers[0])))
            continue
        if re.search(r"\b(?:odd|even)\b|אי-?זוגי|זוגי", choice.folded):
            fits.append((n % 2 == 1) == bool(re.search(r"\bodd\b|אי-?זוגי", choice.folded)))
            continue
        ordinal = (
            choice.folded
            if "sentence" not in asked.bare and "משפט" not in asked.bare
            else _ordinals_as_digits(choice.folded)
        )
        bounds = _amount(ordinal)
        fits.append(bounds[0] <= n <= bounds[1] if bounds else False if _UNKNOWN.search(choice.folded) else None)
    for row, choice in enumerate(choices):
        if fits[row] is None and not choice.quoted and re.search(r"\b(?:an)?other\b|\belse\b|אחר", choice.folded):
            fits[row] = not any(fits)
    return _Verdict(fits) if sum(fit is not None for fit in fits) >= 2 else None


def _after_number(folded: str) -> int:
    number = re.search(r"\d+", folded)
    return number.end() if number else 0


def _measured(asked: _Asked, choices: Sequence[_Choice], text: str, after: int) -> int | None:
    """The number that a question asks for, None where it asks for something else."""
    part = _part(text, asked.scope)
    terms = (
        _question_terms(asked)
        if re.search(r"#|\btimes\b|\boften\b|פעמים|\bsentence\b|\bמשפט\b", asked.bare) or asked.targets
        else ()
    )
    if re.search(r"\b(?:which|what) sentence\b|באיזה משפט", asked.bare):
        holders = [
            row
            for row, sentence in enumerate(_sentences(text), 1)
            if any(_positions(term, sentence, asked.any_form) for term in terms)
        ]
        return (holders[0] if holders else 0) if terms else None
    if re.search(r"\btimes\b|\bhow (?:often|frequently)\b|\boccurrences\b|פעמים", asked.bare):
        features = _features_in(asked.bare) if not terms else []
        if terms:
            return sum(len(_positions(term, part, asked.any_form)) for term in terms)
        return sum(feature.count(part) for feature in features) if features else None
    if len(terms) > 1 and re.search(
        r"\bhow many (?:of\b|are\b|do\b|occur|appear|can\b|(?:\w+ )?#)|\bnumber of (?:the|these)\b|כמה מ", asked.bare
    ):
        return sum(bool(asked.count(term, text)) for term in terms)
    if _ODD_UNITS.search(asked.bare):
        return None
    if re.search(r"\bfirst word\b|המילה הראשונה|\blast word\b|המילה האחרונה", asked.bare):
        words = _words(part)
        row = 0 if re.search(r"first word|הראשונה", asked.bare) else -1
        return sum(char.isalpha() for char in words[row]) if words else None
    best: tuple[int, int] | None = None
    for asked_of in (asked.bare[after:], asked.bare, " ".join(choice.folded for choice in choices)):
        for row, (unit, _) in enumerate(_UNITS):
            found = unit.search(asked_of)
            if found and (best is None or found.start() < best[0]):
                best = (found.start(), row)
        if best is not None:
            return _UNITS[best[1]][1](part)
    return None


def _compared(choice: _Choice, n: int, bound: int) -> bool | None:
    """Whether an option such as "longer" or "shorter or the same" holds for n against a bound."""
    text = choice.folded
    longer = re.search(r"\b(?:longer|more|above|over|greater)\b|ארו[כך]|יותר", text)
    shorter = re.search(r"\b(?:shorter|fewer|less|below|under)\b|קצר|פחות", text)
    equal = re.search(r"\b(?:exactly|equal\w*|same|just that|neither)\b|בדיוק|שווה|זהה", text)
    if re.search(r"\bnot (?:longer|more)\b|לא (?:ארו|יותר)", text):
        return n <= bound
    if re.search(r"\bnot (?:shorter|fewer|less)\b|לא (?:קצר|פחות)", text):
        return n >= bound
    if not (longer or shorter or equal):
        return False if _UNKNOWN.search(text) else None
    return bool((longer and n > bound) or (shorter and n < bound) or (equal and n == bound))


_ORDINAL_WORDS = (
    *(("first", "ראשון"), ("second", "שני"), ("third", "שלישי"), ("fourth", "רביעי"), ("fifth", "חמישי")),
    *(("sixth", "שישי"), ("seventh", "שביעי"), ("eighth", "שמיני"), ("ninth", "תשיעי"), ("tenth", "עשירי")),
)


def _ordinals_as_digits(folded: str) -> str:
    for n, (name, other) in enumerate(_ORDINAL_WORDS, 1):
        folded = re.sub(rf"\b{name}\b|\b{n}(?:st|nd|rd|th)\b|\bה?{other}\b", str(n), folded)
    return folded


_LATER = re.compile(
    r"\blater\b|\bafter\b|\belsewhere\b|\bthe rest\b|\bremainder\b|\bfurther\b|\bsubsequent\w*|\bother sentences?\b"
    r"|\bafterwards?\b|\bbeyond\b|בהמשך|אחר כך|לאחר|אחרי|מאוחר|בשאר|ביתר"
)
_FIRST_PLACE = re.compile(
    rf"{_FIRST_SENTENCE}|^(?:yes,? )?(?:in |at )?(?:the )?(?:very )?(?:first|opening|start|beginning)(?: one"
    rf"| only)?$|\bat the (?:very )?(?:start|beginning)\b|^בראשון$|בתחילת"
)
_LAST_PLACE = re.compile(
    r"\b(?:last|final|closing) sentence\b|^(?:in |at )?the (?:very )?(?:last|end)$|\bat the end\b|משפט האחרון"
)


def _place(choice: _Choice) -> str:
    """The place an option names: first, only first, not first, later, both, last, middle, half 1, half 2, nowhere."""
    text = choice.folded
    if choice.quoted or _UNKNOWN.search(text):
        return ""
    if half := re.search(r"\b(first|second|1st|2nd) half\b|מחצית ה(ראשונה|שנייה)", text):
        return "half 1" if half[0].startswith(("first", "1st")) or "ראשונה" in half[0] else "half 2"
    first, later = _FIRST_PLACE.search(text), _LATER.search(text)
    negation = re.search(r"\bnot\b|n't\b|\bno\b|\bnever\b|\bלא\b|\bאינ\w+", text)
    if first and later:
        if re.search(_AFTER_FIRST, text) or re.search(
            rf"\bnot (?:in |at )?(?:the |its )?(?:{_FIRST_SENTENCE})|לא במשפט", text
        ):
            return "later"
        return "only first" if negation or re.search(r"\bonly\b|\bרק\b", text) else "both"
    if first:
        return "not first" if negation else "only first" if re.search(r"\bonly\b|\bרק\b", text) else "first"
    if _LAST_PLACE.search(text):
        return "last"
    if re.search(r"\bmiddle\b|\bin between\b|באמצע", text):
        return "middle"
    if re.search(r"\bboth (?:places|parts|of them)|^both$|בשני(?:הם)?", text):
        return "both"
    if later:
        return "later"
    return (
        "nowhere"
        if negation or _NONE.search(text) or re.search(r"\bnowhere\b|\babsent\b|\bmissing\b|בשום", text)
        else ""
    )


def _by_place(asked: _Asked, choices: Sequence[_Choice], text: str) -> _Verdict | None:
    """Where a word stands: in the first sentence, later, not at all."""
    places = [_place(choice) for choice in choices]
    if any(re.search(r"\bsecond\b(?! (?:sentence|half))|\blatter\b", choice.folded) for choice in choices):
        return None  # the first and the second word, not sentence
    terms = _question_terms(asked)
    if (
        not terms
        or sum(place not in ("", "nowhere", "both") for place in places) < 1
        or sum(bool(place) for place in places) < 2
    ):
        return None

    def stands_in(part: str) -> bool:
        return any(_positions(term, part, asked.any_form) for term in terms)

    sentences = _sentences(text)
    words = text.split()
    middle = (len(words) + 1) // 2
    in_first, in_rest = stands_in(_part(text, ("first", 0))), stands_in(_part(text, ("rest", 0)))
    in_last = len(sentences) > 1 and stands_in(sentences[-1])
    in_half = stands_in(" ".join(words[:middle]))
    in_middle = stands_in(" ".join(sentences[1:-1]))
    told_apart = "last" in places
    holds = {
        "first": in_first and not (in_rest and "both" in places),
        "only first": in_first and not in_rest,
        "not first": not in_first,
        "later": not in_first and (in_middle if told_apart else in_rest),
        "both": in_first and in_rest,
        "last": in_last and not in_first and not in_middle,
        "middle": in_middle and not in_first,
        "half 1": in_half,
        "half 2": not in_half and stands_in(text),
        "nowhere": not stands_in(text),
    }
    fits: list[bool | None] = []
    for place, choice in zip(places, choices, strict=True):
        fits.append(holds[place] if place else False if _UNKNOWN.search(choice.folded) else None)
    for row, choice in enumerate(choices):
        if fits[row] is None and _polarity(choice):  # a plain yes besides the places
            fits[row] = stands_in(text) and not any(fits)
    return _Verdict(fits)


_MOST = re.compile(
    r"\b(?:more|most) (?:often|frequent\w*|times)\b|\bthe most\b|\bmost\b|הכי הרבה|יותר פעמים|(?:ה)?רב(?:ות)? ביותר"
    r"|לעיתים קרובות|בתדירות"
)
_FIRST = re.compile(
    _TEXT_FIRST.pattern
    + r"|\bcomes? first\b|\bfirst (?:mentioned|used|occurring)|\b(?:before|earlier than) the (?:other|others"
    r"|rest)|לפני האחר"
)
_LATEST = re.compile(
    r"\b(?:occurs?|appears?|comes?|stands?|mentioned|used) (?:the )?(?:last|latest)\b"
    r"|\blast in the (?:paragraph|text|passage)|(?:מופיע|מוזכר|נזכר)\w* אחרונ"
)
_ORDERED = re.compile(
    r"#.*?\b(before|earlier than|prior to|precede\w*|after|later than|follow\w*|more (?:often|frequently"
    r"|times) than)\b.*?#|#.*?(לפני|אחרי|יותר פעמים).*?#"
)


def _by_order(asked: _Asked, choices: Sequence[_Choice], text: str) -> _Verdict | None:
    """Which comes first, last, or most often; whether one comes before another."""
    part = _part(text, asked.scope)
    if len(asked.targets) == 2 and (order := _ORDERED.search(asked.frame)) and _answers_yes_or_no(asked, choices):
        one, other = (_positions(term, part, asked.any_form) for term in asked.targets)
        relation = order[1] or order[2]
        if relation.startswith(("more", "יותר")):
            holds = len(one) > len(other)
        else:
            after = relation.startswith(("after", "later", "follow", "אחרי"))
            holds = bool(one and other) and (one[0] > other[0] if after else one[0] < other[0])
        missing = not (one and other)
        fits: list[bool | None] = []
        for choice in choices:
            if missing and re.search(r"\b(?:neither|missing|absent|not both|only one|one of them)\b", choice.folded):
                return _Verdict([other is choice for other in choices])
            fits.append(_polarity(choice) == holds if _polarity(choice) is not None else False)
        return _Verdict(fits)
    key: Callable[[list[int]], float] | None = None
    if _MOST.search(asked.bare):
        key = len
    elif _FIRST.search(asked.bare):
        key = _nearness_to_the_start
    elif _LATEST.search(asked.bare):
        key = max
    if key is None or asked.edge:
        return None
    found: list[list[int] | None] = []
    for choice in choices:
        if _is_way_out(choice, choices) or _UNKNOWN.search(choice.folded) or _EQUALLY.search(choice.folded):
            found.append(None)
            continue
        found.append(sorted(place for term in _terms(choice)[0] for place in _positions(term, part, asked.any_form)))
    present = [places for places in found if places]
    best = max((key(places) for places in present), default=None)
    n_best = sum(key(places) == best for places in present)
    fits = [bool(places) and key(places or [0]) == best for places in found]
    n_all = sum(places is not None for places in found)
    for row, choice in enumerate(choices):
        if found[row] is not None:
            continue
        if _EQUALLY.search(choice.folded):
            holds = n_best > 1
        else:
            holds = _is_way_out(choice, choices) and _way_out_holds(choice, len(present), n_all)
        if holds and (n_best != 1 or _JUST_ONE.search(choice.folded)):
            return _Verdict([other is choice for other in choices], len(present))
    return _Verdict(fits, len(present))


_EQUALLY = re.compile(r"\bequal\w*|\bthe same\b|\bsame number\b|\bas often\b|\btie\b|באותה מידה|שווה|אותו מספר")


def _nearness_to_the_start(places: list[int]) -> float:
    return -places[0]


_LETTER_RANGE = re.compile(
    r"^(?:\W|\b(?:from|between|letters?|the|in|a letter)\b|בין|אות(?:יות)?)*([^\W\d_])\W*\s*(?:-|to|through|and|עד"
    r"|ל-?)\s*\W*([^\W\d_])(?!\w)"
)


def _by_letter(asked: _Asked, choices: Sequence[_Choice], text: str) -> _Verdict | None:
    """With which letter the text, or its first word, begins."""
    if (
        asked.edge != "begin"
        or not re.search(r"\bletters?\b|\balphabet\b|\bאות\b|\bהאות\b|אלפבית", asked.bare)
        or asked.targets
    ):
        return None
    initial = next((char for char in _fold(_part(text, asked.scope)) if char.isalnum()), "")
    fits: list[bool | None] = []
    for choice in choices:
        found = _LETTER_RANGE.match(choice.folded)
        single = re.findall(r"(?<!\w)[^\W\d_](?!\w)", choice.folded)
        if found:
            fits.append(found[1] <= initial <= found[2])
        elif re.search(r"\bvowels?\b|\bconsonants?\b", choice.folded):
            fits.append(initial.isalpha() and (initial in "aeiou") == ("vowel" in choice.folded))
        elif re.search(r"\b(?:digits?|numbers?)\b|ספרה|מספר", choice.folded):
            fits.append(initial.isdigit())
        elif single and len(choice.folded) <= 30 and not _NONE.search(choice.folded):
            fits.append(initial in single)
        else:
            fits.append(None)
    for row, choice in enumerate(choices):
        if fits[row] is None and _NONE.search(choice.folded):
            fits[row] = not any(fits)
    return _Verdict(fits) if sum(fit is not None for fit in fits) >= 2 else None


_ASKS_WORDS = re.compile(
    r"\b(?:occur\w*|appear\w*|mention\w*|contain\w*|includ\w*|us(?:e|es|ed|ing)|found|find|present|exists?|written"
    r"|printed|cited?|cites|names?|named|seen|see|read|stands?|(?:comes?|turns?|shows?) up|ask(?:s|ed)?|pose[sd]?"
    r"|quote[sd]?|part of|contribut\w*|featur\w+|literally|verbatim|(?:is|are) (?:\w+ )?in|has|have|having|absent"
    r"|missing|there)\b|מופיע|מוזכר|נזכר|נמצא|קיימ|כלול|כתוב|מכיל|כולל|מזכיר|\bיש\b|בשימוש|משתמש|שימוש|מצוי"
)
_ASKS_MEANING = re.compile(
    r"\b(?:best|closest|topics?|subjects?|themes?|main|purpose|tone|means?|meaning|synonym\w*|similar|related|why"
    r"|describes?|described|summar\w+|opinion|attitude|conclu\w+|kind of|type of)\b|\babout\b|נושא|עוסק|הטוב ביותר"
    r"|משמעות|דומה|קשור|מתאר|מדוע|מטרת|\bעל אודות\b"
)
_ASKS_TERM = re.compile(
    r"\b(?:words?|names?|terms?|phrases?|expressions?|strings?)\b|מיל(?:ה|ים)|מהמילים|מונח|שמות|ביטוי"
)


def _polarity(choice: _Choice) -> bool | None:
    """True for a yes, False for a no, None for what is neither."""
    text = choice.folded
    if _UNKNOWN.search(text):
        return None
    if _YES.search(text) and not re.match(
        r"(?:it |they )?(?:does|do|is|are|has|have) not\b|there (?:is|are) no\b", text
    ):
        return True
    return False if _NO.search(text) else None


def _answers_yes_or_no(asked: _Asked, choices: Sequence[_Choice]) -> bool:
    """Whether the options are a yes and a no, and not words such as "right" and "wrong" to choose from."""
    unquoted = [choice for choice in choices if not choice.quoted]
    polarities = [_polarity(choice) for choice in unquoted]
    if True not in polarities or False not in polarities:
        return False
    plain = any(re.match(r"(?:yes|no|true|false|כן|לא)\b", choice.folded) for choice in unquoted)
    return plain or not re.search(r"\b(?:which|what|how)\b|\bאיז|\bמה\b", asked.bare)


def _by_yes_or_no(asked: _Asked, choices: Sequence[_Choice], text: str) -> _Verdict | None:
    """Whether something is there, begins the text, or is more than so many, with options that say yes or no."""
    if not _answers_yes_or_no(asked, choices) or (len(asked.targets) > 1 and any(choice.quoted for choice in choices)):
        return None
    counts = _counts_asked(asked, choices, text)
    if counts is None:
        return None
    all_meant = re.search(r"\bboth\b|\ball\b|# and (?:\w+ )*#|# ו-? ?#|וגם|\bשתי\b|\bשני\b", asked.bare) is not None
    n = min(counts) if all_meant else sum(counts)
    n_there = sum(count > 0 for count in counts)
    bounds = _amount(asked.bare, loose=False)
    if re.search(r"\b\d+ of\b|\d+ מה", asked.bare):  # "at least one of the words ..."
        n = n_there
    holds = bounds[0] <= n <= bounds[1] if bounds else n > 0
    holds = holds != asked.negated
    fits: list[bool | None] = []
    detailed = [False] * len(choices)
    for row, choice in enumerate(choices):
        polarity = _polarity(choice)
        if polarity is None:
            fits.append(False if _UNKNOWN.search(choice.folded) else None)
            continue
        if polarity is False:
            fits.append(not holds)
            continue
        detail = _YES.sub("", choice.folded, count=1).strip(" ,;:-")
        if len(counts) > 1 and (_ALL.search(detail) or _JUST_ONE.search(detail) or _SEVERAL.search(detail)):
            detailed[row] = True
            fits.append(_way_out_holds(_Choice(detail, detail, detail, ()), n_there, len(counts)))
            continue
        amount = _amount(detail, loose=bool(re.search(r"\b(?:times?|once|twice|\d)\b|פעם|פעמי", detail)))
        detailed[row] = amount is not None
        fits.append(holds and (amount is None or amount[0] <= n <= amount[1]))
    if any(fit and detail for fit, detail in zip(fits, detailed, strict=True)):
        fits = [bool(fit) and detail for fit, detail in zip(fits, detailed, strict=True)]
    return _Verdict(fits)


def _counts_asked(asked: _Asked, choices: Sequence[_Choice], text: str) -> list[int] | None:
    """How often each thing that a yes-or-no question asks for is there, None where that cannot be checked."""
    if _ASKS_MEANING.search(asked.bare):
        return None
    if not asked.targets and _amount(asked.bare, loose=False):
        n = _measured(asked, choices, text, _after_number(asked.bare))
        return None if n is None else [n]
    if not asked.edge and not _ASKS_WORDS.search(asked.bare) and not _amount(asked.bare, loose=False):
        return None
    if asked.targets:
        return [asked.count(term, text) for term in asked.targets]
    explicit_term = re.search(
        r"\bthe (?:word|term|name|phrase|expression)\b (?!in\b|of\b)|ה(?:מילה|מונח|שם|ביטוי) (?!ה?ראשו)", asked.bare
    )
    features = [] if explicit_term else _features_in(asked.bare)
    if features:
        return [asked.count_feature(feature, text) for feature in features]
    if asked.edge == "begin" and re.search(r"\bcapital(?: letter)?\b|\bupper[- ]?case\b", asked.bare):
        return [int(_part(text, asked.scope).lstrip("\"'([")[:1].isupper())]
    terms = _question_terms(asked)
    return [asked.count(term, text) for term in terms] if terms else None


_HOW_OFTEN = re.compile(r"\b(?:times|once|twice)\b|פעמי|\bפעם")


def _by_presence(asked: _Asked, choices: Sequence[_Choice], text: str) -> _Verdict | None:
    """Which of the options' words occur, or begin or end the text."""
    asks_words = asked.edge or asked.scope[0] in ("head", "tail") or _ASKS_WORDS.search(asked.bare)
    if _ASKS_MEANING.search(asked.bare) or not asks_words:
        return None
    if _answers_yes_or_no(asked, choices) and not any(choice.quoted for choice in choices):
        return None
    bounds = _amount(asked.bare, loose=False) if _HOW_OFTEN.search(asked.main) else None

    def there(term: str) -> bool:
        n = asked.count(term, text)
        return bounds[0] <= n <= bounds[1] if bounds else (n > 0) != asked.negated

    way_outs = [_is_way_out(choice, choices, len(asked.targets) > 1) for choice in choices]
    named = [term for choice, way_out in zip(choices, way_outs, strict=True) if not way_out for term in choice.quoted]
    targets = list(asked.targets) if len(asked.targets) > 1 else []
    fits: list[bool | None] = []
    loosely = []
    for choice, way_out in zip(choices, way_outs, strict=True):
        fit = False if way_out else _option_fits(asked, choice, there, targets or named, text)
        fits.append(fit)
        loosely.append(bool(fit))
    n_fitting = sum(there(term) for term in targets) if targets else sum(loosely)
    n_all = len(targets) or way_outs.count(False)
    readable = not any(fit is None for fit in fits)
    for row, choice in enumerate(choices):
        if way_outs[row] and (readable or n_fitting) and _way_out_holds(choice, n_fitting, n_all):
            if n_fitting == 1 and any(fits):
                continue  # the option itself says more
            return _Verdict([other is choice for other in choices], n_fitting)
    part = _part(text, asked.scope)
    places = [
        min(
            (place for term in _terms(choice)[0] for place in _positions(term, part, asked.any_form)), default=len(part)
        )
        for choice in choices
    ]
    return _Verdict(fits, n_fitting if readable else None, places)


def _option_fits(
    asked: _Asked, choice: _Choice, there: Callable[[str], bool], known: Sequence[str], text: str
) -> bool | None:
    """Whether what an option names is there; None where it names nothing that could be checked."""
    only = re.search(r"\bonly\b|\bjust\b|\balone\b|\bרק\b|\bבלבד\b", choice.frame)
    if choice.quoted:
        if re.search(r"\bneither\b|\bnor\b|\bnone of\b", choice.frame):
            return not any(there(term) for term in choice.quoted)
        before, but_not, after = (
            choice.frame.partition(found[0]) if (found := _BUT_NOT.search(choice.frame)) else (choice.frame, "", "")
        )
        n_before = before.count("#")
        wanted, unwanted = choice.quoted[:n_before], choice.quoted[n_before:]
        if but_not and not after.count("#"):  # '"index" does not occur'
            return not any(there(term) for term in wanted)
        if only:
            unwanted += tuple(term for term in known if term not in choice.quoted)
        _, all_meant = _terms(choice)
        all_meant = all_meant or re.search(r"\b(?:all|both|every)\b", asked.bare) is not None
        found_all = all(map(there, wanted)) if all_meant else any(map(there, wanted)) or not wanted
        return found_all and not any(there(term) for term in unwanted)
    if not choice.folded or _UNKNOWN.search(choice.folded):
        return False
    if (
        len(known) > 1
        and (only or not asked.edge)
        and (
            ordinal := _ORDINAL_TARGET.fullmatch(
                re.sub(r"\b(?:only|just|one|word|of them|רק|בלבד)\b", "", choice.folded).strip()
            )
        )
    ):
        row = {**_ORDINALS, **_HEBREW_ORDINALS}[ordinal[1] or ordinal[2]]
        return row < len(known) and all(there(term) == (place == row) for place, term in enumerate(known))
    if not _ASKS_TERM.search(asked.bare) or asked.edge:
        name = re.sub(r"^(?:with )?(?:an?|the|any|some|one) |^ב", "", choice.folded)
        feature = next((feature for feature in _FEATURES if feature.name.fullmatch(name)), None)
        if feature:
            return (asked.count_feature(feature, text) > 0) != asked.negated
    if asked.edge == "begin" and re.fullmatch(r"(?:with )?(?:an )?article", choice.folded):
        return any(there(word) for word in ("a", "an", "the"))
    if len(choice.folded.split()) > (15 if asked.edge else 6) and not re.search(r",|\bor\b", choice.folded):
        return None
    if only:
        alone = re.sub(r"\b(?:only|just|alone)\b|\bרק\b|\bבלבד\b", "", choice.folded).strip()
        rest = [term for term in known if _fold(term) != alone]
        return there(alone) and not any(map(there, rest)) if 0 < len(rest) < len(known) else None
    terms, all_meant = _terms(choice)
    if there(choice.folded):
        return True
    all_meant = (
        all_meant
        or re.search(
            r"\b(?:all|both|every)\b (?:of )?(?:the |its |their )?(?:words|terms|names)|\bpairs?\b", asked.bare
        )
        is not None
    )
    return all(map(there, terms)) if all_meant else any(map(there, terms))
