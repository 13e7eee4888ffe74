"""`python -m evaluate`: practice server, replay, and checks of games files."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from configs.arguments import OneLineParser, run_command
from configs.settings import SettingsError, load
from evaluate.check import check_games
from evaluate.errors import EvaluateError, RefereeError
from evaluate.games import load_games, match_games, read_games, select_split
from evaluate.referee import make_referee
from ingest.errors import IngestError
from ingest.store import DEFAULT_COLLECTION, DEFAULT_STORE, models_dir_of, open_store
from player.errors import PlayerError

ROOT = Path(__file__).resolve().parents[1]
GAMES = ROOT / "data" / "games" / "english.jsonl"
DEFAULT_PORT = 8017


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns the exit code (0 done, 1 something is missing or wrong, 2 bad input)."""
    options = _parser().parse_args(arguments)
    run: Callable[[argparse.Namespace], int] = options.run
    try:
        if (getattr(options, "seed", None) or 0) < 0:
            raise SettingsError(f"--seed must be at least 0, got {options.seed}")
        return run_command(lambda: run(options))
    except (IngestError, PlayerError, EvaluateError, SettingsError) as error:
        print(f"evaluate {options.command}: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"evaluate {options.command}: interrupted", file=sys.stderr)
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = OneLineParser(prog="python -m evaluate", description="Practise, measure and check.")
    commands = parser.add_subparsers(dest="command", required=True)

    serve = _command(
        commands, "serve", _serve, "run the practice game server", "python -m evaluate serve --store data/store"
    )
    serve.add_argument(
        "--games", type=Path, default=GAMES, metavar="FILE", help="labelled games (default: the bundled ones)"
    )
    serve.add_argument("--host", default="127.0.0.1", metavar="H", help="address to listen on (default: %(default)s)")
    serve.add_argument(
        "--port", type=int, default=DEFAULT_PORT, metavar="P", help="port, 0 for a free one (default: %(default)s)"
    )
    serve.add_argument(
        "--referee", default="oracle", metavar="SPEC", help="oracle or noisy:WRONG,NOT_RELEVANT (default: %(default)s)"
    )
    serve.add_argument("--seed", type=int, metavar="N", help="of the choice of games (default: by chance)")

    replay = _command(
        commands,
        "replay",
        _replay,
        "measure the player on labelled games",
        "python -m evaluate replay --store data/store --games data/games/english.jsonl --split test --referee none",
    )
    replay.add_argument(
        "--games", type=Path, required=True, metavar="FILE", help="labelled games, one JSON object a line"
    )
    replay.add_argument("--split", metavar="NAME", help="train, validation or test (default: all games)")
    replay.add_argument(
        "--preset", default="default", metavar="NAME", help="settings to play with (default: %(default)s)"
    )
    replay.add_argument(
        "--referee",
        default="none",
        metavar="SPEC",
        help="none, oracle or noisy:WRONG,NOT_RELEVANT (default: %(default)s)",
    )
    replay.add_argument(
        "--seed", type=int, default=0, metavar="N", help="of splits, referee and intervals (default: %(default)s)"
    )
    replay.add_argument(
        "--repeats", type=int, default=1, metavar="N", help="plays of each game, each with another referee seed"
    )
    replay.add_argument("--out", type=Path, metavar="RUN.json", help="also write the run to this file")
    replay.add_argument("--json", action="store_true", help="print one JSON document and nothing else")

    check = _command(
        commands,
        "check-games",
        _check_games,
        "say what is wrong with a games file",
        "python -m evaluate check-games --store data/store --games data/games/english.jsonl",
    )
    check.add_argument(
        "--games", type=Path, required=True, metavar="FILE", help="labelled games, one JSON object a line"
    )
    check.add_argument("--json", action="store_true", help="print one JSON document and nothing else")
    return parser


def _command(
    commands: Any, name: str, run: Callable[[argparse.Namespace], int], summary: str, example: str
) -> argparse.ArgumentParser:
    command: argparse.ArgumentParser = commands.add_parser(
        name,
        help=summary,
        description=f"{summary[0].upper()}{summary[1:]}.",
        epilog=f"example:\n  {example}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument(
        "--store", default=DEFAULT_STORE, help="folder, or URL of a Chroma server (default: %(default)s)"
    )
    command.add_argument(
        "--collection", default=DEFAULT_COLLECTION, help="name within the store (default: %(default)s)"
    )
    command.add_argument("--config", type=Path, metavar="FILE", help="YAML laid over configs/default.yaml")
    command.set_defaults(run=run)
    return command


def _serve(options: argparse.Namespace) -> int:
    from evaluate.practice import PracticeServer, create_app, listen, load_course, serve

    settings = load(config=options.config)
    referee = make_referee(options.referee, options.seed or 0)
    if referee is None:
        raise RefereeError("--referee must answer questions to serve games, got none; take oracle")
    with listen(options.host, options.port) as listener:
        course = load_course(open_store(options.store, options.collection), options.games, referee, settings)
        port = listener.getsockname()[1]
        host = f"[{options.host}]" if ":" in options.host else options.host
        print(
            f"practice game server on http://{host}:{port} with {len(course.games)} games, "
            f"OpenAPI at /docs; stop it with Ctrl-C",
            file=sys.stderr,
            flush=True,
        )
        serve(create_app(PracticeServer(course, options.seed)), listener)
    return 0


def _replay(options: argparse.Namespace) -> int:
    from evaluate.replay import replay
    from evaluate.scoring import word_similarity
    from player.player import build_player

    if options.repeats < 1:
        raise SettingsError(f"--repeats must be at least 1, got {options.repeats}")
    if options.out and not options.out.parent.is_dir():
        raise SettingsError(f"--out must be in a folder that is there, got {options.out}; make {options.out.parent}")
    if options.out and options.out.is_dir():
        raise SettingsError(f"--out must be a file, got the folder {options.out}; name a file in it")
    settings = load(options.preset, options.config)
    games = select_split(load_games(options.games), options.split, options.seed)
    make_referee(options.referee, options.seed)
    store = open_store(options.store, options.collection)
    similarity = None
    if options.referee != "none":
        models_dir = models_dir_of(store, settings.embed)
        similarity = word_similarity(store.embedder_spec, models_dir, settings.embed)
    run = replay(
        games,
        store,
        build_player(store, settings),
        settings,
        referee=options.referee,
        similarity=similarity,
        seed=options.seed,
        repeats=options.repeats,
    )
    text = json.dumps(run, ensure_ascii=False, indent=1)
    if options.out:
        try:
            options.out.write_text(text + "\n", encoding="utf-8")
        except OSError as error:
            raise SettingsError(
                f"--out must be a file that can be written, got {options.out}: {error.strerror}"
            ) from error
    if options.json:
        print(text)
    else:
        _print_run(run, options)
    if run["lost_at_ingest"]:
        print(
            f"evaluate replay: {run['lost_at_ingest']} games are about paragraphs that the store does not hold",
            file=sys.stderr,
        )
        return 1
    return 0


def _check_games(options: argparse.Namespace) -> int:
    games, problems = read_games(options.games)
    store = open_store(options.store, options.collection)
    findings = [("", str(problem)) for problem in problems]
    findings += check_games(games, match_games(games, store.paragraphs))
    if options.json:
        print(
            json.dumps(
                {
                    "games": len(games),
                    "findings": [{"game_id": game_id, "wrong": wrong} for game_id, wrong in findings],
                },
                ensure_ascii=False,
                indent=1,
            )
        )
    else:
        for game_id, wrong in findings:
            print(f"{game_id}: {wrong}" if game_id else wrong)
        print(f"{options.games}: {len(games)} games, {len(findings)} things wrong")
    return 1 if findings else 0


def _print_run(run: dict[str, Any], options: argparse.Namespace) -> None:
    print(f"{options.games}, {options.split or 'all splits'}, preset {options.preset}, referee {options.referee}")
    print(
        f"{run['games']} games, {run['unanswerable']} of them unanswerable, {run['lost_at_ingest']} lost at ingest; "
        f"opening sentence exact {_percent(run['opening_sentence_exact'])}, "
        f"book resolved {_percent(run['book_resolved'])}"
    )
    for name, value in run["measures"].items():
        low, high = run["intervals"][name]
        print(f"  {name:11} {value:.3f}   [{low:.3f}, {high:.3f}]")
    if run["win_rate"] is not None:
        low, high = run["win_rate_interval"]
        print(f"  {'win rate':11} {run['win_rate']:.3f}   [{low:.3f}, {high:.3f}]")
        print(f"  sentence exact {_percent(run['sentence_exact'])}, private score {run['private_score']:.1f}")
    latency = run["latency_ms"]
    shown = (f"{part} {values['p50']:.1f} / {values['p95']:.1f}" for part, values in latency.items() if values)
    print(f"  ms at p50 / p95: {', '.join(shown)}")


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100.0 * share:.1f}%"


if __name__ == "__main__":
    sys.exit(main())
