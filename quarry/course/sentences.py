"""Splitter of paragraphs into verbatim sentences; the first one is the opening sentence."""

import re
import unicodedata
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from quarry.languages.labels import begins_statement
from quarry.languages.quotation import CLOSING_MARKS, OPENING_MARKS
from quarry.languages.registry import (
    OTHER_ARTICLES,
    UNSPACED,
    count_unspaced_letters,
    language_of_word,
    words_of_all,
)

_OPENERS = words_of_all("openers")
"""Words that begin sentences."""
_CANDIDATE = re.compile(
    rf"(?:\.(?: \.){{2,}}|\.{{2,}}|[.!?؟…。]+)[{re.escape(CLOSING_MARKS)}]*(?: »)?(?=\s|$)"
    rf"|(?:[。！？]|(?<=[{UNSPACED})）」])．)+[{re.escape(CLOSING_MARKS)}]*"
    rf"|(?:(?<=[{UNSPACED})）」])|(?<=[^A-Za-z.][A-Za-z]))[.!?](?=[{UNSPACED}])"
    r"|(?<=[א-ת]{3})[.!?](?=[א-ת]{2})|(?<=[א-ת)] )\.(?=[א-ת]{2})"
    r"|(?<=[^\W\d_]{4})[.!?](?=(?:The|This|These|It|We|He|She|They|His|Her|There|However|Therefore) [a-z])"
)
"""Signs at which a sentence may end, perhaps without the space after them, or with it before them."""
_INSIDE = frozenset(",;:.)]}!?–—+=<>≤≥/\\∪∩·⋅")
"""Signs with which no sentence begins."""
_OPERATORS = frozenset("=≠<>≤≥≡≅∈∉⊂⊆∪∩⊍⊎⊔⊕⊗∧∨∘·⋅×+−∼⊥∥→←↦⟶↪⇒⇔")
"""Signs before the last letter of a formula, which is no initial."""
_EQUATION = re.compile(r"\w{1,8}(?:\([^() ]*\))? [=≠<>≤≥≈∈∼] ")
"""The left side of an equation."""
_VALUE = re.compile(r"[^\W\d_]\([^()\s]{1,8}\) ")
"""The value of a function, as f(x)."""
_PART = re.compile(r"\(([a-z])\) ")
"""The letter of a part of an exercise."""
_REFERENCE = re.compile(r"\([a-z]{1,4}\)(?! [^a-z]*[A-Z])")
"""The letter or number of a part inside a sentence, as in "by ineq. (a) we get"."""
_SYMBOL = re.compile(r"[^\W\d_](?= )")
"""A letter alone at the beginning."""
_LETTER_WITH_STOP = re.compile(r"[^\W\d_]\.")
"""A letter with a full stop."""
_INITIALS = re.compile(r"(?:[^\W\d_]\.)*[^\W\d_]")
"""Letters with full stops between them, and one without."""
_NAME_WITH_INITIALS = re.compile(r"(?:[^\W\d_]\. )+[^\W\d_]{2}")
"""Initials, and the beginning of the word after them."""
_ADVERB = re.compile(r"[A-Z][a-z]{2,}(?:al|ar|[ai]b|[ae]nt|ate|ed|ful|ing|ive|ous)ly,")
"""An adverb that begins a sentence, unlike a name such as "Kelly"."""
_BEFORE_NAME = re.compile(r"and|by|from|of|to|with|und|von|et|par|de|y|e|di|da")
"""A word after which a capital with a full stop may be the initial of a name."""
_LONE_CAPITAL = re.compile(r"[A-Z] [a-z]")
"""One capital that begins a sentence."""
_UNITS = frozenset("ACFHJKNTVW")
"""Units of physics, which end sentences after a number."""
_GREEK_LETTER_NAMES = ("GREEK", "MICRO")
"""Beginnings of the names of letters that begin a sentence even if they are small."""
FULL_STOP = re.compile(r"[.!?](?=\s|$)")
"""The end of a word at which a sentence may end."""
LABEL_WORDS = 5
"""Maximum number of words of a label such as "Proof of Lemma 3."."""
LABEL_LETTERS = 4
"""Maximum number of letters of a label in a script without spaces between words."""
HEADING_WORDS = 5
"""Maximum number of words of a first sentence that may be the heading of its paragraph."""
_PART_NUMBER = re.compile(r"[\dIVX]+(?:[.\-–]\d+)*(?:\([a-z]\))?|\(?[A-Za-zא-ת]\)?")
"""The number of a part."""
_SECTION_NUMBER = re.compile(r"\d+(?:\.\d+)+\.?|\d+\.")
"""The number before the name of a statement, as in "2.1. Definition."."""
_ITEM_NUMBER = re.compile(r"(?<=[.:\d]) \(?(?:\d{1,2}|[a-zא-ת])\)?$")
"""The number of the first item of a list at its end, as in "Exercise 5. 1" and "Remark 1 1"."""
_FACTORIAL = re.compile(r"(?:(?<![^\W\d_])[^\W\d_]|\d)\)?$")
"""The end of a number, a letter alone or a term in brackets, before the sign of a factorial."""
_REMARK = re.compile(r"^\([^()]{1,20}\) (?=\S)")
"""A remark in brackets before a label, as in "(5 pts) a."."""
_IN_BRACKETS = re.compile(r"(?<=\S) (?:\((?:[^()]|\([^()]*\))*\)|\([^()]{1,12})$")
"""Text in brackets after a numbered label, as in "Theorem 2 (Gauss, 1801)." and "1.A. (5 pts.)"."""


_ABBREVIATIONS = words_of_all("abbreviations")
_LAST_ABBREVIATIONS = words_of_all("last_abbreviations")
_NUMBER_ABBREVIATIONS = words_of_all("number_abbreviations")
_STATEMENT_NAMES = words_of_all("statements")
_DOTTED = re.compile(r"(?:[^\W\d_]{1,2}\.)+[^\W\d_]{1,2}")
"""Letters with full stops between them."""
_BEFORE_WORD = re.compile(r"^(?:\W+|[^\W\d_]{1,4}['’])(?=\w)")
"""Quotation marks, brackets or arrows before a word, or an article, as in "l'Ing."."""
_ARTICLES = frozenset(OTHER_ARTICLES.split())
_SOURCE = re.compile(r"\([^()]*\)[.,;]")
"""The source in brackets after a quotation."""
_ADVERBIAL = re.compile(
    r"(?:at|by|in|on|from|until|since|after|before|around)\b", re.IGNORECASE
)
MAX_PREFIXES = 3
"""Maximum number of letters that a language puts before a word, as in "and in p."."""
SYMBOL_LENGTH = 3
"""Maximum number of characters of a symbol with an accent and an index."""
ADVERBIAL_WORDS = 3
"""Maximum number of words of a phrase of time or place that is not a sentence, as in "At 5 a.m."."""


def opening_sentence(text: str, n_title: int = 0, indices: Collection[str] = ()) -> str:
    """Return the first sentence of a paragraph, verbatim; the whole text if there is no end of a sentence.

    A label before the first sentence, one word with or without a number ("Proof.", "Definition 3."), belongs to it, and
    so does the name of a statement ("Cauchy's criterion.") that is printed as one.

    Args:
        n_title: number of characters of such a name at the beginning.
        indices: words with a full stop that are indices of formulas, and end no sentence.
    """
    return text[: n_title + _end_of_first(text[n_title:], indices)].strip()


def begins_sentence(text: str) -> bool:
    """Return whether a text begins with a capital and a word that begins sentences, such as "Therefore,"."""
    first, *_ = text.split(maxsplit=1)
    word = first.strip(OPENING_MARKS + CLOSING_MARKS + ".,:;")
    return text[0] == text[0].upper() and word.casefold() in _OPENERS


def names_statement(title: str) -> bool:
    """Return whether a title with a full stop is the name of a statement, as "Cauchy's criterion."."""
    words = title.casefold().rstrip(".").split()
    is_short = title.endswith(".") and len(words) <= HEADING_WORDS
    return is_short and not _STATEMENT_NAMES.isdisjoint(words)


def alternative_openings(text: str) -> tuple[str, ...]:
    """Return other sentences with which a paragraph may open, likeliest first.

    If the first sentence is short, it may be a heading, and the next one is added to it. Some referees end the sentence
    at the first full stop.
    """
    first, *others = sentences(text) or [""]
    openings = []
    if others and len(first.split()) <= HEADING_WORDS:
        openings.append(f"{first} {others[0]}")
    stop = FULL_STOP.search(text)
    if stop and text[: stop.end()] != first:
        openings.append(text[: stop.end()])
    return tuple(openings)


def sentences(text: str) -> list[str]:
    """Split a paragraph into its sentences, verbatim; the first one is the opening sentence."""
    parts = []
    while text := text.lstrip():
        end = _end_of_first(text)
        parts.append(text[:end].strip())
        text = text[end:]
    return parts


def _end_of_first(text: str, indices: Collection[str] = ()) -> int:
    """Return the end of the first sentence; the length of the text if there is no end of a sentence."""
    balanced = text.count("(") == text.count(")")
    for match in _CANDIDATE.finditer(text):
        end = match.end()
        tail = text[end:].lstrip()
        n_open = text.count("(", 0, end) - text.count(")", 0, end)
        if not tail or (balanced and n_open > 0):
            continue
        before = text[: match.start()]
        _, _, last_word = text[:end].rpartition(" ")
        if last_word not in indices and _ends_sentence(before, match.group(), tail):
            return end
    return len(text)


def _ends_sentence(before: str, mark: str, tail: str) -> bool:
    """Return whether a sentence ends at the punctuation `mark`, which follows `before` and precedes `tail`."""
    if not before or tail[0] in _INSIDE:
        return False
    inside = (_is_omission, _is_quotation, _is_of_formula, _goes_on)
    if any(rule(before, mark, tail) for rule in inside):
        return False
    if "." in mark and (_is_item_number(before) or _is_label(before)):
        return False
    return mark != "." or not _is_abbreviation(before, tail)


def _is_omission(before: str, mark: str, tail: str) -> bool:
    """Return whether a mark stands for omitted text: dots after a blank, an operator, or a comma inside a sentence."""
    is_apart = before.endswith(" ") and mark in ("..", ". . .", "…")
    last = before.rstrip()[-1:]
    is_in_tuple = last == "," and mark[-1] in ")]}"
    is_dots = mark in ("...", ". . .", "…")
    is_inside = last in _OPERATORS or (last == "," and not tail[0].isupper())
    return is_apart or is_in_tuple or (is_dots and is_inside)


def _is_quotation(before: str, mark: str, tail: str) -> bool:
    """Return whether a mark ends a quotation of signs alone, or one whose source follows in brackets."""
    is_empty = before[-1] in OPENING_MARKS
    return mark[-1] in CLOSING_MARKS and bool(is_empty or _SOURCE.match(tail))


def _is_of_formula(before: str, mark: str, tail: str) -> bool:
    """Return whether a mark is a sign of a formula, as in "a =? b", "n! paths" and the mean "x. − y"."""
    if before[-1] in _OPERATORS and mark in "?!":
        return True
    if mark == "!" and not tail[0].isupper() and _FACTORIAL.search(before):
        return True
    *_, symbol = ["", *before.split()]
    return tail.startswith("− ") and len(symbol) <= SYMBOL_LENGTH


def _goes_on(before: str, mark: str, tail: str) -> bool:
    """Return whether a sentence goes on: with a small letter, not of a formula, in cased text, or after a bracket.

    In a script without capitals a bracket that was opened inside a sentence does not end it.
    """
    last = before[-1]
    if tail[0].isalpha() and tail[0].lower() == tail[0].upper():
        outside, bracket, _ = before.rpartition("(")
        is_inside = bracket != "" and outside.rstrip()[-1:] not in ".!?:…"
        return ")" in mark and is_inside
    is_cased = last.lower() != last.upper() or not last.isalpha()
    begins = tail.lstrip(OPENING_MARKS)[:1]
    is_greek = begins.isalpha() and _script(begins) in _GREEK_LETTER_NAMES
    is_symbol = is_greek and mark in ".?!" and not last.isdigit()
    is_small = is_cased and begins.islower() and not is_symbol

    is_remark = tail[0] == "(" and not _REFERENCE.match(tail)
    is_formula = mark == "." and _begins_with_formula(tail, before)
    is_beginning = is_remark or is_formula or _begins_part(before, mark, tail)
    return is_small and not is_beginning


def _begins_part(before: str, mark: str, tail: str) -> bool:
    """Return whether a text begins with the letter of a part, after a question or after the part before: "(b) Show"."""
    part = _PART.match(tail)
    if part is None:
        return False
    return mark in "?!" or f"({chr(ord(part[1]) - 1)}) " in before


def _begins_with_formula(tail: str, before: str) -> bool:
    """Return whether a text begins with an equation, a value, or a symbol that has a value in the text before it."""
    if _EQUATION.match(tail) or _VALUE.match(tail):
        return True
    symbol = _SYMBOL.match(tail)
    if symbol is None:
        return False
    has_value = rf"(?<!\w){symbol.group()} ?[=≠<>≤≥≈∈∼]"
    return re.search(has_value, before) is not None


def _is_label(text: str) -> bool:
    """Return whether a text is one word, perhaps with a number or with two, or the label of a proof.

    As in "Theorem 2 (Gauss, 1801)", "2.1. Theorem", "Proof of Lemma 3" or "Q2 (50 pts)".
    """
    if count_unspaced_letters(text) > LABEL_LETTERS:
        return False
    text = _REMARK.sub("", _ITEM_NUMBER.sub("", text)).rstrip(".:")
    label = _IN_BRACKETS.sub("", text).split()
    if len(label) > 2 and _SECTION_NUMBER.fullmatch(label[0]):
        del label[0]
    if len(label) < 2:
        return True
    first, *middle, last = label
    is_numbered = _PART_NUMBER.fullmatch(last) is not None
    if middle:  # such as "Proof of Lemma 3"
        is_short = len(label) <= LABEL_WORDS and all(map(str.isalpha, middle))
        return is_short and is_numbered and begins_statement(f"{first}. ")
    return is_numbered or _SECTION_NUMBER.fullmatch(first) is not None


def _is_item_number(before: str) -> bool:
    """Return whether a text ends with the number of an item: 1 after a colon, or the one after an earlier number."""
    *others, number = ["", *before.split()]
    if not number.isdecimal() or len(number) > 2 or others[-1] in _OPERATORS:
        return False
    is_first = number == "1" and others[-1].endswith(":")
    return is_first or f"{int(number) - 1}." in others


def ends_with_abbreviation(text: str, tail: str) -> bool:
    """Return whether a text ends with an abbreviation, and no initial, inside a sentence that `tail` continues."""
    *_, word = text.split()
    if len(word) < 3 or not word.endswith("."):
        return False
    is_inside = tail[0].islower() and _DOTTED.fullmatch(word[:-1]) is not None
    return is_inside or _is_abbreviation(text[:-1], tail)


@dataclass(frozen=True, slots=True)
class _Stop:
    """A full stop after a word, as the rules of abbreviations see it.

    Attributes:
        before: the text before the stop.
        words: the words of that text before the last one.
        word: the last word, without brackets or an article before it.
        tail: the text after the stop.
        following: the same without opening quotation marks.
        next_word: its first word.
    """

    before: str
    words: Sequence[str]
    word: str
    tail: str
    following: str
    next_word: str

    @property
    def before_word(self) -> str:
        """The word before the last one; "" if there is none."""
        return self.words[-1] if self.words else ""

    @property
    def opens(self) -> bool:
        """Whether the next word begins sentences."""
        is_letter = _LETTER_WITH_STOP.match(self.following)
        return self.next_word.casefold() in _OPENERS and not is_letter

    def is_one_of(self, abbreviations: Collection[str]) -> bool:
        """Return whether a form of the last word is one of some abbreviations."""
        return not _forms(self.word).isdisjoint(abbreviations)


def _is_abbreviation(before: str, tail: str) -> bool:
    """Return whether `before` ends with an abbreviation or an initial, so that its sentence goes on with `tail`."""
    *words, word = _last_abbreviation_joined(before.split())
    following = tail.lstrip(OPENING_MARKS)
    next_word, *_ = re.split(r"[\s,.;:'’]", following, maxsplit=1)
    word = _BEFORE_WORD.sub("", word)
    stop = _Stop(before, words, word, tail, following, next_word)
    for applies, goes_on in _ABBREVIATION_RULES:
        if applies(stop):
            return goes_on
    return False


def _last_abbreviation_joined(words: list[str]) -> list[str]:
    """Join the last two of several words if they are the letters of one abbreviation: "z." and "B" to "z.B"."""
    *others, letter, last = ["", *words]
    is_one = len(last) == 1 and _LETTER_WITH_STOP.fullmatch(
        letter.lstrip(OPENING_MARKS)
    )
    return [*others, letter + last][1:] if is_one else words


def _ends_formula(stop: _Stop) -> bool:
    """Return whether the word is the last operand of a formula, or a unit after a number."""
    is_unit = stop.word in _UNITS and stop.before_word[-1:].isdigit()
    return is_unit or stop.before_word in _OPERATORS


def _is_between_symbols(stop: _Stop) -> bool:
    """Return whether one capital ends a sentence and one begins the next, as in "the line Q. P lies on it"."""
    return _is_capital(stop.word) and _LONE_CAPITAL.match(stop.following) is not None


def _is_of_other_script(stop: _Stop) -> bool:
    """Return whether the word is one capital of another script than the next word, as in Hebrew mathematics.

    A Cyrillic capital before a Latin name is an initial.
    """
    if not _is_capital(stop.word) or not stop.next_word[:1].isalpha():
        return False
    return _script(stop.word) not in (_script(stop.next_word), "CYRILLIC")


def _is_usual_abbreviation(stop: _Stop) -> bool:
    """Return whether the sentence goes on after the word anywhere; the letter v only after a name, as "versus"."""
    is_letter = stop.word == "V" or (
        stop.word == "v" and not stop.before_word[:1].isupper()
    )
    return stop.is_one_of(_ABBREVIATIONS) and not is_letter


def _is_ordinal(stop: _Stop) -> bool:
    """Return whether the word is a number between an article and a noun, as in "der 2. Weltkrieg"."""
    is_number = stop.word.isdecimal() and stop.before_word in _ARTICLES
    return is_number and stop.next_word[:1].isupper() and not stop.opens


def _is_before_number(stop: _Stop) -> bool:
    """Return whether the word is an abbreviation before the number or the capital of a part, as in "App. B"."""
    has_digit = any(map(str.isdigit, stop.next_word))
    is_capital = _is_capital(stop.next_word)
    numbers_part = is_capital and stop.next_word.casefold() not in _OPENERS
    return (has_digit or numbers_part) and stop.is_one_of(_NUMBER_ABBREVIATIONS)


def _is_last_inside(stop: _Stop) -> bool:
    """Return whether the word is an abbreviation that ends sentences, but before a number or a bracket."""
    is_inside = stop.following[:1].isdigit() or stop.tail.startswith(("(", "["))
    return is_inside and _is_last(stop)


def _is_last(stop: _Stop) -> bool:
    """Return whether the word is an abbreviation that ends sentences."""
    return stop.is_one_of(_LAST_ABBREVIATIONS)


def _is_dotted_inside(stop: _Stop) -> bool:
    """Return whether the word has full stops inside, and no sentence begins after it: "U.S.", "At 5 a.m. we met"."""
    is_phrase = len(stop.words) < ADVERBIAL_WORDS and _ADVERBIAL.match(stop.before)
    return _is_dotted(stop) and bool(is_phrase or not stop.opens)


def _is_dotted(stop: _Stop) -> bool:
    """Return whether the word is letters with full stops between them."""
    return _DOTTED.fullmatch(stop.word) is not None


def _is_symbol(stop: _Stop) -> bool:
    """Return whether the word is one capital that is no initial.

    A text has such a symbol before it, inside a sentence and without a full stop, or after it if no name is likely
    there; or shortly before it the letter before it in the alphabet, as in "A and B."; or an adverb and a comma follow.
    """
    word = stop.word
    if not _is_capital(word):
        return False
    symbol = rf"(?:(?<=[^\s.!?…] )|(?<=[(\[,]))[(\[]*{word}(?![^\W\d_]|[.’'-])"
    if re.search(symbol, stop.before[: -len(word)]):
        return True
    if _LETTER_WITH_STOP.match(stop.following):
        return False
    pair = rf"(?<![\w.]){chr(ord(word) - 1)},?(?: [^\W\d_]+){{0,2}} {word}$"
    if _ADVERB.match(stop.following) or re.search(pair, stop.before):
        return True
    noun = stop.before_word.rstrip(",")
    is_noun = noun.isalpha() and noun.islower() and not _BEFORE_NAME.fullmatch(noun)
    is_alone = is_noun and stop.before.endswith(f" {word}")

    return is_alone and re.search(symbol, stop.following) is not None


def _is_initial(stop: _Stop) -> bool:
    """Return whether the word is the initials of a name that goes on.

    A small letter before a name is a symbol, as in "for all k. J. Levi", unless it begins an abbreviation: "z. B.".
    """
    if stop.tail[0] == "(" or not _INITIALS.fullmatch(stop.word):
        return False
    following = stop.following
    if stop.word.islower() and _NAME_WITH_INITIALS.match(following):
        return f"{stop.word}.{following[0]}".casefold() in _ABBREVIATIONS
    is_before_word = following[:1].isalpha() and not stop.opens
    is_name = _LETTER_WITH_STOP.match(following) is not None
    return is_name or (is_before_word and stop.word[0].isupper())


_ABBREVIATION_RULES: tuple[tuple[Callable[[_Stop], bool], bool], ...] = (
    (_ends_formula, False),
    (_is_between_symbols, False),
    (_is_of_other_script, False),
    (_is_usual_abbreviation, True),
    (_is_ordinal, True),
    (_is_before_number, True),
    (_is_last_inside, True),
    (_is_last, False),
    (_is_dotted_inside, True),
    (_is_dotted, False),
    (_is_symbol, False),
    (_is_initial, True),
)
"""Rules of full stops, each with whether the sentence goes on; the first one that applies decides, else it ends."""


def _is_capital(word: str) -> bool:
    return len(word) == 1 and word.isupper()


def _script(word: str) -> str:
    """Return the script of the first letter of a word, such as "GREEK"."""
    return unicodedata.name(word[0], "").partition(" ")[0]


def _forms(word: str) -> set[str]:
    """Return the case-folded forms of a word, with and without the letters that its language puts before words."""
    prefixes = language_of_word(word).prefixes
    n_prefixes = len(word) - len(word.lstrip(prefixes)) if prefixes else 0
    cuts = range(min(n_prefixes, MAX_PREFIXES, len(word) - 1) + 1)
    return {word[cut:].casefold() for cut in cuts}
