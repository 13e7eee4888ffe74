"""Reading messages however they come, and writing them in canonical form."""

import json
from datetime import UTC, datetime, timedelta
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from player.answer import NOT_RELEVANT, Answer
from player.errors import MessageError
from player.game import messages as protocol
from player.game.messages import Message
from player.round import RoundStart, Score

tried = settings(max_examples=60)


def test_the_message_type_is_read_under_all_its_names_and_spellings() -> None:
    for name in protocol.ALIASES["message_type"]:
        for written in ("Q21ROUNDSTART", "q21_round_start", " Q21-Round-Start "):
            message = protocol.read_message({name: written})
            assert message.message_type == protocol.ROUND_START


def test_a_game_id_sent_as_a_number_has_lost_its_first_zero() -> None:
    for text, expected in {"0101001": "101001", "0A": "0A", "000": "0", "": ""}.items():
        assert protocol.normalise_id(text) == expected


DEADLINES: dict[float | None, list[object]] = {
    300.0: [
        300,
        "300",
        "2026-01-01T12:05:00Z",
        "2026-01-01T12:05:00",
        "2026-01-01T14:05:00+02:00",
    ],
    None: [
        "2026-01-01T11:00:00Z",
        "5 minutes",
        0,
        -5,
        None,
        True,
        [300],
        float("nan"),
        10**400,
    ],
}


@pytest.mark.parametrize(("seconds", "spellings"), DEADLINES.items())
def test_the_deadline_is_read_in_seconds_or_as_a_moment_by_the_senders_clock(
    seconds: Any, spellings: Any
) -> None:
    envelope = {"type": "X", "timestamp": "2026-01-01T12:00:00+00:00"}
    for written in spellings:
        payload = {"deadline": written}
        for place in (payload, {"payload": payload}):
            message = protocol.read_message({**envelope, **place})
            assert message.deadline_s == seconds, written
        message = protocol.read_message({**envelope, **payload, "timeout": 60})
        assert message.deadline_s == (seconds or 60.0), written


@pytest.mark.parametrize("timestamp", ["1732900000", 1732900000, "now", "", None])
def test_a_moment_counts_from_the_arrival_of_a_message_whose_own_time_is_unreadable(
    timestamp: str | int | None,
) -> None:
    deadline = (datetime.now(UTC) + timedelta(minutes=5)).isoformat()
    envelope = {"type": "X", "timestamp": timestamp, "deadline": deadline}
    seconds = protocol.read_message(envelope).deadline_s
    assert seconds == pytest.approx(300, abs=30)


def test_what_is_longer_than_any_honest_message_is_cut() -> None:
    payload = {"book_name": "x" * 100_000, "book_hint": "y " * 5_000_000}
    start = protocol.read_start(payload)
    assert len(start.book_name) == 300
    assert len(start.hint) == 1_999


def test_a_round_start_is_read_under_all_its_names() -> None:
    payload = {"match_id": 7, "book_name": "00016", "auth_token": "t"}
    for hint_name, domain_name in product(
        protocol.ALIASES["hint"], protocol.ALIASES["domain"]
    ):
        named = {hint_name: "a hint", domain_name: "color"}
        start = protocol.read_start({**payload, **named})
        assert start == RoundStart("7", "00016", "a hint", "color", "t")


def answers(written: object) -> list[Answer]:
    """The answers to four questions."""
    return protocol.read_answers({"answers": written}, 4)


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
        "B, because the text says so",
        "B because of it",
        "תשובה: B",
        "B (balanced trees)",
        "b [option B]",
        "**B** (trees), since D is wrong",
        "**B**: trees",
        "It's B.",
        "**B**\n\nThe text says so.",
        "it\u2019s b",
        "I'd say (B)",
        "I think the answer is B based on the text",
        "My answer is B, as the text says",
        "Option B balanced trees",
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
        "A, or B",
        "A, B",
        "It's A tree",
        "A list\nof trees",
        "A\nB",
        "It's a.",
        "I'd",
        "It's not B",
        "It's B or C",
        "A (balanced) tree",
        "B (or C)",
        "B (tree), or C (heap)",
        "It's C++",
        "The answer is a tree",
        "The answer is not B",
        "Option A or B",
        "לא B",
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


@pytest.mark.parametrize(("answer", "spellings"), SPELLINGS.items())
def test_an_answer_is_read_in_any_spelling(answer: Any, spellings: Any) -> None:
    for written in spellings:
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
def test_answers_are_read_from_a_map_and_by_their_place(written: Any) -> None:
    assert answers(written) == ["A", None, NOT_RELEVANT, None]


def test_numbers_may_begin_with_0() -> None:
    for written, expected in (
        ({"0": "A", "1": "B", "3": "D"}, ["A", "B", None, "D"]),
        ({"0": "A", "1": "B", "4": "D"}, ["B", None, None, "D"]),
        ([{"number": number, "answer": "C"} for number in range(4)], ["C"] * 4),
    ):
        assert answers(written) == expected


def test_numbers_of_no_question_are_passed_over() -> None:
    infinity = float("inf")

    for number in (
        0,
        5,
        -1,
        None,
        "one",
        "",
        [1],
        10**30,
        10**5000,
        infinity,
        "9" * 5000,
    ):
        item = {"question_number": number, "answer": "A"}
        assert answers([item]) == [None] * 4


def test_a_score_is_read_under_all_its_names() -> None:
    breakdown = {"opening_sentence_score": 50, "associative_word_score": "17.5"}
    points = {"opening_sentence_score": 50.0, "associative_word_score": 17.5}
    feedback = {"opening_sentence": "right"}
    for points_name in ("league_points", "league_score"):
        for score_name in ("private_score", "score"):
            payload = {points_name: 3, score_name: 91.25, "breakdown": breakdown}
            score = protocol.read_score({**payload, "feedback": feedback})
            assert score == Score(91.25, 3, points, feedback)


def test_a_number_that_is_none_counts_as_0() -> None:
    listed: list[object] = [None, "high", [], {}, "nan", float("nan"), 10**5000]
    for junk in listed:
        breakdown = {"part": junk}
        payload = {"league_points": junk, "breakdown": breakdown, "feedback": junk}
        score = protocol.read_score(payload)
        assert score == Score(0.0, 0, {"part": 0.0}, {})


@pytest.mark.parametrize(
    ("private", "opening", "others", "expected"),
    [
        (78.0, 98.0, (80.0, 65.0), 98.0),
        (78.0, 49.0, (16.0, 13.0), 98.0),
        (0.0, 0.0, (0.0, 0.0), 0.0),
        (50.0, 50.0, (), 50.0),
        (78.0, None, (16.0, 13.0), None),
        (78.0, 50.01, (16.0, 12.0), 100.0),
        (80.0, 60.0, (20.0,), None),  # weights that are not the public ones
        (50.0, 120.0, (), None),
        (0.0, -5.0, (), None),
    ],
)
def test_the_points_of_the_opening_sentence_are_of_100_even_if_they_came_weighted(
    private: float, opening: float | None, others: Any, expected: float | None
) -> None:
    parts = ["sentence_justification_score", "associative_word_score"]
    breakdown = dict(zip(parts, others, strict=False))
    if opening is not None:
        breakdown["opening_sentence_score"] = opening
    assert Score(private, 2, breakdown, {}).opening_points == expected


@pytest.mark.parametrize("points", [1e308, -1e9, float("nan"), 10**400, "5000"])
def test_a_score_out_of_range_is_refused(points: Any) -> None:
    with pytest.raises(MessageError, match=r"private_score is .*range"):
        protocol.read_score({"private_score": points})


def test_an_envelope_is_also_written_in_the_spelling_of_the_asked_one() -> None:
    asked = {"messagetype": "Q21_WARMUP_CALL", "gameid": "0101001", "payload": {}}
    written = protocol.write_message(
        "Q21QUESTIONSBATCH",
        {"a": 1},
        sender="me",
        recipient="ref",
        game_id="0101001",
        like=asked,
    )

    assert datetime.fromisoformat(written["timestamp"]).tzinfo is not None
    assert written["message_type"] == written["messagetype"] == "Q21QUESTIONSBATCH"
    assert written["game_id"] == written["gameid"] == "0101001"


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
def test_junk_is_read_if_it_is_an_object_or_refused_in_one_line(
    message: object,
) -> None:
    refusal = ""
    try:
        assert isinstance(protocol.read_message(message), Message)
        assert isinstance(message, dict)
    except MessageError as error:
        refusal = str(error)
    assert "\n" not in refusal


@tried
@given(payload=some.dictionaries(names, junk, max_size=6))
def test_junk_in_a_payload_is_read_as_if_it_were_missing_and_can_be_sent_as_utf_8(
    payload: Any,
) -> None:
    payload |= {"private_score": 0}
    written = [
        protocol.read_question(payload),
        protocol.questions_payload(protocol.read_start(payload), []),
        protocol.read_answers(payload, 20),
        protocol.read_score(payload).feedback,
    ]
    json.dumps(written, ensure_ascii=False).encode("utf-8")
