"""`python -m benchmarks.winning --store S --games FILE`: how many whole games are won, by referee and by error rate.

Every game is planned once, and answered anew by each referee and seed. The first table has a line for each referee, the
second the share of games won by error rate with each part of the player taken away; `known rates` is what a player
would win who was told how often the referee errs. Intervals (95%) are by bootstrap over games, each the mean of its
seeds.
"""

from __future__ import annotations

import argparse
import functools
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from tqdm import tqdm

from benchmarks.command import add_split, games_parser, run_benchmark
from configs.settings import Settings, load
from evaluate.errors import EvaluateError, GamesError
from evaluate.games import load_games, match_games, require_of_store, select_split
from evaluate.measures import bootstrap_interval
from evaluate.referee import Referee, Secret, make_referee, read_spec, secret_of, tools_of
from ingest.paragraph import Paragraph
from ingest.store import ParagraphStore, open_store
from player.player import Plan, build_player
from player.protocol import RoundStart
from player.questions.belief import update
from player.questions.rates import Rates
from player.questions.referees import ErrorModel, RefereeType, error_model_of, sound_only

REFEREES = "oracle;noisy:0.15,0.10;noisy:0.30,0.15;semantic;random"
ERROR_RATES = (0.0, 0.05, 0.10, 0.15, 0.20, 0.30, 0.40, 0.50, 0.60)
NOT_RELEVANT = 0.10
"""Share of declined answers of the table by error rate."""
LEAST = 0.002

Round = tuple[RoundStart, Paragraph, Secret]
"""What the player is told, the secret paragraph as ingested, and what a referee may know of it."""


@dataclass(frozen=True, slots=True)
class Planned:
    """One game with the questions it is asked.

    Attributes:
        secret: what a referee may know.
        plan: the player's.
        row: of the secret paragraph among the candidates; None where it is none of them.
    """

    secret: Secret
    plan: Plan
    row: int | None


@dataclass(frozen=True, slots=True)
class Line:
    """How games with one referee went.

    Attributes:
        referee: its SPEC.
        seeds: how often each game was played.
        won: share of the games whose paragraph was ingested.
        low, high: 95% interval of it.
        of_all: share of all answerable games, those that ingest lost included.
        confidence, brier, log_score: mean confidence, and its scores (the smaller, the better).
        base_brier, base_log_score: of always saying the share that is won.
    """

    referee: str
    seeds: int
    won: float
    low: float
    high: float
    of_all: float
    confidence: float
    brier: float
    base_brier: float
    log_score: float
    base_log_score: float


def plan_rounds(store: ParagraphStore, settings: Settings, rounds: Sequence[Round]) -> list[Planned]:
    """The rounds as a player with these settings plans them."""
    player = build_player(store, settings)
    planned = []
    for told, paragraph, secret in tqdm(rounds, desc="planning", unit="game", file=sys.stderr, leave=False):
        plan = player.plan(told)
        planned.append(Planned(secret, plan, plan.result.row_of(paragraph)))
    return planned


def play_all(planned: Sequence[Planned], referee: Referee, model: ErrorModel, n_asked: int = 20) -> Any:
    """(n_games, 2) whether each game is won, and with which confidence, when the first n_asked questions are asked."""
    outcomes = []
    for game in planned:
        plan = game.plan
        asked = plan.questions[:n_asked]
        answers = referee.answers(game.secret, [(question.text, question.options) for question in asked])
        kinds = [question.kind for question in asked]
        belief = update(plan.prior, plan.fits[:n_asked], kinds, answers, model).belief
        best = int(np.argmax(belief))
        outcomes.append((float(best == game.row), float(belief[best])))
    return np.array(outcomes)


def known_rates(wrong: float, not_relevant: float) -> ErrorModel:
    """The model of a player who is told how often the referee errs; shares are of all answers, as a SPEC has them."""
    return sound_only(
        Rates(max(LEAST, min(0.99, wrong / max(1e-9, 1.0 - not_relevant))), max(LEAST, min(0.9, not_relevant)))
    )


def line_of(
    spec: str, planned: Sequence[Planned], n_games: int, n_seeds: int, model: ErrorModel, make: Callable[[int], Referee]
) -> Line:
    """The games of all seeds; referees that draw nothing play once."""
    n_seeds = n_seeds if (read := read_spec(spec)) and read.draws else 1
    seeds = tqdm(range(n_seeds), desc=spec, unit="seed", file=sys.stderr, leave=False)
    outcomes = np.array([play_all(planned, make(seed), model) for seed in seeds])
    won, confidence = outcomes[..., 0], np.clip(outcomes[..., 1], 1e-4, 1.0 - 1e-4)
    share = float(won.mean())
    base = min(1.0 - 1e-4, max(1e-4, share))
    low, high = bootstrap_interval(won.mean(axis=0), 0)
    return Line(
        spec,
        n_seeds,
        share,
        low,
        high,
        share * len(planned) / n_games,
        float(confidence.mean()),
        float(np.mean((confidence - won) ** 2)),
        share * (1.0 - share),
        float(-np.mean(won * np.log(confidence) + (1.0 - won) * np.log(1.0 - confidence))),
        float(-(share * np.log(base) + (1.0 - share) * np.log(1.0 - base))),
    )


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns the exit code."""
    parser = games_parser("winning", __doc__)
    add_split(parser)
    parser.add_argument("--referees", default=REFEREES, metavar="SPECS", help=f"parted by ; (default: {REFEREES})")
    parser.add_argument("--seeds", type=int, default=20, metavar="N", help="of each referee that draws (default: 20)")
    parser.add_argument(
        "--parts", action="store_true", help="also the table by error rate and part, a quarter the seeds"
    )
    parser.add_argument("--json", action="store_true", help="one JSON document instead of tables")
    return run_benchmark("winning", parser.parse_args(arguments), _run)


def _run(options: argparse.Namespace) -> int:
    if options.seeds < 1:
        raise EvaluateError(f"--seeds must be at least 1, got {options.seeds}; 20 is the default")
    store, settings = open_store(options.store), load()
    games = [game for game in select_split(load_games(options.games), options.split, 0) if game.answerable]
    model = error_model_of(settings.game)
    tools = tools_of(store, settings.embed)

    def referee(spec: str, seed: int) -> Referee:
        made = make_referee(spec, seed, tools)
        if made is None:
            raise EvaluateError("--referees must each answer, got none; take e.g. oracle")
        return made

    specs = options.referees.split(";")
    for spec in specs:
        referee(spec, 0)  # a wrong one is refused before anything is planned
    matched = match_games(games, store.paragraphs)
    require_of_store(matched, store.location, str(options.games))
    rounds = [
        (game.told(), paragraph, secret)
        for game in games
        if (paragraph := matched[game.game_id]) is not None and (secret := secret_of(game, paragraph)) is not None
    ]
    if not rounds:
        raise GamesError(f"{options.games}: at least one game must be answerable, got none; add some")
    planned = plan_rounds(store, settings, rounds)
    hint = np.array([float(int(np.argmax(game.plan.prior)) == game.row) for game in planned])
    low, high = bootstrap_interval(hint, 0)
    lines = [
        line_of(spec, planned, len(games), options.seeds, model, functools.partial(referee, spec)) for spec in specs
    ]
    table = _by_part(store, settings, rounds, planned, referee, max(1, options.seeds // 4)) if options.parts else {}
    found = {
        "n_games": len(games),
        "n_ingested": len(planned),
        "hint_alone": {"won": float(hint.mean()), "low": low, "high": high},
        "referees": [asdict(line) for line in lines],
        "by_error_rate": table,
    }
    print(json.dumps(found, indent=1) if options.json else _shown(found))
    return 0


def _by_part(
    store: ParagraphStore,
    settings: Settings,
    rounds: Sequence[Round],
    everything: list[Planned],
    make: Callable[[str, int], Referee],
    n_seeds: int,
) -> dict[str, dict[str, float]]:
    """By part and by error rate -> share of the ingested games won."""
    without_filter = replace(settings, search=replace(settings.search, book_match="off"))
    nameless = [(replace(told, book_name=""), paragraph, secret) for told, paragraph, secret in rounds]
    planned = {
        "all parts": everything,
        "without the book filter": plan_rounds(store, without_filter, rounds),
        "book name withheld": plan_rounds(store, settings, nameless),
    }
    model = error_model_of(settings.game)
    one_referee = ErrorModel(model.rates, model.fallback, (RefereeType("sound", 1.0),))
    table: dict[str, dict[str, float]] = {}
    for wrong in tqdm(ERROR_RATES, desc="by error rate", unit="rate", file=sys.stderr, leave=False):
        parts: dict[str, tuple[list[Planned], ErrorModel, int]] = {
            **{name: (games_of, model, 20) for name, games_of in planned.items()},
            "without the robust mode": (everything, one_referee, 20),
            "5 questions": (everything, model, 5),
            "10 questions": (everything, model, 10),
            "known rates": (everything, known_rates(wrong, NOT_RELEVANT), 20),
        }
        for part, (games_of, error_model, n_asked) in parts.items():
            won = [
                play_all(games_of, make(f"noisy:{wrong},{NOT_RELEVANT}", seed), error_model, n_asked)[:, 0].mean()
                for seed in range(n_seeds)
            ]
            table.setdefault(part, {})[f"{wrong:.2f}"] = float(np.mean(won))
    return table


def _shown(found: dict[str, Any]) -> str:
    hint = found["hint_alone"]
    rows = [
        f"{found['n_ingested']} of {found['n_games']} games ingested; hint alone {hint['won']:.3f} "
        f"[{hint['low']:.2f}, {hint['high']:.2f}]",
        "",
        "| referee | seeds | won [95%] | of all games | confidence | Brier (base rate's) | log score (base rate's) |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    rows += [
        f"| `{line['referee']}` | {line['seeds']} | {line['won']:.3f} [{line['low']:.2f}, {line['high']:.2f}] "
        f"| {line['of_all']:.3f} | {line['confidence']:.3f} | {line['brier']:.4f} ({line['base_brier']:.4f}) "
        f"| {line['log_score']:.3f} ({line['base_log_score']:.3f}) |"
        for line in found["referees"]
    ]
    if table := found["by_error_rate"]:
        rates = list(next(iter(table.values())))
        rows += ["", f"| part | {' | '.join(rates)} |", f"| --- | {'--- | ' * len(rates)}".rstrip()]
        rows += [
            f"| {part} | {' | '.join(f'{won:.3f}' for won in shares.values())} |" for part, shares in table.items()
        ]
    return "\n".join(rows)


if __name__ == "__main__":
    sys.exit(main())
