"""The simulated referee and its tools: its view, its policy, and the answers that it replaces or leaves out."""

import contextlib
import functools
import hashlib
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from tqdm.auto import tqdm

from configs.settings import EmbedSettings
from evaluate.errors import RefereeError
from evaluate.referee.context import VisibleContext, build_visible_context
from evaluate.referee.spec import (
    REFEREES,
    Posed,
    Referee,
    RefereeSpec,
    Secret,
    read_spec,
)
from evaluate.referee.wording import answer_by_wording
from player.answer import LETTERS, NOT_RELEVANT, Answer
from quarry.arrays import AnyFloatArray
from quarry.embed import Embedder, Models, choose_spec
from quarry.embed.networks import E5, MINILM
from quarry.errors import EmbedderError
from quarry.files import write_whole
from quarry.plugins import failing_as, make
from quarry.store import Course

N_BUCKETS = 2**14
"""Number of hash values of runs of characters."""
N_PASSAGES = 4
"""Number of passages that a referee retrieves for a question."""
MAX_CACHED_QUESTIONS = 2**16
"""Maximum number of questions whose passages are cached."""
BATCH = 16
"""Number of paragraphs that are embedded at once."""
N_SCRIPT = 200
"""Number of paragraphs from which the script of a course is detected."""

Retriever = Callable[[str], tuple[str, ...]]
"""A function from the text of a question to the nearest passages of the course."""


class CharacterEncoder:
    """Encodes texts by runs of 3 to 5 characters within words; a text without words is encoded as zeros."""

    def embed_queries(self, texts: Sequence[str]) -> AnyFloatArray:
        """Return (n_texts, N_BUCKETS) vectors."""
        from scipy.sparse import csr_array
        from sklearn.feature_extraction.text import HashingVectorizer

        vectorizer = HashingVectorizer(
            analyzer="char_wb",
            ngram_range=(3, 5),
            n_features=N_BUCKETS,
            alternate_sign=False,
        ).set_params(dtype=np.float32)
        vectors: AnyFloatArray = csr_array(vectorizer.transform(list(texts))).todense()
        return vectors

    embed_passages = embed_queries


def choose_other_embedder(player_embedder_spec: str) -> str | None:
    """Return the SPEC of e5, or of MiniLM if the player uses e5; None if that embedder is not installed.

    Args:
        player_embedder_spec: SPEC of the embedder of the player's store.
    """
    network = MINILM if player_embedder_spec == E5.spec else E5
    with contextlib.suppress(EmbedderError):
        network.path()
        return network.spec
    return None


class Tools:
    """The encoder and the paragraphs that all referees of a store share; the model is loaded when it is first needed.

    Args:
        texts: paragraphs of the course.
        embedder_spec: SPEC of the embedder that compares texts; None compares them by their characters.
        models: loads the embedder; the vectors of the paragraphs are cached in its folder.
    """

    def __init__(
        self,
        texts: Sequence[str] = (),
        embedder_spec: str | None = None,
        models: Models | None = None,
    ) -> None:
        self._texts = texts
        self.embedder_spec = embedder_spec
        self._models = models
        self.retrieve = functools.lru_cache(maxsize=MAX_CACHED_QUESTIONS)(
            self._retrieve
        )

    @functools.cached_property
    def encoder(self) -> Embedder | CharacterEncoder:
        """The embedder that compares texts."""
        if self.embedder_spec is None or self._models is None:
            return CharacterEncoder()
        return self._models.embedder(self.embedder_spec)

    def _retrieve(self, question: str) -> tuple[str, ...]:
        """Return the N_PASSAGES paragraphs nearest to a question, nearest first; equally near ones in their order."""
        if not self._texts:
            return ()
        similarities = self._vectors @ self.encoder.embed_queries([question])[0]
        nearest = np.argsort(-similarities, kind="stable")[:N_PASSAGES]
        return tuple(map(self._texts.__getitem__, nearest))

    @functools.cached_property
    def _vectors(self) -> AnyFloatArray:
        """(n_texts, dim) vectors of the paragraphs; vectors of a model are cached on disk."""
        if self.embedder_spec is None or self._models is None:
            return self._embed()
        key = "\0".join([self.embedder_spec, *self._texts])
        digest = hashlib.sha256(key.encode("utf-8", "backslashreplace")).hexdigest()
        name = f"{self.embedder_spec}-{digest[:16]}.npy"
        path = self._models.folder / "passages" / name

        # a missing or broken file is written again
        with contextlib.suppress(OSError, ValueError, EOFError):
            cached: AnyFloatArray = np.load(path)
            if len(cached) == len(self._texts):
                return cached
        vectors = self._embed()
        # a folder that cannot be written costs only time
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, lambda file: np.save(file, vectors))
        return vectors

    def _embed(self) -> AnyFloatArray:
        bar = tqdm(
            range(0, len(self._texts), BATCH),
            desc="embedding passages for the referee",
            file=sys.stderr,
            leave=False,
            delay=2.0,
        )
        parts = []
        for row in bar:
            texts = self._texts[row : row + BATCH]
            parts.append(self.encoder.embed_passages(texts))
        return np.concatenate(parts)


def build_tools(course: Course, settings: EmbedSettings) -> Tools:
    """Build the tools of referees for a course; nothing is loaded or embedded before it is needed."""
    texts = [item.text for item in course.paragraphs if item.kind == "prose"]
    spec = choose_other_embedder(course.embedder_spec)
    # MiniLM only reads Latin script
    if spec == MINILM.spec and choose_spec(texts[:N_SCRIPT]) != spec:
        spec = None
    return Tools(texts, spec, Models(settings))


def embed_course_once(
    specs: Iterable[str],
    course: Course,
    settings: EmbedSettings,
) -> None:
    """Embed the course if a referee retrieves passages, so that later processes find the vectors in the cache.

    Raises:
        RefereeError: a SPEC is invalid.
    """
    if any(read_spec(spec).view == "passages" for spec in specs):
        build_tools(course, settings).retrieve("")


@dataclass(frozen=True)
class SimulatedReferee:
    """A referee that answers by a policy from the visible part of the secret, and replaces or leaves out some answers.

    The same answers are replaced whenever the same question is asked about the same paragraph.

    Attributes:
        spec: view, policy, and shares of replaced answers.
        seed: seed of the replaced answers.
        tools: tools of the store; those of no store compare texts by their characters, and retrieve no passages.
    """

    spec: RefereeSpec
    seed: int = 0
    tools: Tools = field(default_factory=Tools)

    def answers(self, secret: Secret, questions: Sequence[Posed]) -> list[Answer]:
        """Return the answers of the policy; a draw from (seed, paragraph, question, options) replaces some of them."""
        answers: list[Answer] = [None] * len(questions)
        for row, (question, posed) in enumerate(questions[: self.spec.n_answers]):
            options = tuple(posed)
            visible = select_visible_part(
                self.spec.view, secret, question, self.tools.retrieve
            )
            answer = self._by_policy(visible, row, question, options)

            digest = _digest(self.seed, secret.paragraph, question, options)
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
        visible: VisibleContext,
        row: int,
        question: str,
        options: tuple[str, ...],
    ) -> str:
        """Return the answer of the policy; without a policy, read the wording of the question by rules.

        Args:
            visible: visible part of the secret.
            row: row of the question, from 0.
            question: text of the question.
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
                digest = _digest(self.seed, visible.text, question, options)
                return LETTERS[int.from_bytes(digest[:8]) % len(LETTERS)]
        return answer_by_wording(visible, question, options)


def select_visible_part(
    view: str, secret: Secret, question: str, retrieve: Retriever
) -> VisibleContext:
    """Return the part of a secret that a view shows for a question."""
    opening = secret.opening_sentence
    match view:
        case "opening":
            return build_visible_context(opening, opening)
        case "passages":
            return build_visible_context(opening, opening, retrieve(question))
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
    tools: Tools | None = None,
) -> Referee:
    """Build the referee of a SPEC.

    Args:
        spec: the SPEC.
        seed: seed of the answers that are replaced or drawn.
        tools: as in `SimulatedReferee`; None takes those of no store.

    Raises:
        RefereeError: the SPEC is invalid.
    """
    referee_spec, tools = read_spec(spec), tools or Tools()
    if not referee_spec.own:
        return SimulatedReferee(referee_spec, seed, tools)
    referee: Referee = make(REFEREES, referee_spec.own, "referee", seed, tools)
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
