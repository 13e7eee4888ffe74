"""Readings -> the store: embedded, compared with each other, put into it all at once."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from tqdm.auto import tqdm

from quarry.configs.settings import EmbedSettings
from quarry.ingest.embed import Embedder, TokenEmbedder, token_limit
from quarry.ingest.embed.vectors import ReadingVectors, embed_aliases, embed_reading, no_vectors
from quarry.ingest.errors import StoreError
from quarry.ingest.paragraph import Paragraph, Reading
from quarry.ingest.paragraphs.near_identical import near_identical
from quarry.ingest.pipeline.staging import Staging
from quarry.ingest.store import Course, DocumentUpdate, Store
from quarry.ingest.store.codec import version_of


def outdated(course: Course, but: Collection[str], max_tokens: int, word_models: Sequence[str]) -> list[Reading]:
    """Return the documents of a course that must be embedded anew: cut at another limit, or their words were not read.

    Vectors of two limits do not mix, and words are of use where there are those of the whole course.
    """
    if not course.embedder_spec:
        return []
    return [
        course.reading(doc_id)
        for doc_id, record in course.records.items()
        if doc_id not in but
        and (course.max_tokens != max_tokens or not all(record.holds_words(spec) for spec in word_models))
    ]


def commit(
    store: Store,
    readings: Sequence[Reading],
    dropped: Sequence[str],
    models: Sequence[Embedder],
    word_models: Sequence[str],
    settings: EmbedSettings,
    staging: Staging,
    progress: bool,
) -> None:
    """Put readings into a store, and drop documents, all at once.

    Args:
        models: the store's embedder first; none where there are no paragraphs.
        word_models: SPECs of those that read words.

    Raises:
        StoreError: the store cannot be written.
        OSError: the disk is full.
    """
    updates = _embedded(readings, store.course, models, word_models, settings, staging, progress)
    store.change(updates, dropped, near_identical(_paragraphs_after(store.course, readings, dropped)))


def _embedded(
    readings: Sequence[Reading],
    course: Course,
    models: Sequence[Embedder],
    word_models: Sequence[str],
    settings: EmbedSettings,
    staging: Staging,
    progress: bool,
) -> Iterator[DocumentUpdate]:
    """Return each reading with its vectors, all of them worked out and on disk before the first one is handed on.

    Without a model none of them has paragraphs; the first one is the store's own. What the store holds in the same
    version is not embedded again.
    """
    if not models:
        return (DocumentUpdate(reading, no_vectors(), "") for reading in readings)
    embedder = models[0]
    reading_words = [model for model in models if model.spec in word_models and isinstance(model, TokenEmbedder)]
    spec, max_tokens = embedder.spec, token_limit(embedder.spec, settings)
    keys = []
    with tqdm(
        total=sum(len(reading.paragraphs) for reading in readings),
        desc="embedding",
        unit="paragraph",
        disable=not progress,
    ) as bar:
        for reading in readings:
            document = reading.document
            version = version_of(reading, spec, max_tokens, [model.spec for model in reading_words])
            known = course.records.get(document.doc_id)
            unchanged = known is not None and known.version == version
            keys.append((document.doc_id, version, document.aliases, unchanged))
            if staging.vectors(*keys[-1]) is None:
                names_alone = replace(no_vectors(), aliases=embed_aliases(reading, embedder)) if unchanged else None
                staging.keep_vectors(names_alone or embed_reading(reading, embedder, reading_words), *keys[-1])
            bar.update(len(reading.paragraphs))
    return (
        DocumentUpdate(reading, _kept(staging, key), spec, max_tokens, unchanged=key[-1])
        for reading, key in zip(readings, keys, strict=True)
    )


def _kept(staging: Staging, key: tuple[object, ...]) -> ReadingVectors:
    """Return the vectors that this run has kept."""
    vectors = staging.vectors(*key)
    if vectors is None:
        raise StoreError("what was embedded must be kept until the store holds it, some was lost; run it again")
    return vectors


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
