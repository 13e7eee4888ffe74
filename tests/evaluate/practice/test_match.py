"""The referee's side of one game: what it sends, what it takes, and what it refuses."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quarry.evaluate.games.labelled import LabelledGame
from quarry.evaluate.practice.match import DEADLINES_S, MAX_TEXT_CHARS, Match, RefusedMessageError, read_batch
from quarry.evaluate.referee import Posed, Secret, secret_of
from quarry.player.protocol.payloads import Json
from quarry.player.questions.answer import Answer
from tests.contracts.paragraphs import paragraph
from tests.evaluate.fakes import batch, half_alike, labelled_game, message

SECRET = paragraph("alpha:1:1", "Ivy climbs the old wall slowly. It clings with small roots and never lets go.")

GUESS = {
    "opening_sentence": "Ivy climbs the old wall slowly.",
    "sentence_justification": "",
    "associative_word": "garden",
    "word_justification": "",
    "confidence": 0.9,
}


class LettersInTurn:
    """A referee that answers A, B, C, D and Not Relevant in turn, and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str, tuple[str, ...]]] = []

    def answers(self, secret: Secret, questions: Sequence[Posed]) -> list[Answer]:
        self.asked += [(secret.paragraph, text, tuple(options)) for text, options in questions]
        return [("A", "B", "C", "D", "Not Relevant")[place % 5] for place in range(len(questions))]


class Broken:
    """A referee that raises once, then answers A."""

    def __init__(self) -> None:
        self.n_asked = 0

    def answers(self, secret: Secret, questions: Sequence[Posed]) -> list[Answer]:
        self.n_asked += 1
        if self.n_asked == 1:
            raise ZeroDivisionError
        return ["A"] * len(questions)


def make_match(referee: Any = None, label: LabelledGame | None = None, seed: int = 0) -> Match:
    known = secret_of(label or labelled_game(), SECRET)
    assert known is not None
    return Match(
        "0101001", label or labelled_game(), known, referee or LettersInTurn(), half_alike, "player-1", seed=seed
    )


def at_questions(referee: Any = None) -> Match:
    match = make_match(referee)
    match.receive(message("Q21WARMUPRESPONSE", {"answer": "6"}))
    return match


def at_guess() -> Match:
    match = at_questions()
    match.receive(message("Q21QUESTIONSBATCH", {"questions": batch()}))
    return match


def at_the_end() -> Match:
    match = at_guess()
    match.receive(message("Q21GUESSSUBMISSION", GUESS))
    return match


AT = {"warmup": make_match, "questions": at_questions, "guess": at_guess, "over": at_the_end}
MESSAGES = {
    "warmup": message("Q21WARMUPRESPONSE", {"answer": "6"}),
    "questions": message("Q21QUESTIONSBATCH", {"questions": batch()}),
    "guess": message("Q21GUESSSUBMISSION", GUESS),
}


def state_of(match: Match) -> tuple[Any, ...]:
    return match.state, match.score, json.dumps(match.batch), tuple(match.answers), json.dumps(match.guess)


class TestWholeExchange:
    def test_each_message_is_answered_with_the_next_and_the_state_follows(self) -> None:
        match = make_match()
        assert (match.state, match.opening()["message_type"]) == ("warmup", "Q21WARMUPCALL")
        sent = [match.receive(reply) for reply in MESSAGES.values()]
        assert [[reply["message_type"] for reply in replies] for replies in sent] == [
            ["Q21ROUNDSTART"],
            ["Q21ANSWERSBATCH"],
            ["Q21SCOREFEEDBACK"],
        ]
        assert match.state == "over"

    def test_every_message_is_an_envelope_in_canonical_form_to_the_player(self) -> None:
        match = make_match()
        envelopes = [match.opening(), *(match.receive(reply)[0] for reply in MESSAGES.values())]
        assert len({envelope["message_id"] for envelope in envelopes}) == 4
        for envelope in envelopes:
            assert list(envelope) == [
                "protocol",
                "message_type",
                "message_id",
                "timestamp",
                "sender",
                "recipient_id",
                "game_id",
                "payload",
            ]
            assert (envelope["protocol"], envelope["recipient_id"]) == ("Q21G.v1", "player-1")
            assert (envelope["game_id"], envelope["sender"]["role"]) == ("0101001", "referee")
            assert envelope["payload"]["match_id"] == "M0101001"

    def test_the_warm_up_is_a_small_sum_that_its_seed_chooses(self) -> None:
        questions = [make_match(seed=seed).opening()["payload"]["warmup_question"] for seed in (1, 1, 2, 3, 4)]
        assert questions[0] == questions[1]
        assert len(set(questions)) > 1
        for question in questions:
            one, other = map(int, question.removeprefix("What is ").removesuffix("?").split(" * "))
            assert 2 <= one <= 12
            assert 2 <= other <= 12

    def test_the_round_starts_with_what_the_label_tells(self) -> None:
        label = labelled_game(book_name="Old Walls", hint="what climbs", association_domain="botany")
        payload = make_match(label=label).receive(MESSAGES["warmup"])[0]["payload"]
        told = {key: payload[key] for key in ("book_name", "book_hint", "association_word", "questions_required")}
        assert told == {
            "book_name": "Old Walls",
            "book_hint": "what climbs",
            "association_word": "botany",
            "questions_required": 20,
        }
        assert payload["deadline"] == DEADLINES_S["questions"]

    def test_nothing_before_the_score_tells_the_solution(self) -> None:
        label = labelled_game(opening_sentence="Ivy climbs the old wall slowly.", paragraph=SECRET.text)
        match = make_match(label=label)
        told = json.dumps([match.opening(), *(match.receive(MESSAGES[kind]) for kind in ("warmup", "questions"))])
        assert "0101001" in told
        for secret in ("climbs the old wall", "clings with", "garden", "alpha:1:1"):
            assert secret not in told

    def test_the_referee_is_asked_in_the_order_of_the_numbers_with_the_options_in_theirs(self) -> None:
        referee = LettersInTurn()
        questions = batch()
        for question in questions:
            question["question_text"] = f"Question {question['question_number']}?"
            question["options"] = dict(reversed(question["options"].items()))
        at_questions(referee).receive(message("Q21QUESTIONSBATCH", {"questions": questions[::-1]}))
        assert [question for _, question, _ in referee.asked] == [f"Question {number}?" for number in range(1, 21)]
        assert {options for _, _, options in referee.asked} == {("merge", "bucket", "vertex", "None of these words")}
        assert {text for text, _, _ in referee.asked} == {SECRET.text}

    def test_the_answers_carry_their_numbers(self) -> None:
        replies = at_questions().receive(MESSAGES["questions"])
        answers = replies[0]["payload"]["answers"]
        assert [answer["question_number"] for answer in answers] == list(range(1, 21))
        assert [answer["answer"] for answer in answers[:6]] == ["A", "B", "C", "D", "Not Relevant", "A"]

    def test_the_score_is_sent_as_it_is_kept(self) -> None:
        match = at_guess()
        payload = match.receive(MESSAGES["guess"])[0]["payload"]
        # the sentence and the word are right, 0.5 * 100 + 0.2 * 100, the justifications are empty
        assert (payload["private_score"], payload["league_points"]) == (70.0, 2)
        assert match.score is not None
        assert (match.score.private_score, match.score.league_points) == (70.0, 2)
        assert payload["breakdown"] == {
            "opening_sentence_score": 100.0,
            "sentence_justification_score": 0.0,
            "associative_word_score": 100.0,
            "word_justification_score": 0.0,
        }

    def test_the_justification_is_held_against_the_answers_really_given(self) -> None:
        reasons = "Question 1 (answer A), question 2 (answer B) and question 3 (answer C) decide it. " + "word " * 20
        right = at_guess().receive(message("Q21GUESSSUBMISSION", {**GUESS, "sentence_justification": reasons}))
        swapped = reasons.replace("answer A", "answer D")
        wrong = at_guess().receive(message("Q21GUESSSUBMISSION", {**GUESS, "sentence_justification": swapped}))
        scores = [sent[0]["payload"]["breakdown"]["sentence_justification_score"] for sent in (right, wrong)]
        assert scores == [100.0, 75.0]

    def test_the_labelled_opening_sentence_counts_before_the_ingested_one(self) -> None:
        match = make_match(label=labelled_game(opening_sentence="Moss covers the damp stone."))
        for kind in ("warmup", "questions"):
            match.receive(MESSAGES[kind])
        guess = {**GUESS, "opening_sentence": "Moss covers the damp stone."}
        feedback = match.receive(message("Q21GUESSSUBMISSION", guess))[0]["payload"]
        assert feedback["breakdown"]["opening_sentence_score"] == 100.0

    def test_a_wrong_warm_up_answer_starts_the_round_all_the_same(self) -> None:
        assert make_match().receive(message("Q21WARMUPRESPONSE", {}))[0]["message_type"] == "Q21ROUNDSTART"

    def test_message_types_are_read_as_they_are_written_in_the_wild(self) -> None:
        match = make_match()
        for kind, variant in zip(
            MESSAGES, ("q21_warmup_response", "Q21_QUESTIONS_BATCH", "Q21GuessSubmission"), strict=True
        ):
            envelope = {**MESSAGES[kind], "messagetype": variant}
            del envelope["message_type"]
            assert len(match.receive(envelope)) == 1
        assert match.state == "over"


class TestRepeatsAndWrongStages:
    @pytest.mark.parametrize(
        ("state", "kind"),
        [
            ("questions", "warmup"),
            ("guess", "warmup"),
            ("guess", "questions"),
            ("over", "warmup"),
            ("over", "questions"),
            ("over", "guess"),
        ],
    )
    def test_a_message_of_a_stage_that_is_over_is_answered_with_nothing(self, state: str, kind: str) -> None:
        match = AT[state]()
        before = state_of(match)
        assert match.receive({**MESSAGES[kind], "message_id": "another"}) == []
        assert state_of(match) == before

    def test_a_second_guess_does_not_change_the_score(self) -> None:
        match = at_the_end()
        assert match.receive(message("Q21GUESSSUBMISSION", {**GUESS, "associative_word": "x"}, message_id="m2")) == []
        assert match.score is not None
        assert match.score.breakdown["associative_word_score"] == 100.0

    @pytest.mark.parametrize(
        ("state", "kind", "awaited"),
        [
            ("warmup", "questions", "Q21WARMUPRESPONSE"),
            ("warmup", "guess", "Q21WARMUPRESPONSE"),
            ("questions", "guess", "Q21QUESTIONSBATCH"),
        ],
    )
    def test_a_message_of_a_later_stage_is_refused_with_what_is_awaited(
        self, state: str, kind: str, awaited: str
    ) -> None:
        match = AT[state]()
        before = state_of(match)
        with pytest.raises(RefusedMessageError, match=f"{awaited} must come first in game 0101001"):
            match.receive(MESSAGES[kind])
        assert state_of(match) == before

    @pytest.mark.parametrize("state", AT)
    @pytest.mark.parametrize(
        ("kind", "said"),
        [
            *((kind, "one of Q21WARMUPRESPONSE, ") for kind in ("Q21ROUNDSTART", "Q21SCOREFEEDBACK", "HELLO")),
            ("!", "a string, got an empty one"),
        ],
    )
    def test_a_message_that_is_no_players_is_refused(self, state: str, kind: str, said: str) -> None:
        match = AT[state]()
        before = state_of(match)
        with pytest.raises(RefusedMessageError, match=f"message_type must be {said}"):
            match.receive(message(kind, {}))
        assert state_of(match) == before

    def test_after_a_refused_batch_a_good_one_is_taken(self) -> None:
        match = at_questions()
        with pytest.raises(RefusedMessageError):
            match.receive(message("Q21QUESTIONSBATCH", {"questions": batch(19)}))
        assert len(match.receive(MESSAGES["questions"])) == 1

    def test_after_a_referee_that_failed_the_batch_is_taken_again(self) -> None:
        match = at_questions(Broken())
        with pytest.raises(ZeroDivisionError):
            match.receive(MESSAGES["questions"])
        assert match.state == "questions"
        assert len(match.receive(MESSAGES["questions"])) == 1


LONG = "x" * (MAX_TEXT_CHARS + 1)
OPTIONS = {"A": "a", "B": "b", "C": "c", "D": "d"}


class TestBatch:
    def test_text_and_options_come_back_by_number(self) -> None:
        questions = read_batch({"questions": batch(question_text=" What? ", options=OPTIONS)[::-1]})
        assert len(questions) == 20
        assert questions[0] == (" What? ", ["a", "b", "c", "d"])

    @pytest.mark.parametrize("n", [1, 19, 21, 40])
    def test_any_other_number_of_questions_than_20_is_refused(self, n: int) -> None:
        with pytest.raises(RefusedMessageError, match=f"questions must be a list of exactly 20, got {n}"):
            read_batch({"questions": batch(n)})

    def test_no_questions_are_refused(self) -> None:
        with pytest.raises(RefusedMessageError, match="questions must be a list of exactly 20, got 0"):
            read_batch({"questions": []})

    @pytest.mark.parametrize(
        ("payload", "came"), [({}, "NoneType"), ({"questions": "x" * 20}, "str"), ({"questions": {}}, "dict")]
    )
    def test_what_is_no_list_is_refused(self, payload: Json, came: str) -> None:
        with pytest.raises(RefusedMessageError, match=f"questions must be a list of exactly 20, got {came}"):
            read_batch(payload)

    @pytest.mark.parametrize(
        ("changes", "holds"),
        [
            ({"question_number": 2}, "question_number must be given once each, got 2 again"),
            ({"question_number": 0}, "question_number must be within 1..20, got 0"),
            ({"question_number": 21}, "question_number must be within 1..20, got 21"),
            ({"question_number": "1"}, "question_number must be within 1..20, got '1'"),
            ({"question_number": 1.0}, "question_number must be within 1..20, got 1.0"),
            ({"question_number": True}, "question_number must be within 1..20, got True"),
            ({"question_number": None}, "question_number must be within 1..20, got None"),
            ({"question_text": ""}, "question 1: question_text must be a text"),
            ({"question_text": " \n "}, "question 1: question_text must be a text"),
            ({"question_text": None}, "question 1: question_text must be a text"),
            ({"question_text": LONG}, "question 1: question_text must be a text of at most 2000 characters"),
            ({"options": {}}, "question 1: options must be A, B, C and D"),
            ({"options": ["a", "b", "c", "d"]}, "question 1: options must be A, B, C and D"),
            ({"options": {"A": "a", "B": "b", "C": "c"}}, "question 1: options must be A, B, C and D"),
            ({"options": {**OPTIONS, "E": "e"}}, "question 1: options must be A, B, C and D"),
            ({"options": {key.lower(): "a" for key in OPTIONS}}, "question 1: options must be A, B, C and D"),
            ({"options": {1: "a", "B": "b", "C": "c", "D": "d"}}, "question 1: options must be A, B, C and D"),
            ({"options": {**OPTIONS, "B": ""}}, "question 1: each option must be a text"),
            ({"options": {**OPTIONS, "D": "  "}}, "question 1: each option must be a text"),
            ({"options": {**OPTIONS, "C": 3}}, "question 1: each option must be a text"),
            ({"options": {**OPTIONS, "C": LONG}}, "question 1: each option must be a text of at most 2000 characters"),
        ],
    )
    def test_a_bad_question_is_refused_with_what_must_hold(self, changes: dict[str, Any], holds: str) -> None:
        with pytest.raises(RefusedMessageError) as caught:
            read_batch({"questions": batch(**changes)})
        assert str(caught.value).startswith(holds)

    def test_what_is_no_question_is_refused_by_its_place(self) -> None:
        with pytest.raises(RefusedMessageError, match="question 4 must be an object, got str"):
            read_batch({"questions": [*batch()[:3], "What?", *batch()[4:]]})

    def test_texts_of_2000_characters_are_taken(self) -> None:
        longest = LONG[1:]
        options = dict.fromkeys("ABCD", longest)
        assert read_batch({"questions": batch(question_text=longest, options=options)})[0] == (longest, [longest] * 4)


FIXED = settings(derandomize=True, deadline=None)
JUNK = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.binary(max_size=5)
    | st.sampled_from(["\ud800", "Q21QUESTIONSBATCH", object()]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3) | st.integers(), inner, max_size=3),
    max_leaves=8,
)
QUESTION_JUNK = st.fixed_dictionaries(
    {"question_number": JUNK, "question_text": JUNK, "options": st.just(OPTIONS) | JUNK}
)


class TestJunk:
    @FIXED
    @given(state=st.sampled_from(list(AT)), envelope=JUNK)
    def test_junk_is_refused_and_changes_nothing(self, state: str, envelope: Any) -> None:
        match = AT[state]()
        before = state_of(match)
        with pytest.raises(RefusedMessageError):
            match.receive(envelope)
        assert state_of(match) == before

    @settings(FIXED, max_examples=15)
    @given(questions=JUNK | st.lists(QUESTION_JUNK | JUNK, min_size=20, max_size=20))
    def test_a_batch_of_junk_is_refused_and_a_good_one_taken_afterwards(self, questions: Any) -> None:
        match = at_questions()
        with pytest.raises(RefusedMessageError):
            match.receive(message("Q21QUESTIONSBATCH", {"questions": questions}))
        assert match.state == "questions"
        assert len(match.receive(MESSAGES["questions"])) == 1

    @FIXED
    @given(
        payload=st.dictionaries(st.sampled_from(list(GUESS)), JUNK, min_size=1, max_size=5),
        message_type=st.sampled_from(["Q21GUESSSUBMISSION", "q21_guess_submission"]),
    )
    def test_a_guess_of_junk_is_judged_or_refused(self, payload: dict[str, Any], message_type: str) -> None:
        match = at_guess()
        try:
            replies = match.receive(message(message_type, payload))
        except RefusedMessageError:
            assert (match.state, match.score) == ("guess", None)
        else:
            assert match.state == "over"
            assert 0.0 <= replies[0]["payload"]["private_score"] <= 100.0

    def test_a_number_that_python_cannot_print_is_refused(self) -> None:
        match = at_questions()
        with pytest.raises(RefusedMessageError):
            match.receive(message("Q21QUESTIONSBATCH", {"questions": batch(question_number=10**5_000)}))
        assert match.state == "questions"

    @pytest.mark.parametrize("text", ["\ud800", "a\udfff"])
    def test_half_a_surrogate_pair_is_refused_wherever_it_stands(self, text: str) -> None:
        for envelope in (
            message("Q21GUESSSUBMISSION", {**GUESS, "associative_word": text}),
            message("Q21GUESSSUBMISSION", {**GUESS, text: ""}),
            message("Q21GUESSSUBMISSION", GUESS, message_id=text),
        ):
            match = at_guess()
            with pytest.raises(RefusedMessageError, match="a message must be JSON in Unicode"):
                match.receive(envelope)
            assert match.state == "guess"

    @pytest.mark.parametrize("payload", [None, [], "text", 7])
    def test_a_payload_that_is_no_object_counts_as_an_empty_one(self, payload: Any) -> None:
        envelope = {**MESSAGES["guess"], "payload": payload}
        assert at_guess().receive(envelope)[0]["payload"]["private_score"] == 0.0
