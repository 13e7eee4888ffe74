"""A referee's questions and secret, the protocol of referees, and the terms of a referee SPEC with their parser."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from pydantic import TypeAdapter

from evaluate.errors import RefereeError
from evaluate.games.labelled import LabelledGame
from evaluate.referee.context import readable, within
from player.answer import LETTERS, Answer
from player.question import N_QUESTIONS
from quarry.course.paragraph import Paragraph
from quarry.plugins import find, is_dotted

PRACTICE_REFEREE = "noisy:0.15,0.10"
"""Default SPEC of the referee of practice servers: real referees err as well."""
HINT_ALONE = "none"
"""SPEC of the referee that answers nothing. The other referees are compared with it."""

Posed = tuple[str, Sequence[str]]
"""The text of a question, without options, and the texts of A to D, in this order."""


@dataclass(frozen=True, slots=True)
class Secret:
    """All that is known about the secret paragraph; the view of a referee says how much of it the referee sees.

    Attributes:
        paragraph: the whole text.
        opening_sentence: as labelled.
        book_name, hint: as the player gets them.
    """

    paragraph: str
    opening_sentence: str
    book_name: str = ""
    hint: str = ""


def build_secret(game: LabelledGame, paragraph: Paragraph) -> Secret:
    """Return the labelled texts as the referee reads them, completed from the ingested paragraph."""
    text = game.paragraph or paragraph.text
    opening = game.opening_sentence or paragraph.opening_sentence
    if game.edition:
        text, opening = readable(text, text), readable(within(text, opening), text)
    return Secret(text, opening, game.book_name, game.hint)


class Referee(Protocol):
    """Answers the player's questions."""

    def answers(self, secret: Secret, questions: Sequence[Posed]) -> list[Answer]:
        """Answer each question with "A", "B", "C", "D" or "Not Relevant"; None where no answer is sent.

        Args:
            secret: the secret of the game.
            questions: by their numbers, from 1.
        """
        ...


@dataclass(frozen=True, slots=True)
class RefereeSpec:
    """A SPEC as read.

    Attributes:
        own: name or dotted path of a user's own referee; "" for a simulated one.
        view: one of `VIEWS`.
        policy: the term that says how it answers, such as "constant:A"; "" reads the question's wording by rules.
        wrong, declined: shares of the answers that are replaced.
        n_answers: number of questions that are answered, the first ones.
    """

    own: str = ""
    view: str = "paragraph"
    policy: str = ""
    wrong: float = 0.0
    declined: float = 0.0
    n_answers: int = N_QUESTIONS

    @property
    def draws(self) -> bool:
        """Return whether another seed gives other answers."""
        return (
            bool(self.own)
            or self.policy in {"key", "random"}
            or self.wrong > 0.0
            or 0.0 < self.declined < 1.0
        )


VIEWS: Mapping[str, str] = {
    "paragraph": "the whole paragraph (the default)",
    "opening": "the labelled opening sentence alone, taken for the paragraph",
    "passages": "the labelled opening sentence and the four paragraphs of the course nearest to question_text",
    "name": "the book's name and the hint",
    "nothing": "nothing at all",
}
"""Maps the name of a view to what it shows."""


class Term(NamedTuple):
    """A term of a SPEC.

    Attributes:
        form: as it is written; says: its meaning, for the help.
        pattern: matches the term; its group is named after the field of `RefereeSpec` that the term sets.
    """

    form: str
    says: str
    pattern: str


_SHARE = r"0*\.\d+|[01](?:\.\d*)?"
TERMS = (
    Term(f"sees:{'|'.join(VIEWS)}", "it sees", f"sees:(?P<view>{'|'.join(VIEWS)})"),
    Term(
        "wrong:R",
        "this share of its answers, 0..1, becomes another letter",
        f"wrong:(?P<wrong>{_SHARE})",
    ),
    Term(
        "declined:R",
        'this share, 0..1, becomes "Not Relevant"',
        f"declined:(?P<declined>{_SHARE})",
    ),
    Term(
        "answers:N",
        "only the first N of 20 are answered",
        "answers:(?P<n_answers>[1-9]|1[0-9]|20)",
    ),
    Term(
        "constant:L",
        "always the letter L, A to D",
        f"(?P<policy>constant:[{LETTERS}])",
    ),
    Term(
        "key", "a fixed key of 20 letters, another one for each seed", "(?P<policy>key)"
    ),
    Term("random", "any letter by chance", "(?P<policy>random)"),
)
"""The terms of a SPEC."""

NAMES = {
    "oracle": "sees:paragraph",
    "noisy:W,N": "wrong:W,declined:N",
    "blind": "sees:nothing",
    "declining": "declined:1",
}
"""Maps short names to the terms that they abbreviate."""

NOISY = r"\bnoisy:([^,]*),([^,]*)"
"""Matches the short name of which the values have a comma too."""
REFEREES: dict[str, Callable[..., Referee]] = {}
"""Users' own referees by name; each is called with the seed and the tools, or as many of these as it accepts."""

EXAMPLE = "sees:opening,wrong:0.15,declined:0.10"


def spec_table() -> str:
    """Return the help of a SPEC, one term a line."""
    rows = {}
    for view, says in VIEWS.items():
        rows[f"sees:{view}"] = f"it sees {says}"
    for term in TERMS[1:]:
        rows[term.form] = term.says
    for name, terms in NAMES.items():
        rows[name] = f"the same as {terms}"
    rows["my_package.MyReferee"] = "your own, by dotted path (docs/guides/extend.md)"

    width = max(map(len, rows))
    table = "a referee SPEC is none (the hint alone), or terms joined by commas:"
    for form, says in rows.items():
        table += f"\n  {form:{width}}  {says}"
    return table


def read_spec(spec: str) -> RefereeSpec:
    """Parse a SPEC; `none` answers no question.

    Raises:
        RefereeError: a term is unknown or comes twice, two policies are named, or shares are above 1 together.
        SettingsError: a dotted path leads nowhere.
    """
    if spec == HINT_ALONE:
        return RefereeSpec(n_answers=0)
    if spec in REFEREES or is_dotted(spec):
        find(REFEREES, spec, "--referee")
        return RefereeSpec(own=spec)
    values: dict[str, str] = {}
    for written in re.sub(NOISY, r"wrong:\1,declined:\2", spec).split(","):
        term = NAMES.get(written.strip(), written.strip())
        matches = (re.fullmatch(item.pattern, term, re.ASCII) for item in TERMS)
        match = next(filter(None, matches), None)
        if match is None:
            fault = f"{term!r} is unknown"
            if re.match("(wrong|declined|noisy):", term):
                fault = f"shares are decimals between 0 and 1, as in {PRACTICE_REFEREE}"
            forms = ", ".join([*(item.form for item in TERMS), *NAMES])
            raise RefereeError(
                f"--referee {spec!r}: {fault}; take none, or terms of {forms}, joined by commas, "
                f"as in {EXAMPLE}"
            )
        if values.keys() & match.groupdict():
            raise RefereeError(
                f"--referee {spec!r}: {term} is one term too many; say each thing once, and name one way of answering, "
                f"as in {EXAMPLE}"
            )
        values |= match.groupdict()

    parsed = TypeAdapter(RefereeSpec).validate_python(values)
    if parsed.wrong + parsed.declined > 1.0 + 1e-9:
        raise RefereeError(
            f"--referee has shares wrong and declined of {parsed.wrong:g} and {parsed.declined:g}; together they are "
            f"at most 1, as in {EXAMPLE}"
        )
    return parsed
