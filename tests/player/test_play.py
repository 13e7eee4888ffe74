"""The game loop against a game server that says what the test tells it to say, in any order."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import pytest

from player import protocol
from player.errors import GameTimeoutError
from player.play import GameReport, play, report_json
from player.player import Decision, Plan
from player.protocol import Json, RoundStart, Score
from tests.player.fakes import FakeGameServer, course, dense_player

GAME = "0101001"
OTHER_GAME = "0101002"
HINT = "grammar token lookahead terminal"


def message(message_type: str, payload: object, *, game_id: str = GAME, message_id: str = "") -> Json:
    return {
        "protocol": "Q21G.v1",
        "message_type": message_type,
        "message_id": message_id or f"{message_type} of {game_id}",
        "sender": {"email": "referee@localhost", "role": "referee", "logical_id": "referee-7"},
        "recipient_id": "me",
        "game_id": game_id,
        "payload": payload,
    }


def warmup(game_id: str = GAME) -> Json:
    question = {"match_id": "M1", "warmup_question": "What is 6 * 7?", "auth_token": "round-token"}
    return message("Q21WARMUPCALL", question, game_id=game_id)


def round_start(hint: str = HINT, game_id: str = GAME, message_id: str = "") -> Json:
    payload = {
        "match_id": "M1",
        "book_name": "first",
        "book_hint": hint,
        "association_word": "color",
        "auth_token": "t",
    }
    return message("Q21ROUNDSTART", payload, game_id=game_id, message_id=message_id)


def answers(letters: Sequence[str | None] = ("A",) * 20, game_id: str = GAME) -> Json:
    given = [{"question_number": n, "answer": letter} for n, letter in enumerate(letters, 1) if letter is not None]
    return message("Q21ANSWERSBATCH", {"match_id": "M1", "answers": given}, game_id=game_id)


def score(points: float = 88.0, game_id: str = GAME) -> Json:
    return message("Q21SCOREFEEDBACK", {"match_id": "M1", "private_score": points, "league_points": 3}, game_id=game_id)


def played(*batches: Sequence[Json], timeout_s: float = 20.0) -> tuple[GameReport, FakeGameServer]:
    server = FakeGameServer(batches, GAME)
    return play(server, dense_player(course()), name="me", timeout_s=timeout_s), server


REPLIES = ["Q21WARMUPRESPONSE", "Q21QUESTIONSBATCH", "Q21GUESSSUBMISSION"]


def test_a_game_goes_from_warmup_to_score() -> None:
    report, server = played([warmup()], [round_start()], [answers()], [score()])
    assert server.sent_types() == REPLIES
    warm, questions, guess = server.sent
    assert warm["payload"] == {"match_id": "M1", "auth_token": "round-token", "answer": "42"}
    assert len(questions["payload"]["questions"]) == 20
    assert [question["question_number"] for question in questions["payload"]["questions"]] == list(range(1, 21))
    assert guess["payload"]["opening_sentence"] in {item.opening_sentence for item in course()}
    assert (report.score.private_score, report.score.league_points) == (88.0, 3)
    assert report.answers == ("A",) * 20
    assert report.elapsed_s > 0.0


def test_replies_go_to_the_referee_that_wrote_and_name_game_and_player() -> None:
    _, server = played([warmup(), round_start(), answers(), score()])
    assert {envelope["recipient_id"] for envelope in server.sent} == {"referee-7"}
    assert {envelope["game_id"] for envelope in server.sent} == {GAME}
    assert {envelope["sender"]["logical_id"] for envelope in server.sent} == {"me"}


def test_a_message_without_a_sender_is_answered_to_the_referee() -> None:
    bare = warmup()
    del bare["sender"]
    _, server = played([bare, round_start(), answers(), score()])
    assert server.sent[0]["recipient_id"] == "referee"


def test_all_messages_may_come_in_one_poll() -> None:
    report, server = played([warmup(), round_start(), answers(), score()])
    assert server.sent_types() == REPLIES
    assert report.score.private_score == 88.0


def test_the_inbox_is_read_on_from_its_cursor() -> None:
    _, server = played([warmup()], [round_start()], [answers()], [score()])
    assert server.cursors == ["", "1", "2", "3"]


def test_every_message_twice_gets_the_very_same_reply_twice() -> None:
    _, server = played(*([item, item] for item in (warmup(), round_start(), answers(), score())))
    assert server.sent_types() == [name for name in REPLIES for _ in range(2)]
    assert server.sent[::2] == server.sent[1::2]


def test_a_round_start_four_times_gets_the_very_same_questions() -> None:
    four = [round_start(message_id=f"try {number}") for number in range(4)]
    _, server = played([warmup()], four[:1], four[1:3], [answers()], four[3:], [score()])
    batches = [envelope for envelope in server.sent if envelope["message_type"] == "Q21QUESTIONSBATCH"]
    assert len(batches) == 4
    assert all(batch == batches[0] for batch in batches)


def test_a_second_round_start_with_another_hint_changes_no_question() -> None:
    _, server = played([round_start(), round_start("bucket probe collision digest")], [answers()], [score()])
    first, second, _ = server.sent
    assert first == second


def test_messages_of_other_games_are_passed_over() -> None:
    strangers = [
        warmup(OTHER_GAME),
        round_start(game_id=OTHER_GAME),
        answers(["B"] * 20, OTHER_GAME),
        score(1.0, OTHER_GAME),
    ]
    mine = [warmup(), round_start(), answers(), score()]
    report, server = played(*([stranger, item] for stranger, item in zip(strangers, mine, strict=True)))
    assert server.sent_types() == REPLIES
    assert report.answers == ("A",) * 20
    assert report.score.private_score == 88.0


def test_a_round_needs_no_warmup() -> None:
    report, server = played([round_start()], [answers()], [score()])
    assert server.sent_types() == REPLIES[1:]
    assert report.score.private_score == 88.0


def test_a_late_warmup_is_answered_all_the_same() -> None:
    _, server = played([round_start()], [warmup()], [answers()], [score()])
    assert server.sent_types() == ["Q21QUESTIONSBATCH", "Q21WARMUPRESPONSE", "Q21GUESSSUBMISSION"]


def test_answers_before_the_round_are_ignored_until_they_come_again() -> None:
    report, server = played([answers(["B"] * 20)], [round_start()], [answers(["C"] * 20)], [score()])
    assert server.sent_types() == REPLIES[1:]
    assert report.answers == ("C",) * 20


def test_a_score_before_the_guess_is_ignored() -> None:
    report, server = played([score(1.0)], [round_start()], [score(2.0)], [answers()], [score(77.0)])
    assert server.sent_types() == REPLIES[1:]
    assert report.score.private_score == 77.0


def test_a_round_start_that_tells_nothing_is_answered_over_the_whole_course() -> None:
    empty = message("Q21ROUNDSTART", {"book_name": "", "book_hint": None})
    report, server = played([empty], [empty], [answers()], [score()])
    assert server.sent_types() == ["Q21QUESTIONSBATCH", "Q21QUESTIONSBATCH", "Q21GUESSSUBMISSION"]
    assert server.sent[0] == server.sent[1]
    assert len(report.plan.result.hits) == len(course())
    assert report.plan.result.answered_by == "course"


def test_of_two_scores_the_first_counts() -> None:
    report, _ = played([round_start()], [answers()], [score(70.0), score(10.0)])
    assert report.score.private_score == 70.0


def test_missing_answers_still_lead_to_a_guess() -> None:
    letters: list[str | None] = ["A", None, "Not Relevant", None, "d", *[None] * 15]
    report, server = played([round_start()], [answers(letters)], [score()])
    assert report.answers == ("A", None, "Not Relevant", None, "D", *[None] * 15)
    assert server.sent_types() == REPLIES[1:]


@pytest.mark.parametrize("payload", [{}, {"answers": None}, {"answers": []}, {"answers": "none"}, None, []])
def test_an_empty_batch_of_answers_still_leads_to_a_guess(payload: object) -> None:
    report, server = played([round_start()], [message("Q21ANSWERSBATCH", payload)], [score()])
    assert report.answers == (None,) * 20
    assert server.sent[-1]["payload"]["opening_sentence"].startswith("Parsing begins")


def test_messages_in_other_spellings_are_answered_too() -> None:
    start: Json = {
        "messagetype": "Q21_ROUND_START",
        "gameid": GAME,
        "payload": {"book_name": "first", "description": HINT, "associative_domain": "color"},
    }
    report, server = played([start], [answers()], [score()])
    assert server.sent_types() == REPLIES[1:]
    assert (report.start.hint, report.start.association_domain) == (HINT, "color")


@pytest.mark.parametrize(
    "junk",
    [
        {},
        {"message_type": None},
        {"message_type": "Q21ROUNDSTART"},
        message("Q21QUESTIONSBATCH", {"questions": []}),
        message("BROADCAST_START_SEASON", {}),
        message("LEAGUE_COMPLETED", {"winner": "nobody"}),
    ],
)
def test_what_cannot_be_read_or_asks_for_nothing_gets_no_reply(junk: Json) -> None:
    report, server = played([junk, warmup()], [junk], [junk, round_start()], [answers()], [score()])
    assert server.sent_types() == REPLIES
    assert report.score.private_score == 88.0


def test_a_game_that_is_not_over_in_time_is_given_up() -> None:
    server = FakeGameServer([[warmup()], [round_start()]], GAME)
    with pytest.raises(GameTimeoutError, match=rf"game {GAME} must be over in time.*game\.game_timeout_s"):
        play(server, dense_player(course()), name="me", timeout_s=0.3)
    assert server.sent_types() == REPLIES[:2]


def test_a_game_whose_time_is_over_at_once_sends_nothing() -> None:
    server = FakeGameServer([[warmup()]], GAME)
    with pytest.raises(GameTimeoutError):
        play(server, dense_player(course()), name="me", timeout_s=0.0)
    assert server.sent == []


class Notebook:
    """A spectator that notes what it is shown."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def started(self, game_id: str, start: RoundStart) -> None:
        self.seen.append(f"started {game_id} {start.hint}")

    def planned(self, plan: Plan) -> None:
        self.seen.append(f"planned {len(plan.questions)}")

    def answered(self, plan: Plan, answers: Sequence[str | None], decision: Decision) -> None:
        self.seen.append(f"answered {len(answers)} {decision.guess.opening_sentence in plan_sentences(plan)}")

    def scored(self, score: Score) -> None:
        self.seen.append(f"scored {score.private_score}")


def plan_sentences(plan: Plan) -> set[str]:
    return {hit.paragraph.opening_sentence for hit in plan.result.hits}


def test_a_spectator_is_shown_each_step_once() -> None:
    notebook = Notebook()
    server = FakeGameServer([[round_start()] * 2, [answers()] * 2, [score()] * 2], GAME)
    play(server, dense_player(course()), name="me", timeout_s=20.0, spectator=notebook)
    assert notebook.seen == [f"started {GAME} {HINT}", "planned 20", "answered 20 True", "scored 88.0"]


def test_one_player_plays_several_games_at_once() -> None:
    player = dense_player(course())
    hints = {
        f"010100{row}": hint for row, hint in enumerate((HINT, "bucket probe collision digest", "vertex edge path"))
    }
    alone = {
        game_id: player.plan(RoundStart("M1", "first", hint, "color", "t")).questions for game_id, hint in hints.items()
    }
    asked: dict[str, object] = {}

    def one_game(game_id: str) -> None:
        batches = [[round_start(hints[game_id], game_id)], [answers(game_id=game_id)], [score(game_id=game_id)]]
        server = FakeGameServer(batches, game_id)
        asked[game_id] = play(server, player, name="me", timeout_s=20.0).plan.questions

    threads = [threading.Thread(target=one_game, args=(game_id,)) for game_id in hints]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert asked == alone


def test_a_report_as_json_holds_the_questions_answers_guess_and_score() -> None:
    report, server = played([round_start()], [answers()], [score()])
    shown = report_json(report)
    assert shown["game_id"] == GAME
    sent = [
        {key: question[key] for key in ("question_number", "question_text", "options")}
        for question in server.sent[0]["payload"]["questions"]
    ]
    assert shown["questions"] == sent
    assert shown["answers"] == ["A"] * 20
    assert shown["guess"] == {
        key: server.sent[1]["payload"][key]
        for key in (
            "opening_sentence",
            "sentence_justification",
            "associative_word",
            "word_justification",
            "confidence",
        )
    }
    assert (shown["private_score"], shown["league_points"]) == (88.0, 3)
    assert protocol.questions_json(report.plan.questions) == shown["questions"]
