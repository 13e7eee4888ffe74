"""Readings -> the store: embedded, compared with each other, filed all at once."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from tqdm.auto import tqdm

from quarry.configs.settings import EmbedSettings
from quarry.ingest.embed import Embedder, TokenEmbedder, token_limit
from quarry.ingest.embed.vectors import embed_aliases, embed_reading, no_vectors
from quarry.ingest.paragraph import Paragraph, Reading
from quarry.ingest.paragraphs.near_identical import near_identical
from quarry.ingest.pipeline.staging import Staging
from quarry.ingest.store import Course, Filing, Store


def outdated(course: Course, but: Collection[str], max_tokens: int, word_models: Sequence[str]) -> list[Reading]:
    """The documents of a course, but for some, whose texts were cut at another limit or whose words were not read.

    Vectors of two limits do not mix, and words are of use where there are those of the whole course.
    """
    if not course.embedder_spec:
        return []
    return [
        course.reading(document.doc_id)
        for document in course.documents
        if document.doc_id not in but
        and (
            course.max_tokens != max_tokens
            or not all(course.holds_words(document.doc_id, spec) for spec in word_models)
        )
    ]


def file_all(
    store: Store,
    readings: Sequence[Reading],
    dropped: Sequence[str],
    models: Sequence[Embedder],
    word_models: Sequence[str],
    settings: EmbedSettings,
    staging: Staging,
    progress: bool,
) -> None:
    """Put readings in force, and drop documents.

    Args:
        models: the store's embedder first; none where there are no paragraphs.
        word_models: SPECs of those that read words.

    Raises:
        StoreError: the store cannot be written.
        OSError: the disk is full.
    """
    filings = _embedded(readings, store.course, models, word_models, settings, staging, progress)
    store.change(filings, dropped, near_identical(_paragraphs_after(store.course, readings, dropped)))


def _embedded(
    readings: Sequence[Reading],
    course: Course,
    models: Sequence[Embedder],
    word_models: Sequence[str],
    settings: EmbedSettings,
    staging: Staging,
    progress: bool,
) -> Iterator[Filing]:
    """Each reading with its vectors, all of them worked out and on disk before the first one is handed on.

    Without a model none of them has paragraphs; the first one is the store's own. What the store holds in the same
    version is not embedded again.
    """
    if not models:
        return (Filing(reading, no_vectors(), "") for reading in readings)
    embedder = models[0]
    reading_words = [model for model in models if model.spec in word_models and isinstance(model, TokenEmbedder)]
    spec, max_tokens = embedder.spec, token_limit(embedder.spec, settings)

    def key(reading: Reading) -> tuple[object, ...]:
        document = reading.document
        return document.doc_id, document.version, document.aliases, document.same_as, spec, max_tokens, word_models

    total = sum(len(reading.paragraphs) for reading in readings)
    with tqdm(total=total, desc="embedding", unit="paragraph", disable=not progress) as bar:
        for reading in readings:
            if staging.vectors(*key(reading)) is None:
                if course.holds(Filing(reading, no_vectors(), spec, max_tokens)) and all(
                    course.holds_words(reading.document.doc_id, name) for name in word_models
                ):
                    vectors = replace(no_vectors(), aliases=embed_aliases(reading, embedder))
                else:
                    vectors = embed_reading(reading, embedder, reading_words)
                staging.keep_vectors(vectors, *key(reading))
            bar.update(len(reading.paragraphs))
    return (Filing(reading, staging.vectors_kept(*key(reading)), spec, max_tokens) for reading in readings)


def _paragraphs_after(course: Course, readings: Sequence[Reading], dropped: Sequence[str]) -> Iterator[Paragraph]:
    """Every paragraph that the store will hold, by document, in reading order."""
    texts: dict[str, list[Paragraph]] = {}
    for paragraph in course.paragraphs:
        texts.setdefault(paragraph.doc_id, []).append(paragraph)
    for doc_id in dropped:
        texts.pop(doc_id, None)
    texts |= {reading.document.doc_id: list(reading.paragraphs) for reading in readings}
    for doc_id in sorted(texts):
        yield from texts[doc_id]
