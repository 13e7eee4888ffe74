"""A whole round on a small course with a referee that reads perfectly."""

import time
from dataclasses import replace
from threading import Event

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from configs.settings import SearchSettings, load
from evaluate.referee.context import build_visible_context
from evaluate.referee.wording import answer_by_wording
from player.deadlines import due_at
from player.errors import QueryError
from player.player import Decision, Player
from player.round import RoundStart
from player.search.engine import SearchOrchestrator
from quarry.arrays import Float32Array
from quarry.course.piece import Piece
from tests.player.fakes import (
    course,
    dense_index,
    dense_player,
    search_settings,
)

PLAYER = dense_player()
PARAGRAPHS = course()
PIECES = [
    Piece("pypdf:page", item.doc_id, item.page, item.page, item.text)
    for item in PARAGRAPHS[:6]
]
INDEX = replace(dense_index(PARAGRAPHS), pieces=PIECES)


def start(hint: str = "a lesson about nothing", book_name: str = "") -> RoundStart:
    return RoundStart("M1", book_name, hint, "computer science", "t")


@pytest.mark.parametrize(
    ("row", "book_name"),
    {
        0: "",
        4: "first",
        5: "first",
        7: "no such book",
        11: "",
    }.items(),
)
def test_a_perfect_referee_leads_to_the_paragraph_whatever_hint_and_book(
    row: int, book_name: str
) -> None:
    secret = course()[row]
    plan = PLAYER.plan(start(book_name=book_name))
    # by the harness's oracle, which shares no code with the player
    context = build_visible_context(secret.text)
    answers = [
        answer_by_wording(context, question.text, question.options)
        for question in plan.questions
    ]
    decision = PLAYER.decide(plan, answers)

    assert plan.as_paragraph(decision.best).paragraph_id == secret.paragraph_id
    assert decision.guess.opening_sentence == secret.opening_sentence
    assert decision.guess.confidence > 0.9


@pytest.mark.parametrize("embed_s", [0.0, 5.0])
def test_an_embedder_that_fails_or_hangs_costs_a_part_of_the_time_of_a_reply(
    embed_s: float,
) -> None:
    never = Event()

    def embed(_: object) -> Float32Array:
        never.wait(embed_s)
        raise OSError("no model")

    search = SearchOrchestrator(INDEX, search_settings())
    player = Player(search, load("dual").game, embed=embed)

    def play() -> Decision:
        plan = player.plan(start("merge quick heap pivot"))
        return player.decide(plan, ["A"] * 20)

    began = time.monotonic()
    decision = due_at(began + 4.0, play)
    assert time.monotonic() < began + 4.0
    never.set()
    assert decision.guess.associative_word


def test_another_seed_gets_other_questions() -> None:
    other = dense_player(seed=1)
    assert other.plan(start()).questions != PLAYER.plan(start()).questions


def test_a_course_in_which_nothing_is_found_is_a_query_error() -> None:
    with pytest.raises(QueryError, match="leads to no paragraph"):
        dense_player([]).plan(start())


@settings(max_examples=40, deadline=None)
@given(
    search=st.builds(
        search_settings,
        pdf_k=st.integers(0, 20),
        global_k=st.integers(1, 20),
        merge=st.sampled_from(["slots", "relevance"]),
        spill_over=st.sampled_from(["never", "no-book", "always"]),
    ),
    candidates=st.sampled_from([0, 1, 2, 5, 10_000_000]),
    book_name=st.sampled_from(["first", "second", "", "unknown"]),
)
@example(search_settings(pdf_k=1, global_k=0), 0, "first")
@example(search_settings(pdf_k=0, global_k=1), 0, "first")
def test_every_split_of_slots_and_every_number_of_candidates_plays(
    search: SearchSettings, candidates: int, book_name: str
) -> None:
    game = replace(load("dual").game, questions_pool=60, candidates=candidates)
    player = Player(SearchOrchestrator(INDEX, search), game)
    plan = player.plan(start("merge heap pivot", book_name))
    assert len(plan.questions) == 20
    assert plan.prior.sum() == pytest.approx(1.0)
    if candidates:
        places = plan.places.paragraph_rows
        printed = plan.candidate_places[plan.candidate_places < len(places)]
        covered = np.isin(places, places[printed])
        assert covered.sum() == len(printed)
        assert len(set(places[covered])) == min(candidates, len(PARAGRAPHS))

    decision = player.decide(plan, [*"ABCD"] * 5)
    assert decision.belief.sum() == pytest.approx(1.0)
    assert decision.guess.opening_sentence
