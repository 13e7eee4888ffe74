"""The simulated referee: view, retrieval, answering policy, and answers that are replaced or left out."""

import functools
import hashlib
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

from configs.settings import EmbedSettings
from evaluate.errors import RefereeError
from evaluate.referee.context import VisibleContext, visible_context
from evaluate.referee.reading import answer_by_reading
from evaluate.referee.spec import (
    HINT_ALONE,
    REFEREES,
    Posed,
    Referee,
    RefereeSpec,
    Secret,
    read_spec,
)
from player.answer import LETTERS, NOT_RELEVANT, Answer
from player.question import N_QUESTIONS
from quarry.embed import Embedder, Models
from quarry.plugins import make
from quarry.store import Course

N_PASSAGES = 4
"""Number of passages that a referee sees with a question."""
N_KEPT = 2**16
"""Number of questions that have their passages cached."""

Retriever = Callable[[str], tuple[str, ...]]
"""Maps the text of a question to the nearest passages of the course."""


class Tools:
    """Retrieval of passages for the referees of a store.

    Args:
        course: the content of the store; None has no passages.
        settings: settings of the store's embedder, which is loaded for the first question.
    """

    def __init__(
        self, course: Course | None = None, settings: EmbedSettings | None = None
    ) -> None:
        self._course = course
        self._models = Models(settings or EmbedSettings())
        self.retrieve = functools.lru_cache(maxsize=N_KEPT)(self._retrieve)

    @functools.cached_property
    def _embedder(self) -> Embedder:
        assert self._course is not None
        return self._models.embedder(self._course.embedder_spec)

    def _retrieve(self, question: str) -> tuple[str, ...]:
        """Return the `N_PASSAGES` nearest passages of prose, nearest first; among equals the earlier ones."""
        if self._course is None:
            return ()
        (vector,) = self._embedder.embed_queries([question])
        order = np.argsort(-(self._course.vectors @ vector), kind="stable")

        texts = []
        for row in order.tolist():
            paragraph = self._course.paragraphs[row]
            if paragraph.kind == "prose":
                texts.append(paragraph.text)
            if len(texts) == N_PASSAGES:
                break
        return tuple(texts)


class SimulatedReferee:
    """Referee that answers by its policy from what its view shows, replaces some answers and sends only the first few.

    The same answers are replaced whenever the same question is asked about the same paragraph.

    Args:
        spec: view, policy, and shares of replaced answers.
        seed: another seed replaces other answers.
        tools: the tools of the store; None retrieves nothing.
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
        """Return the policy's answers, some replaced by a draw for (seed, paragraph, question, options)."""
        answers: list[Answer] = [None] * len(questions)
        for row, (question, posed) in enumerate(questions[: self.spec.n_answers]):
            options = tuple(posed)
            seen = visible_part(self.spec.view, secret, question, self._tools.retrieve)
            answer = self._by_policy(seen, row + 1, question, options)

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
        seen: VisibleContext,
        number: int,
        question: str,
        options: tuple[str, ...],
    ) -> str:
        """Return the answer of the SPEC's policy; without one the question's wording is read by rules.

        Args:
            number: of the question, from 1.
        """
        policy, _, letter = self.spec.policy.partition(":")

        match policy:
            case "constant":
                return letter
            case "key":
                key = _digest(self._seed, "key")
                drawn = key[(number - 1) % N_QUESTIONS]
                return LETTERS[drawn % len(LETTERS)]
            case "random":
                digest = _digest(self._seed, seen.text, question, options)
                return LETTERS[
                    int.from_bytes(digest[:8]) % len(options[: len(LETTERS)])
                ]
        return answer_by_reading(seen, question, options)


def visible_part(
    view: str, secret: Secret, question: str, retrieve: Retriever
) -> VisibleContext:
    """Return the part of a secret that a view shows while a question with this text is answered."""
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
    """Return 32 random bytes, the same for the same key on every machine."""
    return hashlib.sha256(repr(key).encode("utf-8", "backslashreplace")).digest()


def make_referee(
    spec: str,
    seed: int = 0,
    tools: Tools | None = None,
) -> Referee:
    """Return the referee of a SPEC.

    Args:
        seed: the seed of the answers that are replaced or drawn.
        tools: the tools of the store; None retrieves nothing.

    Raises:
        RefereeError: the SPEC is invalid.
    """
    parsed = read_spec(spec)
    if not parsed.own:
        return SimulatedReferee(parsed, seed, tools)
    referee: Referee = make(REFEREES, parsed.own, "--referee", seed, tools or Tools())
    return referee


EVERY = "every"
"""This word in place of a SPEC names all of `SPECS`."""
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
"""Every kind of referee, in the order of the table."""
Judge = tuple[str, int]
"""The SPEC and the seed of a referee."""


def repeats_of(
    spec: str,
    repeats: int,
    seed: int,
) -> list[Judge]:
    """Return a referee once for each repeat, with the seeds `seed`, `seed + 1`, ...; none for the SPEC "none"."""
    n = repeats if read_spec(spec).n_answers else 0
    return [(spec, seed + repeat) for repeat in range(n)]


def judges_of(
    specs: Sequence[str],
    repeats: int,
    seed: int,
) -> list[Judge]:
    """Return each referee with its seeds, in order, the hint alone first; one that draws nothing plays once.

    Raises:
        RefereeError: a SPEC is invalid, or comes twice.
    """
    spec, n = Counter([HINT_ALONE, *specs]).most_common(1)[0]
    if n > 1:
        raise RefereeError(
            f"--referee {spec!r} is named twice, or has no referee to compare; remove it"
        )
    judges = [(HINT_ALONE, seed)]
    for spec in specs:
        judges += repeats_of(spec, repeats if read_spec(spec).draws else 1, seed)
    return judges
