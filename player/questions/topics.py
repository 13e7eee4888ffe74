"""The subjects of a course: clusters of its paragraphs, each called by the words that set it apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from player.questions.question import FitArray
from player.questions.vocabulary import Vocabulary

PARAGRAPHS_PER_TOPIC = 12
MAX_TOPICS = 60
N_LABEL_WORDS = 4
MIN_INSIDE = 3
MIN_SHARE = 0.2
"""Paragraphs of a topic, and their share, in which a word of its label occurs at least."""
N_ROUNDS = 20
TEMPERATURE = 0.06
"""Units of cosine: how sharply a reader tells a paragraph's own subject from its neighbours."""


@dataclass(frozen=True, slots=True)
class Topics:
    """The subjects.

    Attributes:
        labels: (n_topics,) words that set each apart, most telling first.
        near: (n_topics, n_paragraphs) probability that a reader takes each for the paragraph's own, summing to 1 over
            the topics.
    """

    labels: tuple[tuple[str, ...], ...]
    near: FitArray


def find_topics(vectors: NDArray[np.floating], vocabulary: Vocabulary, doc_ids: Sequence[str], seed: int = 0) -> Topics:
    """Topics by spherical k-means over the paragraphs' vectors, called by class-based tf-idf.

    Args:
        vectors: (n_paragraphs, dim) unit vectors.
        doc_ids: (n_paragraphs,) the documents, within each of which topics are sought.
        seed: of the first centres.

    Reference:
        Dhillon and Modha, Concept Decompositions for Large Sparse Text Data Using Clustering, 2001; Grootendorst,
        BERTopic: Neural Topic Modeling with a Class-Based TF-IDF Procedure, 2022.
    """
    n_paragraphs = len(doc_ids)
    if n_paragraphs == 0 or not vocabulary.words or len(vectors) != n_paragraphs:
        return Topics((), np.empty((0, n_paragraphs), dtype=np.float32))
    generator = np.random.default_rng(seed)
    documents = np.array(doc_ids)
    member = np.full(n_paragraphs, -1)
    centres: list[NDArray[np.floating]] = []
    scale = max(PARAGRAPHS_PER_TOPIC, -(-n_paragraphs // MAX_TOPICS))
    for doc_id in sorted(set(doc_ids)):
        rows = np.flatnonzero(documents == doc_id)
        found, own = _spherical_k_means(vectors[rows], max(1, round(len(rows) / scale)), generator)
        member[rows] = own + len(centres)
        centres.extend(found)
    scores = vectors @ np.stack(centres).T / TEMPERATURE
    near = np.exp(scores - scores.max(axis=1, keepdims=True))
    near /= near.sum(axis=1, keepdims=True)
    return Topics(_labels(vocabulary, member, len(centres)), near.T.astype(np.float32))


def _spherical_k_means(
    vectors: NDArray[np.floating], k: int, generator: np.random.Generator
) -> tuple[list[NDArray[np.floating]], NDArray[np.intp]]:
    """K unit centres and the (n,) centre of each vector."""
    centres = vectors[generator.choice(len(vectors), size=k, replace=False)].copy()
    own = np.zeros(len(vectors), dtype=np.intp)
    for _ in range(N_ROUNDS):
        own = np.argmax(vectors @ centres.T, axis=1)
        for row in range(k):
            total = vectors[own == row].sum(axis=0)
            length = float(np.linalg.norm(total))
            if length > 0.0:
                centres[row] = total / length
    return list(centres), own


def _labels(vocabulary: Vocabulary, member: NDArray[np.intp], n_topics: int) -> tuple[tuple[str, ...], ...]:
    occurs = vocabulary.seen > 0.5
    one_hot = (member[:, None] == np.arange(n_topics)).astype(np.float32)
    inside = occurs.astype(np.float32) @ one_hot  # (n_words, n_topics) paragraphs of the topic that hold the word
    share = inside / np.maximum(one_hot.sum(axis=0), 1.0)
    rarity = np.log(1.0 + len(member) / np.maximum(occurs.sum(axis=1), 1))
    weight = share * rarity[:, None] * (inside >= MIN_INSIDE) * (share >= MIN_SHARE)
    labels = []
    for topic in range(n_topics):
        best = np.argsort(-weight[:, topic], kind="stable")
        label: list[str] = []
        for row in best:
            word = vocabulary.words[row]
            if len(label) == N_LABEL_WORDS or weight[row, topic] <= 0.0:
                break
            if not any(word[:5] == other[:5] for other in label):
                label.append(word)
        labels.append(tuple(label))
    return tuple(labels)
