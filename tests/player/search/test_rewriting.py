"""Pseudo-relevance feedback, worked by hand."""

from __future__ import annotations

from dataclasses import replace

from quarry.player.search.rewriting import N_WORDS, Feedback
from quarry.player.search.types import Hit, Query
from quarry.player.testing.paragraphs import paragraph
from tests.player.fakes import hits

COURSE = [
    paragraph("a:1:1", "Heaps sift; heaps sift while common words remain."),
    paragraph("a:1:2", "Trees rotate while common words remain."),
    paragraph("a:1:3", "Tables probe while common words remain."),
]


def found(*texts: str) -> list[Hit]:
    return [replace(hit, paragraph=paragraph("a:1:1", text)) for hit, text in zip(hits("a:1:1"), texts, strict=False)]


def test_words_that_are_frequent_in_the_hits_and_rare_in_the_course_are_added() -> None:
    rewritten = Feedback(COURSE).rewrite(Query("ordered keys"), found(COURSE[0].text))
    assert rewritten.split()[:2] == ["ordered", "keys"]
    assert rewritten.split()[2:4] == ["heaps", "sift"]
    assert len(rewritten.split()) <= 2 + N_WORDS


def test_words_of_the_hint_are_not_added_again() -> None:
    assert "heaps" not in Feedback(COURSE).rewrite(Query("HEAPS"), found(COURSE[0].text)).split()[1:]


def test_without_hits_there_is_nothing_to_say() -> None:
    assert Feedback(COURSE).rewrite(Query("ordered keys"), []) == ""
