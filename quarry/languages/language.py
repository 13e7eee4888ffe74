"""Language: letters, words and sentences that reading, search and questions need of a language."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import regex

ParagraphKind = Literal[
    "prose",
    "lead-in",
    "item",
    "boxed",
    "theorem",
    "proof",
    "exercise",
    "example",
    "remark",
    "caption",
    "footnote",
    "heading",
    "other",
]
"""Kinds of paragraphs. A lead-in ends with a colon, and its text includes the list or display that follows. Boxed text
is inside a frame. A theorem may also be a definition, a lemma or the like."""

NameKind = Literal[
    "lectures",
    "numbered",
    "counted",
    "documents",
    "files",
    "versions",
    "others",
    "months",
    "saying",
    "naming",
    "sections",
    "of",
    "and",
    "number signs",
    "prepositions",
]
"""Kinds of words in names of lectures, which tell the kind of a thing but not which one.

`lectures` name a lecture ("lecture 3"). `numbered` may number lectures or other things ("week 4"). `counted` also
count other things. `documents` and `files` only describe a file. A number after one of `versions` or of `others`
("page 3"), or next to one of `months`, is not the number of a lecture. `saying` are verbs for what a lecture or an
author says. `naming` may come between a word for a document and its name. `sections` occur in headings and metadata
of any document. `of` joins a day and its month; `and` joins two numbers. `number signs` come before a number, and
`prepositions` before a word for a lecture.
"""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Language:
    """A language of lectures and questions. In lists of words, blanks separate the words.

    Attributes:
        name: in English.
        code: of two letters (ISO 639-1).
        script: first and last character of a script that no other language here uses; None if it is Latin.
        alphabet: the small letters that questions may ask about.
        tesseract: name of the language in Tesseract.
        stop_words: function words.
        common_words: 60 common words of opening sentences, for questions without a search.
        prefixes: letters that a word may have before its base form.
        endings: endings of words, the longest first.
        final_letters: letters at the end of a word, and the same letters elsewhere.
        ones: words for 1, which are also pronouns.
        cardinals: words for 2, 3 and so on; variants of a word are joined by "/".
        ordinals: words for 1st, 2nd and so on, in the same form.
        tens: words for 20, 30 and so on.
        teens: words after a word for 1 to 9 that make a number from 11 to 19.
        and_prefix: prefix that means "and".
        article: prefix that an ordinal may have.
        is_ordinal_first: whether an ordinal is before its noun, as in "third lecture".
        numerals: letters that number lectures, as in "lecture B".
        abbreviations: words with a full stop after which the sentence goes on.
        last_abbreviations: words with a full stop that end a sentence, but not before a number or a bracket.
        number_abbreviations: words with a full stop after which a number continues the sentence.
        statements: words of the names of statements, as in "Cauchy's criterion".
        openers: words that begin sentences, also after letters with full stops such as "U.S.".
        clauses: regular expression for words such as "where" that begin a clause, and no sentence, below a formula.
        conjunctions: words between two words of which the first may lack its end, as in "pre- and postfix".
        open_ends: words such as "of" with which no paragraph ends.
        decisive: words that change a statement: negations (also the end of "isn't"), numbers, fractions and multiples.
        lecture: regular expression for words before the number of a lecture in its title.
        drawings: regular expression for the first words of captions.
        bibliographies: regular expression for words in the headings of bibliographies.
        labels: regular expressions for the first words of the paragraphs of a kind, by kind.
        name_words: words in names of lectures by kind.
        in_prefix: prefix that is a preposition.
        negation: regular expression for words that exclude what follows.
        from_the_end: regular expression for words after a number that counts from the end.
        ordinal_endings: endings of numbers in digits, as in "3rd".
        option: regular expression for words before the letter of an option.
        or_: the word "or".
        ask_opening: question about words of the opening sentence; {0} is replaced by the lists of words.
        ask_anywhere: question about words of the whole paragraph; {0} is replaced by the lists of words.
        ask_letter: question about the first letter of a word; {word} is replaced by the name of the word.
        word_names: names of the words of the opening sentence about whose letters questions ask, by position.
        no_word, no_letter: last options of these questions.
        grounds: regular expression for words of reasoning; some referees require one in a justification.
    """

    name: str
    code: str
    script: tuple[str, str] | None = None
    alphabet: str
    tesseract: str
    stop_words: str
    common_words: str
    prefixes: str = ""
    endings: str = ""
    final_letters: tuple[str, str] = ("", "")
    ones: str
    cardinals: str
    ordinals: str
    tens: str
    teens: str = ""
    and_prefix: str = ""
    article: str = ""
    is_ordinal_first: bool = False
    numerals: Mapping[str, int] = field(default_factory=dict)
    abbreviations: str
    last_abbreviations: str = ""
    number_abbreviations: str
    statements: str
    openers: str = ""
    clauses: str
    conjunctions: str = ""
    open_ends: str
    decisive: str
    lecture: str
    drawings: str
    bibliographies: str
    labels: Mapping[ParagraphKind, str]
    name_words: Mapping[NameKind, str]
    in_prefix: str = ""
    negation: str
    from_the_end: str
    ordinal_endings: str = ""
    option: str
    or_: str
    ask_opening: str
    ask_anywhere: str
    ask_letter: str
    word_names: Mapping[int, str]
    no_word: str
    no_letter: str
    grounds: str

    def begins(self, word: str) -> bool:
        """Return whether a word begins with a letter of the script that only this language has."""
        return self.script is not None and self.script[0] <= word[:1] <= self.script[1]

    def forms_of(self, word: str) -> regex.Pattern[str]:
        """Return a pattern that matches a word with any prefixes and endings, and nothing else."""
        prefixes, endings = "|".join(self.prefixes), "|".join(self.endings.split())
        return regex.compile(f"(?:{prefixes})*{regex.escape(word)}(?:{endings})?")

    def with_prefixes(self, words: Sequence[str]) -> set[str]:
        """Return words as they are, and with one or two prefixes."""
        prefixes = ["", *self.prefixes]
        pairs = itertools.product(prefixes, prefixes, words)
        return {*map("".join, pairs)}

    def rough_stem(self, word: str) -> str:
        """Remove up to two prefix letters and one ending from a word, but leave at least three letters.

        Words with the same stem may be forms of one word. The stem is rough: use it only to avoid doubtful words.
        """
        stem = word
        for _ in range(2):
            if len(stem) > 3 and stem[0] in self.prefixes:
                stem = stem[1:]
        for ending in self.endings.split():
            if stem.endswith(ending) and len(stem) - len(ending) >= 3:
                stem = stem[: -len(ending)]
                break
        return stem.translate(str.maketrans(*self.final_letters))
