"""Replay of labelled games: what the player would have found, asked and won."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from configs.settings import Settings, as_dict
from evaluate.games import LabelledGame, match_games, same_text
from evaluate.measures import interval, per_game
from evaluate.practice import Course, LocalGameServer, PracticeServer
from evaluate.referee import make_referee
from evaluate.scoring import Similarity
from ingest.paragraph import Paragraph
from ingest.store import ParagraphStore
from player.play import GameReport, play
from player.player import Player
from player.search.types import Query, SearchResult
from player.words import stems

LostAt = Literal["ingest", "book", "search", "answers"]


@dataclass(frozen=True, slots=True)
class GameOutcome:
    """One game's fate in one repeat.

    Attributes:
        rank: place of the paragraph among the hits, from 1; None if it is not there.
        slot: of that hit, strategy: who found it; None if it is not there.
        guess_rank: place of the paragraph in the belief after the answers; None without a referee or if not there.
        won: whether it was guessed; None without a referee.
        lost_at: where it was lost; None if it was not.
        report: the game as it was played; None without a referee.
    """

    game: LabelledGame
    paragraph: Paragraph | None
    result: SearchResult
    repeat: int
    rank: int | None
    slot: str | None
    strategy: str | None
    guess_rank: int | None
    won: bool | None
    lost_at: LostAt | None
    report: GameReport | None


def replay(
    games: Sequence[LabelledGame],
    store: ParagraphStore,
    player: Player,
    settings: Settings,
    *,
    referee: str,
    similarity: Similarity | None,
    seed: int = 0,
    repeats: int = 1,
    progress: bool = True,
) -> dict[str, Any]:
    """A run over the games, as CONTRACT.md lays it out; the same inputs and seed give the same one, but for latency_ms.

    Args:
        referee: SPEC; with "none" only the search is measured.
        similarity: of two words, for the score; None only without a referee.
        repeats: plays of each game, with the referee's seeds `seed`, `seed + 1`, ...
        progress: a bar on standard error.

    Raises:
        RefereeError: the SPEC is none of CONTRACT.md's.
    """
    matched = match_games(games, store.paragraphs)
    answerable = [game for game in games if game.answerable]
    plays = 1 if referee == "none" else repeats
    outcomes: list[GameOutcome] = []
    unanswerable = [
        player.orchestrator.search(Query(game.hint, game.book_name)) for game in games if not game.answerable
    ]
    with tqdm(total=len(answerable) * plays, desc="replaying", unit="game", disable=not progress) as bar:
        for repeat in range(plays):
            judge = make_referee(referee, seed + repeat)
            for number, game in enumerate(answerable):
                paragraph = matched[game.game_id]
                result = player.orchestrator.search(Query(game.hint, game.book_name))
                report = None
                if judge is not None and similarity is not None and paragraph is not None:
                    server = PracticeServer(Course([(game, paragraph)], judge, similarity), seed=seed + number)
                    report = play(LocalGameServer(server, "replay"), player, name="replay", timeout_s=3600.0)
                outcomes.append(_outcome(game, paragraph, result, repeat, report, played=judge is not None))
                bar.update()
    return _run(outcomes, unanswerable, store, settings, referee, seed, plays)


def _outcome(
    game: LabelledGame,
    paragraph: Paragraph | None,
    result: SearchResult,
    repeat: int,
    report: GameReport | None,
    *,
    played: bool,
) -> GameOutcome:
    rank = slot = strategy = guess_rank = None
    won = False if played else None
    if paragraph is not None:
        for place, hit in enumerate(result.hits, 1):
            if hit.paragraph.paragraph_id == paragraph.paragraph_id:
                rank, slot, strategy = place, hit.slot, hit.strategy
                break
    if report is not None and paragraph is not None:
        candidates = [hit.paragraph.paragraph_id for hit in report.plan.result.hits]
        if paragraph.paragraph_id in candidates:
            row = candidates.index(paragraph.paragraph_id)
            order = np.argsort(-report.decision.belief, kind="stable").tolist()
            guess_rank = order.index(row) + 1
        won = guess_rank == 1
    lost_at = _lost_at(paragraph, result, found=rank is not None if report is None else guess_rank is not None, won=won)
    return GameOutcome(game, paragraph, result, repeat, rank, slot, strategy, guess_rank, won, lost_at, report)


def _lost_at(paragraph: Paragraph | None, result: SearchResult, *, found: bool, won: bool | None) -> LostAt | None:
    """Where the paragraph was lost: at ingest, outside the book that was filtered on, in the search, by the answers."""
    if paragraph is None:
        return "ingest"
    if not found:
        book = result.book
        return "book" if book is not None and book.tier == "filter" and book.doc_id != paragraph.doc_id else "search"
    return "answers" if won is False else None


def _run(
    outcomes: Sequence[GameOutcome],
    unanswerable: Sequence[SearchResult],
    store: ParagraphStore,
    settings: Settings,
    referee: str,
    seed: int,
    repeats: int,
) -> dict[str, Any]:
    first = [outcome for outcome in outcomes if outcome.repeat == 0]
    values = per_game(
        {outcome.game.game_id: [hit.paragraph.paragraph_id for hit in outcome.result.hits] for outcome in first},
        {outcome.game.game_id: outcome.paragraph.paragraph_id if outcome.paragraph else None for outcome in first},
    )
    readable = [outcome for outcome in first if outcome.game.in_text_layer and outcome.game.opening_sentence]
    reports = [outcome.report for outcome in outcomes if outcome.report is not None]
    return {
        "games": len(first) + len(unanswerable),
        "unanswerable": len(unanswerable),
        "lost_at_ingest": sum(outcome.paragraph is None for outcome in first),
        "opening_sentence_exact": _share(
            [
                outcome.paragraph is not None
                and same_text(outcome.paragraph.opening_sentence, outcome.game.opening_sentence)
                for outcome in readable
            ]
        ),
        "measures": {name: round(float(value.mean()), 6) for name, value in values.items()} if first else {},
        "intervals": {name: [round(end, 6) for end in interval(value, seed)] for name, value in values.items()},
        "book_resolved": _share([_book_right(outcome) for outcome in first]),
        "abstained": sum(not outcome.result.relevant for outcome in first),
        "abstained_unanswerable": sum(not result.relevant for result in unanswerable),
        **_game_measures(outcomes, referee, seed),
        "latency_ms": {
            "embed": _percentiles([outcome.result.embed_ms for outcome in first]),
            "search": _percentiles([outcome.result.search_ms for outcome in first]),
            "questions": _percentiles([report.plan.questions_ms for report in reports]),
        },
        "referee": referee,
        "settings": as_dict(settings),
        "store_fingerprint": store.fingerprint,
        "commit": _commit(),
        "seed": seed,
        "repeats": repeats,
        "per_game": [
            {
                "game_id": outcome.game.game_id,
                "repeat": outcome.repeat,
                "rank": outcome.rank,
                "slot": outcome.slot,
                "strategy": outcome.strategy,
                "guess_rank": outcome.guess_rank,
                "won": outcome.won,
                "lost_at": outcome.lost_at,
            }
            for outcome in outcomes
        ],
    }


def _game_measures(outcomes: Sequence[GameOutcome], referee: str, seed: int) -> dict[str, Any]:
    """What only a played game has; all null without a referee. A game lost at ingest counts as lost, with score 0."""
    keys = (
        "win_rate",
        "win_rate_interval",
        "sentence_exact",
        "private_score",
        "associative_word_exact",
        "associative_word_top20",
    )
    if referee == "none" or not outcomes:
        return dict.fromkeys(keys)
    won = _by_game(outcomes, [float(bool(outcome.won)) for outcome in outcomes])
    exact, scores, words, words_top20 = [], [], [], []
    for outcome in outcomes:
        report = outcome.report
        word = stems(outcome.game.associative_word)
        exact.append(report is not None and same_text(report.decision.guess.opening_sentence, _true_sentence(outcome)))
        scores.append(report.score.private_score if report else 0.0)
        words.append(report is not None and stems(report.decision.guess.associative_word) == word)
        words_top20.append(
            report is not None and any(stems(candidate) == word for candidate in report.decision.associations[:20])
        )
    return {
        "win_rate": round(float(won.mean()), 6),
        "win_rate_interval": [round(end, 6) for end in interval(won, seed)],
        "sentence_exact": _share(exact),
        "private_score": round(float(np.mean(scores)), 4),
        "associative_word_exact": _share(words),
        "associative_word_top20": _share(words_top20),
    }


def _by_game(outcomes: Sequence[GameOutcome], values: Sequence[float]) -> NDArray[np.float64]:
    """The mean over a game's repeats, game by game: repeats of a game are no games of their own."""
    sums: dict[str, list[float]] = {}
    for outcome, value in zip(outcomes, values, strict=True):
        sums.setdefault(outcome.game.game_id, []).append(value)
    return np.array([np.mean(game) for game in sums.values()])


def _true_sentence(outcome: GameOutcome) -> str:
    if outcome.game.opening_sentence:
        return outcome.game.opening_sentence
    return outcome.paragraph.opening_sentence if outcome.paragraph else ""


def _book_right(outcome: GameOutcome) -> bool:
    book = outcome.result.book
    return (
        book is not None
        and book.tier != "none"
        and outcome.paragraph is not None
        and book.doc_id == outcome.paragraph.doc_id
    )


def _share(flags: Sequence[bool]) -> float | None:
    """Share of true ones, None of nothing."""
    return round(sum(flags) / len(flags), 6) if flags else None


def _percentiles(values: Sequence[float]) -> dict[str, float] | None:
    if not values:
        return None
    p50, p95 = np.percentile(values, [50, 95])
    return {"p50": round(float(p50), 3), "p95": round(float(p95), 3)}


def _commit() -> str:
    """The commit of this checkout, "" outside one."""
    try:
        found = subprocess.run(
            ["git", "rev-parse", "HEAD"],
            cwd=Path(__file__).parent,
            capture_output=True,
            text=True,
            timeout=10,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return found.stdout.strip() if found.returncode == 0 else ""
