"""The referees that labelled games are played against, each SPEC with its seeds, and the hint alone."""

from __future__ import annotations

from collections.abc import Sequence

from quarry.evaluate.errors import RefereeError
from quarry.evaluate.referee import Posed, Referee, Secret, Tools, make_referee, read_spec
from quarry.player.questions.answer import Answer

EVERY = "every"
"""This word in place of a SPEC names all of `SPECS`."""
SPECS = (
    *("oracle", "noisy:0.15,0.10", "noisy:0.30,0.15"),
    *("sees:opening", "sees:opening,noisy:0.15,0.10", "sees:opening,noisy:0.30,0.15"),
    *("sees:passages", "sees:passages,noisy:0.15,0.10", "sees:passages,noisy:0.30,0.15"),
    *("declined:0.40", "sees:opening,declined:0.40", "answers:10", "sees:opening,answers:10"),
    *("constant:A", "constant:D", "key", "blind", "sees:name", "declining", "random", "semantic"),
)
"""Every kind of referee, in the order of the table."""
HINT_ALONE = "none"
"""The referee that answers nothing. The other referees are compared with it."""
Judge = tuple[str, int]
"""The SPEC and the seed of a referee."""


class Mute:
    """A referee that sends no answers, so that the player guesses by the hint alone."""

    def answers(self, secret: Secret, questions: Sequence[Posed]) -> list[Answer]:
        """Return None for each question."""
        return [None] * len(questions)


def repeats_of(spec: str, repeats: int, seed: int) -> list[Judge]:
    """Return a referee once for each repeat, with the seeds `seed`, `seed + 1`, ...; none for the SPEC "none"."""
    return [(spec, seed + repeat) for repeat in range(repeats)] if read_spec(spec) is not None else []


def judges_of(specs: Sequence[str], repeats: int, seed: int) -> list[Judge]:
    """Return each referee with its seeds, in order, the hint alone first; one that draws nothing plays once.

    Raises:
        RefereeError: a SPEC is invalid, or comes twice.
    """
    if twice := [spec for spec in specs if specs.count(spec) > 1 or spec == HINT_ALONE]:
        raise RefereeError(f"--referee must each be named once, and not {HINT_ALONE}, got {twice[0]!r}; remove it")
    judges = [(HINT_ALONE, seed)]
    for spec in specs:
        read = read_spec(spec)
        assert read is not None, "none was refused above"
        judges += repeats_of(spec, repeats if read.draws else 1, seed)
    return judges


def make_judge(judge: Judge, tools: Tools) -> Referee:
    """Return the referee of a SPEC and seed; for the SPEC "none" one that sends no answers."""
    spec, seed = judge
    return make_referee(spec, seed, tools) or Mute()
