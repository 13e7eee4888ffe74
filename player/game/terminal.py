"""Games on the terminal: a running game step by step, and a summary of several."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from quarry.configs.terminal import visible
from quarry.player.answer.justify import percent
from quarry.player.game.game import Spectator
from quarry.player.player import Decision, Plan
from quarry.player.protocol.messages import RoundStart, Score
from quarry.player.questions.answer import LETTERS, Answers
from quarry.player.questions.question import Question
from quarry.player.search.types import SearchResult

N_CANDIDATES_SHOWN = 8
LEGEND = (
    "slot: found in the named book or in the whole course; relevance: how well it fits the hint, 0 to 1; belief: the "
    "probability that it is the paragraph"
)
QUESTIONS_LEGEND = "number, answer and the option that it means; the other options"
LEAST_LIKELY = 0.01
"""The least confidence at which a document is named that was not resolved."""


def book_of(result: SearchResult) -> str:
    """Name the document that a search resolved from the name of the book, as markup; "" without a name."""
    book = result.book
    if book is not None and book.tier != "none":
        return f"{shown(book.doc_id)} ({book.tier}, confidence {book.confidence:.2f})"
    if not result.query.book_name.strip():
        return ""
    nearest = ""
    if book is not None and book.confidence >= LEAST_LIKELY:
        nearest = f"; the nearest is {shown(book.doc_id)}, at confidence {book.confidence:.2f}"
    return f"none was resolved from {shown(repr(result.query.book_name))}, the whole course is searched{nearest}"


class Terminal(Spectator):
    """A spectator that prints hint, candidates, questions, answers, belief, guess and score.

    Args:
        console: to print to; each question is cut to its width.
    """

    def __init__(self, console: Console) -> None:
        self._console = console

    def _say(self, markup: str, style: str = "", *, whole: bool = True) -> None:
        """Print markup, in which foreign texts must be escaped by `shown`; cut it to one line unless whole."""
        self._console.print(
            markup,
            style=style,
            highlight=False,
            emoji=False,
            no_wrap=not whole,
            overflow=None if whole else "ellipsis",
        )

    def started(self, game_id: str, start: RoundStart) -> None:
        """Print the name, the hint and the domain."""
        self._console.rule(Text(f"game {visible(game_id)}"))
        self._say(f"[bold]book[/]   {shown(start.book_name)}")
        self._say(f"[bold]hint[/]   {shown(start.hint)}")
        self._say(f"[bold]domain[/] {shown(start.association_domain)}\n")

    def planned(self, plan: Plan) -> None:
        """Print the likeliest candidates with slots and beliefs."""
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
            f"{len(plan.rows)} candidates in {plan.result.search_ms + plan.result.embed_ms:.0f} ms; the first:",
        )
        table = Table(box=None, pad_edge=False, header_style="bold")
        for name in ("#", "slot", "relevance", "belief", "where", "opening sentence"):
            table.add_column(name, justify="right" if name in {"#", "relevance", "belief"} else "left")
        for row in np.argsort(-plan.prior, kind="stable")[:N_CANDIDATES_SHOWN]:
            hit = plan.hit(int(row))
            table.add_row(
                str(row + 1),
                hit.slot,
                f"{hit.relevance:.2f}",
                f"{plan.prior[row]:.3f}",
                Text(visible(f"{hit.paragraph.doc_id} p{hit.paragraph.page}")),
                Text(visible(_shortened(hit.paragraph.opening_sentence))),
            )
        self._console.print(table)
        self._say(LEGEND, style="dim")

    def answered(self, plan: Plan, answers: Answers, decision: Decision) -> None:
        """Print the questions with their answers, the change of the belief, and the guess."""
        self._say(f"\n[bold]{len(plan.questions)} questions[/], all sent at once, and the answers:")
        self._say(QUESTIONS_LEGEND, style="dim")
        stem, shown_stems = "", set()
        for number, (question, answer) in enumerate(zip(plan.questions, answers, strict=True), 1):
            asked = stem_of(question)
            if asked != stem:
                self._say(f"  {shown(asked)}", style="italic", whole=asked not in shown_stems)
                stem = asked
                shown_stems.add(asked)
            given = "no answer" if answer is None else answer
            options = dict(zip(LETTERS, question.options, strict=True))
            chosen = f" [bold green]{shown(options.pop(given))}[/]" if given in options else ""
            others = "  ".join(f"{letter} {shown(option)}" for letter, option in options.items())
            self._say(f"  {number:2}. [bold]{shown(given)}[/]{chosen}  [dim]{others}[/]", whole=False)
        self._say("\n[bold]belief[/] before and after the answers:")
        table = Table(box=None, pad_edge=False, show_header=False)
        for row in np.argsort(-decision.belief, kind="stable")[:3]:
            hit = plan.hit(int(row))
            table.add_row(
                f"{plan.prior[row]:.3f} -> {decision.belief[row]:.3f}",
                Text(visible(f"{hit.paragraph.doc_id} p{hit.paragraph.page}")),
                Text(visible(_shortened(hit.paragraph.opening_sentence))),
            )
        self._console.print(table)
        self._say("")
        guess = decision.guess
        self._say(f"[bold]guess[/]  {shown(guess.opening_sentence)}")
        self._say(f"       {shown(guess.sentence_justification)}", style="dim")
        self._say(f"[bold]word[/]   {shown(guess.associative_word)}")
        self._say(f"       {shown(guess.word_justification)}", style="dim")
        self._say(f"[bold]sure[/]   {percent(guess.confidence)}\n")

    def scored(self, score: Score) -> None:
        """Print the score and its parts."""
        self._say(f"[bold]score {score.private_score:.1f} of 100, league points {score.league_points}[/]")
        for part, points in score.breakdown.items():
            self._say(f"  {shown(part.replace('_', ' '))}: {points:.1f}")
        for part, remark in score.feedback.items():
            self._say(f"  {shown(part.replace('_', ' '))}: {shown(remark)}")


def stem_of(question: Question) -> str:
    """Return the text of a question with an ellipsis for its options, which is the same for all of a kind."""
    return question.text.replace("; ".join(question.options[:-1]), "…")


def summary(scores: Sequence[Score]) -> str:
    """Summarise the scores of games."""
    mean = sum(score.private_score for score in scores) / max(1, len(scores))
    points = sum(score.league_points for score in scores)
    return f"{len(scores)} games scored, mean private score {mean:.1f}, {points} league points"


def shown(text: object) -> str:
    """Escape a foreign text for markup, so that neither rich nor the terminal interprets it."""
    return escape(visible(text))


def _shortened(text: str, length: int = 76) -> str:
    return text if len(text) <= length else f"{text[: length - 3]}..."
