"""What a text may have that has a name of its own: a year, a comma, an acronym."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

from evaluate.referee.number_words import HEBREW_NUMBER_WORDS, NUMBER_WORDS
from evaluate.referee.text import fold, sentences_of, tokens_of, words_of


@dataclass(frozen=True, slots=True)
class Feature:
    """Something in a text that has a name of its own, such as a year.

    Attributes:
        name: pattern of its name in a question or option.
        count: how many of it a text has.
    """

    name: re.Pattern[str]
    count: Callable[[str], int]


def _feature(name: str, count: Callable[[str], int]) -> Feature:
    return Feature(re.compile(rf"(?<!\w)[הב]?(?:{name})(?!\w)"), count)


def _matches(pattern: str) -> Callable[[str], int]:
    """A function that counts a pattern's matches in a text."""
    compiled = re.compile(pattern)
    return lambda text: len(compiled.findall(text))


def _count_names(text: str) -> int:
    """Capitalised words that do not begin a sentence."""
    inner = (word.lstrip("\"'([") for sentence in sentences_of(text) for word in words_of(sentence)[1:])
    return sum(word[:1].isupper() and word not in ("I", "I'm", "I've") for word in inner)


def _count_quotations(text: str) -> int:
    return len(re.findall(r"(?<!\w)\"[^\"]+\"(?!\w)|(?<!\w)'[^']+'(?!\w)", text))


_SPELLED = rf"(?i)(?<!\w)(?:{'|'.join(word for word in NUMBER_WORDS if word != 'single')})(?!\w)"
FEATURES = (
    _feature(
        r"(?:numbers?|numerals?) (?:written |spel\w+ )?(?:out )?(?:in|as) (?:words|letters)|number words?"
        r"|spel\w+[- ]out numbers?"
        r"|מספר(?:ים)? במילים",
        lambda text: (
            _matches(_SPELLED)(text) + sum(word in HEBREW_NUMBER_WORDS for word, _, _ in tokens_of(fold(text)))
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
        r"question[- ]marks?|(?:an? |any )?(?:direct |rhetorical )?questions?|סימ(?:ן|ני) שאלה|שאל(?:ה|ות)",
        _matches(r"[?؟]"),
    ),
    _feature(r"exclamation (?:marks?|points?)|סימ(?:ן|ני) קריאה", _matches("!")),
    _feature(
        r"quotations?(?: marks?)?|quotes?|quoted (?:words?|text|phrases?|passages?)|inverted commas"
        r"|ציטוט(?:ים)?|מי?רכאות",
        _count_quotations,
    ),
    _feature(r"square brackets?|סוגריים מרובעים", _matches(r"\[")),
    _feature(r"parenthes[ei]s|parenthetical\w*(?: remarks?)?|(?:round )?brackets?|סוגריים", _matches(r"\(")),
    _feature(
        r"formulas?|formulae|equations?|mathematical (?:symbols?|expressions?|notation|signs?)"
        r"|נוסחה|נוסחא(?:ות)?|משווא(?:ה|ות)|ביטוי מתמטי|סימ(?:ן|נים) מתמטי(?:ים)?",
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
        r"acronyms?"
        r"|(?:words?|abbreviations?|terms?|letters?) (?:written |set )?(?:entirely |wholly )?in "
        r"(?:all |only )?(?:capitals?(?: letters)?|upper[- ]?case)"
        r"|all[- ]caps? (?:words?|abbreviations?)|upper[- ]?case (?:words?|abbreviations?)"
        r"|(?:all[- ])?capital(?:-letter)? abbreviations?"
        r"|ראשי תיבות",
        _matches(r"(?<!\w)(?:[^\W\d_a-zא-ת]){2,}(?![^\W\d_A-Z])|[א-ת]\"[א-ת](?![א-ת])"),
    ),
    _feature(
        r"proper (?:names?|nouns?)|capitali[sz]ed (?:words?|names?)"
        r"|(?:names?|words?) (?:written |that \w+ |which \w+ )?(?:in|with) "
        r"(?:an? |initial )?capitals?(?: (?:letters?|initials?))?"
        r"|names? in capitals?",
        _count_names,
    ),
    _feature(
        r"(?:latin|english|foreign)[- ](?:letters?|words?|script|characters?|terms?)"
        r"|(?:words?|letters?|terms?) in (?:english|latin(?: script| letters)?)"
        r"|אותיות (?:לועזיות|לטיניות|אנגליות)"
        r"|(?:מיל(?:ה|ים)|מונח(?:ים)?) (?:לועזי\w*|באנגלית|באותיות (?:לועזיות|לטיניות))|אנגלית",
        _matches(r"[A-Za-z]+"),
    ),
    _feature(r"hebrew (?:letters?|words?|script|characters?)|מיל(?:ה|ים) בעברית", _matches(r"[א-ת]+")),
)


def features_in(folded: str) -> list[Feature]:
    """The features that a phrase names, each stretch of it read once."""
    found = []
    folded = re.sub(r"\b\d+[- ]digits?\b", " ", folded)
    for feature in FEATURES:
        folded, n = feature.name.subn(" ", folded)
        if n:
            found.append(feature)
    return found
