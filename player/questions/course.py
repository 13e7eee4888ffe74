"""What the question maker knows of a course, read once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ingest.paragraph import Paragraph
from player.questions.features import read_features
from player.questions.language import Language, language_of
from player.questions.purpose import read_purposes
from player.questions.question import FitArray
from player.questions.topics import Topics, find_topics
from player.questions.vocabulary import Vocabulary, read_vocabulary
from player.words import words


@dataclass(frozen=True, slots=True)
class CourseView:
    """Everything that questions can be about, for each paragraph of a course.

    Attributes:
        rows: paragraph_id -> row.
        languages: (n_paragraphs,) in which each is written.
        first_words: (n_paragraphs,) the word each begins with, case-folded, "" if there is none.
        whole: words of the whole paragraphs.
        opening: words of the opening sentences.
        features: (n_features, n_paragraphs) as `read_features` gives them.
        purposes: (n_purposes, n_paragraphs) as `read_purposes` gives them.
        topics: the subjects.
    """

    rows: Mapping[str, int]
    languages: tuple[Language, ...]
    first_words: tuple[str, ...]
    whole: Vocabulary
    opening: Vocabulary
    features: FitArray
    purposes: FitArray
    topics: Topics

    @property
    def n_paragraphs(self) -> int:
        """Paragraphs of the course."""
        return len(self.languages)


def read_course(paragraphs: Sequence[Paragraph], vectors: NDArray[np.floating] | None = None) -> CourseView:
    """The view of these paragraphs.

    Args:
        vectors: (n_paragraphs, dim) unit vectors; without them no question asks for the subject.
    """
    texts = [paragraph.text for paragraph in paragraphs]
    whole = read_vocabulary(texts)
    no_vectors = np.empty((0, 1), dtype=np.float32)
    return CourseView(
        rows={paragraph.paragraph_id: row for row, paragraph in enumerate(paragraphs)},
        languages=tuple(language_of(text[:400]) for text in texts),
        first_words=tuple(next(iter(words(text[:80])), "") for text in texts),
        whole=whole,
        opening=read_vocabulary([paragraph.opening_sentence for paragraph in paragraphs]),
        features=read_features(texts),
        purposes=read_purposes(texts),
        topics=find_topics(
            no_vectors if vectors is None else vectors, whole, [paragraph.doc_id for paragraph in paragraphs]
        ),
    )
