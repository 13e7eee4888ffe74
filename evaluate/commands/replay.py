"""`replay`: measures the player on labelled games, against one referee, several, or answers in a file."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from quarry.configs.arguments import COLLECTION, JSON, PRESET, STORE, flag, number, path, settings_of, several
from quarry.configs.settings import Settings, SettingsError
from quarry.evaluate.commands.command import (
    ANSWERS,
    BATCHES,
    GAMES,
    SPLIT,
    STRICT,
    WORKERS,
    as_json,
    chosen_games,
    command,
    lost_code,
    open_for,
    print_json,
    require_writable,
    seed,
    write_text,
)
from quarry.evaluate.referee import spec_table
from quarry.evaluate.replay.judges import EVERY, HINT_ALONE, SPECS, judges_of
from quarry.evaluate.runs.files import partial_path, write_run
from quarry.evaluate.runs.run import Run

PLACES = {"ingest": "at ingest", "book": "at the book", "search": "in the search", "answers": "by the answers"}
MAX_SHOWN = 20
"""Lost games that are explained unasked."""
REPEATS_OF_SEVERAL = 3
HEADS = ("referee", "plays", "won", "than the hint alone", "private score", "Brier", "log score", "confidence")


def run(options: argparse.Namespace) -> int:
    """Replay, and print or write the run; 1 with --strict if a game was lost at ingest."""
    require_writable(options.out)
    if bool(options.answers) != bool(options.batches):
        raise SettingsError("--answers and --batches must come together, got one of them; name the other")
    if options.answers and options.referee:
        raise SettingsError(f"--referee must be left out with --answers, got {options.referee[0]}")
    settings = settings_of(options)
    referees = list(SPECS) if options.referee == [EVERY] else options.referee
    if len(referees) > 1:
        return _play_several(options, settings, referees)
    played = _replay_answers(options, settings) if options.answers else _replay(options, settings, *referees)
    if options.out:
        write_run(options.out, played)
        partial_path(options.out).unlink(missing_ok=True)
    if options.json:
        print_json(played.as_json())
    else:
        _print_run(played, options)
    return lost_code(options, played.lost_at_ingest)


def _replay(options: argparse.Namespace, settings: Settings, referee: str = HINT_ALONE) -> Run:
    from quarry.evaluate.replay.replay import replay_store

    return replay_store(
        chosen_games(options),
        open_for(options, settings),
        settings,
        referee=referee,
        seed=options.seed,
        repeats=options.repeats or 1,
        workers=options.workers,
        partial=partial_path(options.out) if options.out else None,
    )


def _replay_answers(options: argparse.Namespace, settings: Settings) -> Run:
    """Replay the games that a file answers."""
    from quarry.evaluate.answers.answered import answering
    from quarry.evaluate.answers.batches import read_answered
    from quarry.evaluate.referee.scoring import word_similarity
    from quarry.evaluate.replay.replay import replay_games
    from quarry.evaluate.runs.run import make_run
    from quarry.player.player import build_player

    batches, answers, games = read_answered(options.batches, options.answers, chosen_games(options), options.games)
    store = open_for(options, settings)
    similarity = word_similarity(store.embedder_spec, store.models(settings.embed))
    play_all = answering(build_player(store, settings), batches, answers, similarity, options.seed)
    records = replay_games(games, store, play_all)
    return make_run(records, store.fingerprint, settings, "answers", options.seed, 1)


def _play_several(options: argparse.Namespace, settings: Settings, referees: Sequence[str]) -> int:
    """Play against several referees, and print or write the table."""
    from quarry.evaluate.replay.replay import replay_judges
    from quarry.evaluate.runs.table import make_table

    judges = judges_of(referees, options.repeats or REPEATS_OF_SEVERAL, options.seed)
    games = [game for game in chosen_games(options) if game.answerable]
    store = open_for(options, settings)
    partial = partial_path(options.out) if options.out else None
    records = replay_judges(
        games, store, settings, judges, seed=options.seed, workers=options.workers, partial=partial, n_candidates=0
    )
    table = make_table(records, judges, store.fingerprint, settings, options.seed)
    if options.out and partial:
        write_text(options.out, as_json(table) + "\n")
        partial.unlink(missing_ok=True)
    if options.json:
        print_json(table)
    else:
        print(f"{options.games}, {options.split or 'all splits'}, preset {options.preset}: {table['games']} games")
        print(table_text(table))
    return lost_code(options, table["lost_at_ingest"])


def table_text(table: Mapping[str, Any]) -> str:
    """Return a table of referees in Markdown."""
    lines = [{**table["hint_alone"], "referee": "the hint alone"}]
    lines += [{**line, "referee": f"`{line['referee']}`"} for line in table["referees"]]
    rows = [HEADS, ("---",) * len(HEADS), *map(_cells, lines)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _cells(line: Mapping[str, Any]) -> tuple[str, ...]:
    return (
        line["referee"],
        str(line["plays"]),
        _with_interval(line, "won", ".3f", ".2f"),
        _with_interval(line, "won_more_than_hint", "+.3f", "+.2f") if line["referee"] != "the hint alone" else "",
        _with_interval(line, "private_score", ".1f", ".1f"),
        _with_interval(line, "brier", ".4f", ".3f"),
        _with_interval(line, "log_score", ".3f", ".2f"),
        f"{line['confidence']:.3f}",
    )


def _with_interval(line: Mapping[str, Any], name: str, form: str, ends_form: str) -> str:
    low, high = line[f"{name}_interval"]
    return f"{line[name]:{form}} [{low:{ends_form}}, {high:{ends_form}}]"


def _print_run(played: Run, options: argparse.Namespace) -> None:
    """Print a run as a table, and what became of lost games."""
    run = played.as_json()
    referee = f"answers of {options.answers}" if options.answers else f"referee {played.referee}"
    print(f"{options.games}, {options.split or 'all splits'}, {_settings_text(run, options)}, {referee}")
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
    _print_outcomes(run["per_game"], everything=options.explain)


def _settings_text(run: Mapping[str, Any], options: argparse.Namespace) -> str:
    """Return the preset, and the settings that the user changed."""
    changes = [*([str(options.config)] if options.config else []), *options.changes]
    tuned = f", tuned on store {run['settings']['tuned_on']}" if "tuned_on" in run["settings"] else ""
    return f"preset {options.preset}{''.join(f' with {change}' for change in changes)}{tuned}"


def _print_outcomes(games: Sequence[dict[str, Any]], *, everything: bool) -> None:
    """Print where games were lost, and what became of each lost game, or of every game."""
    lost = [game for game in games if game["lost_at"]]
    counts = Counter(game["lost_at"] for game in lost)
    places = ", ".join(f"{counts[place]} {where}" for place, where in PLACES.items())
    print(f"  lost: {len(lost)} of {len(games)} ({places})")
    shown = games if everything else lost[:MAX_SHOWN]
    repeated = any(game["repeat"] for game in games)
    for game in shown:
        repeat = f", repeat {game['repeat'] + 1}" if repeated else ""
        print(f"    {game['game_id']}{repeat}: {game['fate']}")
    if not everything and len(lost) > MAX_SHOWN:
        print(f"    ... and {len(lost) - MAX_SHOWN} more; --explain shows every game")


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100.0 * share:.1f}%"


COMMANDS = (
    command(
        "replay",
        "--store data/store --games data/games/english.jsonl --split test --referee none\n"
        "python -m evaluate replay --games data/games/english.jsonl --split test --referee every --out table.json\n"
        "python -m evaluate replay --games data/games/english.jsonl --batches batches.jsonl --answers answers.jsonl",
        (
            *(STORE, COLLECTION, GAMES, SPLIT, PRESET),
            several(
                "--referee",
                "SPEC",
                "who answers the questions; again for another, every for all kinds: with several, a table of games "
                "won, private score, Brier and log score next to the hint alone (default: none)",
            ),
            *(BATCHES, ANSWERS),
            seed("of splits, referee and intervals"),
            number("--repeats", 1, "plays of each game, each with another seed (default: 1; with several referees 3)"),
            path(
                "--out",
                "RUN.json",
                "also write the run to this file, with RUN.games.jsonl, or the table; the same command resumes an "
                "interrupted replay",
            ),
            WORKERS,
            flag("--explain", says="say what became of every game, not only of lost ones"),
            *(STRICT, JSON),
        ),
        run,
        notes=spec_table(),
    ),
)
