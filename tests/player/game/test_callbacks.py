"""The league's four callbacks: plain dicts in, plain dicts out, whatever comes."""

import contextlib
import gc
import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as some

from player.belief.places import PRINTED
from player.belief.word_index import index_words
from player.game.callbacks import MAX_WITH_FITS, Callbacks
from player.game.journal import Journal
from player.game.messages import guess_json, questions_payload
from player.player import Plan
from player.round import Json, RoundStart
from tests.fakes import each
from tests.player.fakes import SUBJECTS, Remembering, course, dense_player, opened
from tests.player.game.test_messages import junk

HINT = "grammar token lookahead terminal"
ROUND = {"book_name": "first", "book_hint": HINT, "association_word": "color"}
GUESS_KEYS = {
    "opening_sentence",
    "sentence_justification",
    "associative_word",
    "word_justification",
    "confidence",
}
N_ROUNDS = 20
Replies = tuple[Json, Json]
"""Questions and guess of a round."""


def hint_of(number: int) -> str:
    """A hint of words of the course, another one for each number."""
    pairs = list(itertools.product(range(6), range(6), range(2)))
    one, other, half = pairs[number]
    first = SUBJECTS[one][1].split()[4 * half : 4 * half + 4]
    return " ".join([*first, *SUBJECTS[other][1].split()[:2]])


def letters_of(number: int) -> list[str]:
    return ["ABCD"[(number * place + place) % 4] for place in range(20)]


Services = tuple[Json, Json, Json]
"""The services of questions and guess, and fields that come with the answers."""
Shape = Callable[[int], Services]
"""Contexts of a public league."""


def with_ids(number: int) -> Services:
    """Ids with the questions and the answers, as most leagues send them; ROUNDSTART's fields come once."""
    ids = {"game_id": f"01{number:05}", "match_id": f"M{number}"}
    return ids, ids, {}


def without_ids(number: int) -> Services:
    """No id and nothing but the answers."""
    return {}, {}, {}


def constant(number: int) -> Services:
    """The same match for each round, and its empty fields with the answers."""
    ids = {"match_id": "MATCH001", "game_id": "MATCH001"}
    empty = {"book_name": "", "book_hint": "", "association_word": ""}
    return ids, ids, {**empty, "questions_sent": []}


def described(number: int) -> Services:
    """A service that describes the game, and the round's fields again with the answers."""
    service = {"game": {"name": "Q21", "description": "guess"}, "description": "call"}
    return service, service, {**ROUND, "book_hint": hint_of(number)}


def ids_with_the_answers_alone(number: int) -> Services:
    """Ids that the questions came without."""
    return {}, {"game_id": f"S{number:02}"}, {}


every_shape = pytest.mark.parametrize(
    "shape", [with_ids, without_ids, constant, described, ids_with_the_answers_alone]
)


def contexts_of(shape: Shape, number: int) -> tuple[Json, Json]:
    """The contexts of a round's questions and of its guess."""
    of_questions, of_guess, again = shape(number)
    fields = {**ROUND, "book_hint": hint_of(number)}
    answers = {"answers": letters_of(number), **again}
    return (
        {"dynamic": fields, "service": of_questions},
        {"dynamic": answers, "service": of_guess},
    )


def played(callbacks: Any, shape: Shape, number: int) -> Replies:
    of_questions, of_guess = contexts_of(shape, number)
    questions = callbacks.get_questions(of_questions)
    return questions, callbacks.get_guess(of_guess)


@pytest.fixture(scope="module")
def player() -> Remembering:
    return Remembering(dense_player())


@pytest.fixture(scope="module")
def expected(player: Remembering) -> list[Replies]:
    """The replies of each round, as the player alone makes them."""
    replies = []
    for number in range(N_ROUNDS):
        plan = player.plan(RoundStart("", "first", hint_of(number), "color"))
        guess = player.decide(plan, letters_of(number)).guess
        payload = questions_payload(plan.start, plan.questions)
        replies.append(({"questions": payload["questions"]}, guess_json(guess)))
    return replies


def forgetful(player: Any) -> Callbacks:
    """Callbacks whose journal ends with the process."""
    return Callbacks(player, journal=Journal(None))


@pytest.fixture
def callbacks(player: Remembering) -> Callbacks:
    return forgetful(player)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "games.sqlite"


@contextlib.contextmanager
def process(player: Any, path: Path) -> Iterator[Callbacks]:
    """The callbacks of one life of a league's process."""
    with opened(path) as journal:
        yield Callbacks(player, journal=journal)


def dynamic(**fields: Any) -> Json:
    return {"dynamic": fields, "service": {}}


def questions_of(callbacks: Callbacks, **fields: Any) -> Any:
    return callbacks.get_questions(dynamic(**fields))["questions"]


def guess_of(callbacks: Callbacks, **fields: Any) -> Json:
    return callbacks.get_guess(dynamic(**fields))


@every_shape
def test_each_of_many_rounds_in_a_process_gets_its_own_questions_and_guess(
    shape: Shape, callbacks: Callbacks, expected: list[Replies]
) -> None:
    assert len(set(map(hint_of, range(N_ROUNDS)))) == N_ROUNDS
    sum_of = dynamic(warmup_question="1 + 1", game_id="9")
    for number, replies in enumerate(expected):
        assert callbacks.get_warmup_answer(sum_of) == {"answer": "2"}
        assert played(callbacks, shape, number) == replies
        assert played(callbacks, shape, number) == replies, "also afterwards"


@pytest.mark.parametrize("shape", [with_ids, described])
def test_rounds_whose_messages_interleave_do_not_mix(
    shape: Shape, callbacks: Callbacks, expected: list[Replies]
) -> None:
    contexts = [contexts_of(shape, number) for number in range(12)]
    of_questions, of_guesses = zip(*contexts, strict=True)
    questions = list(map(callbacks.get_questions, of_questions))
    guesses = map(callbacks.get_guess, of_guesses)
    assert list(zip(questions, guesses, strict=True)) == expected[:12]


def test_asked_again_it_returns_the_same_and_another_content_is_another_round(
    callbacks: Callbacks, expected: list[Replies]
) -> None:
    ids = {"game_id": "0101002", "match_id": "M1"}
    for _ in range(2):  # a league that is reset repeats its ids
        for number in (3, 4):
            fields = {**ROUND, "book_hint": hint_of(number), **ids}
            questions, guess = expected[number]
            assert callbacks.get_questions(dynamic(**fields)) == questions
            answers = letters_of(number)
            assert guess_of(callbacks, game_id=101002, answers=answers) == guess
            assert guess_of(callbacks, game_id="0101002", answers=["B"]) == guess


def test_only_the_answers_of_a_round_that_was_never_asked_are_logged(
    player: Remembering, callbacks: Callbacks, caplog: pytest.LogCaptureFixture
) -> None:
    guess_of(forgetful(player))
    (line,) = caplog.messages
    assert line.startswith("game without an id: the answers fit no round")
    caplog.clear()
    questions_of(callbacks, game_id="0101001", **ROUND)
    guess_of(callbacks, game_id="0101001", answers=["A"] * 20)
    assert caplog.messages == []
    other = {**ROUND, "book_hint": "bucket probe collision digest"}
    for fields in ({"game_id": "0101031"}, {"game_id": "0101001", **other}):
        guess = guess_of(callbacks, answers=["A"] * 20, **fields)
        assert guess["opening_sentence"] in set(each(course(), "opening_sentence"))
        assert guess_of(callbacks, answers=["B"] * 20, **fields) == guess
    assert len(caplog.messages) == 2
    assert all("fit no round whose questions" in line for line in caplog.messages)
    assert guess["opening_sentence"].startswith("Hashing"), "the fields that came count"

    questions_of(callbacks, **other)
    last = guess_of(callbacks, answers=["A"] * 20)
    assert last["opening_sentence"].startswith("Hashing")


def test_fields_may_stand_in_a_payload_or_with_the_service_and_games_do_not_mix(
    callbacks: Callbacks,
) -> None:
    questions = callbacks.get_questions(dynamic(game_id="0101010", **ROUND))
    for ctx in (
        {"dynamic": {"payload": ROUND, "game_id": "0101011"}},
        {"dynamic": ROUND, "service": {"game_id": "0101012"}},
        {"dynamic": {"message": {"gameid": "0101013", **ROUND}}},
        {"dynamic": ROUND, "service": {"gameid": "0101015", "book_hint": "of others"}},
        {"dynamic": {"game_id": None, **ROUND}, "service": {"game_id": "0101014"}},
    ):
        assert callbacks.get_questions(ctx) == questions
    other = dynamic(**ROUND | {"book_hint": "bucket probe collision"})
    assert callbacks.get_questions(other) != questions


class Failing(dict[str, Any]):
    """A context of a league that fails."""

    def get(self, *_: Any) -> Any:
        """Fail."""
        raise RuntimeError("lazy")


def test_fields_that_are_no_json_are_passed_over(callbacks: Callbacks) -> None:
    circle: list[Any] = []
    circle.append(circle)
    deep: list[Any] = []
    for _ in range(400):
        deep = [deep]
    odd = {"a": object(), "b": circle, "c": deep, "d": {1: b"\xff"}, "e": "\ud800"}
    questions = questions_of(callbacks, **ROUND)
    assert questions_of(callbacks, **ROUND, **odd, match_id="\ud800") == questions
    answers = ({"question_number": 1, "answer": None}, *["A"] * 19)
    assert set(guess_of(callbacks, answers=answers, **odd)) == GUESS_KEYS


@settings(max_examples=20)
@given(ctx=junk | some.fixed_dictionaries({"dynamic": junk, "service": junk}))
@example(Failing())
def test_whatever_comes_the_replies_are_valid(player: Remembering, ctx: Any) -> None:
    callbacks = forgetful(player)
    assert callbacks.get_warmup_answer(ctx)["answer"]
    assert len(callbacks.get_questions(ctx)["questions"]) == 20
    guess = callbacks.get_guess(ctx)
    assert set(guess) == GUESS_KEYS
    assert all(guess.values())
    assert 0.0 <= guess["confidence"] <= 1.0
    callbacks.on_score_received(ctx)


def test_old_and_scored_rounds_take_little_memory(expected: list[Replies]) -> None:
    callbacks = forgetful(dense_player())
    hints = set(map(hint_of, range(12)))

    def n_with_fits() -> int:
        gc.collect()
        plans = [item for item in gc.get_objects() if type(item) is Plan]
        return sum(plan.start.hint in hints and plan.fits.size > 0 for plan in plans)

    before = n_with_fits()
    for number in range(12):
        callbacks.get_questions(contexts_of(with_ids, number)[0])
    assert n_with_fits() - before == MAX_WITH_FITS
    for number in range(12):
        guess = callbacks.get_guess(contexts_of(with_ids, number)[1])
        assert guess == expected[number][1]
        ids, _, _ = with_ids(number)
        callbacks.on_score_received(dynamic(private_score=80, **ids))
    assert n_with_fits() - before <= 1, "the last one is that of an idle thread"


# after a restart


@every_shape
def test_a_process_that_was_killed_between_questions_and_guess_plays_on(
    shape: Shape, player: Remembering, path: Path, expected: list[Replies]
) -> None:
    other_player = dense_player(seed=7)  # it would ask something else
    for number, (questions, guess) in enumerate(expected[:3]):
        of_questions, of_guess = contexts_of(shape, number)
        with process(player, path) as callbacks:
            assert callbacks.get_questions(of_questions) == questions
        with process(other_player, path) as callbacks:
            assert callbacks.get_guess(of_guess) == guess
            assert callbacks.get_questions(of_questions) == questions
        with process(other_player, path) as callbacks:
            assert callbacks.get_guess(of_guess) == guess


def test_after_a_restart_the_last_round_is_the_one_whose_questions_were_sent_last(
    player: Remembering, path: Path, expected: list[Replies]
) -> None:
    with process(player, path) as callbacks:
        for number in (0, 1, 0):
            callbacks.get_questions(contexts_of(without_ids, number)[0])
    with process(player, path) as callbacks:
        assert guess_of(callbacks, answers=letters_of(0)) == expected[0][1]


def test_a_round_of_the_day_before_is_not_continued(
    player: Remembering, path: Path
) -> None:
    with process(player, path) as callbacks:
        questions_of(callbacks, **ROUND)
    with opened(path) as journal:
        journal.write(("UPDATE games SET began = began - 90000", ()))
    with process(player, path), opened(path) as journal:
        assert each(journal.games(), "ending") == ["given up"]


def test_a_disk_that_fails_costs_no_round(
    player: Remembering, expected: list[Replies]
) -> None:
    journal = Journal(None)
    for table in ("games", "replies", "opponents"):
        journal.write((f"DROP TABLE {table}", ()))
    callbacks = Callbacks(player, journal=journal)
    for number, replies in enumerate(expected[:3]):
        assert played(callbacks, without_ids, number) == replies
        callbacks.on_score_received(dynamic(private_score=50))


def test_unless_another_is_given_the_journal_is_that_of_live_games(
    player: Remembering, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QUARRY_HOME", str(tmp_path))
    questions = questions_of(Callbacks(player), **ROUND)
    again = Callbacks(dense_player(seed=7))
    assert questions_of(again, **ROUND) == questions


# what is learned and loaded


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"sender": {"email": "a@b.c", "role": "referee"}}, "a@b.c"),
        ({"sender": {"email": "a@b.c", "logical_id": "REF01"}}, "REF01"),
        ({"referee_email": "a@b.c", "referee_id": "REF01"}, "a@b.c"),
        ({"sender": "a@b.c"}, "a@b.c"),
        ({"referee": {"group_id": "G7"}}, "G7"),
        ({"referee_group": "G7"}, "G7"),
        ({}, "referee"),
    ],
)
def test_a_score_teaches_which_edition_its_referee_holds_and_a_restart_knows_it(
    fields: Json, name: str, player: Remembering, path: Path
) -> None:
    player.seen.clear()
    score = dynamic(private_score=60, breakdown={"opening_sentence_score": 100})
    for _ in range(2):
        with process(player, path) as callbacks:
            for number in range(2):
                hint = {"book_hint": f"{HINT} {len(player.seen)}"}
                questions_of(callbacks, **ROUND | hint, **fields)
                callbacks.on_score_received(score)  # before the guess
                guess_of(callbacks, answers=letters_of(number))
                callbacks.on_score_received(score)
                callbacks.on_score_received(score)
    n_games = [sum(seen.values()) for seen in player.seen]
    assert n_games == pytest.approx([0.0, 1.0, 2.0, 3.0])
    assert {*player.seen[-1]} == {PRINTED}

    with process(player, path) as callbacks:
        questions_of(callbacks, **ROUND, referee_email="another@b.c")
    # as one game of the season
    assert player.seen[-1] == {PRINTED: pytest.approx(1.0)}
    with opened(path) as journal:
        assert journal.editions(name) == {PRINTED: pytest.approx(4.0)}
        assert each(journal.games(), "ending") == ["running"] + ["over"] * 4


def test_a_score_belongs_to_the_round_whose_guess_waits_for_it(
    player: Remembering, path: Path
) -> None:
    with process(player, path) as callbacks:
        questions_of(callbacks, **ROUND)
        guess_of(callbacks, answers=["A"] * 20)
        questions_of(callbacks, **ROUND | {"book_hint": "vertex edge"})
        callbacks.on_score_received(dynamic(private_score=61.5))
        callbacks.on_score_received(dynamic(private_score=float("nan")))
        callbacks.on_score_received(dynamic(private_score=1e9, game_id="other"))
    with opened(path) as journal:
        second, first = journal.games()
    assert first.score is not None
    assert (first.score.private_score, second.score) == (61.5, None)


def test_the_score_of_a_round_with_other_questions_is_kept(
    player: Remembering, path: Path
) -> None:
    with process(player, path) as callbacks:
        callbacks.continue_rounds([(dynamic(**ROUND), True)])
        guess_of(callbacks, answers=["A"] * 20)
        callbacks.on_score_received(dynamic(private_score=83.5))
    with opened(path) as journal:
        (game,) = journal.games()
    assert game.score is not None
    assert game.score.private_score == 83.5


def test_everything_is_loaded_before_the_first_round(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    index = Mock(wraps=index_words)
    monkeypatch.setattr("player.player.index_words", index)
    callbacks = forgetful(dense_player())
    index.assert_called_once()
    questions_of(callbacks, **ROUND)
    index.assert_called_once()

    monkeypatch.setattr("player.player.index_words", None)
    callbacks = forgetful(dense_player())
    assert "loading failed" in caplog.text
    assert len(questions_of(callbacks, **ROUND)) == 20
