"""The simulated referee: its view, its policy, and the answers that it replaces or leaves out."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field

from evaluate.errors import RefereeError
from evaluate.referee.context import VisibleContext, build_visible_context
from evaluate.referee.passages import PassageRetriever, Retrieve
from evaluate.referee.protocol import Posed, Referee, Secret
from evaluate.referee.spec import REFEREES, RefereeSpec, read_spec
from evaluate.referee.wording import answer_by_wording
from player.answer import LETTERS, NOT_RELEVANT, Answer
from quarry.plugins import failing_as, make


@dataclass(frozen=True)
class SimulatedReferee:
    """A referee that answers by a policy from the visible part of the secret, and replaces or leaves out some answers.

    The same answers are replaced whenever the same question is asked about the same paragraph.

    Attributes:
        spec: view, policy, and shares of replaced answers.
        seed: seed of the replaced answers.
        retriever: retrieves paragraphs of the course; that of no course retrieves none.
    """

    spec: RefereeSpec
    seed: int = 0
    retriever: PassageRetriever = field(default_factory=PassageRetriever)

    def answers(self, secret: Secret, questions: Sequence[Posed]) -> list[Answer]:
        """Return the answers of the policy; a draw from (seed, paragraph, question, options) replaces some of them."""
        answers: list[Answer] = [None] * len(questions)
        for row, (text, options) in enumerate(questions[: self.spec.n_answers]):
            context = select_visible_part(
                self.spec.view, secret, text, self.retriever.retrieve
            )
            answer = self._by_policy(context, row, text, tuple(options))

            digest = _digest(self.seed, secret.paragraph, text, tuple(options))
            draw = int.from_bytes(digest[:8]) / 2**64
            others = [letter for letter in LETTERS if letter != answer]
            if draw < self.spec.wrong:
                answer = others[int.from_bytes(digest[8:16]) % len(others)]
            elif self.spec.wrong <= draw < self.spec.wrong + self.spec.declined:
                answer = NOT_RELEVANT
            answers[row] = answer
        return answers

    def _by_policy(
        self,
        context: VisibleContext,
        row: int,
        text: str,
        options: tuple[str, ...],
    ) -> str:
        """Return the answer of the policy; without a policy, read the wording of the question by rules.

        Args:
            context: visible part of the secret.
            row: row of the question, from 0.
            text: text of the question, without its options.
            options: texts of its options.
        """
        policy, _, letter = self.spec.policy.partition(":")

        match policy:
            case "constant":
                return letter
            case "key":
                key = _digest(self.seed, "key")
                return LETTERS[key[row] % len(LETTERS)]
            case "random":
                digest = _digest(self.seed, context.text, text, options)
                return LETTERS[int.from_bytes(digest[:8]) % len(LETTERS)]
        return answer_by_wording(context, text, options)


def select_visible_part(
    view: str, secret: Secret, text: str, retrieve: Retrieve
) -> VisibleContext:
    """Return the part of a secret that a view shows for the text of a question."""
    opening = secret.opening_sentence
    match view:
        case "opening":
            return build_visible_context(opening, opening)
        case "passages":
            return build_visible_context(opening, opening, retrieve(text))
        case "name":
            return build_visible_context(f"{secret.book_name}. {secret.hint}")
        case "nothing":
            return build_visible_context("")
    return build_visible_context(secret.paragraph, opening)


def _digest(*key: object) -> bytes:
    """Return 32 pseudorandom bytes for a key, the same on every machine."""
    return hashlib.sha256(repr(key).encode("utf-8", "backslashreplace")).digest()


def make_referee(
    spec: str,
    seed: int = 0,
    retriever: PassageRetriever | None = None,
) -> Referee:
    """Build the referee of a SPEC.

    Args:
        spec: the SPEC.
        seed: seed of the answers that are replaced or drawn.
        retriever: as in `SimulatedReferee`; None takes that of no course.

    Raises:
        RefereeError: the SPEC is invalid.
    """
    referee_spec, retriever = read_spec(spec), retriever or PassageRetriever()
    if not referee_spec.own:
        return SimulatedReferee(referee_spec, seed, retriever)
    referee: Referee = make(REFEREES, referee_spec.own, "referee", seed, retriever)
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
