"""Players that a league brings along, in its own process."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import inf
from typing import Any

import numpy as np

from quarry.configs.settings import Settings, SettingsError, preset_names
from quarry.evaluate.errors import EvaluateError
from quarry.evaluate.league.desk import Desk
from quarry.evaluate.league.league import League
from quarry.evaluate.referee.answering_policies import drawn
from quarry.ingest.store import Course
from quarry.player.errors import PlayerError, RefusedError, ServerError
from quarry.player.game.play import Pace, play_games
from quarry.player.player import Decision, Plan, Player, build_player
from quarry.player.protocol.client import GameState
from quarry.player.protocol.payloads import Json
from quarry.player.questions.answer import Answers
from quarry.player.season import Season

RANDOM = "random"
PACE = Pace(grace_s=0.0)
GAME_TIMEOUT_S = 1_800.0


class RandomPlayer(Player):
    """Asks as the player does, and guesses any paragraph that its search found, whatever was answered."""

    def decide(self, plan: Plan, answers: Answers) -> Decision:
        """The opening sentence of one of the candidates, by chance; the same for the same round."""
        decision = super().decide(plan, answers)
        hits = plan.result.hits
        draw = int.from_bytes(drawn("random", plan.start.book_name, plan.start.hint)[:4], "big") % len(hits)
        sentence = hits[draw].paragraph.opening_sentence
        guess = replace(decision.guess, opening_sentence=sentence, confidence=1.0 / len(hits))
        return replace(decision, guess=guess, belief=np.full(len(hits), 1.0 / len(hits)), best=draw)


def make_players(names: Sequence[str], store: Course, settings_of: Callable[[str], Settings]) -> dict[str, Player]:
    """A player for each kind that is named: a preset, or `random`.

    Args:
        settings_of: gives those of a preset.

    Raises:
        SettingsError: there is no such kind.
    """
    kinds = (*preset_names(), RANDOM)
    if unknown := [name for name in names if name not in kinds]:
        raise SettingsError(f"--built-in must name {', '.join(kinds)}, got {unknown[0]!r}")
    return {name: _made(name, store, settings_of("dual" if name == RANDOM else name)) for name in dict.fromkeys(names)}


def _made(name: str, store: Course, settings: Settings) -> Player:
    player = build_player(store, settings)
    if name == RANDOM:
        return RandomPlayer(player.orchestrator, settings.game, 0, store.paragraphs)
    return player


def seat(
    league: League, names: Sequence[str], players: Mapping[str, Player], say: Callable[[str], None]
) -> list[threading.Thread]:
    """Let the built-in players play the season, each in a thread of its own; the second of a kind is called KIND-2."""
    if league.state == "over":
        return []
    n_seen: Counter[str] = Counter()
    threads = []
    for kind in names:
        n_seen[kind] += 1
        name = kind if n_seen[kind] == 1 else f"{kind}-{n_seen[kind]}"
        token = league.own_token(f"built-in {name}")
        league.register(name, token)
        server = DeskGameServer(league, token)
        thread = threading.Thread(
            target=_play,
            args=(server, players[kind], name, str(league.fresh_place(token)), say),
            name=name,
            daemon=True,
        )
        thread.start()
        threads.append(thread)
    return threads


def _play(server: DeskGameServer, player: Player, name: str, cursor: str, say: Callable[[str], None]) -> None:
    season = Season(name)
    try:
        for outcome in play_games(
            server,
            player,
            inf,
            name=name,
            timeout_s=GAME_TIMEOUT_S,
            cursor=cursor,
            pace=PACE,
            season=season,
            say=lambda line: say(f"{name}: {line}"),
        ):
            if isinstance(outcome, PlayerError):
                say(f"{name}: {outcome}")
    except PlayerError as error:
        say(f"{name} leaves: {error}")


class DeskGameServer:
    """A desk of this process as the player's GameServer, without HTTP.

    Args:
        desk: the league.
        token: of the player.
    """

    def __init__(self, desk: Desk, token: str) -> None:
        self._desk = desk
        self._token = token
        self._player_id = desk.player_id(token)
        self._arrived = threading.Event()
        desk.listen(self._announce)

    def request_game(self) -> str:
        """The game_id of a new game, where the desk gives any.

        Raises:
            ServerError: it does not.
        """
        try:
            return self._desk.start_game(self._token)
        except EvaluateError as error:
            raise ServerError(str(error)) from error

    def inbox(self, cursor: str, wait_s: float) -> tuple[Sequence[Json], str]:
        """The messages after `cursor`; waits for the first."""
        self._arrived.clear()
        messages, place = self._desk.messages(self._token, int(cursor or 0))
        if not messages and self._arrived.wait(wait_s):
            messages, place = self._desk.messages(self._token, int(cursor or 0))
        return messages, str(place)

    def send(self, envelope: Mapping[str, Any]) -> None:
        """Deliver a message.

        Raises:
            RefusedError: the desk will not take it.
        """
        try:
            self._desk.receive(self._token, dict(envelope))
        except EvaluateError as error:
            raise RefusedError(str(error), 422) from error

    def game(self, game_id: str) -> GameState:
        """What has become of a game.

        Raises:
            ServerError: it is no game of this player.
        """
        match = self._desk.match(self._token, game_id)
        if match is None:
            raise ServerError(f"game_id must be of a game of this player, got {game_id!r}")
        score = match.score
        return GameState(
            game_id, match.state, score.private_score if score else None, score.league_points if score else None
        )

    def _announce(self, player_id: str) -> None:
        if player_id == self._player_id:
            self._arrived.set()
