"""Two runs side by side: games that only one won, and why."""

from __future__ import annotations

from quarry.configs.settings import load
from quarry.evaluate.report.summary import same_games, shown, won_by_one
from quarry.evaluate.runs.record import CandidateRecord, GameRecord, PlayRecord
from quarry.evaluate.runs.run import Run, make_run
from tests.contracts.records import game_record, play_record


def candidate(paragraph_id: str, prior: float, belief: float) -> CandidateRecord:
    document, page, _ = paragraph_id.split(":")
    return {
        "paragraph_id": paragraph_id,
        "document": document,
        "page": int(page),
        "opening_sentence": f"Sentence of {paragraph_id}.",
        "slot": "book",
        "strategy": "dense",
        "relevance": 0.9,
        "prior": prior,
        "belief": belief,
    }


LOST = play_record(
    won=False,
    guess_rank=2,
    prior_rank=1,
    answers=["A", "B"],
    misled=[2],
    candidates=[candidate("beta:3:1", 0.25, 0.75), candidate("alpha:1:2", 0.5, 0.125)],
)
WON = play_record(candidates=[candidate("alpha:1:2", 0.5, 0.99)])
QUESTIONS = [
    {"question_number": number, "question_text": "Which?", "options": {"A": "yes", "B": "no", "C": "", "D": ""}}
    for number in (1, 2)
]


def game(*plays: PlayRecord, game_id: str = "g1") -> GameRecord:
    return game_record(game_id=game_id, questions=QUESTIONS, plays=list(plays))


def run(name: str, *games: GameRecord, referee: str = "oracle", repeats: int = 1) -> Run:
    return make_run(games, "f", load(), referee, 0, repeats, name)


def test_a_game_that_only_one_won_says_what_was_believed_guessed_and_answered() -> None:
    (found,) = won_by_one([run("bad", game(LOST)), run("good", game(WON))])
    assert (found["won_by"], found["lost_by"]) == ("good", "bad")
    assert found["paragraph"] == "alpha p1: Sentence of alpha:1:2."
    lost, won = found["sides"]
    assert lost["why"][1:] == [
        "its probability: 0.500 before the answers, 0.125 after",
        "guessed instead: beta p3: Sentence of beta:3:1. (probability 0.250 before, 0.750 after)",
        "answers that misled: 2 B no",
    ]
    assert won["why"][1:] == ["its probability: 0.500 before the answers, 0.990 after"]


def test_games_that_both_won_or_both_lost_are_left_out() -> None:
    both = [game(WON), game(LOST, game_id="g2")]
    assert won_by_one([run("one", *both), run("other", *both)]) == []


def test_of_repeated_plays_the_greater_part_counts() -> None:
    mostly, seldom = game(LOST, WON, WON), game(LOST, LOST, WON)
    (found,) = won_by_one([run("one", mostly, repeats=3), run("other", seldom, repeats=3)])
    assert found["won_by"] == "one"
    assert [side["n_won"] for side in found["sides"]] == [2, 1]
    assert found["sides"][0]["why"][0].startswith("won")
    assert found["sides"][1]["why"][0].startswith("lost by the answers")
    (found,) = won_by_one([run("one", game(WON, WON), repeats=2), run("other", game(WON, LOST), repeats=2)])
    assert found["won_by"] == "one", "half is not enough"


def test_without_a_referee_the_first_hit_counts() -> None:
    first = game_record(search={**game_record()["search"], "rank": 1})
    (found,) = won_by_one([run("one", first, referee="none"), run("other", game_record(), referee="none")])
    assert found["won_by"] == "one"
    assert found["sides"][1]["why"][-1] == "first hit: alpha p1: Sentence of alpha:1:1."
    assert found["sides"][1]["n_won"] is None


def test_a_played_run_is_not_set_beside_one_that_only_searched() -> None:
    assert won_by_one([run("one", game(WON)), run("other", game_record(), referee="none")]) == []


def test_runs_of_other_hints_are_of_other_games() -> None:
    other = game_record(hint="another")
    assert same_games([run("one", game(WON)), run("other", game(LOST))])
    assert not same_games([run("one", game(WON)), run("other", other)])


def test_what_differs_is_shown_as_in_yaml() -> None:
    assert shown("search.cascade", False) == "false"
    assert shown("search.strategies", ["dense"]) == '["dense"]'
    assert shown("search.rewrite", "off") == "off"
    assert shown("search.new", None) == "-"
    assert shown("commit", "0123456789abcdef") == "0123456789"
