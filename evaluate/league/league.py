"""League: a season between players, as a desk; knows nothing of HTTP, mail, or how players play."""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from quarry.configs.terminal import visible
from quarry.evaluate.errors import GamesError
from quarry.evaluate.games.labelled import LabelledGame
from quarry.evaluate.league.record import Record, dumped
from quarry.evaluate.league.rounds import Round, RoundSetter
from quarry.evaluate.league.standings import Result, Standing, pairings, standings
from quarry.evaluate.practice.match import DEADLINES_S, Match, RefusedMessageError
from quarry.evaluate.practice.server import TooManyError
from quarry.evaluate.referee import Referee, Secret
from quarry.evaluate.referee.scoring import Score, Similarity
from quarry.player.errors import MessageError
from quarry.player.protocol import payloads as protocol
from quarry.player.protocol.payloads import Json
from quarry.player.season import LEAGUE

MANAGER = "league-manager"
REGISTRATION = "SEASONREGISTRATIONREQUEST"
IGNORED = frozenset({"KEEPALIVERESPONSE", "GROUPASSIGNMENTRESPONSE"})
MAX_PLAYERS = 1_000
"""Registered with the server; N of them play."""
MAX_MESSAGES = 10_000
"""Of one player, taken in a season."""
MAX_MESSAGE_ID_CHARS = 200
SLACK_S = 30.0
"""Seconds beyond the deadline that a player was told, after which its game is forfeited."""
TICK_S = 1.0

SeasonState = Literal["registration", "running", "over"]


@dataclass(slots=True)
class _Entrant:
    player_id: str
    name: str
    inbox: list[Json] = field(default_factory=list)
    taken: set[str] = field(default_factory=set)
    plays: bool = False


@dataclass(slots=True)
class _Game:
    game_id: str
    round: int
    number: int
    players: tuple[str, ...]
    setting: Round | None = None
    matches: dict[str, Match] = field(default_factory=dict)
    due: dict[str, float] = field(default_factory=dict)

    @property
    def state(self) -> str:
        if not self.matches:
            return "to come"
        return "over" if all(match.state == "over" for match in self.matches.values()) else "running"


class League:
    """One season of N players: everybody meets everybody once, two at a time, on the same paragraph.

    Safe for many threads. What is on the record is taken up where it was left.

    Args:
        setter: sets each game's round.
        referee: answers the questions.
        similarity: of two words, for the score.
        n_players: the season begins when so many have registered for it.
        record: where everything is kept.
        phase_s: seconds after which a silent player forfeits its game; None goes by the deadlines that it was told.
        say: is told in a line what happens.

    Raises:
        GamesError: the record is of a season with another number of players.
    """

    def __init__(
        self,
        setter: RoundSetter,
        referee: Referee,
        similarity: Similarity,
        n_players: int,
        record: Record,
        *,
        phase_s: float | None = None,
        say: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._setter = setter
        self._referee = referee
        self._similarity = similarity
        self._record = record
        self._phase_s = phase_s
        self._say = say
        self._entrants: dict[str, _Entrant] = {}
        self._by_id: dict[str, _Entrant] = {}
        self._games: dict[str, _Game] = {}
        self._listeners: list[Callable[[str], None]] = []
        self._outgoing: list[tuple[_Entrant, Json]] = []
        self._lock = threading.RLock()
        self._stopped = threading.Event()
        kept = int(record.memory.setdefault("n_players", str(n_players)))
        if kept != n_players:
            raise GamesError(f"--league must be {kept}, as the season on this record is, got {n_players}; name another")
        self.n_players = n_players
        self.season_id = record.memory.setdefault("season_id", f"S{secrets.token_hex(3)}")
        self._seed = int(record.memory.setdefault("seed", str(secrets.randbits(31))))
        self._restore()

    # players

    def own_token(self, who: str) -> str:
        """The token of somebody whom the server itself speaks for: the same after a restart."""
        return hmac.new(self._record.key, who.encode(), hashlib.sha256).hexdigest()

    def register(self, name: str, token: str = "") -> tuple[str, str]:
        """(player_id, token) of a new player, or of the one who has this token.

        Raises:
            TooManyError: there are as many as there may be.
        """
        token = token or secrets.token_hex(24)
        digest = _digest(token)
        with self._changing():
            found = self._entrants.get(digest)
            if found is not None:
                return found.player_id, token
            if len(self._entrants) >= MAX_PLAYERS:
                raise TooManyError(f"there may be at most {MAX_PLAYERS} players; a season of {self.n_players} is on")
            entrant = _Entrant(f"player-{secrets.token_hex(4)}", self._own_name(visible(name)[:100]))
            self._record.write(
                "INSERT INTO players (player_id, name, digest, place) VALUES (?, ?, ?, ?)",
                *(entrant.player_id, entrant.name, digest, len(self._entrants)),
            )
            self._entrants[digest] = self._by_id[entrant.player_id] = entrant
            if self.state == "registration":
                self._tell(entrant, "BROADCAST_START_SEASON", {"n_players": self.n_players})
        return entrant.player_id, token

    def knows(self, token: str) -> bool:
        """Whether a token was given out."""
        return _digest(token) in self._entrants

    def player_id(self, token: str) -> str:
        """Whose token it is."""
        return self._entrants[_digest(token)].player_id

    def start_game(self, token: str) -> str:
        """Never: games of a season come unasked.

        Raises:
            RefusedMessageError: always.
        """
        raise RefusedMessageError(
            "games of a league come unasked: send SEASON_REGISTRATION_REQUEST and wait (run_game.py --season)"
        )

    def messages(self, token: str, after: int) -> tuple[list[Json], int]:
        """The player's messages from place `after` on, and the place after the last."""
        inbox = self._entrants[_digest(token)].inbox
        fresh = inbox[after:]
        return fresh, after + len(fresh)

    def fresh_place(self, token: str) -> int:
        """The place of the first message of a game that is not over; the end of the inbox if there is none."""
        entrant = self._entrants[_digest(token)]
        with self._lock:
            open_games = {game.game_id for game in self._games.values() if game.state == "running"}
            if not entrant.plays:
                return 0
            places = (row for row, told in enumerate(entrant.inbox) if told["game_id"] in open_games)
            return next(places, len(entrant.inbox))

    def match(self, token: str, game_id: str) -> Match | None:
        """A game of the player, None if it has no such game."""
        entrant, game = self._entrants.get(_digest(token)), self._games.get(game_id)
        return game.matches.get(entrant.player_id) if entrant is not None and game is not None else None

    def listen(self, listener: Callable[[str], None]) -> None:
        """Call `listener` with the player_id whenever an inbox has grown, from any thread."""
        self._listeners.append(listener)

    def receive(self, token: str, envelope: Json) -> str:
        """Take a player's message; its message_id. One that was taken before changes nothing.

        Raises:
            RefusedMessageError: it has no message_id, names no game of this player, or cannot be taken now.
        """
        try:
            message = protocol.read_message(envelope)
        except MessageError as error:
            raise RefusedMessageError(str(error)) from error
        message_id = envelope.get("message_id")
        if not isinstance(message_id, str) or not 0 < len(message_id) <= MAX_MESSAGE_ID_CHARS:
            raise RefusedMessageError(
                f"message_id must be a string that is not empty, of at most {MAX_MESSAGE_ID_CHARS} characters"
            )
        entrant = self._entrants[_digest(token)]
        with self._changing():
            if message_id in entrant.taken:
                return message_id
            if len(entrant.taken) >= MAX_MESSAGES:
                raise RefusedMessageError(f"a season must come to its end in {MAX_MESSAGES} messages of a player")
            if message.message_type == REGISTRATION:
                self._admit(entrant)
            elif message.message_type not in IGNORED:
                self._play(entrant, envelope)
            self._record.write("INSERT INTO taken VALUES (?, ?)", entrant.player_id, message_id)
            entrant.taken.add(message_id)
            self._advance()
        return message_id

    # time

    def keep_time(self) -> None:
        """Let silent players forfeit their games, until `close`; runs in a thread of its own."""

        def tick_on() -> None:
            while not self._stopped.wait(TICK_S):
                self.tick()

        threading.Thread(target=tick_on, name="league-clock", daemon=True).start()

    def tick(self) -> None:
        """Forfeit the games whose player has been silent too long."""
        now = time.time()
        with self._changing():
            for game in self._games.values():
                for player_id, match in game.matches.items():
                    if match.state != "over" and now > game.due[player_id]:
                        self._forfeit(game, player_id, match)
            self._advance()

    def close(self) -> None:
        """Stop the clock and close the record."""
        self._stopped.set()
        with self._lock:
            self._record.close()

    # what everybody may see

    @property
    def state(self) -> SeasonState:
        """How far the season is."""
        if not self._games:
            return "registration"
        return "over" if all(game.state == "over" for game in self._games.values()) else "running"

    @property
    def names(self) -> dict[str, str]:
        """The names of those who play, by player_id, in the order of their registration."""
        return {entrant.player_id: entrant.name for entrant in self._by_id.values() if entrant.plays}

    def standings(self) -> list[Standing]:
        """The table, with names in place of ids."""
        with self._lock:
            games = sorted(
                (game for game in self._games.values() if game.state == "over"), key=lambda each: each.game_id
            )
            return standings(self.names.values(), [self._results(game) for game in games])

    def shown(self) -> Json:
        """The season without anything that a player may not know."""
        with self._lock:
            rounds: dict[int, list[Json]] = {}
            for game in self._games.values():
                rounds.setdefault(game.round, []).append(self._shown_game(game))
            return {
                "season_id": self.season_id,
                "state": self.state,
                "n_players": self.n_players,
                "registered": list(self.names.values()),
                "standings": [asdict(standing) for standing in self.standings()],
                "rounds": [{"round": number, "games": games} for number, games in sorted(rounds.items())],
            }

    def moves(self, game_id: str) -> Json | None:
        """A game move by move, once it is over for everybody who plays it; None if there is no such game."""
        with self._lock:
            game = self._games.get(game_id)
            if game is None:
                return None
            shown = self._shown_game(game)
            if game.state != "over" or game.setting is None:
                return shown
            label = game.setting.label
            shown["told"] = {
                "book_name": label.book_name,
                "hint": label.hint,
                "association_domain": label.association_domain,
            }
            shown["right"] = {
                "opening_sentence": game.setting.secret.opening_sentence,
                "associative_word": label.associative_word,
                "place": game.setting.place,
            }
            for player, play in zip(game.players, shown["players"], strict=True):
                match = game.matches[player]
                play |= {
                    "questions": match.batch,
                    "answers": match.answers,
                    "guess": {name: match.guess.get(name) for name in _GUESS},
                    "breakdown": match.score.payload()["breakdown"] if match.score else {},
                }
            return shown

    def _shown_game(self, game: _Game) -> Json:
        over = game.state == "over"
        return {
            "game_id": game.game_id,
            "round": game.round,
            "state": game.state,
            "players": [
                {
                    "name": self._by_id[player].name,
                    "state": game.matches[player].state if player in game.matches else "to come",
                    "private_score": _score(game, player).private_score if over else None,
                    "league_points": _score(game, player).league_points if over else None,
                }
                for player in game.players
            ],
        }

    def _results(self, game: _Game) -> list[Result]:
        return [
            Result(self._by_id[player].name, _score(game, player).private_score, _score(game, player).league_points)
            for player in game.players
        ]

    # the season

    def _admit(self, entrant: _Entrant) -> None:
        accepted = entrant.plays or self.state == "registration"
        if accepted and not entrant.plays:
            entrant.plays = True
            self._record.write("UPDATE players SET plays = 1 WHERE player_id = ?", entrant.player_id)
            self._say(f"{entrant.name} plays ({len(self.names)} of {self.n_players})")
        told = {"status": "ACCEPTED" if accepted else "REJECTED", "reason": "" if accepted else "the season has begun"}
        self._tell(entrant, "SEASON_REGISTRATION_RESPONSE", told)

    def _advance(self) -> None:
        """Begin what is due: the season, the next round, the end."""
        if self.state == "registration":
            if len(self.names) == self.n_players:
                self._assign()
                self._begin_round(1)
            return
        current = max(game.round for game in self._games.values() if game.matches)
        last = max(game.round for game in self._games.values())
        ended = int(self._record.memory.get("rounds_ended", "0"))
        if ended >= current or any(game.state == "running" for game in self._games.values() if game.round == current):
            return
        self._record.memory["rounds_ended"] = str(current)
        table = [asdict(standing) for standing in self.standings()]
        self._broadcast("BROADCAST_END_LEAGUE_ROUND", {"round_number": current, "standings": table})
        self._say(f"round {current} of {last} is over")
        if current < last:
            self._begin_round(current + 1)
        else:
            self._broadcast("LEAGUE_COMPLETED", {"standings": table})

    def _assign(self) -> None:
        players = list(self.names)
        for number, pairs in enumerate(pairings(players), 1):
            for place, pair in enumerate(pairs, 1):
                game = _Game(f"01{number:02d}{place:03d}", number, len(self._games), pair)
                self._games[game.game_id] = game
                self._record.write(
                    "INSERT INTO games VALUES (?, ?, ?, ?, NULL)",
                    *(game.game_id, game.round, game.number, dumped(game.players)),
                )
        table = [
            {
                "round_number": game.round,
                "game_id": game.game_id,
                "players": [self._by_id[player].name for player in game.players],
            }
            for game in self._games.values()
        ]
        self._broadcast("BROADCAST_ASSIGNMENT_TABLE", {"assignments": table})

    def _begin_round(self, number: int) -> None:
        games = [game for game in self._games.values() if game.round == number]
        self._broadcast("BROADCAST_NEW_LEAGUE_ROUND", {"round_number": number})
        for game in games:
            game.setting = self._setter.set(game.number)
            self._record.write("UPDATE games SET setting = ? WHERE game_id = ?", _kept(game.setting), game.game_id)
            for player in game.players:
                game.matches[player] = self._match(game, game.setting, player)
                self._keep(game, player)
                self._post(self._by_id[player], [game.matches[player].opening()])

    def _play(self, entrant: _Entrant, envelope: Json) -> None:
        game_id = envelope.get("game_id")
        game = self._games.get(game_id) if isinstance(game_id, str) else None
        match = game.matches.get(entrant.player_id) if game is not None else None
        if game is None or match is None:
            raise RefusedMessageError(
                f"game_id must be of a game that was given to this player, got {str(game_id)[:40]!r}"
            )
        replies = match.receive(envelope)
        if replies:
            self._keep(game, entrant.player_id)
            self._post(entrant, replies)

    def _forfeit(self, game: _Game, player_id: str, match: Match) -> None:
        match.state = "over"
        match.score = Score(0.0, 0.0, 0.0, 0.0, 0.0, 0, "No guess came in time.", "No guess came in time.")
        self._say(f"game {game.game_id} is forfeited by {self._by_id[player_id].name}, who was silent")
        self._keep(game, player_id)
        payload = {"match_id": f"M{game.game_id}", **match.score.payload()}
        told = protocol.write_message(
            protocol.SCORE_FEEDBACK, payload, sender=MANAGER, recipient=player_id, game_id=game.game_id, role="referee"
        )
        self._post(self._by_id[player_id], [told])

    def _match(self, game: _Game, setting: Round, player_id: str) -> Match:
        return Match(
            game.game_id,
            setting.label,
            setting.secret,
            self._referee,
            self._similarity,
            player_id,
            seed=self._seed + game.number,
        )

    # messages

    def _tell(self, entrant: _Entrant, kind: str, payload: Json) -> None:
        content = {"season_id": self.season_id, "league_id": "quarry", **payload}
        told = protocol.write_message(
            kind,
            content,
            sender=MANAGER,
            recipient=entrant.player_id,
            game_id="0199999",
            role="league_manager",
            version=LEAGUE,
        )
        self._post(entrant, [told])

    def _broadcast(self, kind: str, payload: Json) -> None:
        for entrant in self._by_id.values():
            if entrant.plays:
                self._tell(entrant, kind, payload)

    def _post(self, entrant: _Entrant, envelopes: Sequence[Json]) -> None:
        for envelope in envelopes:
            place = len(entrant.inbox) + sum(waiting is entrant for waiting, _ in self._outgoing)
            self._record.write("INSERT INTO inbox VALUES (?, ?, ?)", entrant.player_id, place, dumped(envelope))
            self._outgoing.append((entrant, envelope))

    @contextlib.contextmanager
    def _changing(self) -> Iterator[None]:
        """A change of the season: on disk as a whole before anybody is told, or not at all."""
        with self._lock:
            try:
                with self._record.change():
                    yield
            except (RefusedMessageError, TooManyError):  # raised before anything was changed
                self._outgoing.clear()
                raise
            except BaseException:
                self._outgoing.clear()
                self._restore()
                raise
            outgoing, self._outgoing = self._outgoing, []
            for entrant, envelope in outgoing:
                entrant.inbox.append(envelope)
        for player_id in sorted({entrant.player_id for entrant, _ in outgoing}):
            for listener in self._listeners:
                listener(player_id)

    def _own_name(self, name: str) -> str:
        names = {entrant.name for entrant in self._by_id.values()}
        return next(each for each in (name, *(f"{name}-{n}" for n in range(2, MAX_PLAYERS + 2))) if each not in names)

    # the record

    def _keep(self, game: _Game, player_id: str) -> None:
        match = game.matches[player_id]
        game.due[player_id] = self._due(match)
        play = {
            "batch": match.batch,
            "answers": match.answers,
            "guess": match.guess,
            "score": asdict(match.score) if match.score else None,
        }
        self._record.write(
            "INSERT OR REPLACE INTO matches VALUES (?, ?, ?, ?)", game.game_id, player_id, match.state, dumped(play)
        )

    def _due(self, match: Match) -> float:
        return time.time() + (self._phase_s or DEADLINES_S.get(match.state, 0) + SLACK_S)

    def _restore(self) -> None:
        """Take up what is on the record; who was waited for gets the whole time again."""
        self._entrants, self._by_id, self._games = {}, {}, {}
        for player_id, name, digest, plays in self._record.rows(
            "SELECT player_id, name, digest, plays FROM players ORDER BY place"
        ):
            inbox = self._record.rows("SELECT envelope FROM inbox WHERE player_id = ? ORDER BY place", player_id)
            taken = self._record.rows("SELECT message_id FROM taken WHERE player_id = ?", player_id)
            envelopes = [json.loads(row[0]) for row in inbox]
            entrant = _Entrant(player_id, name, envelopes, {row[0] for row in taken}, bool(plays))
            self._entrants[digest] = self._by_id[player_id] = entrant
        for game_id, round_, number, players, setting in self._record.rows(
            "SELECT game_id, round, number, players, setting FROM games ORDER BY game_id"
        ):
            self._games[game_id] = _Game(
                game_id, round_, number, tuple(json.loads(players)), _setting(setting) if setting else None
            )
        for game_id, player_id, state, play in self._record.rows("SELECT * FROM matches"):
            game, kept = self._games[game_id], json.loads(play)
            assert game.setting is not None, "a game is set before it is played"
            match = game.matches[player_id] = self._match(game, game.setting, player_id)
            match.state, match.batch, match.answers, match.guess = state, kept["batch"], kept["answers"], kept["guess"]
            match.score = Score(**kept["score"]) if kept["score"] else None
            game.due[player_id] = self._due(match)


_GUESS = ("opening_sentence", "sentence_justification", "associative_word", "word_justification", "confidence")


def _score(game: _Game, player_id: str) -> Score:
    score = game.matches[player_id].score
    assert score is not None, "the game is over"
    return score


def _kept(setting: Round) -> str:
    return dumped({"label": asdict(setting.label), "secret": asdict(setting.secret), "place": setting.place})


def _setting(text: str) -> Round:
    kept: dict[str, Any] = json.loads(text)
    return Round(LabelledGame(**kept["label"]), Secret(**kept["secret"]), kept["place"])


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()
