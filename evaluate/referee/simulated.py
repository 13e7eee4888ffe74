"""The simulated referee: a view, an answering policy, and answers that are replaced or left out."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Iterable, Sequence

from quarry.configs.imports import make
from quarry.configs.settings import EmbedSettings
from quarry.evaluate.referee.encoders import Tools, other_embedder
from quarry.evaluate.referee.reading import answer_by_reading
from quarry.evaluate.referee.spec import REFEREES, RefereeSpec, read_spec
from quarry.evaluate.referee.text import VisibleContext, visible_context
from quarry.evaluate.referee.types import N_QUESTIONS, Posed, Referee, Retriever, Secret
from quarry.ingest.embed import choose_spec
from quarry.ingest.store import Course
from quarry.player.questions.answer import LETTERS, NOT_RELEVANT, Answer

N_SCRIPT = 200
"""Paragraphs that show which script a course is in."""

AnsweringPolicy = Callable[[VisibleContext, int, str, tuple[str, ...]], str]
"""Answers a question from what is seen, the number of the question from 1, its text, and its options."""


class SimulatedReferee:
    """Answers by its policy from what it sees, replaces some answers, and sends only the first few.

    The same answers are replaced whenever the same question is asked about the same paragraph.

    Args:
        spec: view, policy, and shares of replaced answers.
        seed: another seed replaces other answers.
        tools: of the store; None compares texts by their characters and knows no course.
    """

    def __init__(self, spec: RefereeSpec, seed: int = 0, tools: Tools | None = None) -> None:
        tools = tools or Tools()
        self._spec = spec
        self._seed = seed
        self._retrieve = tools.retrieve
        self._policy = answering_policy(spec.policy, seed, tools)

    def answers(self, secret: Secret, questions: Sequence[Posed]) -> list[Answer]:
        """Return the policy's answers, or what the draw of (seed, paragraph, question, options) puts in their place."""
        return [
            self._answer(secret, number, question, tuple(options)) if number <= self._spec.n_answers else None
            for number, (question, options) in enumerate(questions, 1)
        ]

    def _answer(self, secret: Secret, number: int, question: str, options: tuple[str, ...]) -> str:
        seen = look(self._spec.view, secret, question, self._retrieve)
        answer = self._policy(seen, number, question, options)
        draws = _draws(self._seed, secret.paragraph, question, options)
        draw = int.from_bytes(draws[:8], "big") / 2**64
        if draw < self._spec.wrong:
            others = [letter for letter in LETTERS[: len(options)] if letter != answer]
            return others[int.from_bytes(draws[8:16], "big") % len(others)] if others else answer
        return NOT_RELEVANT if draw < self._spec.wrong + self._spec.declined else answer


def look(view: str, secret: Secret, question: str, retrieve: Retriever) -> VisibleContext:
    """Return what a view shows of a secret while a question with this text is answered."""
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


def answering_policy(term: str, seed: int, tools: Tools) -> AnsweringPolicy:
    """Return the policy of a term of a SPEC; of "" the one that reads the question's wording by rules."""
    name, _, letter = term.partition(":")
    match name:
        case "constant":
            return lambda seen, number, question, options: letter
        case "key":
            key = [LETTERS[byte % len(LETTERS)] for byte in _draws(seed, "key")[:N_QUESTIONS]]
            return lambda seen, number, question, options: key[(number - 1) % N_QUESTIONS]
        case "random":
            return functools.partial(_random, seed)
        case "semantic":
            return Semantic(tools)
    return lambda seen, number, question, options: answer_by_reading(seen, question, options)


class Semantic:
    """Picks the option most similar to what is seen by an embedding model, whatever is asked; the first of equals."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._vector = functools.lru_cache(maxsize=64)(lambda text: tools.encoder.embed_queries([text])[0])

    def __call__(self, seen: VisibleContext, number: int, question: str, options: tuple[str, ...]) -> str:
        """Return the letter of the nearest option."""
        vectors = self._tools.encoder.embed_queries(list(options[: len(LETTERS)]))
        return LETTERS[int((vectors @ self._vector(seen.text)).argmax())]


def _random(seed: int, seen: VisibleContext, number: int, question: str, options: tuple[str, ...]) -> str:
    """Draw a letter for (seed, text, question, options)."""
    draw = _draws(seed, seen.text, question, options)
    return LETTERS[int.from_bytes(draw[:8], "big") % len(options[: len(LETTERS)])]


def _draws(*key: object) -> bytes:
    """Return 32 random bytes, the same for the same key on every machine."""
    return hashlib.sha256(repr(key).encode("utf-8", "backslashreplace")).digest()


def tools_of(store: Course, settings: EmbedSettings) -> Tools:
    """Return the tools of referees of games about a store; nothing is loaded or embedded before it is needed."""
    texts = [paragraph.text for paragraph in store.paragraphs if paragraph.kind == "prose"]
    spec = other_embedder(store.embedder_spec)
    readable = spec != "minilm" or choose_spec(texts[:N_SCRIPT]) == "minilm"  # MiniLM reads Latin script alone
    return Tools(texts, spec if readable else None, store.models(settings))


def make_referee(spec: str, seed: int = 0, tools: Tools | None = None) -> Referee | None:
    """Return the referee of a SPEC; None for `none`.

    Args:
        seed: of the answers that are replaced or drawn.
        tools: of the store; None compares texts by their characters and knows no course.

    Raises:
        RefereeError: the SPEC is invalid.
    """
    read = read_spec(spec)
    if read is None:
        return None
    if read.own:
        found: Referee = make(REFEREES, read.own, "--referee", seed, tools or Tools())
        return found
    return SimulatedReferee(read, seed, tools)


def prepare(specs: Iterable[str], store: Course, settings: EmbedSettings) -> None:
    """Embed the course, if a referee sees passages of it, so that no two processes embed it at once.

    Raises:
        RefereeError: a SPEC is invalid.
    """
    if any((read := read_spec(spec)) and read.view == "passages" for spec in specs):
        tools_of(store, settings).retrieve("")
