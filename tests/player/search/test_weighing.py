"""What is known of documents before any hint, worked by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from player.search.types import Hit, Weighed
from player.search.weighing import SUREST_BOOK, book_log_odds, document_priors, weigh
from tests.player.fakes import document, paragraph


def hit(paragraph_id: str, relevance: float) -> Hit:
    return Hit(paragraph(paragraph_id), relevance, relevance, 1, "one")


def shown(side: list[Weighed]) -> list[tuple[str, float]]:
    return [(item.paragraph.paragraph_id, round(relevance, 6)) for item, relevance in side]


def test_a_books_paragraph_is_likelier_by_confidence_and_by_how_few_there_are() -> None:
    # 0.75 on 10 paragraphs, 0.25 on 90: each is 3 * 9 times as likely
    assert book_log_odds(0.75, 10, 100) == pytest.approx(math.log(27.0))


def test_even_a_sure_book_weighs_no_more_than_it_may() -> None:
    assert book_log_odds(1.0, 50, 100) == pytest.approx(math.log(SUREST_BOOK / (1 - SUREST_BOOK)))


@pytest.mark.parametrize(("n_in_book", "n_in_course"), [(0, 0), (0, 10), (10, 10)])
def test_without_a_rest_only_the_confidence_counts(n_in_book: int, n_in_course: int) -> None:
    assert book_log_odds(0.75, n_in_book, n_in_course) == pytest.approx(math.log(3.0))


def test_a_book_never_counts_against_its_own() -> None:
    assert book_log_odds(0.6, 90, 100) == 0.0


def test_a_lift_reorders_and_keeps_the_highest_relevance() -> None:
    # odds 4 and 1; times 8 for b, and then all by half, so that the best has 4 again
    (side,) = weigh([[hit("a:1:1", 0.8), hit("b:1:1", 0.5)]], doc_id="b", lift=math.log(8.0), priors={}, evidence=0.0)
    assert shown(side) == [("b:1:1", 0.8), ("a:1:1", round(2 / 3, 6))]


def test_a_lift_too_small_to_win_takes_nothing_from_the_others() -> None:
    (side,) = weigh([[hit("a:1:1", 0.8), hit("b:1:1", 0.5)]], doc_id="b", lift=math.log(2.0), priors={}, evidence=0.0)
    assert shown(side) == [("a:1:1", 0.8), ("b:1:1", round(2 / 3, 6))]


def test_both_sides_move_together() -> None:
    book, course = weigh(
        [[hit("b:1:1", 0.5)], [hit("a:1:1", 0.8)]], doc_id="b", lift=math.log(8.0), priors={}, evidence=0.0
    )
    assert shown(book) == [("b:1:1", 0.8)]
    assert shown(course) == [("a:1:1", round(2 / 3, 6))]


def test_evidence_moves_all_hits_alike() -> None:
    (side,) = weigh([[hit("a:1:1", 0.5), hit("b:1:1", 0.2)]], doc_id="", lift=0.0, priors={}, evidence=math.log(3.0))
    assert shown(side) == [("a:1:1", 0.75), ("b:1:1", round(0.75 / 1.75, 6))]


def test_priors_say_which_not_whether() -> None:
    (side,) = weigh(
        [[hit("a:1:1", 0.8), hit("b:1:1", 0.8)]], doc_id="", lift=0.0, priors={"b": math.log(4.0)}, evidence=0.0
    )
    assert shown(side) == [("b:1:1", 0.8), ("a:1:1", 0.5)]


def test_nothing_known_changes_nothing() -> None:
    side = [hit("a:1:1", 0.8), hit("b:1:1", 0.8)]
    assert weigh([side, []], doc_id="b", lift=0.0, priors={}, evidence=0.0) == [[(item, 0.8) for item in side], []]
    assert weigh([[], []], doc_id="b", lift=3.0, priors={}, evidence=1.0) == [[], []]


def test_priors_of_documents_by_quality_and_recency() -> None:
    best = replace(document("best"), n_paragraphs=8, rejected={"short": 2}, date="2024-01-01")
    poor = replace(document("poor"), n_paragraphs=4, rejected={"short": 6}, date="2026-01-01")
    undated = replace(document("undated"), n_paragraphs=0, rejected={})
    priors = document_priors([best, poor, undated], 2.0, 3.0)
    assert priors == {"best": pytest.approx(2.0), "poor": pytest.approx(2.0 * 0.5 + 3.0), "undated": 0.0}
