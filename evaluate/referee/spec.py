"""SPECs of referees: terms, parser, table for the help, and seeds."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pydantic import TypeAdapter

from evaluate.errors import RefereeError
from evaluate.referee.protocol import Referee
from player.answer import LETTERS
from player.question import N_QUESTIONS
from quarry.plugins import find, is_dotted

PRACTICE_REFEREE = "noisy:0.15,0.10"
"""Default SPEC of the referee of practice servers; it errs, as real referees do."""
HINT_ALONE = "none"
"""SPEC of the referee that answers nothing, with which other referees are compared."""


@dataclass(frozen=True, slots=True)
class RefereeSpec:
    """A SPEC that was read.

    Attributes:
        own: name or dotted path of a user's own referee; "" for a simulated one.
        view: one of `VIEW_DESCRIPTIONS`.
        policy: the term of the policy, such as "constant:A"; "" reads the wording of questions by rules.
        wrong, declined: shares of the answers that are replaced.
        n_answers: number of first questions that are answered.
    """

    own: str = ""
    view: str = "paragraph"
    policy: str = ""
    wrong: float = 0.0
    declined: float = 0.0
    n_answers: int = N_QUESTIONS

    @property
    def draws(self) -> bool:
        """Whether the answers depend on the seed."""
        return (
            bool(self.own)
            or self.policy in {"key", "random"}
            or self.wrong > 0.0
            or 0.0 < self.declined < 1.0
        )


VIEW_DESCRIPTIONS: Mapping[str, str] = {
    "paragraph": "the whole paragraph (the default)",
    "opening": "the labelled opening sentence alone, taken for the paragraph",
    "passages": "the labelled opening sentence and the four paragraphs of the course nearest to question_text",
    "name": "the book's name and the hint",
    "nothing": "nothing at all",
}
"""Maps the name of a view to a description of the visible part."""


class Term(NamedTuple):
    """A term of a SPEC.

    Attributes:
        form: the form of the term, for the help.
        says: its meaning, for the help.
        pattern: regular expression of the term; its group has the name of the field of `RefereeSpec` that the term
            sets.
    """

    form: str
    says: str
    pattern: str


_VIEWS = "|".join(VIEW_DESCRIPTIONS)
_SHARE = r"0*\.\d+|[01](?:\.\d*)?"
"""A share, 0..1."""
VIEW_FORM = f"sees:{_VIEWS}"
"""Form of the term that sets the view; `VIEW_DESCRIPTIONS` gives its meaning."""
_VIEW_PATTERN = f"sees:(?P<view>{_VIEWS})"
TERMS = (
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
        f"(?P<policy>constant:[{''.join(LETTERS)}])",
    ),
    Term(
        "key", "a fixed key of 20 letters, another one for each seed", "(?P<policy>key)"
    ),
    Term("random", "any letter by chance", "(?P<policy>random)"),
)
"""The terms of a SPEC, apart from the view."""

NAMES = {
    "oracle": "sees:paragraph",
    "noisy:W,N": "wrong:W,declined:N",
    "blind": "sees:nothing",
    "declining": "declined:1",
}
"""Maps short names to the terms that they abbreviate."""

NOISY = r"\bnoisy:([^,]*),([^,]*)"
"""The short name whose values also contain a comma."""
REFEREES: dict[str, Callable[..., Referee]] = {}
"""Users' own referees by name; each takes the seed, or the seed and the `PassageRetriever`."""

EXAMPLE = "sees:opening,wrong:0.15,declined:0.10"
"""A SPEC for errors and the help."""

EVERY = "every"
"""Word that stands for all of `SPECS`."""
SPECS = (
    "oracle",
    "noisy:0.15,0.10",
    "noisy:0.30,0.15",
    "sees:opening",
    "sees:opening,noisy:0.15,0.10",
    "sees:opening,noisy:0.30,0.15",
    "sees:passages",
    "sees:passages,noisy:0.15,0.10",
    "sees:passages,noisy:0.30,0.15",
    "declined:0.40",
    "sees:opening,declined:0.40",
    "answers:10",
    "sees:opening,answers:10",
    "constant:A",
    "constant:D",
    "key",
    "blind",
    "sees:name",
    "declining",
    "random",
)
"""SPECs of all kinds of referees, in the order of the table."""
SeededSpec = tuple[str, int]
"""The SPEC and the seed of a referee."""


def format_spec_table() -> str:
    """Return the help of a SPEC, one term a line."""
    rows = {}
    for view, says in VIEW_DESCRIPTIONS.items():
        rows[f"sees:{view}"] = f"it sees {says}"
    for term in TERMS:
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
        RefereeError: a term is unknown or a duplicate, there are two policies, or the sum of the shares is above 1.
        SettingsError: a dotted path cannot be imported.
    """
    if spec == HINT_ALONE:
        return RefereeSpec(n_answers=0)
    if spec in REFEREES or is_dotted(spec):
        find(REFEREES, spec, "referee")
        return RefereeSpec(own=spec)

    patterns = (_VIEW_PATTERN, *(item.pattern for item in TERMS))
    values: dict[str, str] = {}
    for item_text in re.sub(NOISY, r"wrong:\1,declined:\2", spec).split(","):
        term = NAMES.get(item_text.strip(), item_text.strip())
        matches = (re.fullmatch(pattern, term, re.ASCII) for pattern in patterns)
        match = next(filter(None, matches), None)
        if match is None:
            fault = f"{term!r} is unknown"
            if re.match("(wrong|declined|noisy):", term):
                fault = f"shares are decimals between 0 and 1, as in {PRACTICE_REFEREE}"
            forms = ", ".join([VIEW_FORM, *(item.form for item in TERMS), *NAMES])
            raise RefereeError(
                f"referee {spec!r}: {fault}; take none, or terms of {forms}, joined by commas, "
                f"as in {EXAMPLE}"
            )
        if values.keys() & match.groupdict():
            raise RefereeError(
                f"referee {spec!r}: {term} is one term too many; say each thing once, and name one way of answering, "
                f"as in {EXAMPLE}"
            )
        values |= match.groupdict()

    parsed = TypeAdapter(RefereeSpec).validate_python(values)
    if parsed.wrong + parsed.declined > 1.0 + 1e-9:
        raise RefereeError(
            f"The referee has shares wrong and declined of {parsed.wrong:g} and {parsed.declined:g}; together they are "
            f"at most 1, as in {EXAMPLE}"
        )
    return parsed


def repeat_referee(
    spec: str,
    repeats: int,
    seed: int,
) -> list[SeededSpec]:
    """Return a referee once for each repeat, with the seeds `seed`, `seed + 1`, ...; [] for the SPEC "none"."""
    n = repeats if read_spec(spec).n_answers else 0
    return [(spec, seed + repeat) for repeat in range(n)]


def seed_referees(
    specs: Sequence[str],
    repeats: int,
    seed: int,
) -> list[SeededSpec]:
    """Return the hint alone, then each referee with its seeds; a referee that draws nothing plays once.

    Raises:
        RefereeError: a SPEC is invalid or a duplicate.
    """
    if HINT_ALONE in specs:
        raise RefereeError(
            f"referee {HINT_ALONE!r} is always compared with the others; remove it"
        )
    for spec, n in Counter(specs).most_common(1):
        if n > 1:
            raise RefereeError(f"referee {spec!r} is named twice; remove one")
    referees = [(HINT_ALONE, seed)]
    for spec in specs:
        referees += repeat_referee(spec, repeats if read_spec(spec).draws else 1, seed)
    return referees
