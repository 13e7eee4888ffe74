"""Games on the terminal: a running game step by step, and a summary of several."""

from collections import defaultdict
from collections.abc import Sequence
from itertools import zip_longest

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from player.answer import Answers, letter_row
from player.game.game import Spectator
from player.game.record import GameRecord, Label
from player.guess.justification import percent
from player.player import Decision, Plan
from player.question import Question
from player.round import Guess, RoundStart, Score
from player.search.results import SearchResult
from quarry.terminal import visible

N_CANDIDATES_SHOWN = 4
LEAGUE = (
    "league points: 3 from 85, 2 from 70, 1 from 50; 80 can be had without the word"
)
MIN_CONFIDENCE = 0.01
"""Minimum confidence at which a document is named although the book was not resolved."""
LITERAL = str.maketrans({"[": r"\[", "\\": r"\\[none][/none]"})
"""Markup of characters that rich would interpret. rich.markup.escape loses a backslash before a bracket: an empty tag
after each backslash keeps it."""


def book_of(result: SearchResult) -> str:
    """Name the document that a search resolved from the name of the book, as markup; "" without a name."""
    book = result.book
    if book is not None and book.tier != "none":
        return f"{shown(book.doc_id)} ({book.tier}, confidence {book.confidence:.2f})"
    if not result.query.book_name.strip():
        return ""
    nearest = ""
    if book is not None and book.confidence >= MIN_CONFIDENCE:
        nearest = f"; the nearest is {shown(book.doc_id)}, at confidence {book.confidence:.2f}"
    return f"none was resolved from {shown(repr(result.query.book_name))}, the whole course is searched{nearest}"


class Terminal(Spectator):
    """Prints games: hint, candidates, questions, answers, belief, guess and score.

    Args:
        console: to print to.
    """

    def __init__(self, console: Console) -> None:
        self._console = console

    def _say(self, markup: str, style: str = "") -> None:
        """Print markup, in which foreign texts must be escaped by `shown`."""
        self._console.print(markup, style=style, highlight=False, emoji=False)

    def _candidate(self, belief: str, plan: Plan, row: int) -> None:
        """Print an opening sentence with its belief, and where it is."""
        hit = plan.hit(row)
        passage = hit.paragraph
        piece = plan.places.piece(int(plan.rows[row]))
        reader = f" as {piece.reader} prints it" if piece else ""
        page = f"{passage.doc_id} p{passage.page}{reader}"
        where = f"{page}, relevance {hit.relevance:.2f}"
        self._rows((f"  {belief}", passage.opening_sentence), ("", where))

    def _rows(self, *rows: tuple[str, str]) -> None:
        """Print foreign texts in two columns; a long text of the second goes on in its column."""
        table = Table(box=None, pad_edge=False, show_header=False)
        for first, second in rows:
            style = "" if first else "dim"
            table.add_row(Text(visible(first)), Text(visible(second), style))
        self._console.print(table)

    def started(self, game_id: str, start: RoundStart) -> None:
        """Print the name, the hint and the domain."""
        self._console.rule(Text(f"game {visible(game_id)}"))
        self._say(f"[bold]book[/]   {shown(start.book_name)}")
        self._say(f"[bold]hint[/]   {shown(start.hint)}")
        self._say(f"[bold]domain[/] {shown(start.association_domain)}\n")
        if start.editions:
            name, count = max(start.editions, key=lambda item: item[1])
            share = count / sum(count for _, count in start.editions)
            text = f"text that referees held in earlier games, above all this one: {name}, {share:.2f}"
            self._say(f"[dim]{shown(text)}[/]")

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
        elif not result.relevant:
            self._say(
                f"{result.message} The nearest paragraphs, all below the threshold of "
                f"{result.threshold:g}, are the candidates."
            )
        search_ms = result.search_ms + result.embed_ms
        self._say(
            f"{len(plan.rows)} candidates, found in {search_ms:.0f} ms. Belief that it is this one:"
        )
        for row in np.argsort(-plan.prior, kind="stable")[:N_CANDIDATES_SHOWN]:
            self._candidate(f"{plan.prior[row]:.3f}", plan, int(row))

    def answered(
        self, game_id: str, plan: Plan, answers: Answers, decision: Decision
    ) -> None:
        """Print the questions with their answers, the change of the belief, and the guess."""
        self._questions(plan.questions, answers)
        self._say("\n[bold]belief[/] before and after the answers:")
        for row in np.argsort(-decision.belief, kind="stable")[:3]:
            change = f"{plan.prior[row]:.3f} -> {decision.belief[row]:.3f}"
            self._candidate(change, plan, int(row))

        self._guess(decision.guess)

    def _questions(self, questions: Sequence[Question], answers: Answers) -> None:
        """Print questions with their answers, those of a kind below each other."""
        self._say(
            f"\n[bold]{len(questions)} questions[/], all sent at once, and the answers:"
        )
        by_stem = defaultdict(list)
        pairs = zip_longest(questions, answers)
        for number, (question, answer) in enumerate(pairs, 1):
            row = letter_row(answer)
            option = "" if row is None else question.options[row]
            line = (f"  {number:2}.", f"{answer or 'no answer'}  {option}")
            by_stem[stem_of(question)].append(line)
        for stem, lines in by_stem.items():
            self._say(f"  {shown(stem)}", style="italic")
            self._rows(*lines)

    def _guess(self, guess: Guess) -> None:
        self._say(f"\n[bold]guess[/]  {shown(guess.opening_sentence)}")
        self._say(f"       {shown(guess.sentence_justification)}", style="dim")
        self._say(f"[bold]word[/]   {shown(guess.associative_word)}")
        self._say(f"       {shown(guess.word_justification)}", style="dim")
        self._say(f"[bold]sure[/]   {percent(guess.confidence)}\n")

    def scored(self, game_id: str, score: Score) -> None:
        """Print whether the sentence was right, the score and its parts."""
        if outcome := score.outcome:
            self._say(outcome, style="bold green" if outcome == "WON" else "bold red")
        self._say(
            f"[bold]score {score.private_score:.1f} of 100, league points {score.league_points}[/]"
        )
        self._say(LEAGUE, style="dim")
        for part, points in score.breakdown.items():
            self._say(f"  {shown(part.replace('_', ' '))}: {points:.1f}")
        for part, remark in score.feedback.items():
            self._say(f"  {shown(part.replace('_', ' '))}: {shown(remark)}")

    def show(self, game: GameRecord) -> None:
        """Print a game that was played, without its belief."""
        if game.start:
            self.started(game.game_id, game.start)
        if game.questions:
            self._questions(game.questions, game.answers or ())
        if game.guess:
            self._guess(game.guess)
        if game.score:
            self.scored(game.game_id, game.score)
        if game.label:
            self.explain(game.label)

    def explain(self, label: Label) -> None:
        """Print what became of the secret."""
        for line in label.explanation:
            self._say(shown(line))


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
    return visible(text).translate(LITERAL)
