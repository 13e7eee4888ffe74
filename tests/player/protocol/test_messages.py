"""Reading messages however they come, and writing them in canonical form."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from player.errors import MessageError
from player.protocol import messages as protocol
from player.protocol.messages import Guess, Message, RoundStart, Score, WarmupCall
from player.questions.answer import NOT_RELEVANT, Answer
from player.questions.question import Question

tried = settings(derandomize=True, deadline=None, database=None, max_examples=60)


def envelope(message_type: str, payload: object, **fields: object) -> dict[str, object]:
    return {
        "message_type": message_type,
        "message_id": "m-1",
        "game_id": "0101001",
        "payload": payload,
        **fields,
    }


def read(message_type: str, payload: object) -> Message:
    return protocol.read_message(envelope(message_type, payload))


def read_start(message: Message) -> RoundStart:
    return protocol.read_payload(RoundStart, message.payload)


def read_score(message: Message) -> Score:
    return protocol.read_payload(Score, message.payload)


@pytest.mark.parametrize("name", ["message_type", "messagetype", "messageType", "type"])
@pytest.mark.parametrize(
    "written",
    [
        "Q21ROUNDSTART",
        "Q21_ROUND_START",
        "q21roundstart",
        "q21_round_start",
        " Q21-Round-Start ",
    ],
)
def test_the_message_type_is_read_under_all_its_names_and_spellings(
    name: str, written: str
) -> None:
    assert protocol.read_message({name: written}).message_type == protocol.ROUND_START


def test_a_game_id_sent_as_a_number_has_lost_its_first_zero() -> None:
    assert protocol.same_game("101001", "0101001")
    assert not protocol.same_game("101001", "0101002")
    assert not protocol.same_game("", "0000000")


@pytest.mark.parametrize(
    ("deadline", "seconds"),
    [
        *(
            (300, 300.0),
            ("300", 300.0),
            ("2026-01-01T12:05:00Z", 300.0),
            ("2026-01-01T12:05:00", 300.0),
        ),
        *(
            ("2026-01-01T14:05:00+02:00", 300.0),
            ("5 minutes", None),
            ("2026-01-01T11:00:00Z", None),
        ),
        *(
            (deadline, None)
            for deadline in (0, -5, "soon", None, True, float("nan"), 10**400, [300])
        ),
    ],
)
def test_the_deadline_is_read_in_seconds_or_as_a_moment_by_the_senders_clock(
    deadline: object, seconds: float | None
) -> None:
    sent = envelope(
        "Q21WARMUPCALL", {"deadline": deadline}, timestamp="2026-01-01T12:00:00+00:00"
    )
    assert protocol.read_message(sent).deadline_s == seconds


def test_what_is_longer_than_any_honest_message_is_cut() -> None:
    payload = {
        "book_name": "x" * 100_000,
        "book_hint": "y " * 5_000_000,
        "association_word": "z" * 10_000,
    }
    start = read_start(read("Q21ROUNDSTART", payload))
    assert (len(start.book_name), len(start.hint), len(start.association_domain)) == (
        300,
        1_999,
        300,
    )


@pytest.mark.parametrize("junk", [None, [], "text", 7, 1.5, True, b"bytes"])
def test_a_message_that_is_no_object_is_refused(junk: object) -> None:
    with pytest.raises(MessageError, match="must be a JSON object, got "):
        protocol.read_message(junk)


@pytest.mark.parametrize(
    "hint_name", ["book_hint", "description", "general_description", "hint"]
)
@pytest.mark.parametrize(
    "domain_name", ["association_word", "associative_domain", "association_domain"]
)
def test_a_round_start_is_read_under_all_its_names(
    hint_name: str, domain_name: str
) -> None:
    payload = {
        "match_id": 7,
        "book_name": "00016",
        hint_name: "a hint",
        domain_name: "color",
        "auth_token": "t",
    }
    assert read_start(read("Q21ROUNDSTART", payload)) == RoundStart(
        "7", "00016", "a hint", "color", "t"
    )


def answers(given: object, n_questions: int = 4) -> list[Answer]:
    return protocol.read_answers(
        read("Q21ANSWERSBATCH", {"match_id": "M1", "answers": given}), n_questions
    )


@pytest.mark.parametrize(
    ("written", "answer"),
    [
        *(
            (written, "B")
            for written in (
                "b",
                "B",
                " b ",
                "B)",
                "(b)",
                "b.",
                '"B"',
                "Option B",
                "B: balanced trees",
            )
        ),
        *(
            (written, "B")
            for written in (
                "b) a tree",
                "B - trees",
                "The correct answer is B",
                "תשובה: B",
            )
        ),
        *(
            (written, NOT_RELEVANT)
            for written in (
                "Not Relevant",
                "NOT_RELEVANT",
                "not_relevant",
                "N/A",
                "n.r.",
            )
        ),
        *((written, NOT_RELEVANT) for written in ("NotRelevant", "Irrelevant")),
        *(
            (written, None)
            for written in (
                "A list of trees",
                "a tree",
                "Both",
                "beside",
                "A-level",
                "E",
                "",
                "AB",
            )
        ),
        *(
            (written, None)
            for written in ("maybe", "the first", None, 1, True, ["A"], {"A": 1}, "Ａ")
        ),
    ],
)
def test_an_answer_is_read_in_any_spelling(written: object, answer: Answer) -> None:
    assert answers([{"question_number": 1, "answer": written}]) == [
        answer,
        None,
        None,
        None,
    ]


@pytest.mark.parametrize(
    "given",
    [
        {"1": "A", "3": "not_relevant"},
        {"Q1": {"answer": "A"}, "Q3": {"answer": "Not Relevant"}},
        [{"answer": "A"}, {"answer": None}, {"answer": "N/A"}],
    ],
)
def test_answers_are_read_from_a_map_and_by_their_place(given: object) -> None:
    assert answers(given) == ["A", None, NOT_RELEVANT, None]


@pytest.mark.parametrize(
    "number",
    [0, 5, -1, 10**30, None, "one", "", [1], float("inf"), float("nan"), "9" * 5000],
)
def test_numbers_of_no_question_are_passed_over(number: object) -> None:
    assert answers([{"question_number": number, "answer": "A"}]) == [None] * 4


@pytest.mark.parametrize("points_name", ["league_points", "league_score"])
@pytest.mark.parametrize("score_name", ["private_score", "score"])
def test_a_score_is_read_under_all_its_names(points_name: str, score_name: str) -> None:
    breakdown = {"opening_sentence_score": 50, "associative_word_score": "17.5"}
    payload = {
        points_name: 3,
        score_name: 91.25,
        "breakdown": breakdown,
        "feedback": {"opening_sentence": "right"},
    }
    score = read_score(read("Q21SCOREFEEDBACK", payload))
    assert (score.private_score, score.league_points) == (91.25, 3)
    assert score.breakdown == {
        "opening_sentence_score": 50.0,
        "associative_word_score": 17.5,
    }
    assert score.feedback == {"opening_sentence": "right"}


@pytest.mark.parametrize(
    "number", [None, "high", [], float("nan"), float("inf"), -float("inf"), 10**400, {}]
)
def test_a_number_that_is_none_counts_as_0(number: object) -> None:
    payload = {
        "private_score": number,
        "league_points": number,
        "breakdown": {"part": number},
        "feedback": number,
    }
    score = read_score(read("Q21SCOREFEEDBACK", payload))
    assert (
        score.private_score,
        score.league_points,
        score.breakdown,
        score.feedback,
    ) == (
        0.0,
        0,
        {"part": 0.0},
        {},
    )


START = RoundStart("M1", "00016", "a hint", "color", "round-token")


def test_an_envelope_is_written_in_canonical_form() -> None:
    written = protocol.write_message(
        "Q21QUESTIONSBATCH", {"a": 1}, sender="me", recipient="ref", game_id="0101001"
    )
    assert len(written) == 8
    assert written["protocol"] == "Q21G.v1"
    assert written["message_type"] == "Q21QUESTIONSBATCH"
    assert set(written["sender"]) == {"email", "role", "logical_id"}
    assert (written["sender"]["role"], written["sender"]["logical_id"]) == (
        "player",
        "me",
    )
    assert (written["recipient_id"], written["game_id"], written["payload"]) == (
        "ref",
        "0101001",
        {"a": 1},
    )
    assert datetime.fromisoformat(written["timestamp"]).tzinfo is not None


def test_payloads_carry_the_match_and_its_token() -> None:
    assert protocol.warmup_payload(WarmupCall("M1", "2 + 2", "t"), "4") == {
        "match_id": "M1",
        "auth_token": "t",
        "answer": "4",
    }
    questions = [
        Question(f"Which? {n}", ("a", "b", "c", f"d{n}"), "word", frozenset())
        for n in range(1, 21)
    ]
    written = protocol.questions_payload(START, questions)
    assert (written["match_id"], written["auth_token"], written["total_questions"]) == (
        "M1",
        "round-token",
        20,
    )
    options = {"A": "a", "B": "b", "C": "c", "D": "d2"}
    assert written["questions"][1] == {
        "question_number": 2,
        "number": 2,
        "question_text": "Which? 2",
        "text": "Which? 2",
        "options": options,
        "choices": options,
    }
    flat = {
        "opening_sentence": "S.",
        "sentence_justification": "Because.",
        "associative_word": "word",
        "word_justification": "Therefore.",
        "confidence": 0.1235,
    }
    assert protocol.guess_payload(
        START, Guess("S.", "Because.", "word", "Therefore.", 0.123456)
    ) == {
        "match_id": "M1",
        "auth_token": "round-token",
        **flat,
        "opening_sentence_guess": "S.",
        "associative_word_guess": "word",
        "guess": flat,
    }


def test_a_reply_repeats_the_spelling_of_the_envelope_beside_the_canonical_one() -> (
    None
):
    asked = {"messagetype": "Q21_WARMUP_CALL", "gameid": "0101001"}
    written = protocol.write_message(
        "Q21WARMUPRESPONSE",
        {},
        sender="a",
        recipient="b",
        game_id="0101001",
        like=asked,
    )
    assert written["messagetype"] == written["message_type"] == "Q21WARMUPRESPONSE"
    assert written["gameid"] == written["game_id"] == "0101001"


scalars = (
    some.none()
    | some.booleans()
    | some.integers()
    | some.just(10**400)
    | some.floats()
    | some.text(max_size=8)
    | some.characters(categories=["Cs"])
    | some.binary(max_size=3)
)
FIELDS = [
    "message_type", "messagetype", "type", "message_id", "game_id", "gameid", "payload", "match_id", "book_name",
    "book_hint", "description", "association_word", "auth_token", "warmup_question", "answers", "question_number",
    "number", "answer", "choice", "private_score", "score", "league_points", "league_score", "breakdown", "feedback",
]  # fmt: skip
names = some.sampled_from(FIELDS) | some.text(max_size=4)
junk = some.recursive(
    scalars,
    lambda inner: (
        some.lists(inner, max_size=3)
        | some.dictionaries(names | some.integers(), inner, max_size=4)
    ),
    max_leaves=12,
)
payloads = some.dictionaries(names, junk, max_size=6)


@tried
@given(junk)
def test_junk_is_read_or_refused_and_nothing_else(message: object) -> None:
    refusal = ""
    try:
        assert isinstance(protocol.read_message(message), Message)
    except MessageError as error:
        refusal = str(error)
    assert "\n" not in refusal


READERS: list[Callable[[Message], Any]] = [
    lambda message: protocol.read_payload(WarmupCall, message.payload),
    read_start,
    lambda message: protocol.read_answers(message, 20),
    read_score,
]


@pytest.mark.parametrize("reader", READERS)
@tried
@given(payload=payloads)
def test_junk_in_a_payload_is_read_as_if_it_were_missing(
    reader: Callable[[Message], Any], payload: Any
) -> None:
    assert reader(read("Q21X", payload)) is not None


def test_an_integer_too_long_to_print_is_junk_like_any_other() -> None:
    endless = 10**5000
    with pytest.raises(MessageError, match="message_type must be a string, got int"):
        protocol.read_message({"message_type": endless})
    assert (
        protocol.read_message({"message_type": "X", "game_id": endless}).game_id == ""
    )
    assert read_start(read("Q21ROUNDSTART", {"book_name": endless})).book_name == ""
    assert answers([{"question_number": endless, "answer": endless}]) == [None] * 4
    score = read_score(
        read(
            "Q21SCOREFEEDBACK", {"private_score": endless, "feedback": {"all": endless}}
        )
    )
    assert (score.private_score, score.feedback) == (0.0, {"all": ""})


@tried
@given(payload=payloads)
def test_whatever_is_read_can_be_sent_back_as_utf_8(payload: Any) -> None:
    call = protocol.read_payload(WarmupCall, read("Q21WARMUPCALL", payload).payload)
    json.dumps(protocol.warmup_payload(call, "4"), ensure_ascii=False).encode("utf-8")
