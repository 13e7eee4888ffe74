"""MailGameServer and the practice server's post office, over a real Dovecot and a real SMTP server."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from quarry.configs.mail import PASSWORD_VARIABLE, TOKEN_VARIABLE, MailSettings
from quarry.evaluate.league.post_office import PostOffice
from quarry.evaluate.practice.server import PracticeServer
from quarry.player.errors import RefusedError, ServerError, UnauthorizedError
from quarry.player.game.journal import Journal, Ledger
from quarry.player.game.play import GameReport, play_games
from quarry.player.mail.letter import write_letter
from quarry.player.mail.mailbox import Mailbox, read_place
from quarry.player.mail.outgoing import Outgoing
from quarry.player.mail.server import MailGameServer
from quarry.player.protocol import payloads as protocol
from quarry.player.protocol.client import GameServer
from tests.contracts.game_server import GUESS, GameServerContract, inbox_of, kinds, player_message, questions
from tests.evaluate.fakes import small_repertoire
from tests.mail_servers import DOMAIN, PASSWORD, MailServers, mail_servers, plain_mail, token
from tests.player.fakes import course, dense_player

LEAGUE = f"league@{DOMAIN}"
pytestmark = pytest.mark.timeout(120)
"""Mailboxes are new in each test; the two servers serve the whole module."""

Opening = Callable[..., MailGameServer]


@pytest.fixture(scope="module")
def mail() -> Iterator[MailServers]:
    with mail_servers() as servers:
        yield servers


@pytest.fixture
def names(request: pytest.FixtureRequest, mail: MailServers) -> Callable[[str], str]:
    """Mailboxes of this test alone."""
    number = abs(hash(request.node.nodeid)) % 10**9
    return lambda name: f"{name}{number}"


@pytest.fixture(autouse=True)
def _credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PASSWORD_VARIABLE, PASSWORD)


@pytest.fixture
def settings(mail: MailServers, names: Callable[[str], str]) -> Callable[..., MailSettings]:
    def make(name: str, **changes: Any) -> MailSettings:
        return MailSettings.model_validate(mail.settings(names(name), **changes))

    return make


@pytest.fixture
def practice(settings: Callable[..., MailSettings]) -> Iterator[PracticeServer]:
    """A practice server that is reached by mail alone."""
    server = PracticeServer(small_repertoire(), seed=0)
    said: list[str] = []
    office = PostOffice(server, settings("league"), b"key", {}, said.append)
    yield server
    office.close()
    assert said == []


@pytest.fixture
def opening(practice: PracticeServer, settings: Callable[..., MailSettings]) -> Iterator[Opening]:
    """Opens players' mailboxes."""
    opened: list[MailGameServer] = []

    def open_one(name: str = "player", **changes: Any) -> MailGameServer:
        opened.append(MailGameServer(settings(name, league=settings("league").address, **changes)))
        return opened[-1]

    yield open_one
    for server in opened:
        server.close()


class TestContract(GameServerContract):
    """What a mail server refuses is told later, by mail: those tests are replaced."""

    @pytest.fixture
    def server(self, opening: Opening) -> GameServer:
        return opening("player")

    @pytest.fixture
    def other(self, opening: Opening) -> GameServer:
        return opening("other")

    def test_a_message_that_is_not_awaited_is_refused_and_the_game_goes_on(self, server: GameServer) -> None:
        game_id = server.request_game()
        server.send(player_message("Q21GUESSSUBMISSION", game_id, GUESS))
        refusal = inbox_of(server, game_id, 2)[1]
        assert refusal["message_type"] == "Q21REFUSED"
        assert "Q21WARMUPRESPONSE must come first" in refusal["payload"]["detail"]
        server.send(player_message("Q21WARMUPRESPONSE", game_id, {"answer": "6"}))
        assert kinds(inbox_of(server, game_id, 3)) == ["Q21WARMUPCALL", "Q21REFUSED", "Q21ROUNDSTART"]

    def test_a_message_without_an_id_is_refused(self, server: GameServer) -> None:
        """By mail the mail itself has one."""
        game_id = server.request_game()
        server.send({**player_message("Q21WARMUPRESPONSE", game_id, {"answer": "6"}), "message_id": ""})
        assert kinds(inbox_of(server, game_id, 2)) == ["Q21WARMUPCALL", "Q21ROUNDSTART"]

    @pytest.mark.parametrize("game_id", ["9999999", "nonsense"])
    def test_an_unknown_game_is_refused(self, server: GameServer, game_id: str) -> None:
        with pytest.raises(ServerError, match="game_id must be of a game"):
            server.game(game_id)
        server.send(player_message("Q21WARMUPRESPONSE", game_id, {"answer": "6"}))
        (refusal,) = inbox_of(server, game_id, 1)
        assert "game_id must be of a game" in refusal["payload"]["detail"]

    def test_another_players_game_is_none_of_ours(self, server: GameServer, other: GameServer) -> None:
        theirs = other.request_game()
        with pytest.raises(ServerError, match="game_id must be of a game of this player"):
            server.game(theirs)
        server.send(player_message("Q21WARMUPRESPONSE", theirs, {"answer": "6"}))
        (refusal,) = inbox_of(server, theirs, 1)
        assert "that was given to this player" in refusal["payload"]["detail"]
        assert kinds(other.inbox("", 0.3)[0]) == ["Q21WARMUPCALL"]


def test_five_games_are_played_at_once_and_the_journal_finishes_one_that_was_left(
    opening: Opening, practice: PracticeServer, tmp_path: Path
) -> None:
    server = opening()
    left = server.request_game()
    journal = Journal(tmp_path / "games.sqlite")
    ledger = Ledger(journal, server.url, server.player_id)
    ledger.name(ledger.ask(), left)  # as a process leaves it that is killed before the first message came
    player = dense_player(course(), questions_pool=60)
    reports = list(play_games(server, player, 5, name="tester", timeout_s=90.0, at_once=5, ledger=ledger))
    journal.close()
    assert [type(report) for report in reports] == [GameReport] * 5
    assert left in {report.game_id for report in reports if isinstance(report, GameReport)}


def test_a_mailbox_with_foreign_mail_in_it_is_left_as_it_is(
    opening: Opening, mail: MailServers, names: Callable[[str], str]
) -> None:
    spam = plain_mail("Q21G.v1 tickets, cheap", body='{"message_type": "Q21WARMUPCALL"}').as_bytes()
    for raw in (plain_mail("Dinner on Friday?").as_bytes(), spam, b"no mail at all", b"\xff\xfe\x00" * 50):
        mail.deliver(names("player"), raw)
    before = mail.files(names("player"))
    server = opening()
    game_id = server.request_game()
    server.send(player_message("Q21WARMUPRESPONSE", game_id, {"answer": "6"}))
    messages = inbox_of(server, game_id, 2)
    assert kinds(messages) == ["Q21WARMUPCALL", "Q21ROUNDSTART"]
    after = mail.files(names("player"))
    assert before.items() <= after.items(), "a mail was moved, flagged, or changed"
    assert all(name.startswith("new/") for name in after), "no mail counts as seen, nor as recent"


def test_a_thread_holds_a_game_together(
    opening: Opening, mail: MailServers, names: Callable[[str], str], settings: Callable[..., MailSettings]
) -> None:
    server = opening()
    report = next(iter(play_games(server, dense_player(course(), questions_pool=60), 1, name="x", timeout_s=90.0)))
    assert isinstance(report, GameReport)
    own = settings("player").address.encode()
    mine = [raw for raw in mail.accepted if b"From: " + own in raw]
    assert [b"In-Reply-To: <" in raw for raw in mine] == [False, True, True, True]
    assert len({raw.split(b"References: ")[1].split(b">")[0] for raw in mine[2:]}) == 1
    subject = next(line for line in mine[1].replace(b"\r\n ", b" ").split(b"\r\n") if line.startswith(b"Subject"))
    assert subject.split(b"::")[1:3] == [b"PLAYER", own]


def test_the_same_mail_twice_gets_the_same_reply(
    opening: Opening, mail: MailServers, names: Callable[[str], str]
) -> None:
    server = opening()
    game_id = server.request_game()
    server.send(player_message("Q21WARMUPRESPONSE", game_id, {"answer": "6"}))
    inbox_of(server, game_id, 2)
    for raw in mail.files(names("player")).values():
        mail.deliver(names("player"), raw)
    assert len(inbox_of(server, game_id, 4)) == 4
    player = dense_player(course(), questions_pool=60)
    ledger = Ledger(Journal(), server.url, server.player_id)
    ledger.name(ledger.ask(), game_id)
    (report,) = play_games(server, player, 1, name="x", timeout_s=90.0, ledger=ledger)
    assert isinstance(report, GameReport)
    replies = [raw for raw in mail.accepted if f"From: {names('player')}@{DOMAIN}".encode() in raw][2:]
    told = {raw.split(b"Message-ID: ")[1].split(b"\r\n")[0] for raw in replies}
    assert len(replies) >= 5, "two for the warm-up and two for the round, which came twice each, and the guess"
    assert len(told) == 3


def test_messages_of_a_game_by_somebody_else_are_not_read(
    opening: Opening, mail: MailServers, names: Callable[[str], str]
) -> None:
    server = opening()
    game_id = server.request_game()
    _, cursor = server.inbox("", 0.0)
    for sender in (f"mallory@{DOMAIN}", f"{names('league')}@{DOMAIN}"):
        forged = protocol.write_message(
            "Q21ROUNDSTART", {"book_hint": sender}, sender="r", recipient="p", game_id=game_id
        )
        mail.deliver(names("player"), write_letter(forged, sender, f"player@{DOMAIN}").as_bytes())
    messages, _ = server.inbox(cursor, 5.0)
    assert [message["payload"]["book_hint"] for message in messages] == [f"{names('league')}@{DOMAIN}"]


def test_only_allowed_senders_are_read_where_they_are_named(
    settings: Callable[..., MailSettings], mail: MailServers, names: Callable[[str], str]
) -> None:
    for sender in ("a@one.test", "b@two.test", "c@sub.two.test"):
        call = protocol.write_message("Q21WARMUPCALL", {}, sender="r", recipient="p", game_id="0101001")
        mail.deliver(names("player"), write_letter(call, sender, f"player@{DOMAIN}").as_bytes())
    mailbox = Mailbox(settings("player", senders=["a@one.test", "@two.test"]))
    letters, _ = mailbox.letters(None, 0.0)
    mailbox.close()
    assert [b"From: c@sub.two.test" in raw for raw in letters] == [False, False]


def test_new_mail_is_told_by_the_server_and_not_waited_for(
    settings: Callable[..., MailSettings], mail: MailServers, names: Callable[[str], str]
) -> None:
    mailbox = Mailbox(settings("player", poll_s=60.0))
    _, place = mailbox.letters(None, 0.0)
    call = protocol.write_message("Q21WARMUPCALL", {}, sender="r", recipient="p", game_id="0101001")
    raw = write_letter(call, LEAGUE, f"player@{DOMAIN}").as_bytes()
    threading.Timer(0.5, lambda: mail.deliver(names("player"), raw)).start()
    letters, after = mailbox.letters(place, 55.0)  # without IDLE: nothing before the end, and the test's timeout
    mailbox.close()
    assert len(letters) == 1
    assert after.uid == place.uid + 1


def test_a_server_without_idle_is_asked_again_and_again(
    settings: Callable[..., MailSettings],
    mail: MailServers,
    names: Callable[[str], str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from imapclient import IMAPClient

    monkeypatch.setattr(IMAPClient, "has_capability", lambda self, name: name != "IDLE")
    monkeypatch.setattr(IMAPClient, "idle", lambda self: pytest.fail("the server cannot"))
    mailbox = Mailbox(settings("player", poll_s=0.1))
    _, place = mailbox.letters(None, 0.0)
    call = protocol.write_message("Q21WARMUPCALL", {}, sender="r", recipient="p", game_id="0101001")
    raw = write_letter(call, LEAGUE, f"player@{DOMAIN}").as_bytes()
    threading.Timer(0.4, lambda: mail.deliver(names("player"), raw)).start()
    letters, _ = mailbox.letters(place, 60.0)
    mailbox.close()
    assert len(letters) == 1


def test_mail_older_than_the_lookback_is_not_read_at_first(
    settings: Callable[..., MailSettings], mail: MailServers, names: Callable[[str], str]
) -> None:
    call = protocol.write_message("Q21WARMUPCALL", {}, sender="r", recipient="p", game_id="0101001")
    mail.deliver(names("player"), write_letter(call, LEAGUE, f"player@{DOMAIN}").as_bytes())
    mailbox = Mailbox(settings("player", lookback_h=0.0))
    letters, place = mailbox.letters(None, 0.0)
    mailbox.close()
    assert letters == []
    assert place.uid == 1, "and is not read afterwards either"


class TestAccess:
    def test_a_token_lets_the_player_read_and_send(
        self, settings: Callable[..., MailSettings], names: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv(TOKEN_VARIABLE, token(names("player")))
        chosen = settings("player", auth="xoauth2")
        outgoing, mailbox = Outgoing(chosen), Mailbox(chosen)
        call = protocol.write_message("Q21WARMUPCALL", {}, sender="r", recipient="p", game_id="0101001")
        outgoing.send(write_letter(call, LEAGUE, chosen.address))
        letters, _ = mailbox.letters(None, 10.0)
        outgoing.close()
        mailbox.close()
        assert len(letters) == 1

    @pytest.mark.parametrize("auth", ["password", "xoauth2"])
    def test_a_refused_login_says_so_without_the_secret(
        self, settings: Callable[..., MailSettings], monkeypatch: pytest.MonkeyPatch, auth: str
    ) -> None:
        secret = "wrong-and-secret.a.b"
        monkeypatch.setenv(PASSWORD_VARIABLE, secret)
        monkeypatch.setenv(TOKEN_VARIABLE, secret)
        chosen = settings("player", auth=auth)
        with pytest.raises(UnauthorizedError, match="refused the login") as reading:
            Mailbox(chosen).letters(None, 0.0)
        with pytest.raises(UnauthorizedError, match="refused the login") as sending:
            Outgoing(chosen).send(plain_mail("x"))
        assert secret not in str(reading.value) + str(sending.value)

    def test_a_certificate_that_nobody_signed_is_refused(
        self, settings: Callable[..., MailSettings], mail: MailServers
    ) -> None:
        imap, smtp = ({"host": "localhost", "port": port} for port in (mail.imap_port, mail.smtp_port))
        chosen = settings("player", imap=imap, smtp={**smtp, "security": "starttls"})
        with pytest.raises(ServerError, match=r"(?i)certificate.verify.failed"):
            Mailbox(chosen).letters(None, 0.0)
        with pytest.raises(ServerError, match=r"(?i)certificate.verify.failed"):
            Outgoing(chosen).send(plain_mail("x"))
        assert mail.accepted == [raw for raw in mail.accepted if b"Subject: x" not in raw]

    def test_starttls_and_a_plain_connection_to_this_machine_are_read_too(
        self, settings: Callable[..., MailSettings], mail: MailServers
    ) -> None:
        for security in ("starttls", "none"):
            imap = {**mail.settings("x")["imap"], "port": mail.imap_plain_port, "security": security}
            mailbox = Mailbox(settings("player", imap=imap))
            assert mailbox.letters(None, 0.0)[0] == []
            mailbox.close()

    def test_nobody_there_is_one_line(self, settings: Callable[..., MailSettings], mail: MailServers) -> None:
        nowhere = {"host": "localhost", "port": 1}
        with pytest.raises(ServerError, match="must answer as a mail server"):
            Mailbox(settings("player", imap=nowhere)).letters(None, 0.0)
        with pytest.raises(ServerError, match="must take mail"):
            Outgoing(settings("player", smtp=nowhere)).send(plain_mail("x"))

    def test_a_recipient_that_is_refused_for_good_is_a_refusal_and_for_now_a_fault(
        self, settings: Callable[..., MailSettings]
    ) -> None:
        outgoing = Outgoing(settings("player"))
        for name, kind in (("gone", RefusedError), ("full", ServerError)):
            letter = plain_mail("x")
            letter.replace_header("To", f"{name}@quarry.test")
            with pytest.raises(kind) as raised:
                outgoing.send(letter)
            assert type(raised.value) is kind
            assert "\x1b" not in str(raised.value)
        outgoing.close()

    def test_a_connection_that_was_cut_is_made_anew(self, settings: Callable[..., MailSettings]) -> None:
        chosen = settings("player")
        outgoing, mailbox = Outgoing(chosen), Mailbox(chosen)
        call = protocol.write_message("Q21WARMUPCALL", {}, sender="r", recipient="p", game_id="0101001")
        outgoing.send(write_letter(call, LEAGUE, chosen.address))
        _, place = mailbox.letters(None, 10.0)
        assert outgoing._client is not None
        assert outgoing._client.sock is not None
        outgoing._client.sock.shutdown(2)
        call = protocol.write_message("Q21WARMUPCALL", {}, sender="r", recipient="p", game_id="0101002")
        outgoing.send(write_letter(call, LEAGUE, chosen.address))
        assert mailbox._client is not None
        mailbox._client.socket().shutdown(2)
        with pytest.raises(ServerError):
            mailbox.letters(place, 0.0)
        letters, _ = mailbox.letters(place, 10.0)
        assert len(letters) == 1
        outgoing.close()
        mailbox.close()


def test_places_are_read_as_they_are_written() -> None:
    place = read_place("17:4")
    assert place is not None
    assert str(place) == "17:4"
    assert [read_place(text) for text in ("", "17", "x:1", "1:", "9" * 60 + ":1", "-1:2")] == [None] * 6


def test_questions_are_valid_by_mail_as_well(opening: Opening) -> None:
    server = opening()
    game_id = server.request_game()
    server.send(player_message("Q21WARMUPRESPONSE", game_id, {"answer": "6"}))
    server.send(player_message("Q21QUESTIONSBATCH", game_id, {"questions": questions()["questions"][:19]}))
    messages = inbox_of(server, game_id, 3)
    refusal = next(message for message in messages if message["message_type"] == "Q21REFUSED")
    assert "exactly 20, got 19" in refusal["payload"]["detail"]
