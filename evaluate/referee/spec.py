"""What a SPEC of the command line may say, as one table, and reading it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from quarry.configs.imports import find, is_dotted
from quarry.evaluate.errors import RefereeError
from quarry.evaluate.referee.answering_policies import Key, Manner, Random, Semantic, key_of
from quarry.evaluate.referee.types import N_QUESTIONS, Referee
from quarry.evaluate.referee.views import VIEWS
from quarry.player.questions.answer import LETTERS

if TYPE_CHECKING:
    from quarry.evaluate.referee.factory import Tools

MakeManner = Callable[[str, int, "Tools"], Manner]


@dataclass(frozen=True, slots=True)
class RefereeSpec:
    """A SPEC as read.

    Attributes:
        own: name or dotted path of a referee that is none of the project's; nothing else is said then.
        view: one of `VIEWS`.
        manner: the term that says how it answers, "" where it reads the question's wording by rules.
        value: of that term.
        wrong, declined: shares of the answers that are replaced.
        n_answers: questions that are answered, the first ones.
    """

    own: str = ""
    view: str = "paragraph"
    manner: str = ""
    value: str = ""
    wrong: float = 0.0
    declined: float = 0.0
    n_answers: int = N_QUESTIONS

    @property
    def draws(self) -> bool:
        """Whether another seed gives other answers."""
        by_manner = bool(self.own) or (bool(self.manner) and TERMS[self.manner].draws)
        return self.wrong > 0.0 or 0.0 < self.declined < 1.0 or by_manner


@dataclass(frozen=True, slots=True)
class Term:
    """One thing that a SPEC may say.

    Attributes:
        form: as it is written.
        says: what it means, for the help.
        pattern: what its value must match, whole.
        read: the spec with a value laid over it.
        make: of a manner, what answers, of the term's value, a seed and the tools; None of other terms.
        draws: whether another seed makes another one.
    """

    form: str
    says: str
    pattern: str
    read: Callable[[RefereeSpec, re.Match[str]], RefereeSpec]
    make: MakeManner | None = None
    draws: bool = False


def _manner(form: str, says: str, make: MakeManner, pattern: str = "", *, draws: bool = False) -> Term:
    """A term that says how the referee answers."""
    name = form.partition(":")[0]
    return Term(
        form, says, pattern, lambda spec, value: replace(spec, manner=name, value=value[0]), make=make, draws=draws
    )


_SHARE = r"\s*(?:0*\.\d+|[01](?:\.\d*)?)\s*"
TERMS = {
    "sees": Term(
        f"sees:{'|'.join(VIEWS)}",
        "it sees",
        "|".join(VIEWS),
        lambda spec, value: replace(spec, view=value[0]),
    ),
    "wrong": Term(
        "wrong:R",
        "this share of its answers, 0..1, becomes another letter",
        _SHARE,
        lambda spec, value: replace(spec, wrong=float(value[0])),
    ),
    "declined": Term(
        "declined:R",
        'this share, 0..1, becomes "Not Relevant"; at most 1 together with wrong',
        _SHARE,
        lambda spec, value: replace(spec, declined=float(value[0])),
    ),
    "answers": Term(
        "answers:N",
        "only the first N of 20 questions are answered, N within 1..20",
        "[1-9]|1[0-9]|20",
        lambda spec, value: replace(spec, n_answers=int(value[0])),
    ),
    "constant": _manner("constant:L", "always the letter L, A to D", lambda letter, *_: Key(letter), f"[{LETTERS}]"),
    "key": _manner(
        "key", "a fixed key of 20 letters, another one for each seed", lambda _, seed, __: Key(key_of(seed)), draws=True
    ),
    "semantic": _manner(
        "semantic",
        "the option most like what it sees, by another embedding model than the player's",
        lambda _, __, tools: Semantic(tools.encoder),
    ),
    "random": _manner("random", "any letter by chance", lambda _, seed, __: Random(seed), draws=True),
}
"""By what a term begins with; another term is another line. What is not said is read by rules."""

NAMES: dict[str, tuple[str, str]] = {
    "oracle": ("", "sees:paragraph"),
    "noisy:W,N": (rf":({_SHARE}),({_SHARE})", "wrong:W,declined:N"),
    "blind": ("", "sees:nothing"),
    "declining": ("", "declined:1"),
}
"""Names of the usual ones -> (pattern of what follows the name, the terms they stand for)."""

REFEREES: dict[str, Callable[..., Referee]] = {}
"""Referees that are none of the project's, by the SPEC that names them alone; each is given a seed and the tools, or as
much of these as it takes."""

FORMS = ", ".join([*(term.form for term in TERMS.values()), *NAMES])
"""All that a SPEC may say, on one line."""

EXAMPLE = "sees:opening,wrong:0.15,declined:0.10"


def spec_table() -> str:
    """What a SPEC may say, a term a line, for the help of commands."""
    rows = list(_rows())
    width = max(len(form) for form, _ in rows)
    lines = [f"  {form:{width}}  {says}" for form, says in rows]
    return "\n".join(["a referee SPEC is none (the hint alone), or terms joined by commas:", *lines])


def _rows() -> Iterator[tuple[str, str]]:
    """What may be written, and what it means."""
    for name, term in TERMS.items():
        if name == "sees":
            yield from ((f"sees:{view}", f"{term.says} {VIEWS[view].says}") for view in VIEWS)
        else:
            yield term.form, term.says
    for name, (_, stands_for) in NAMES.items():
        yield name, f"the same as {stands_for}"
    yield "my_package.MyReferee", "your own, by dotted path (docs/guides/extend.md)"


def read_spec(spec: str) -> RefereeSpec | None:
    """A SPEC as read; None for `none`.

    Raises:
        RefereeError: it says what the table does not have, something twice, or shares above 1 together.
        SettingsError: a dotted path leads nowhere.
    """
    if spec == "none":
        return None
    if spec in REFEREES or is_dotted(spec):
        find(REFEREES, spec, "--referee")
        return RefereeSpec(own=spec)
    found = RefereeSpec()
    said: list[str] = []
    for written in re.split(r",(?=\s*[^\W\d])", spec):
        for term in _expanded(written.strip()):
            name, _, value = term.partition(":")
            known = TERMS.get(name)
            well_formed = known is not None and (":" in term) == bool(known.pattern)
            match = re.fullmatch(known.pattern, value, re.ASCII) if known and well_formed else None
            if known is None or match is None:
                raise RefereeError(f"--referee must be none, or terms of {FORMS}, joined by commas, got {written!r} in "
                                   f"{spec!r}; use e.g. {EXAMPLE}")  # fmt: skip
            said.append(name)
            found = known.read(found, match)
    _require_of_one_mind(found, said, spec)
    return found


def _expanded(written: str) -> list[str]:
    """The terms that a name stands for; any other term is itself."""
    for name, (pattern, stands_for) in NAMES.items():
        head = name.partition(":")[0]
        if match := re.fullmatch(head + pattern, written, re.ASCII):
            terms = stands_for.split(",")
            return [
                f"{term.partition(':')[0]}:{match[place]}" if match.groups() else term
                for place, term in enumerate(terms, 1)
            ]
    return [written]


def _require_of_one_mind(found: RefereeSpec, said: list[str], spec: str) -> None:
    manners = [name for name in said if TERMS[name].make is not None]
    twice = [name for name in said if said.count(name) > 1] or (manners if len(manners) > 1 else [])
    if twice:
        raise RefereeError(
            f"--referee must say each thing once and answer in one manner, got {' and '.join(twice)} in {spec!r}; "
            f"use e.g. {EXAMPLE}"
        )
    if found.wrong + found.declined > 1.0 + 1e-9:
        raise RefereeError(
            f"--referee must have shares wrong and declined of at most 1 together, got {found.wrong:g} and "
            f"{found.declined:g}; use e.g. {EXAMPLE}"
        )
