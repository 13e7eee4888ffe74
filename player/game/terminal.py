"""Games on the terminal: a running game step by step, and a summary of several."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from ingest.console.terminal import visible
from player.answer.justify import percent
from player.game.game import Spectator
from player.player import Decision, Plan
from player.protocol.messages import RoundStart, Score
from player.questions.answer import LETTERS, Answer, Answers
from player.questions.question import Question
from player.search.types import Hit, SearchResult

N_CANDIDATES_SHOWN = 8
MAX_SENTENCE_CHARS = 76
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
        if start.editions:
            name, count = max(start.editions, key=lambda item: item[1])
            share = count / sum(count for _, count in start.editions)
            self._say(f"[dim]its text in earlier games: {shown(name)}, {share:.2f}[/]")

    def planned(self, game_id: str, plan: Plan) -> None:
        """Print the likeliest candidates with slots and beliefs."""
        result = plan.result
        if book := book_of(result):
            self._say(f"The book{':' if result.tier == 'none' else ' is'} {book}.")
        for failure in result.failures:
            self._say(shown(failure), style="red")
        if result.answered_by == "course":
            self._say(
                "Nothing was found for the hint, so every paragraph of the course is a candidate."
            )
        elif result.message:
            self._say(
                f"{result.message} The nearest paragraphs, all below the threshold of "
                f"{result.threshold:g}, are the candidates."
            )
        search_ms = result.search_ms + result.embed_ms
        self._say(f"{len(plan.rows)} candidates in {search_ms:.0f} ms; the first:")

        table = Table(box=None, pad_edge=False, header_style="bold")
        for name in ("#", "slot", "relevance", "belief", "where", "opening sentence"):
            is_number = name in {"#", "relevance", "belief"}
            table.add_column(name, justify="right" if is_number else "left")
        for row in np.argsort(-plan.prior, kind="stable")[:N_CANDIDATES_SHOWN]:
            hit = plan.hit(int(row))
            numbers = (f"{hit.relevance:.2f}", f"{plan.prior[row]:.3f}")
            table.add_row(str(row + 1), hit.slot, *numbers, *_place_of(hit))
        self._console.print(table)
        self._say(LEGEND, style="dim")

    def answered(
        self, game_id: str, plan: Plan, answers: Answers, decision: Decision
    ) -> None:
        """Print the questions with their answers, the change of the belief, and the guess."""
        self._say(
            f"\n[bold]{len(plan.questions)} questions[/], all sent at once, and the answers:"
        )
        self._say(QUESTIONS_LEGEND, style="dim")
        stem = ""
        shown_stems: set[str] = set()
        for number, question in enumerate(plan.questions, 1):
            asked = stem_of(question)
            if asked != stem:
                is_new = asked not in shown_stems
                self._say(f"  {shown(asked)}", style="italic", whole=is_new)
                stem = asked
                shown_stems.add(asked)
            self._say(
                _question_line(number, question, answers[number - 1]), whole=False
            )

        self._say("\n[bold]belief[/] before and after the answers:")
        table = Table(box=None, pad_edge=False, show_header=False)
        for row in np.argsort(-decision.belief, kind="stable")[:3]:
            change = f"{plan.prior[row]:.3f} -> {decision.belief[row]:.3f}"
            table.add_row(change, *_place_of(plan.hit(int(row))))
        self._console.print(table)

        guess = decision.guess
        self._say(f"\n[bold]guess[/]  {shown(guess.opening_sentence)}")
        self._say(f"       {shown(guess.sentence_justification)}", style="dim")
        self._say(f"[bold]word[/]   {shown(guess.associative_word)}")
        self._say(f"       {shown(guess.word_justification)}", style="dim")
        self._say(f"[bold]sure[/]   {percent(guess.confidence)}\n")

    def scored(self, game_id: str, score: Score) -> None:
        """Print the score and its parts."""
        self._say(
            f"[bold]score {score.private_score:.1f} of 100, league points {score.league_points}[/]"
        )
        for part, points in score.breakdown.items():
            self._say(f"  {shown(part.replace('_', ' '))}: {points:.1f}")
        for part, remark in score.feedback.items():
            self._say(f"  {shown(part.replace('_', ' '))}: {shown(remark)}")


def _place_of(hit: Hit) -> tuple[Text, Text]:
    """Return where a paragraph is, and its opening sentence."""
    paragraph = hit.paragraph
    sentence = paragraph.opening_sentence
    if len(sentence) > MAX_SENTENCE_CHARS:
        sentence = f"{sentence[: MAX_SENTENCE_CHARS - 3]}..."
    place = f"{paragraph.doc_id} p{paragraph.page}"
    return Text(visible(place)), Text(visible(sentence))


def _question_line(number: int, question: Question, answer: Answer) -> str:
    """Return a question with its answer and options as markup."""
    options = dict(zip(LETTERS, question.options, strict=True))
    letter = "no answer" if answer is None else answer
    chosen = ""
    if letter in options:
        chosen = f" [bold green]{shown(options.pop(letter))}[/]"
    others = "  ".join(f"{name} {shown(text)}" for name, text in options.items())
    return f"  {number:2}. [bold]{shown(letter)}[/]{chosen}  [dim]{others}[/]"


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
