"""A referee's four callbacks, in plain dicts; needs nobody's SDK. docs/guides/league.md shows how to plug it in."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from quarry.evaluate.errors import EvaluateError
from quarry.evaluate.league.rounds import Round, RoundSetter
from quarry.evaluate.referee import Posed, Referee
from quarry.evaluate.referee.scoring import Similarity, score_guess
from quarry.player.protocol import payloads as protocol
from quarry.player.protocol.payloads import Json
from quarry.player.questions.answer import LETTERS, NOT_RELEVANT

Context = Mapping[str, Any]
"""{"dynamic": {...}, "service": {...}}: what the game's messages said, and what the league adds."""
MOST_GAMES = 1_000
MOST_QUESTIONS = 100
MAX_CHARS = 2_000


@dataclass(slots=True)
class _Game:
    """What is remembered of a game.

    Attributes:
        given: to each player the answers, by question number.
    """

    round: Round
    given: dict[str, dict[int, str]] = field(default_factory=dict)


class RefereeCallbacks:
    """Our referee as a league calls it. Each callback returns something valid and raises nothing; thread-safe.

    Args:
        setter: sets the rounds; the n-th game that is asked for gets the n-th.
        referee: answers the questions.
        similarity: of two words, for the score.
    """

    def __init__(self, setter: RoundSetter, referee: Referee, similarity: Similarity) -> None:
        self._setter = setter
        self._referee = referee
        self._similarity = similarity
        self._games: OrderedDict[str, _Game] = OrderedDict()
        self._n_set = 0
        self._lock = threading.Lock()

    def get_warmup_question(self, ctx: Context) -> Json:
        """{"warmup_question"}: a small sum, the same for the same game."""
        key = _key(_fields(ctx))
        one, other = np.random.default_rng([ord(char) for char in key]).integers(2, 13, size=2)
        return {"warmup_question": f"What is {one} * {other}?"}

    def get_round_start_info(self, ctx: Context) -> Json:
        """{"book_name", "book_hint", "association_word"} of the game's round; asked again, the same."""
        label = self._game(_fields(ctx)).round.label
        return {
            "book_name": label.book_name,
            "book_hint": label.hint,
            "association_word": label.association_domain,
        }

    def get_answers(self, ctx: Context) -> Json:
        """{"answers"}: one for each question that can be read; what cannot be is Not Relevant."""
        fields = _fields(ctx)
        game = self._game(fields)
        asked = fields.get("questions")
        items = list(asked)[:MOST_QUESTIONS] if isinstance(asked, list | tuple) else []
        posed = [_posed(item) for item in items]
        numbers = [_number(item, place) for place, item in enumerate(items, 1)]
        readable = [question for question in posed if question is not None]
        try:
            found = iter(self._referee.answers(game.round.secret, readable))
            answers = [next(found) if question is not None else NOT_RELEVANT for question in posed]
        except Exception:  # whatever fails, the player gets answers
            answers = [NOT_RELEVANT] * len(posed)
        given = {number: answer for number, answer in zip(numbers, answers, strict=True) if answer is not None}
        game.given[_player(fields)] = given
        return {"answers": [{"question_number": number, "answer": answer} for number, answer in given.items()]}

    def get_score_feedback(self, ctx: Context) -> Json:
        """{"league_points", "private_score", "breakdown", "feedback"} of a guess, flat or under `player_guess`."""
        fields = _fields(ctx)
        game = self._game(fields)
        guess = next(
            (fields[name] for name in ("player_guess", "guess") if isinstance(fields.get(name), Mapping)), fields
        )
        given = game.given.get(_player(fields)) or next(iter(game.given.values()), {})
        score = score_guess(
            {str(name).removesuffix("_guess"): value for name, value in guess.items()},
            opening_sentence=game.round.secret.opening_sentence,
            associative_word=game.round.label.associative_word,
            answers=given,
            similarity=self._similarity,
        )
        return score.payload()

    def _game(self, fields: Json) -> _Game:
        key = _key(fields)
        with self._lock:
            found = self._games.get(key)
            if found is None:
                found = self._games[key] = _Game(self._next_round())
                while len(self._games) > MOST_GAMES:
                    self._games.popitem(last=False)
            return found

    def _next_round(self) -> Round:
        while True:
            self._n_set += 1
            try:
                return self._setter.set(self._n_set - 1)
            except EvaluateError:
                if self._n_set > MOST_GAMES:
                    raise


def _fields(ctx: object) -> Json:
    context = ctx if isinstance(ctx, Mapping) else {}
    found: Json = {}
    for name in ("service", "dynamic"):
        part = context.get(name)
        found |= {str(key): value for key, value in part.items()} if isinstance(part, Mapping) else {}
    return found or {str(key): value for key, value in context.items()}


def _key(fields: Json) -> str:
    told = fields.get("game_id") or fields.get("match_id") or ""
    return str(told)[: protocol.MAX_ID_CHARS].lstrip("0")


def _player(fields: Json) -> str:
    for name in ("player_id", "player_email", "sender_email"):
        if isinstance(fields.get(name), str):
            return str(fields[name])[: protocol.MAX_ID_CHARS]
    return ""


def _number(item: object, place: int) -> int:
    number = item.get("question_number", item.get("number", place)) if isinstance(item, Mapping) else place
    return number if isinstance(number, int) and not isinstance(number, bool) else place


def _posed(item: object) -> Posed | None:
    """A question's text and options; None where it has none."""
    if not isinstance(item, Mapping):
        return None
    text = item.get("question_text", item.get("text"))
    options = item.get("options", item.get("choices"))
    if isinstance(options, list | tuple):
        options = dict(zip(LETTERS, options, strict=False))
    if not isinstance(text, str) or not isinstance(options, Mapping):
        return None
    told = [str(options[letter])[:MAX_CHARS] for letter in LETTERS if letter in options]
    return (text[:MAX_CHARS], told) if told else None
