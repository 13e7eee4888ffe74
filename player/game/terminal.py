"""Games on the terminal: one as it happens, and a table of those that are over."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

import numpy as np
from rich.console import Console, Group
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from quarry.configs.terminal import visible
from quarry.ingest.arrays import Float64Array
from quarry.player.game.game import GameReport, Spectator
from quarry.player.game.ledger import GameRecord
from quarry.player.player import Decision, Plan
from quarry.player.protocol.payloads import RoundStart, Score
from quarry.player.questions.answer import LETTERS, Answers
from quarry.player.questions.question import Question
from quarry.player.search.types import SearchResult

N_CANDIDATES_SHOWN = 8
LEAST_LIKELY = 0.01
"""Confidence from which a document that is not meant for sure is worth naming."""


def book_of(result: SearchResult) -> str:
    """Which documents a search took its book's name for, as markup; "" where no name was given."""
    tier, books = result.tier, result.books
    if tier != "none":
        named = " and ".join(shown(book.doc_id) for book in books)
        return f"{named} ({tier}, confidence {books[0].confidence:.2f})"
    if not result.query.book_name.strip():
        return ""
    likely = [book for book in books if book.confidence >= LEAST_LIKELY][:1]
    nearest = "".join(f"; the nearest is {shown(book.doc_id)}, at confidence {book.confidence:.2f}" for book in likely)
    return f"none was resolved from {shown(repr(result.query.book_name))}, the whole course is searched{nearest}"


class Terminal(Spectator):
    """A spectator that prints hint, candidates, questions, answers, belief, guess and score.

    Args:
        console: where to.
        verbose: every question in full; else what is asked once, and of each question one line that ends where the
            terminal does.
    """

    def __init__(self, console: Console, *, verbose: bool = False) -> None:
        self._console = console
        self._verbose = verbose

    def _say(self, markup: str, style: str = "", *, whole: bool = True) -> None:
        """Print our markup, in which every text of somebody else's went through `shown`; not whole: on one line."""
        self._console.print(
            markup,
            style=style,
            highlight=False,
            emoji=False,
            no_wrap=not whole,
            overflow=None if whole else "ellipsis",
        )

    def started(self, game_id: str, start: RoundStart) -> None:
        """Print what was told about the paragraph."""
        self._console.rule(Text(f"game {visible(game_id)}"))
        self._say(f"[bold]book[/]   {shown(start.book_name)}")
        self._say(f"[bold]hint[/]   {shown(start.hint)}")
        self._say(f"[bold]domain[/] {shown(start.association_domain)}\n")

    def planned(self, plan: Plan) -> None:
        """Print the candidates, by belief, with their slots."""
        if book := book_of(plan.result):
            self._say(f"{'The book:' if plan.result.tier == 'none' else 'The book is'} {book}.")
        for failure in plan.result.failures:
            self._say(shown(str(failure)), style="red")
        if plan.result.answered_by == "course":
            self._say("Nothing was found for the hint, so every paragraph of the course is a candidate.")
        elif plan.result.message:
            self._say(
                f"{plan.result.message} The nearest paragraphs, all below the threshold of "
                f"{plan.result.threshold:g}, are the candidates."
            )
        self._say(
            f"{len(plan.result.hits)} candidates in {plan.result.search_ms + plan.result.embed_ms:.0f} ms; the first:",
        )
        table = Table(box=None, pad_edge=False, header_style="bold")
        for name in ("#", "slot", "relevance", "belief", "where", "opening sentence"):
            table.add_column(name, justify="right" if name in {"#", "relevance", "belief"} else "left")
        for row in np.argsort(-plan.prior, kind="stable")[:N_CANDIDATES_SHOWN]:
            hit = plan.result.hits[row]
            table.add_row(
                str(row + 1),
                hit.slot,
                f"{hit.relevance:.2f}",
                f"{plan.prior[row]:.3f}",
                Text(visible(f"{hit.paragraph.doc_id} p{hit.paragraph.page}")),
                Text(visible(_shortened(hit.paragraph.opening_sentence))),
            )
        self._console.print(table)

    def answered(self, plan: Plan, answers: Answers, decision: Decision) -> None:
        """Print the questions with their answers, how the belief moved, and the guess."""
        self._say(f"\n[bold]{len(plan.questions)} questions[/], all sent at once, and the answers:")
        stem, told = "", set()
        for number, (question, answer) in enumerate(zip(plan.questions, answers, strict=True), 1):
            asked = question.text if self._verbose else stem_of(question)
            if asked != stem:
                self._say(f"  {shown(asked)}", style="italic", whole=self._verbose or asked not in told)
                stem = asked
                told.add(asked)
            given = "no answer" if answer is None else answer
            options = dict(zip(LETTERS, question.options, strict=True))
            chosen = f" [bold green]{shown(options.pop(given))}[/]" if given in options else ""
            others = "  ".join(f"{letter} {shown(option)}" for letter, option in options.items())
            self._say(f"  {number:2}. [bold]{shown(given)}[/]{chosen}  [dim]{others}[/]", whole=self._verbose)
        self._say("\n[bold]belief[/] before and after the answers:")
        table = Table(box=None, pad_edge=False, show_header=False)
        for row in np.argsort(-decision.belief, kind="stable")[:3]:
            hit = plan.result.hits[row]
            table.add_row(
                f"{plan.prior[row]:.3f} -> {decision.belief[row]:.3f}",
                Text(visible(f"{hit.paragraph.doc_id} p{hit.paragraph.page}")),
                Text(visible(_shortened(hit.paragraph.opening_sentence))),
            )
        self._console.print(table)
        self._say(f"{_bits(plan.prior):.1f} bits of doubt before, {_bits(decision.belief):.1f} after.\n")
        guess = decision.guess
        self._say(f"[bold]guess[/]  {shown(guess.opening_sentence)}")
        self._say(f"       {shown(guess.sentence_justification)}", style="dim")
        self._say(f"[bold]word[/]   {shown(guess.associative_word)}")
        self._say(f"       {shown(guess.word_justification)}", style="dim")
        self._say(f"[bold]sure[/]   {guess.confidence:.0%}\n")

    def scored(self, score: Score) -> None:
        """Print the score and its parts."""
        self._say(f"[bold]score {score.private_score:.1f} of 100, league points {score.league_points}[/]")
        for part, points in score.breakdown.items():
            self._say(f"  {shown(part.replace('_', ' '))}: {points:.1f}")
        for part, remark in score.feedback.items():
            self._say(f"  {shown(part.replace('_', ' '))}: {shown(remark)}")


def stem_of(question: Question) -> str:
    """What a question asks, with an ellipsis for the options where it names them: the same for all of a kind."""
    return question.text.replace("; ".join(question.options[:-1]), "…")


class GameLine(NamedTuple):
    """A line of a table of games: as little of each as possible, since a series may have 100,000."""

    began: float
    game_id: str
    book_name: str
    hint: str
    guess: str
    score: Score | None
    ending: str


def report_line(report: GameReport) -> GameLine:
    """Make the line of a game that is over just now."""
    start, guess = report.start, report.decision.guess.opening_sentence
    began = time.time() - report.elapsed_s
    return GameLine(began, report.game_id, start.book_name, start.hint, guess, report.score, "over")


def record_line(record: GameRecord) -> GameLine:
    """Make the line of a game of the journal."""
    book, hint = (record.start.book_name, record.start.hint) if record.start else ("-", "-")
    guess = record.guess.opening_sentence if record.guess else "-"
    return GameLine(record.began, record.game_id or "-", book, hint, guess, record.score, record.ending)


def games_table(games: Sequence[GameLine]) -> Group:
    """Make a table of games, with all together below; nothing in it is interpreted."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("when", "game", "book", "hint", "guess", "score", "points"):
        table.add_column(name, justify="right" if name in {"score", "points"} else "left")
    for game in games:
        score = (f"{game.score.private_score:.1f}", str(game.score.league_points)) if game.score else (game.ending, "-")
        texts = (_shortened(text, 48) for text in (game.book_name, game.hint, game.guess))
        table.add_row(*(Text(visible(cell)) for cell in (_moment(game.began), game.game_id, *texts, *score)))
    return Group(table, Text(summary([game.score for game in games]), style="bold"))


def summary(scores: Sequence[Score | None]) -> str:
    """Say what games come to; None stands for one without a score."""
    scored = [score for score in scores if score is not None]
    mean = sum(score.private_score for score in scored) / max(1, len(scored))
    points = sum(score.league_points for score in scored)
    told = f", mean private score {mean:.1f}" if scored else ""
    return f"{len(scores)} games, {len(scored)} scored{told}, {points} league points"


def _moment(seconds: float) -> str:
    """Show a moment in local time, to the minute."""
    try:
        return datetime.fromtimestamp(seconds).strftime("%Y-%m-%d %H:%M")
    except (ValueError, OverflowError, OSError):  # an altered journal
        return "-"


def shown(text: object) -> str:
    """Somebody else's text within our markup: neither rich nor the terminal interprets any of it."""
    return escape(visible(text))


def _bits(belief: Float64Array) -> float:
    """Entropy of a belief."""
    return float(-(belief * np.log2(np.maximum(belief, 1e-300))).sum())


def _shortened(text: str, length: int = 76) -> str:
    return text if len(text) <= length else f"{text[: length - 3]}..."
