"""The game loop over the inbox of a player, which plays several games on a server."""

import contextlib
import logging
import time
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import wait
from dataclasses import KW_ONLY, dataclass, field

from player.deadlines import Runner
from player.errors import (
    MessageError,
    PlayerError,
    ServerError,
    UnauthorizedError,
    UnavailableError,
)
from player.game import messages as protocol
from player.game.client import GameServer
from player.game.deadline_player import DeadlinePlayer
from player.game.delivery import Delivery
from player.game.game import FIRST_STAGES, Game, Spectator, Timeouts
from player.game.inbox import PAUSE_S, STUCK_PAUSE_S, Inbox
from player.game.journal import Journal
from player.game.messages import Message
from player.game.record import PlayedGame
from player.player import Contestant
from quarry.terminal import describe_error, pluralize, visible
from quarry.threads import start_in_thread

_log = logging.getLogger(__name__)
UNNAMED_S = 0.3
"""Maximum number of seconds that a restart waits for the first message of a game that a killed process requested."""
MAX_POLL_S = 10.0
"""Maximum number of seconds of a poll, and of the pause after a fault of the inbox."""
BUSY_POLL_S = 0.1
"""Maximum number of seconds of a poll while threads are answering; their games may end before a message comes."""
MAX_REFUSED = 3
"""Maximum number of consecutive failed requests for a game; then no more games are requested."""
MAX_WARNINGS = 5
"""Maximum number of unreadable messages of one answer that are logged one by one."""
MAX_SENDING_S = 5.0
"""Maximum number of seconds for the threads to send their replies when the process ends; a restart sends the others."""
MAX_BUSY = 4
"""Maximum number of games with unread messages; at this number no game is requested, so that replies are in time."""


Endings = Generator[PlayedGame | PlayerError, None, None]
"""Yields the record of each finished game, or the error of one that could not be played."""


@dataclass(eq=False)
class Loop:
    """Plays all games of one player on one server.

    Messages of other games are ignored. A repeated message gets the same reply, byte for byte. Answers to questions
    that were never sent are ignored. A fault in one game does not end the other games.

    Attributes:
        name: logical id of the player in its messages.
        timeout_s: seconds until a game is given up.
        at_once: maximum number of games that run at the same time.
        spectator: receives the events of all games.
        timeouts: timeouts of the games.
        journal: journal of the player's games; one in memory by default.
    """

    server: GameServer
    player: Contestant
    _: KW_ONLY
    name: str
    timeout_s: float
    at_once: int = 1
    spectator: Spectator = field(default_factory=Spectator)
    timeouts: Timeouts = field(default_factory=Timeouts)
    journal: Journal = field(default_factory=lambda: Journal(None))

    def __post_init__(self) -> None:
        self._inbox = Inbox(self.server, self.journal, self.timeouts.outage_s)
        self._deliveries: list[Delivery] = []
        self._unnamed: list[int] = []  # games of a killed process that have no id yet
        self._n_left = self._n_refused = 0
        self._runner = Runner()
        self._has_answered = self._is_closing = False
        self._refused_since: float | None = None
        self._ask_again_at = 0.0

    def play_one(self) -> PlayedGame:
        """Play one game, or continue one of the journal, to its score.

        Raises:
            ServerError: the server cannot be reached or refuses.
            GameTimeoutError: the game did not end within its time.
            QueryError: the search finds nothing, and the course has no paragraph.
        """
        with contextlib.closing(self.play(1)) as endings:
            ending = next(endings)
        if isinstance(ending, PlayerError):
            raise ending
        return ending

    def play(self, n_games: int) -> Endings:
        """Play games, and yield the record or the error of each game when it ends.

        Unfinished games of the journal are played first, and count towards the number of games.

        Raises:
            UnauthorizedError: the server does not know the player.
        """
        try:
            self._n_left = n_games
            self._resume()
            while self._n_left > 0 or self._deliveries:
                yield from self._request_games()
                n_running = len(self._deliveries)
                yield from self._end_games()
                has_ended = len(self._deliveries) < n_running
                if not has_ended and (n_running or self._n_left > 0):
                    is_quiet = not self._n_busy and not self._may_request
                    self._poll(MAX_POLL_S if is_quiet else BUSY_POLL_S)

            for key in self._unnamed:
                self.journal.update(key, ending="given up")
        finally:
            # wait for the threads that are sending replies
            self._is_closing = True
            calls = [delivery.call for delivery in self._deliveries if delivery.call]
            wait([call for call in calls if not call.cancel()], MAX_SENDING_S)

    def _resume(self) -> None:
        """Continue the unfinished games, and wait a moment for the first messages of those without an id."""
        for saved in self.journal.running():
            if saved.game_id:
                self._continue(saved.game_id, saved.key).restore(saved)
            else:
                self._unnamed.append(saved.key)
        if self._unnamed:
            self._poll(UNNAMED_S)

    def _request_games(self) -> Iterator[PlayerError]:
        """Request games until enough are running or waiting for replies; yield the errors."""
        n_busy = self._n_busy
        while self._may_request and n_busy < MAX_BUSY:
            n_busy += 1
            self._n_left -= 1
            try:
                self._request_game()
                self._n_refused, self._refused_since = 0, None
                self._has_answered = True
            except UnauthorizedError:
                raise
            except ServerError as error:
                if self._may_be_back(error):
                    self._n_left += 1
                    pause_s = max(STUCK_PAUSE_S, error.retry_after_s)
                    self._ask_again_at = time.monotonic() + pause_s
                    return

                self._n_refused += 1
                if self._n_refused == MAX_REFUSED and self._n_left:
                    more = pluralize(self._n_left, "more game")
                    _log.warning("%s will not be requested", more)
                    self._n_left = 0
                yield error

    @property
    def _may_request(self) -> bool:
        return self._wants_game and time.monotonic() >= self._ask_again_at

    @property
    def _wants_game(self) -> bool:
        return self._n_left > 0 and len(self._deliveries) < self.at_once

    def _may_be_back(self, error: ServerError) -> bool:
        """Return whether a server that answered before may answer again: it has been away for a short time."""
        if not (isinstance(error, UnavailableError) and self._has_answered):
            return False
        now = time.monotonic()
        if self._refused_since is None:
            self._refused_since = now
            _log.warning("a game is requested again: %s", error)
        is_short = now - self._refused_since <= self.timeouts.outage_s
        return is_short and not self.timeouts.is_strict

    def _request_game(self) -> None:
        key = self.journal.add_game()
        try:
            game_id = self.server.request_game()
            if self._find(game_id) is not None:
                raise ServerError(
                    f"The server gave the id of the running game {visible(game_id)} to another game."
                )
        except ServerError:
            self.journal.update(key, ending="given up")
            raise
        self.journal.assign_id(key, game_id)
        self._begin(game_id, key)

    def _continue(self, game_id: str, key: int) -> Delivery:
        """Continue a game that an earlier process requested, and log the number of new games that remain."""
        self._n_left -= 1
        n_new = pluralize(max(0, self._n_left), "new game")
        _log.info(
            "game %s of an earlier call goes on; then %s", visible(game_id), n_new
        )
        return self._begin(game_id, key)

    def _begin(self, game_id: str, key: int) -> Delivery:
        game = Game(
            game_id=game_id,
            journal_key=key,
            player=DeadlinePlayer(self.player, game_id, self._runner),
            name=self.name,
            spectator=self.spectator,
            timeouts=self.timeouts,
            journal=self.journal,
        )
        delivery = Delivery(game, self.server, self.timeout_s)
        self._deliveries.append(delivery)
        return delivery

    def _find(self, game_id: str) -> Delivery | None:
        """Return the delivery of a running game."""
        normalised = protocol.normalise_id(game_id)
        for delivery in self._deliveries:
            if protocol.normalise_id(delivery.game.game_id) == normalised:
                return delivery
        return None

    @property
    def _n_busy(self) -> int:
        """Number of games with messages that are unread or being answered."""
        return sum(delivery.is_busy for delivery in self._deliveries)

    def _poll(self, longest_s: float) -> None:
        """Read the inbox once, and let each game answer its messages."""
        try:
            messages = self._inbox.read(self._idle_s(longest_s))
        except ServerError as error:
            if self.timeouts.is_strict or isinstance(error, UnauthorizedError):
                raise
            self._pause_after(error)
        else:
            self._hand_over_all(messages)
        for delivery in self._deliveries:
            self._serve(delivery)

        if not self._n_busy:
            self._inbox.save_cursor()

    def _hand_over_all(self, envelopes: Sequence[object]) -> None:
        """Add messages to their games, and log the first faults and the number of the others."""
        n_bad = 0
        for envelope in envelopes:
            try:
                self._hand_over(protocol.read_message(envelope))
            except MessageError as error:
                n_bad += 1
                if n_bad <= MAX_WARNINGS:
                    _log.warning("a message is skipped: %s", error)
        if n_bad > MAX_WARNINGS:
            _log.warning("%s skipped", pluralize(n_bad - MAX_WARNINGS, "more message"))

    def _idle_s(self, longest_s: float) -> float:
        """Return the seconds until a game must send a reply again or time out, at most `longest_s`."""
        end = time.monotonic() + longest_s
        if self._wants_game:
            end = min(end, self._ask_again_at)
        for delivery in self._deliveries:
            end = min(end, delivery.began + delivery.timeout_s)
            if not delivery.is_busy:
                end = min(end, delivery.resend_at)
        return max(0.0, end - time.monotonic())

    def _pause_after(self, error: ServerError) -> None:
        """Pause after a fault of the inbox; give up all games if the faults have lasted too long."""
        if self._inbox.n_faults == 1:
            _log.warning("the inbox cannot be read and is tried again: %s", error)
        if self._inbox.is_lost:
            for delivery in self._deliveries:
                delivery.failure = error
        pause_s = min(MAX_POLL_S, max(STUCK_PAUSE_S, error.retry_after_s))
        time.sleep(max(PAUSE_S, self._idle_s(pause_s)))

    def _hand_over(self, message: Message) -> None:
        """Add a message to the unread ones of its game, which may be a game that a killed process requested."""
        game_id = message.game_id
        delivery = self._find(game_id)
        may_begin = game_id and message.message_type in FIRST_STAGES and self._unnamed
        if delivery is None and may_begin and not self.journal.holds(game_id):
            key = self._unnamed.pop()
            self.journal.assign_id(key, game_id)
            delivery = self._continue(game_id, key)
        if delivery is not None:
            delivery.unread.append(message)

    def _serve(self, delivery: Delivery) -> None:
        """Let a game answer its messages and send its replies, in a thread if several games are played at once."""
        if self.at_once == 1:
            self._work(delivery)
        elif not delivery.is_answering:
            if delivery.call is not None:
                delivery.call.result()
            if delivery.unread or time.monotonic() >= delivery.resend_at:
                delivery.call = start_in_thread(lambda: self._work(delivery))

    def _work(self, delivery: Delivery) -> None:
        sent_ids: set[str] = set()
        game = delivery.game
        try:
            while delivery.unread and not self._is_closing:
                delivery.answer(delivery.unread.popleft(), sent_ids)
            if time.monotonic() >= delivery.resend_at and game.score is None:
                delivery.remind()
        except Exception as error:  # a fault ends neither its game nor another
            if self.timeouts.is_strict:
                raise
            if isinstance(error, PlayerError):
                delivery.failure = error
            else:
                game.log(f"{describe_error(error)}; the game goes on")

    def _end_games(self) -> Endings:
        """Yield the records or errors of the games that have ended.

        The journal records the end after the caller has taken it. If the process is killed before, the next one shows
        the game again.
        """
        for delivery in list(self._deliveries):
            if delivery.is_answering:
                continue
            end = delivery.end(is_away=self._inbox.n_faults > 0)
            if end is None:
                continue
            self._deliveries.remove(delivery)
            try:
                yield end
            finally:
                game = delivery.game
                ending = "given up" if game.score is None else "over"
                self.journal.update(game.journal_key, ending=ending)
