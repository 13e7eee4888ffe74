"""Reading: the manner that reads questions by rules and checks what is seen."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

from quarry.evaluate.referee.option import Option, read_option
from quarry.evaluate.referee.question import read_question
from quarry.evaluate.referee.visible_context import Seen
from quarry.player.questions.answer import LETTERS, NOT_RELEVANT

N_KEPT = 2**17
"""Readings that are remembered."""


class Reading:
    """Reads a question's wording by rules, English or Hebrew, and checks the text; always the same answer.

    It understands which of the words that options or question name occur in the text or in its first sentence, and
    with which these begin or end. Words match whole, in any script, after NFKC and case folding; inflected forms only
    where the question says "in any form". It is strict: what it cannot parse is not relevant, nor is a question of
    which no option fits, or several without a rule for that.
    """

    def __init__(self) -> None:
        self._remembered = functools.lru_cache(maxsize=N_KEPT)(_read)

    def answer(self, seen: Seen, number: int, question: str, options: Sequence[str]) -> str:
        """The letter of the one option that holds, "Not Relevant" for what it cannot parse or decide."""
        return self._remembered(seen, question, tuple(options[: len(LETTERS)]))


def _read(seen: Seen, question: str, options: tuple[str, ...]) -> str:
    read = [read_option(option, last=row == len(options) - 1) for row, option in enumerate(options)]
    says = [option.says for option in read]
    way_out = bool(says) and says[-1] != "words"
    wording = read_question(question, options[: len(options) - way_out], of_itself="yes" in says and "no" in says)
    read[: wording.n_repeated] = [read_option(option, repeated=True) for option in options[: wording.n_repeated]]
    if not wording.readable:
        return NOT_RELEVANT

    def there(term: str) -> bool:
        return wording.there(term, seen) != wording.negated

    fits = _yes_or_no(read, wording.terms, there, all_meant=wording.all_meant)
    if fits is None:
        fits = _words(read, wording.terms, there)
    fitting = [row for row, fit in enumerate(fits) if fit]
    if not fitting or (len(fitting) > 1 and not wording.first_of_several):
        return NOT_RELEVANT
    return LETTERS[fitting[0]]


def _yes_or_no(
    options: Sequence[Option], terms: Sequence[str], there: Callable[[str], bool], *, all_meant: bool
) -> list[bool] | None:
    """Whether each option holds of the words that the question names; None where they are no yes and no."""
    says = [option.says for option in options]
    if "yes" not in says or "no" not in says:
        return None
    if not terms:
        return [False] * len(options)
    holds = all(map(there, terms)) if all_meant else any(map(there, terms))
    return [option.says == ("yes" if holds else "no") for option in options]


def _words(options: Sequence[Option], terms: Sequence[str], there: Callable[[str], bool]) -> list[bool]:
    """Whether what each option names is there, or what it says of the others holds."""
    asked = list(terms) or [term for option in options for term in option.terms]
    fits = [option.says == "words" and _holds(option, asked, there) for option in options]
    n_fitting = sum(map(there, terms)) if terms else sum(fits)
    n_all = len(terms) or sum(option.says == "words" for option in options)
    for row, option in enumerate(options):
        if option.says == "none":
            fits[row] = n_fitting == 0
        elif option.says == "all":
            fits[row] = n_fitting == n_all
        elif option.says == "several" and n_fitting > 1:
            return [other is option for other in options]
    return fits


def _holds(option: Option, asked: Sequence[str], there: Callable[[str], bool]) -> bool:
    found = [there(term) for term in option.terms]
    holds = bool(found) and (all(found) if option.all_meant else any(found))
    others = [term for term in asked if term not in option.terms]
    return holds and not (option.only and any(map(there, others)))
