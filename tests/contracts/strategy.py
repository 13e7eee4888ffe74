"""What every Strategy must pass."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import pytest

from quarry.ingest.paragraph import Paragraph
from quarry.player.search.types import Query, Strategy
from tests.contracts.paragraphs import paragraph

HINT = "colour of the morning sky"
CORPUS = (
    paragraph("beta:1:1", "The sky of the morning has a colour."),
    paragraph("alpha:2:1", "A colour of the sky."),
    paragraph("alpha:1:2", "Morning has broken, and the sky with it."),
    paragraph("beta:3:1", "The sky is high above the sea and the sky is wide."),
    paragraph("alpha:1:1", "Some paint has the colour of milk, of bone or of chalk."),
    paragraph("gamma:1:1", "Of the many birds that sing at night, few are heard."),
)


class StrategyContract(ABC):
    """Subclass it and say how the strategy is made; every paragraph of the corpus shares a word with the hint."""

    @abstractmethod
    def make(self, paragraphs: Sequence[Paragraph]) -> Strategy:
        """The strategy over these paragraphs."""

    def ids(self, strategy: Strategy, k: int, doc_id: str = "") -> list[str]:
        """The paragraph_ids found, in order."""
        return [hit.paragraph.paragraph_id for hit in strategy.search(Query(HINT), k, doc_id)]

    def test_ranks_count_from_one(self) -> None:
        found = self.make(CORPUS).search(Query(HINT), 4)
        assert [hit.rank for hit in found] == [1, 2, 3, 4]

    def test_ranks_count_from_one_within_a_document(self) -> None:
        found = self.make(CORPUS).search(Query(HINT), 4, "alpha")
        assert [hit.rank for hit in found] == [1, 2, 3]

    def test_the_best_comes_first(self) -> None:
        found = self.make(CORPUS).search(Query(HINT), 6)
        assert found[0].paragraph.paragraph_id == "beta:1:1"
        scores = [hit.score for hit in found]
        relevances = [hit.relevance for hit in found]
        assert scores == sorted(scores, reverse=True)
        assert relevances == sorted(relevances, reverse=True)
        assert scores[0] > scores[-1]
        assert relevances[0] > relevances[-1]

    def test_relevance_lies_within_0_and_1(self) -> None:
        found = self.make(CORPUS).search(Query(HINT), 6)
        assert len(found) == 6
        assert all(0.0 <= hit.relevance <= 1.0 for hit in found)

    def test_ties_go_to_the_smaller_paragraph_id(self) -> None:
        copies = [paragraph(f"twin:{(7 * number) % 40}:1", CORPUS[0].text) for number in range(40)]
        found = self.ids(self.make([*copies, *CORPUS[1:]]), 40)
        assert found == sorted(copy.paragraph_id for copy in copies)

    def test_a_document_filters(self) -> None:
        strategy = self.make(CORPUS)
        everywhere = self.ids(strategy, 6)
        assert sorted(self.ids(strategy, 6, "alpha")) == ["alpha:1:1", "alpha:1:2", "alpha:2:1"]
        assert self.ids(strategy, 6, "alpha") == [found for found in everywhere if found.startswith("alpha:")]

    def test_a_document_name_is_matched_whole(self) -> None:
        assert self.ids(self.make(CORPUS), 6, "alph") == []

    def test_an_unknown_document_gives_nothing(self) -> None:
        assert self.ids(self.make(CORPUS), 6, "omega") == []

    def test_a_k_beyond_the_corpus_gives_the_whole_corpus(self) -> None:
        assert sorted(self.ids(self.make(CORPUS), 1_000)) == sorted(item.paragraph_id for item in CORPUS)

    @pytest.mark.parametrize("k", [1, 3, 5])
    def test_a_smaller_k_gives_the_beginning_of_the_same_list(self, k: int) -> None:
        strategy = self.make(CORPUS)
        assert self.ids(strategy, k) == self.ids(strategy, 6)[:k]

    def test_no_paragraph_comes_twice(self) -> None:
        found = self.ids(self.make(CORPUS), 6)
        assert len(found) == len(set(found)) == 6

    def test_hits_carry_the_name_of_the_strategy_and_no_slot_yet(self) -> None:
        strategy = self.make(CORPUS)
        found = strategy.search(Query(HINT), 6)
        assert {(hit.strategy, hit.slot) for hit in found} == {(strategy.name, "")}

    def test_the_order_of_the_corpus_does_not_matter(self) -> None:
        assert self.ids(self.make(CORPUS), 6) == self.ids(self.make(CORPUS[::-1]), 6)

    def test_preparing_changes_nothing_that_is_found(self) -> None:
        strategy, prepared = self.make(CORPUS), self.make(CORPUS)
        prepared.prepare(Query(HINT))
        assert prepared.search(Query(HINT), 6) == strategy.search(Query(HINT), 6)
