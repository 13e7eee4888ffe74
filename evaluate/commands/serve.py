"""`serve`: the practice game server, or a league."""

from __future__ import annotations

import argparse
import contextlib
import functools
import secrets
import sys
from collections.abc import Callable, MutableMapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quarry.configs.arguments import settings_of
from quarry.configs.places import default_record
from quarry.configs.settings import Settings, SettingsError
from quarry.configs.terminal import visible
from quarry.evaluate.commands.command import GAMES, add_command, add_referee, add_store, open_for
from quarry.evaluate.errors import RefereeError
from quarry.evaluate.referee import Referee, make_referee, prepare, read_spec, tools_of
from quarry.ingest.store import Course

if TYPE_CHECKING:
    from quarry.configs.mail import MailSettings
    from quarry.evaluate.league.desk import Desk
    from quarry.evaluate.league.league import League

DEFAULT_PORT = 8017
MOST_PLAYERS = 100


def add(commands: Any) -> None:
    """Name the command's arguments."""
    command = add_command(
        commands, "serve", run, "run the practice game server", "python -m evaluate serve --store data/store"
    )
    add_store(command)
    command.add_argument(
        "--games", type=Path, default=GAMES, metavar="FILE", help="labelled games (default: the bundled ones)"
    )
    command.add_argument("--host", default="127.0.0.1", metavar="H", help="address to listen on (default: %(default)s)")
    command.add_argument(
        "--port", type=int, default=DEFAULT_PORT, metavar="P", help="port, 0 for a free one (default: %(default)s)"
    )
    add_referee(command, default="oracle")
    command.add_argument("--seed", type=int, metavar="N", help="of the choice of games (default: by chance)")
    command.add_argument("--mail", type=Path, metavar="FILE", help="serve by mail too, from the mailbox of FILE (YAML)")
    league = command.add_argument_group("league")
    league.add_argument("--league", type=int, metavar="N", help="run a season of N players; its page is at /league")
    league.add_argument(
        "--built-in",
        default="",
        metavar="A,B,...",
        help="players that the league brings along: presets, or random; the others register over HTTP or by mail",
    )
    league.add_argument(
        "--record",
        type=Path,
        metavar="FILE",
        help=f"where the season is kept, so that it goes on after a crash (default: {default_record()})",
    )


def run(options: argparse.Namespace) -> int:
    """Serve until interrupted."""
    from quarry.configs.mail import load_mail
    from quarry.evaluate.league.app import create_league_app
    from quarry.evaluate.practice.server import create_app, listen, serve

    _check(options)
    settings = settings_of(options)
    mailbox = load_mail(options.mail) if options.mail is not None else None
    if mailbox is not None:
        mailbox.secret()
    with contextlib.ExitStack() as stack:
        listener = stack.enter_context(listen(options.host, options.port))
        host = f"[{options.host}]" if ":" in options.host else options.host
        url = f"http://{host}:{listener.getsockname()[1]}"
        store = open_for(options, settings)
        prepare([options.referee], store, settings.embed)  # no player waits for it
        referee = make_referee(options.referee, options.seed or 0, tools_of(store, settings.embed))
        assert referee is not None, "checked above"
        where = url + (f", by mail at {mailbox.address}" if mailbox is not None else "")
        hall = _Hall(settings, store, referee, _post(mailbox, stack), url, where, stack)
        if options.league is None:
            app = create_app(_practice(options, hall))
        else:
            app = create_league_app(_league(options, hall))
        serve(app, listener)
    return 0


def _check(options: argparse.Namespace) -> None:
    """Pass if the options make sense together.

    Raises:
        SettingsError, RefereeError: they do not.
    """
    if read_spec(options.referee) is None:
        raise RefereeError("--referee must answer questions to serve games, got none; take oracle")
    if options.league is None:
        if options.built_in or options.record is not None:
            raise SettingsError("--built-in and --record must come with --league; practice games are not kept")
        return
    n_built_in = len(_kinds(options))
    if not 2 <= options.league <= MOST_PLAYERS:
        raise SettingsError(f"--league must be within 2..{MOST_PLAYERS}, got {options.league}")
    if n_built_in > options.league:
        raise SettingsError(f"--built-in must name at most --league {options.league} players, got {n_built_in}")


def _kinds(options: argparse.Namespace) -> list[str]:
    return [name.strip() for name in options.built_in.split(",") if name.strip()]


@dataclass(frozen=True)
class _Hall:
    """What practice games and a league both stand on.

    Attributes:
        post: opens a post office for a desk with its key and memory; does nothing without --mail.
        where: the addresses at which players come in, in words.
        stack: what is closed at the end.
    """

    settings: Settings
    store: Course
    referee: Referee
    post: Callable[[Desk, bytes, MutableMapping[str, str]], None]
    url: str
    where: str
    stack: contextlib.ExitStack


def _practice(options: argparse.Namespace, hall: _Hall) -> Desk:
    from quarry.evaluate.practice.server import PracticeServer, load_repertoire

    repertoire = load_repertoire(hall.store, options.games, hall.referee, hall.settings)
    server = PracticeServer(repertoire, options.seed)
    hall.post(server, secrets.token_bytes(32), {})
    _say(
        f"practice game server on {hall.where} with {len(repertoire.games)} games, "
        "OpenAPI at /docs; stop it with Ctrl-C"
    )
    return server


def _league(options: argparse.Namespace, hall: _Hall) -> League:
    from quarry.evaluate.games.labelled import load_games
    from quarry.evaluate.league.built_in import make_players, seat
    from quarry.evaluate.league.league import League
    from quarry.evaluate.league.record import Record
    from quarry.evaluate.league.rounds import RoundSetter, rank_by
    from quarry.evaluate.referee.scoring import word_similarity
    from quarry.player.player import build_player

    store, settings = hall.store, hall.settings
    kinds = _kinds(options)
    players = make_players(kinds, store, functools.partial(settings_of, options))
    judge = players.get("default") or build_player(store, settings)
    setter = RoundSetter(store.paragraphs, load_games(options.games), rank_by(judge), options.seed or 0)
    similarity = word_similarity(store.embedder_spec, store.models(settings.embed))
    record = Record(options.record or default_record())
    league = League(setter, hall.referee, similarity, options.league, record, say=_say)
    hall.stack.callback(league.close)
    hall.post(league, record.key, record.memory)
    league.keep_time()
    seat(league, kinds, players, _say)
    _say(f"league of {options.league} players on {hall.where}, page at {hall.url}/league; stop it with Ctrl-C")
    return league


def _post(
    mailbox: MailSettings | None, stack: contextlib.ExitStack
) -> Callable[[Desk, bytes, MutableMapping[str, str]], None]:
    def open_post_office(desk: Desk, key: bytes, memory: MutableMapping[str, str]) -> None:
        from quarry.evaluate.league.post_office import PostOffice

        if mailbox is not None:
            stack.callback(PostOffice(desk, mailbox, key, memory, _say).close)

    return open_post_office


def _say(line: str) -> None:
    print(visible(line), file=sys.stderr, flush=True)
