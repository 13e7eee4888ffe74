"""Retrieval of the paragraphs of a course that are nearest to a question, as referees do it; the referees' embedder."""

import contextlib
import functools
import hashlib
import sys
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from tqdm.auto import tqdm

from configs.settings import EmbedSettings
from evaluate.referee.spec import read_spec
from quarry.arrays import AnyFloatArray
from quarry.embed import Embedder, Models, choose_spec
from quarry.embed.networks import E5, MINILM
from quarry.errors import EmbedderError
from quarry.files import write_whole
from quarry.store import Course

N_BUCKETS = 2**14
"""Number of hash values of runs of characters."""
N_PARAGRAPHS = 4
"""Number of paragraphs that a referee retrieves for a question."""
MAX_CACHED_QUESTIONS = 2**16
"""Maximum number of questions whose paragraphs are cached."""
BATCH = 16
"""Number of paragraphs that are embedded at once."""
N_SCRIPT = 200
"""Number of paragraphs from which the script of a course is detected."""

Retrieve = Callable[[str], tuple[str, ...]]
"""A function from the text of a question to the nearest paragraphs of the course."""


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


class PassageRetriever:
    """Retrieves paragraphs for all referees of a store; the model is loaded when it is first needed.

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
        """Return the N_PARAGRAPHS nearest to a question, nearest first; equally near ones in their order."""
        if not self._texts:
            return ()
        similarities = self._vectors @ self.encoder.embed_queries([question])[0]
        nearest = np.argsort(-similarities, kind="stable")[:N_PARAGRAPHS]
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
            desc="embedding paragraphs for the referee",
            file=sys.stderr,
            leave=False,
            delay=2.0,
        )
        parts = []
        for row in bar:
            texts = self._texts[row : row + BATCH]
            parts.append(self.encoder.embed_passages(texts))
        return np.concatenate(parts)


def build_retriever(course: Course, settings: EmbedSettings) -> PassageRetriever:
    """Build the retriever of a course; nothing is loaded or embedded before it is needed."""
    texts = [item.text for item in course.paragraphs if item.kind == "prose"]
    embedder_spec = choose_other_embedder(course.embedder_spec)
    # MiniLM only reads Latin script
    if embedder_spec == MINILM.spec and choose_spec(texts[:N_SCRIPT]) != embedder_spec:
        embedder_spec = None
    return PassageRetriever(texts, embedder_spec, Models(settings))


def embed_course_once(
    specs: Iterable[str],
    course: Course,
    settings: EmbedSettings,
) -> None:
    """Embed the course if a referee retrieves paragraphs, so that later processes find the vectors in the cache.

    Raises:
        RefereeError: a SPEC is invalid.
    """
    if any(read_spec(spec).view == "passages" for spec in specs):
        build_retriever(course, settings).retrieve("")
