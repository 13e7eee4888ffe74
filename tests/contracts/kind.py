"""The suite that every kind of question passes; a test of a kind subclasses it."""

import numpy as np
import pytest

from player.belief.word_index import index_words
from player.question import NONE_OF_THESE, VIEWS, Question
from player.questions.candidates import Candidates
from player.questions.kinds import ListKind
from quarry.languages.registry import language_of_word
from tests.contracts.paragraphs import first_places, paragraph

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


def candidates_of(texts: tuple[str, ...]) -> Candidates:
    rows = enumerate(texts, 1)
    index = index_words([paragraph(f"book:1:{row}", text) for row, text in rows])
    generator = np.random.default_rng(0)
    prior = generator.dirichlet(np.full(len(texts), 2.0))
    return Candidates(index, first_places(index.places), prior)


def made(
    kind: ListKind,
    candidates: Candidates,
    seed: int = 0,
) -> list[Question]:
    everywhere = np.ones(len(candidates), dtype=np.bool_)
    return kind.make(candidates, 60, np.random.default_rng(seed), everywhere)


class KindContract:
    """Subclass it with a fixture `kind`."""

    @pytest.fixture(params=[ENGLISH, HEBREW], ids=["English", "Hebrew"])
    def candidates(self, request: pytest.FixtureRequest) -> Candidates:
        return candidates_of(request.param)

    @pytest.fixture
    def questions(
        self,
        kind: ListKind,
        candidates: Candidates,
    ) -> list[Question]:
        questions = made(kind, candidates)
        assert 0 < len(questions) <= 60
        return questions

    def test_its_fits_sum_to_1_and_those_of_a_view_do_not_depend_on_the_others(
        self,
        kind: ListKind,
        candidates: Candidates,
        questions: list[Question],
    ) -> None:
        fits = kind.fit(questions, candidates)
        assert fits.shape == (len(VIEWS), len(questions), len(candidates), 4)
        assert fits.min() >= 0.0
        np.testing.assert_allclose(fits.sum(axis=3), 1.0, atol=1e-5)
        for view, of_view in zip(VIEWS, fits, strict=True):
            (alone,) = kind.fit(questions, candidates, [view])
            np.testing.assert_array_equal(alone, of_view)

    def test_the_same_generator_gives_the_same_questions_and_another_gives_others(
        self,
        kind: ListKind,
        candidates: Candidates,
        questions: list[Question],
    ) -> None:
        assert made(kind, candidates) == questions
        if len(questions) > 10:  # few letters leave few questions
            assert made(kind, candidates, seed=8) != questions

    def test_a_question_can_be_understood_alone(
        self,
        kind: ListKind,
        candidates: Candidates,
        questions: list[Question],
    ) -> None:
        for question in questions:
            assert question.kind == kind.name
            assert len(set(question.options)) == 4, question
            for option in question.options[:NONE_OF_THESE]:
                assert option in question.text
            assert question.text.count("?") == 1, question
            assert len(question.text.split()) <= 70, question
            letters = filter(str.isalpha, " ".join([question.text, *question.options]))
            for letter in letters:
                assert language_of_word(letter) is candidates.language, question
            for group in question.groups:
                assert set(group) <= set(kind.columns(candidates))

    def test_what_it_cites_stands_in_the_paragraph(
        self,
        kind: ListKind,
        candidates: Candidates,
        questions: list[Question],
    ) -> None:
        n_cited = 0
        for cited in candidates.index.places.paragraphs:
            text = cited.text.casefold()
            for question in questions:
                for option in range(NONE_OF_THESE + 1):
                    citation = kind.cite(question, option, cited)
                    n_cited += bool(citation)
                    for word in citation.split('"')[1::2]:
                        assert word.casefold() in text, citation
        assert n_cited > 0

    def test_where_there_is_nothing_to_tell_apart_its_questions_are_sound(
        self, kind: ListKind
    ) -> None:
        for few in (
            ("of the and",),
            ("1 2 3", "a b c"),
            ("...",),
            ("same words here", "same words here", "same words here"),
        ):
            candidates = candidates_of(few)
            fits = kind.fit(made(kind, candidates), candidates)
            np.testing.assert_allclose(fits.sum(axis=3), 1.0, atol=1e-5)
