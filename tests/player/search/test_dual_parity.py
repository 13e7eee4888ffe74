"""Preset `dual` against its rule, put straight into a few lines."""

import numpy as np

from player.search.books.resolver import BookResolver
from player.search.engine import SearchOrchestrator
from player.search.index import SearchIndex
from player.search.results import Query
from tests.contracts.paragraphs import paragraph
from tests.fakes import each
from tests.player.fakes import (
    FixedEmbedder,
    course_with,
    dense_over,
    document,
    ids_of,
    search_settings,
)

DIM = 16
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


def design_record(ranking: list[str], stem: str) -> list[tuple[str, str]]:
    """15 filtered by exact stem, then the first 5 of 20 unfiltered that are new; no spill-over."""
    filtered = [found for found in ranking if found.startswith(f"{stem}:")][:15]
    new = [found for found in ranking[:20] if found not in filtered]
    hits = [("book", found) for found in filtered]
    return hits + [("global", found) for found in new[:5]]


def test_dual_is_the_design_record() -> None:
    # one to five books of 1 to 30 paragraphs; components of a quarter make all sums exact, and many of them tie
    for seed in range(300):
        random = np.random.default_rng(seed)
        documents = []
        paragraphs = []
        for number in range(random.integers(1, 6)):
            # preset `dual` must not match the title
            title = f"The course, part {number}"
            documents.append(document(f"book{number}", (title, "title")))
            for page in range(random.integers(1, 31)):
                paragraph_id = f"book{number}:{page}:{random.integers(1, 10)}"
                paragraphs.append(paragraph(paragraph_id))
        size = len(paragraphs), DIM
        vectors = random.choice([-0.25, 0.25], size).astype(np.float32)
        hint = random.choice([-0.25, 0.25], DIM)

        embedder = FixedEmbedder({"hint": hint.tolist()})
        strategies = {"dense": dense_over(paragraphs, vectors, embedder)}
        index = SearchIndex(
            strategies, BookResolver(course_with(documents)), paragraphs
        )
        searches = SearchOrchestrator(index, search_settings())
        order = np.argsort(-(vectors @ hint), kind="stable")
        ranking = [paragraphs[row].paragraph_id for row in order]
        for book_name, stem in STEMS.items():
            hits = searches.search(Query("hint", book_name)).hits
            found = list(zip(each(hits, "slot"), ids_of(hits), strict=True))
            assert found == design_record(ranking, stem), (seed, book_name)
