"""A game on the terminal, as it happens."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from player.player import Decision, Plan
from player.protocol import RoundStart, Score
from player.questions.question import LETTERS
from player.questions.rates import FloatArray

N_CANDIDATES_SHOWN = 8


class Terminal:
    """A spectator that prints hint, candidates, questions, answers, belief, guess and score.

    Args:
        console: where to.
    """

    def __init__(self, console: Console) -> None:
        self._console = console

    def started(self, game_id: str, start: RoundStart) -> None:
        """Print what was told about the paragraph."""
        self._console.rule(f"game {escape(game_id)}")
        self._console.print(f"[bold]book[/]   {escape(start.book_name)}", highlight=False)
        self._console.print(f"[bold]hint[/]   {escape(start.hint)}", highlight=False)
        self._console.print(f"[bold]domain[/] {escape(start.association_domain)}\n", highlight=False)

    def planned(self, plan: Plan) -> None:
        """Print the candidates, by belief, with their slots."""
        book = plan.result.book
        if book:
            self._console.print(
                f"The book is {escape(book.doc_id)} ({book.tier}, confidence {book.confidence:.2f}).", highlight=False
            )
        for failure in plan.result.failures:
            self._console.print(escape(str(failure)), style="red")
        if plan.result.answered_by == "course":
            self._console.print("Nothing was found for the hint, so every paragraph of the course is a candidate.")
        self._console.print(
            f"{len(plan.result.hits)} candidates in {plan.result.search_ms + plan.result.embed_ms:.0f} ms; the first:",
            highlight=False,
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
                escape(f"{hit.paragraph.doc_id} p{hit.paragraph.page}"),
                escape(_shortened(hit.paragraph.opening_sentence)),
            )
        self._console.print(table)

    def answered(self, plan: Plan, answers: Sequence[str | None], decision: Decision) -> None:
        """Print the questions with their answers, how the belief moved, and the guess."""
        self._console.print(f"\n[bold]{len(plan.questions)} questions[/], all sent at once, and the answers:")
        same = all(question.text == plan.questions[0].text for question in plan.questions)
        if same:
            self._console.print(f"  {escape(plan.questions[0].text)}", style="italic", highlight=False)
        for number, (question, answer) in enumerate(zip(plan.questions, answers, strict=True), 1):
            options = "  ".join(
                f"[bold green]{letter} {escape(option)}[/]"
                if letter == answer
                else f"[dim]{letter} {escape(option)}[/]"
                for letter, option in zip(LETTERS, question.options, strict=True)
            )
            text = "" if same else f"{escape(question.text)}\n     "
            given = "no answer" if answer is None else answer
            self._console.print(f"  {number:2}. [bold]{given}[/] of {text}{options}", highlight=False)
        self._console.print("\n[bold]belief[/] before and after the answers:")
        table = Table(box=None, pad_edge=False, show_header=False)
        for row in np.argsort(-decision.belief, kind="stable")[:3]:
            hit = plan.result.hits[row]
            table.add_row(
                f"{plan.prior[row]:.3f} -> {decision.belief[row]:.3f}",
                escape(f"{hit.paragraph.doc_id} p{hit.paragraph.page}"),
                escape(_shortened(hit.paragraph.opening_sentence)),
            )
        self._console.print(table)
        self._console.print(
            f"{_bits(plan.prior):.1f} bits of doubt before, {_bits(decision.belief):.1f} after.\n", highlight=False
        )
        guess = decision.guess
        self._console.print(f"[bold]guess[/]  {escape(guess.opening_sentence)}", highlight=False)
        self._console.print(f"       {escape(guess.sentence_justification)}", style="dim", highlight=False)
        self._console.print(f"[bold]word[/]   {escape(guess.associative_word)}", highlight=False)
        self._console.print(f"       {escape(guess.word_justification)}", style="dim", highlight=False)
        self._console.print(f"[bold]sure[/]   {guess.confidence:.0%}\n", highlight=False)

    def scored(self, score: Score) -> None:
        """Print the score and its parts."""
        self._console.print(
            f"[bold]score {score.private_score:.1f} of 100, league points {score.league_points}[/]", highlight=False
        )
        for part, points in score.breakdown.items():
            self._console.print(f"  {escape(part.replace('_', ' '))}: {points:.1f}", highlight=False)
        for part, remark in score.feedback.items():
            self._console.print(f"  {escape(part.replace('_', ' '))}: {escape(remark)}", highlight=False)


def _bits(belief: FloatArray) -> float:
    """Entropy of a belief."""
    return float(-(belief * np.log2(np.maximum(belief, 1e-300))).sum())


def _shortened(text: str, length: int = 76) -> str:
    return text if len(text) <= length else f"{text[: length - 3]}..."
