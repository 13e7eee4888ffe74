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
from player.protocol.messages import Guess, Message, RoundStart, WarmupCall
from player.questions.answer import NOT_RELEVANT, Answer
from player.questions.question import Question

tried = settings(derandomize=True, deadline=None, database=None, max_examples=60)


@pytest.mark.parametrize("name", protocol.MESSAGE_TYPES)
@pytest.mark.parametrize(
    "written", ["Q21ROUNDSTART", "q21_round_start", " Q21-Round-Start "]
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
        (300, 300.0),
        ("300", 300.0),
        ("2026-01-01T12:05:00Z", 300.0),
        ("2026-01-01T12:05:00", 300.0),
        ("2026-01-01T14:05:00+02:00", 300.0),
        ("2026-01-01T11:00:00Z", None),
        *((junk, None) for junk in ("5 minutes", 0, -5, None, True, [300])),
        *((junk, None) for junk in (float("nan"), 10**400)),
    ],
)
def test_the_deadline_is_read_in_seconds_or_as_a_moment_by_the_senders_clock(
    deadline: object, seconds: float | None
) -> None:
    envelope = {"type": "X", "timestamp": "2026-01-01T12:00:00+00:00"}
    payload = {"deadline": deadline}
    assert protocol.read_message({**envelope, **payload}).deadline_s == seconds
    message = protocol.read_message({**envelope, "payload": payload})
    assert message.deadline_s == seconds


def test_what_is_longer_than_any_honest_message_is_cut() -> None:
    payload = {"book_name": "x" * 100_000, "book_hint": "y " * 5_000_000}
    start = protocol.read_start(payload)
    assert (len(start.book_name), len(start.hint)) == (300, 1_999)


@pytest.mark.parametrize("junk", [None, [], "text", 7, 1.5, True, b"bytes"])
def test_a_message_that_is_no_object_is_refused(junk: object) -> None:
    with pytest.raises(MessageError, match="must be a JSON object, got "):
        protocol.read_message(junk)


@pytest.mark.parametrize("hint_name", protocol.HINTS)
@pytest.mark.parametrize("domain_name", protocol.DOMAINS)
def test_a_round_start_is_read_under_all_its_names(
    hint_name: str, domain_name: str
) -> None:
    payload = {"match_id": 7, "book_name": "00016", "auth_token": "t"}
    named = {hint_name: "a hint", domain_name: "color"}
    start = protocol.read_start({**payload, **named})
    assert start == RoundStart("7", "00016", "a hint", "color", "t")


def answers(written: object, n_questions: int = 4) -> list[Answer]:
    return protocol.read_answers({"answers": written}, n_questions)


SPELLINGS: dict[Answer, list[object]] = {
    "B": [
        "b",
        "B",
        " b ",
        "B)",
        "(b)",
        "b.",
        '"B"',
        "Option B",
        "B: balanced trees",
        "b) a tree",
        "B - trees",
        "The correct answer is B",
        "תשובה: B",
    ],
    NOT_RELEVANT: [
        "Not Relevant",
        "NOT_RELEVANT",
        "not_relevant",
        "N/A",
        "n.r.",
        "NotRelevant",
        "Irrelevant",
    ],
    None: [
        "A list of trees",
        "a tree",
        "Both",
        "beside",
        "A-level",
        "E",
        "",
        "AB",
        "maybe",
        "the first",
        None,
        1,
        True,
        ["A"],
        {"A": 1},
        "Ａ",
    ],
}


@pytest.mark.parametrize("answer", SPELLINGS)
def test_an_answer_is_read_in_any_spelling(answer: Answer) -> None:
    for written in SPELLINGS[answer]:
        items = [{"question_number": 1, "answer": written}]
        assert answers(items) == [answer, None, None, None], written


@pytest.mark.parametrize(
    "written",
    [
        {"1": "A", "3": "not_relevant"},
        {"Q1": {"answer": "A"}, "Q3": {"answer": "Not Relevant"}},
        [{"answer": "A"}, {"answer": None}, {"answer": "N/A"}],
        ["a", None, "N/A"],
        [{"number": 3.0, "choice": "N/A"}, {"number": "question 1", "letter": "a"}],
    ],
)
def test_answers_are_read_from_a_map_and_by_their_place(written: object) -> None:
    assert answers(written) == ["A", None, NOT_RELEVANT, None]


@pytest.mark.parametrize(
    "number",
    [0, 5, -1, 10**30, 10**5000, None, "one", "", [1], float("inf"), "9" * 5000],
    ids=type,
)
def test_numbers_of_no_question_are_passed_over(number: object) -> None:
    assert answers([{"question_number": number, "answer": "A"}]) == [None] * 4


@pytest.mark.parametrize("points_name", ["league_points", "league_score"])
@pytest.mark.parametrize("score_name", ["private_score", "score"])
def test_a_score_is_read_under_all_its_names(points_name: str, score_name: str) -> None:
    breakdown = {"opening_sentence_score": 50, "associative_word_score": "17.5"}
    payload = {points_name: 3, score_name: 91.25, "breakdown": breakdown}
    score = protocol.read_score({**payload, "feedback": {"opening_sentence": "right"}})
    assert (score.private_score, score.league_points) == (91.25, 3)
    assert list(score.breakdown.values()) == [50.0, 17.5]
    assert score.feedback == {"opening_sentence": "right"}


@pytest.mark.parametrize(
    "junk", [None, "high", [], {}, "nan", float("nan"), 10**5000], ids=type
)
def test_a_number_that_is_none_counts_as_0(junk: object) -> None:
    payload = {"league_points": junk, "breakdown": {"part": junk}, "feedback": junk}
    score = protocol.read_score(payload)
    assert (score.private_score, score.league_points) == (0.0, 0)
    assert (score.breakdown, score.feedback) == ({"part": 0.0}, {})


def test_an_envelope_is_written_in_canonical_form_and_in_the_spelling_of_the_asked_one() -> (
    None
):
    asked = {"messagetype": "Q21_WARMUP_CALL", "gameid": "0101001", "payload": {}}
    written = protocol.write_message(
        "Q21QUESTIONSBATCH",
        {"a": 1},
        sender="me",
        recipient="ref",
        game_id="0101001",
        like=asked,
    )
    assert datetime.fromisoformat(written.pop("timestamp")).tzinfo is not None
    assert written.pop("message_id")
    assert written == {
        "protocol": "Q21G.v1",
        "message_type": "Q21QUESTIONSBATCH",
        "messagetype": "Q21QUESTIONSBATCH",
        "sender": {"email": "me@localhost", "role": "player", "logical_id": "me"},
        "recipient_id": "ref",
        "game_id": "0101001",
        "gameid": "0101001",
        "payload": {"a": 1},
    }


def test_payloads_carry_the_match_and_its_token() -> None:
    frame = {"match_id": "M1", "auth_token": "t"}
    call, start = WarmupCall("M1", "2 + 2", "t"), RoundStart("M1", auth_token="t")
    assert protocol.reply_payload(call, answer="4") == {**frame, "answer": "4"}

    question = Question("Which?", ("a", "b", "c", "d"), "word")
    written = protocol.questions_payload(start, [question] * 20)
    options = {"A": "a", "B": "b", "C": "c", "D": "d"}
    item = {"question_number": 2, "number": 2, "options": options, "choices": options}
    item |= {"question_text": "Which?", "text": "Which?"}
    assert written.pop("questions")[1] == item
    assert written == {**frame, "total_questions": 20}

    flat = {"opening_sentence": "S.", "sentence_justification": "Because."}
    flat |= {"associative_word": "word", "word_justification": "So."}
    guess = Guess(**flat, confidence=0.123456)
    parts = {**flat, "confidence": 0.1235}
    assert protocol.guess_payload(start, guess) == {
        **frame,
        **parts,
        "opening_sentence_guess": "S.",
        "associative_word_guess": "word",
        "guess": parts,
    }


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
    "message_type",
    "message_id",
    "game_id",
    "payload",
    "match_id",
    "auth_token",
    "book_name",
    "book_hint",
    "association_word",
    "warmup_question",
    "answers",
    "question_number",
    "answer",
    "score",
    "league_points",
    "breakdown",
    "feedback",
]
names = some.sampled_from(FIELDS) | some.text(max_size=4)
junk = some.recursive(
    scalars,
    lambda inner: (
        some.lists(inner, max_size=3)
        | some.dictionaries(names | some.integers(), inner, max_size=4)
    ),
    max_leaves=12,
)


@tried
@given(junk)
def test_junk_is_read_or_refused_and_nothing_else(message: object) -> None:
    refusal = ""
    try:
        assert isinstance(protocol.read_message(message), Message)
    except MessageError as error:
        refusal = str(error)
    assert "\n" not in refusal


READERS: list[Callable[[Any], Any]] = [
    lambda payload: protocol.reply_payload(protocol.read_warmup(payload)),
    lambda payload: protocol.questions_payload(protocol.read_start(payload), []),
    lambda payload: protocol.read_answers(payload, 20),
    lambda payload: protocol.read_score({**payload, "score": 0}).feedback,
]


@pytest.mark.parametrize("reader", READERS)
@tried
@given(payload=some.dictionaries(names, junk, max_size=6))
def test_junk_in_a_payload_is_read_as_if_it_were_missing_and_can_be_sent_as_utf_8(
    reader: Callable[[Any], Any], payload: Any
) -> None:
    payload.pop("private_score", None)
    json.dumps(reader(payload), ensure_ascii=False).encode("utf-8")
