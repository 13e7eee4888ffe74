"""What every kind of question must do; a test of a kind subclasses this."""

from __future__ import annotations

from itertools import chain

import numpy as np
import pytest

from ingest.paragraph import Paragraph
from player.questions.answer import LETTERS
from player.questions.candidates import Candidates
from player.questions.kinds import ListKind
from player.questions.question import OUT, QuestionPool
from player.questions.views import DESIGN_VIEWS, VIEWS
from player.questions.word_index import index_words
from tests.contracts.paragraphs import first_places, paragraph
from tests.fakes import each

ENGLISH = (
    "In 1945 Vannevar Bush wrote about the memex. It was a desk (of 1945) with levers.",
    "Suppose we sort 40% of the names: “Ada”, then Babbage. What remains? The names of Babbage; and the rest.",
    "A heap is called a tree where every parent is larger. For example, a parent of two: both smaller.",
    "Trees and heaps were compared by Williams. Unlike a heap, a tree of Williams keeps its names sorted.",
    "The memex of Bush follows trails. Trails of names, sorted by nobody; levers move them.",
    "Sorting names takes levers in the desk of Babbage. Why should it? A parent would know.",
)
HEBREW = (
    "עצים מאוזנים וחיפוש מהיר הם נושא השיעור. האם זה נכון?",
    "גיבוב התנגשויות וחיפוש איטי מאוד בטבלה. יש בה ארבעים תאים של מפתחות.",
    "מיון מהיר של עצים נשען על ציר. המפתח הוא הציר, והחיפוש בו איטי.",
    "רשימה של איברים שומרת מצביע לכל איבר. המעבר עליה איטי, ההוספה מהירה.",
)


def candidates_of(texts: tuple[str, ...], seed: int = 0) -> Candidates:
    index = index_words(
        [paragraph(f"book:1:{row}", text) for row, text in enumerate(texts, 1)]
    )
    prior = np.random.default_rng(seed).dirichlet(np.full(len(texts), 2.0))
    return Candidates(index, first_places(index.places), prior)


class KindContract:
    """Subclass it with a fixture `kind`."""

    @pytest.fixture(params=[ENGLISH, HEBREW], ids=["English", "Hebrew"])
    def texts(self, request: pytest.FixtureRequest) -> tuple[str, ...]:
        texts: tuple[str, ...] = request.param
        return texts

    @pytest.fixture
    def candidates(self, texts: tuple[str, ...]) -> Candidates:
        return candidates_of(texts)

    def made(
        self, kind: ListKind, candidates: Candidates, seed: int = 0
    ) -> QuestionPool:
        return kind.make(candidates, 60, np.random.default_rng(seed))

    def test_it_has_something_to_ask(
        self, kind: ListKind, candidates: Candidates
    ) -> None:
        assert 0 < len(self.made(kind, candidates).questions) <= 60

    def test_its_fits_sum_to_1_under_every_view(
        self, kind: ListKind, candidates: Candidates
    ) -> None:
        pool = self.made(kind, candidates)
        assert pool.fits.shape == (
            len(DESIGN_VIEWS),
            len(pool.questions),
            len(candidates),
            4,
        )
        np.testing.assert_allclose(pool.fits.sum(axis=3), 1.0, atol=1e-5)
        fits = kind.fit(list(pool.questions), candidates)
        assert fits.shape == (len(VIEWS), len(pool.questions), len(candidates), 4)
        np.testing.assert_allclose(fits.sum(axis=3), 1.0, atol=1e-5)
        assert fits.min() >= 0.0

    def test_a_question_is_fitted_again_as_it_was_made(
        self, kind: ListKind, candidates: Candidates
    ) -> None:
        pool = self.made(kind, candidates)
        again = kind.fit(list(pool.questions), candidates)
        for place, view in enumerate(DESIGN_VIEWS):
            np.testing.assert_allclose(
                again[VIEWS.index(view)], pool.fits[place], atol=1e-6
            )

    def test_kinds_are_those_of_the_written_questions(
        self, kind: ListKind, candidates: Candidates
    ) -> None:
        pool = self.made(kind, candidates)
        assert set(pool.kinds) == {kind.name}
        assert [*pool.kinds] == each(pool.questions, "kind")

    def test_the_same_generator_gives_the_same_questions_and_another_gives_others(
        self, kind: ListKind, candidates: Candidates
    ) -> None:
        first, second, other = (self.made(kind, candidates, seed) for seed in (7, 7, 8))
        assert list(first.questions) == list(second.questions)
        np.testing.assert_array_equal(first.fits, second.fits)
        if len(first.questions) > 10:  # few letters leave few questions
            assert list(first.questions) != list(other.questions)

    def test_a_question_can_be_understood_alone(
        self, kind: ListKind, candidates: Candidates
    ) -> None:
        for question in self.made(kind, candidates).questions:
            assert len(set(question.options)) == 4, question
            for option in question.options[:OUT]:
                assert option in question.text
            assert question.text.count("?") == 1, question
            assert len(question.text.split()) <= 70, question

    def test_it_is_put_in_the_language_of_the_paragraphs(
        self, kind: ListKind, candidates: Candidates
    ) -> None:
        hebrew = candidates.language == "he"
        for question in self.made(kind, candidates).questions:
            text = question.text + "".join(question.options)
            for char in filter(str.isalpha, text):
                assert ("\u0590" <= char <= "\u05ff") == hebrew, question

    def test_it_names_nothing_but_what_the_course_has(
        self, kind: ListKind, candidates: Candidates
    ) -> None:
        for question in self.made(kind, candidates).questions:
            assert {*chain(*question.groups)} <= set(kind.names(candidates))

    def test_what_it_cites_stands_in_the_paragraph(
        self, kind: ListKind, candidates: Candidates, texts: tuple[str, ...]
    ) -> None:
        cited = 0
        for question in self.made(kind, candidates).questions:
            for text in texts:
                for option in range(len(LETTERS)):
                    citation = kind.cite(
                        question,
                        option,
                        Paragraph("b:1:1", "b", 1, "", text, text.split(". ")[0] + "."),
                    )
                    quoted = citation.split('"')[1::2]
                    assert all(word.casefold() in text.casefold() for word in quoted), (
                        citation,
                        text,
                    )
                    cited += bool(citation)
        assert cited > 0

    @pytest.mark.parametrize(
        "few", [("of the and",), ("1 2 3", "a b c"), ("...",), ("same words here",) * 3]
    )
    def test_where_there_is_nothing_to_tell_apart_the_pool_is_empty_or_sound(
        self, kind: ListKind, few: tuple[str, ...]
    ) -> None:
        pool = self.made(kind, candidates_of(few))
        np.testing.assert_allclose(pool.fits.sum(axis=3), 1.0, atol=1e-5)
        assert pool.fits.shape[1] == len(pool.questions)
