"""Suite that every Strategy passes."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from player.search.results import Query
from player.search.strategies.strategy import Strategy
from quarry.course.paragraph import Paragraph
from tests.contracts.paragraphs import paragraph

QUERY = Query("colour of the morning sky", keywords="off")
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
        """Return the strategy over these paragraphs."""

    def test_every_paragraph_has_a_score_and_log_odds_in_the_same_order(self) -> None:
        scored = self.make(CORPUS).score(QUERY)
        for values in (scored.scores, scored.log_odds):
            assert len(values) == len(CORPUS)
            assert np.isfinite(values).all()
            assert values.argmax() == 0

    def test_equal_texts_have_equal_scores(self) -> None:
        first, *others = CORPUS
        copies = [replace(first, paragraph_id=f"twin:{n}:1") for n in range(40)]
        log_odds = self.make([*copies, *others]).score(QUERY).log_odds[:40]
        assert (log_odds == log_odds[0]).all()

    def test_the_order_of_the_corpus_does_not_matter(self) -> None:
        scored = self.make(CORPUS).score(QUERY)
        turned = self.make(CORPUS[::-1]).score(QUERY)
        np.testing.assert_array_equal(scored.log_odds, turned.log_odds[::-1])

    def test_neither_preparing_nor_a_named_document_changes_what_is_found(self) -> None:
        expected = self.make(CORPUS).score(QUERY).log_odds
        prepared = self.make(CORPUS)
        prepared.prepare(QUERY)
        for doc_id in ("", "alpha", "omega"):
            scored = prepared.score(QUERY, doc_id)
            np.testing.assert_array_equal(scored.log_odds, expected)
