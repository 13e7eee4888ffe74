"""Preset `dual` against the first design record, put straight into a few lines."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from ingest.paragraph import Paragraph
from player.search.cache import CachingEmbedder
from player.search.index import SearchIndex
from player.search.orchestrator import SearchOrchestrator
from player.search.references import References
from player.search.strategies.dense import Dense
from player.search.types import Query
from tests.contracts.paragraphs import paragraph
from tests.player.fakes import FixedEmbedder, document, search_settings

DIM = 16
N_CORPORA = 300


@dataclass
class Corpus:
    paragraphs: list[Paragraph]
    vectors: list[list[float]]
    hint: list[float]


def random_corpus(seed: int) -> Corpus:
    """One to five books of 0 to 30 paragraphs; components of a quarter make all sums exact, and many of them tie."""
    generator = np.random.default_rng(seed)
    paragraphs = [
        paragraph(f"book{book}:{page}:{generator.integers(1, 10)}")
        for book in range(generator.integers(1, 6))
        for page in range(1, generator.integers(1, 32))
    ] or [paragraph("book0:1:1")]
    signs = generator.choice([-0.25, 0.25], size=(len(paragraphs) + 1, DIM)).tolist()
    return Corpus(paragraphs, signs[1:], signs[0])


def design_record(corpus: Corpus, book_name: str) -> list[tuple[str, str]]:
    """15 filtered by exact stem, then the first 5 of 20 unfiltered that are new; no spill-over."""
    similarity = {
        item.paragraph_id: sum(
            left * right for left, right in zip(vector, corpus.hint, strict=True)
        )
        for item, vector in zip(corpus.paragraphs, corpus.vectors, strict=True)
    }
    ranked = sorted(corpus.paragraphs, key=lambda item: -similarity[item.paragraph_id])
    filtered = [item.paragraph_id for item in ranked if item.doc_id == book_name][:15]
    unfiltered = [item.paragraph_id for item in ranked][:20]
    new = [found for found in unfiltered if found not in filtered][:5]
    return [("book", found) for found in filtered] + [
        ("global", found) for found in new
    ]


def dual(corpus: Corpus, book_name: str) -> list[tuple[str, str]]:
    """The same by preset `dual`."""
    settings = search_settings()
    embedder = CachingEmbedder(FixedEmbedder({"hint": corpus.hint}))
    vectors = np.array(corpus.vectors, dtype=np.float32)
    dense = Dense(corpus.paragraphs, vectors, embedder)
    # every book also has a title, which preset `dual` must not match
    documents = [
        document(doc_id, (f"The course, part {doc_id[-1]}", "title"))
        for doc_id in sorted({item.doc_id for item in corpus.paragraphs})
    ]
    references = References(
        documents, settings.filter_confidence, settings.boost_confidence
    )
    engine = SearchOrchestrator(
        SearchIndex({"dense": dense}, references, corpus.paragraphs), settings
    )

    result = engine.search(Query("hint", book_name))
    return [(hit.slot, hit.paragraph.paragraph_id) for hit in result.hits]


@pytest.mark.parametrize("book_name", ["book0", "book1", "book4"])
def test_dual_is_the_design_record_for_exact_stems(book_name: str) -> None:
    for seed in range(N_CORPORA):
        corpus = random_corpus(seed)
        assert dual(corpus, book_name) == design_record(corpus, book_name), (
            f"seed {seed}"
        )


@pytest.mark.parametrize(
    "book_name", ["", "book", "book00", "The course, part 0", "something else"]
)
def test_dual_is_the_design_record_for_names_that_match_nothing(book_name: str) -> None:
    for seed in range(N_CORPORA):
        corpus = random_corpus(seed)
        found = dual(corpus, book_name)
        assert found == design_record(corpus, book_name), f"seed {seed}"
        assert [slot for slot, _ in found] == ["global"] * min(
            5, len(corpus.paragraphs)
        ), f"seed {seed}"


def test_a_stem_with_its_suffix_is_the_stem() -> None:
    for seed in range(20):
        corpus = random_corpus(seed)
        for book_name in ("book0.pdf", "Book0.PDF", " book0 "):
            assert dual(corpus, book_name) == design_record(corpus, "book0"), (
                f"seed {seed}"
            )
