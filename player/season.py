"""What a player says to the league itself: it registers for a season, shows that it is alive, and knows the end."""

from __future__ import annotations

from quarry.player.protocol import payloads as protocol
from quarry.player.protocol.payloads import Json, Message

START_SEASON = "BROADCASTSTARTSEASON"
KEEP_ALIVE = "BROADCASTKEEPALIVE"
ENDINGS = frozenset({"LEAGUECOMPLETED", "BROADCASTENDSEASON"})
LEAGUE = "league.v2"
MOST_SEASONS = 100


class Season:
    """The replies to a league's own messages; the same message gets the same reply.

    Args:
        name: to register under.
        goes_on: wait for the next one after a season's end.

    Attributes:
        over: the season that was announced last is complete: no game follows.
    """

    def __init__(self, name: str, *, goes_on: bool = False) -> None:
        self.over = False
        self._goes_on = goes_on
        self._name = name
        self._season_id = ""
        self._replies: dict[tuple[str, str], Json] = {}

    def request(self) -> Json:
        """A request to take part, for a league that cannot write first."""
        nobody = Message(START_SEASON, "", "", {})
        return self._written("SEASON_REGISTRATION_REQUEST", "", nobody, {})

    def reply(self, message: Message, envelope: Json) -> Json | None:
        """What is to be sent in reply, None where nothing is."""
        told = message.payload.get("season_id", "")
        season_id = str(told)[: protocol.MAX_ID_CHARS] if isinstance(told, str | int) else ""
        if message.message_type == START_SEASON:
            self._season_id, self.over = season_id, False
            return self._written("SEASON_REGISTRATION_REQUEST", season_id, message, envelope)
        if message.message_type == KEEP_ALIVE:
            return self._written("KEEP_ALIVE_RESPONSE", season_id, message, envelope)
        if message.message_type in ENDINGS and (not self._season_id or season_id in {"", self._season_id}):
            self.over = not self._goes_on
        return None

    def _written(self, kind: str, season_id: str, message: Message, envelope: Json) -> Json:
        key = kind, season_id if kind.startswith("SEASON") else message.message_id
        if key not in self._replies:
            payload = {
                "season_id": season_id,
                "user_id": self._name,
                "agent_id": self._name,
                "display_name": self._name,
                "role": "PLAYER",
            }
            self._replies[key] = protocol.write_message(
                kind,
                payload,
                sender=self._name,
                recipient=protocol.sender_of(envelope),
                game_id=message.game_id,
                version=LEAGUE,
                like=envelope,
            )
            while len(self._replies) > MOST_SEASONS:
                del self._replies[next(iter(self._replies))]
        return self._replies[key]
