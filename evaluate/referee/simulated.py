"""The simulated referee: its view, its policy, and the answers that it replaces or leaves out."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from evaluate.errors import RefereeError
from evaluate.referee.context import VisibleContext, visible_context
from evaluate.referee.reading import answer_by_reading
from evaluate.referee.spec import (
    REFEREES,
    Posed,
    Referee,
    RefereeSpec,
    Secret,
    read_spec,
)
from evaluate.referee.tools import Retriever, Tools
from player.answer import LETTERS, NOT_RELEVANT, Answer
from player.question import N_QUESTIONS
from quarry.plugins import failing_as, make


class SimulatedReferee:
    """A referee that answers by a policy from the visible part of the secret, and replaces or leaves out some answers.

    The same answers are replaced whenever the same question is asked about the same paragraph.

    Args:
        spec: view, policy, and shares of replaced answers.
        seed: seed of the replaced answers.
        tools: tools of the store; None compares texts by their characters, and retrieves no passages.
    """

    def __init__(
        self,
        spec: RefereeSpec,
        seed: int = 0,
        tools: Tools | None = None,
    ) -> None:
        self.spec = spec
        self._seed = seed
        self._tools = tools or Tools()

    def answers(self, secret: Secret, questions: Sequence[Posed]) -> list[Answer]:
        """Return the answers of the policy; a draw from (seed, paragraph, question, options) replaces some of them."""
        answers: list[Answer] = [None] * len(questions)
        for row, (question, posed) in enumerate(questions[: self.spec.n_answers]):
            options = tuple(posed)
            visible = visible_part(
                self.spec.view, secret, question, self._tools.retrieve
            )
            answer = self._by_policy(visible, row + 1, question, options)

            digest = _digest(self._seed, secret.paragraph, question, options)
            draw = int.from_bytes(digest[:8]) / 2**64
            others = [letter for letter in LETTERS[: len(options)] if letter != answer]
            if draw < self.spec.wrong and others:
                answer = others[int.from_bytes(digest[8:16]) % len(others)]
            elif self.spec.wrong <= draw < self.spec.wrong + self.spec.declined:
                answer = NOT_RELEVANT
            answers[row] = answer
        return answers

    def _by_policy(
        self,
        visible: VisibleContext,
        number: int,
        question: str,
        options: tuple[str, ...],
    ) -> str:
        """Return the answer of the policy; without a policy, read the wording of the question by rules.

        Args:
            visible: visible part of the secret.
            number: number of the question, from 1.
            question: text of the question.
            options: texts of its options.
        """
        policy, _, letter = self.spec.policy.partition(":")

        match policy:
            case "constant":
                return letter
            case "key":
                key = _digest(self._seed, "key")
                byte = key[(number - 1) % N_QUESTIONS]
                return LETTERS[byte % len(LETTERS)]
            case "random":
                digest = _digest(self._seed, visible.text, question, options)
                n_letters = min(len(options), len(LETTERS))
                return LETTERS[int.from_bytes(digest[:8]) % n_letters]
        return answer_by_reading(visible, question, options)


def visible_part(
    view: str, secret: Secret, question: str, retrieve: Retriever
) -> VisibleContext:
    """Return the part of a secret that a view shows for a question."""
    opening = secret.opening_sentence
    match view:
        case "opening":
            return visible_context(opening, opening)
        case "passages":
            return visible_context(opening, opening, retrieve(question))
        case "name":
            return visible_context(f"{secret.book_name}. {secret.hint}")
        case "nothing":
            return visible_context("")
    return visible_context(secret.paragraph, opening)


def _digest(*key: object) -> bytes:
    """Return 32 pseudorandom bytes for a key, the same on every machine."""
    return hashlib.sha256(repr(key).encode("utf-8", "backslashreplace")).digest()


def make_referee(
    spec: str,
    seed: int = 0,
    tools: Tools | None = None,
) -> Referee:
    """Build the referee of a SPEC.

    Args:
        spec: the SPEC.
        seed: seed of the answers that are replaced or drawn.
        tools: as in `SimulatedReferee`.

    Raises:
        RefereeError: the SPEC is invalid.
    """
    parsed = read_spec(spec)
    if not parsed.own:
        return SimulatedReferee(parsed, seed, tools)
    referee: Referee = make(REFEREES, parsed.own, "--referee", seed, tools or Tools())
    return _UserReferee(referee)


@dataclass(frozen=True)
class _UserReferee:
    """A user's own referee, whose errors become one line."""

    referee: Referee

    def answers(self, secret: Secret, questions: Sequence[Posed]) -> list[Answer]:
        """Return the answers of the user's referee.

        Raises:
            RefereeError: the referee failed.
        """
        what = f"The referee {type(self.referee).__name__}"
        with failing_as(RefereeError, what, "Test it (docs/guides/extend.md)."):
            return [*self.referee.answers(secret, questions)]
