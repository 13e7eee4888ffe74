"""Preset `dual` against the first design record, put straight into a few lines."""

from __future__ import annotations

import numpy as np

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
STEMS = {
    "book0": "book0",
    "book1": "book1",
    "book4": "book4",
    "book0.pdf": "book0",
    "Book0.PDF": "book0",
    " book0 ": "book0",
    "": "",
    "book": "",
    "book00": "",
    "The course, part 0": "",
    "something else": "",
}
"""Names of books, and the stems that they match exactly."""


class Corpus:
    """One to five books of 1 to 30 paragraphs; components of a quarter make all sums exact, and many of them tie."""

    def __init__(self, seed: int) -> None:
        random = np.random.default_rng(seed)
        documents = []
        self.paragraphs = []
        for number in range(random.integers(1, 6)):
            # preset `dual` must not match the title
            title = f"The course, part {number}"
            documents.append(document(f"book{number}", (title, "title")))
            for page in range(random.integers(1, 31)):
                paragraph_id = f"book{number}:{page}:{random.integers(1, 10)}"
                self.paragraphs.append(paragraph(paragraph_id))
        size = len(self.paragraphs), DIM
        self.vectors = random.choice([-0.25, 0.25], size).astype(np.float32)
        self.hint = random.choice([-0.25, 0.25], DIM)

        embedder = CachingEmbedder(FixedEmbedder({"hint": self.hint.tolist()}))
        strategies = {"dense": Dense(self.paragraphs, self.vectors, embedder)}
        references = References(documents, 0.9, 0.6)
        index = SearchIndex(strategies, references, self.paragraphs)
        self.searches = SearchOrchestrator(index, search_settings())

    def design_record(self, stem: str) -> list[tuple[str, str]]:
        """15 filtered by exact stem, then the first 5 of 20 unfiltered that are new; no spill-over."""
        filtered, unfiltered = [], []
        for row in np.argsort(-(self.vectors @ self.hint), kind="stable"):
            item = self.paragraphs[row]
            unfiltered.append(item.paragraph_id)
            if item.doc_id == stem:
                filtered.append(item.paragraph_id)
        hits = [("book", found) for found in filtered[:15]]
        new = [found for found in unfiltered[:20] if found not in filtered[:15]]
        return hits + [("global", found) for found in new[:5]]


def test_dual_is_the_design_record() -> None:
    for seed in range(N_CORPORA):
        corpus = Corpus(seed)
        for book_name, stem in STEMS.items():
            hits = corpus.searches.search(Query("hint", book_name)).hits
            found = [(hit.slot, hit.paragraph.paragraph_id) for hit in hits]
            assert found == corpus.design_record(stem), (seed, book_name)
