"""Printers of games on the terminal: a running game step by step, and a summary of several games."""

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
from player.search.results import COURSE
from quarry.terminal import visible

N_CANDIDATES_SHOWN = 4
"""Number of candidates that are printed before the questions."""
N_SHOWN_AFTER_ANSWERS = 3
"""Number of candidates that are printed with the change of their belief."""


class Terminal(Spectator):
    """Prints games: hint, candidates, questions, answers, belief, guess and score.

    Args:
        console: console to print to.
    """

    def __init__(self, console: Console) -> None:
        self._console = console

    def _say(self, text: str, style: str = "", label: str = "") -> None:
        """Print a text after a label in bold; the text may be foreign."""
        line = Text.assemble((label, "bold"), visible(text), style=style)
        self._console.print(line)

    def _candidate(self, belief: str, plan: Plan, candidate: int) -> None:
        """Print the opening sentence of a candidate with its belief, page and relevance."""
        hit = plan.hit(candidate)
        paragraph = hit.paragraph
        piece = plan.piece(candidate)
        reader = f" as {piece.reader} prints it" if piece else ""
        page = f"{paragraph.doc_id} p{paragraph.page}{reader}"
        where = f"{page}, relevance {hit.relevance:.2f}"
        self._rows((f"  {belief}", paragraph.opening_sentence), ("", where))

    def _rows(self, *rows: tuple[str, str]) -> None:
        """Print foreign texts in two columns; long texts are wrapped within their column."""
        table = Table(box=None, pad_edge=False, show_header=False)
        for first, second in rows:
            style = "" if first else "dim"
            table.add_row(Text(visible(first)), Text(visible(second), style))
        self._console.print(table)

    def started(self, game_id: str, start: RoundStart) -> None:
        """Print the name, the hint and the domain."""
        self._console.rule(Text(f"game {visible(game_id)}"))
        self._say(start.book_name, label="book   ")
        self._say(start.hint, label="hint   ")
        self._say(start.association_domain, label="domain ")
        self._console.print()
        if start.editions:
            name, count = max(start.editions, key=lambda item: item[1])
            share = count / sum(count for _, count in start.editions)
            text = f"text that referees held in earlier games, above all this one: {name}, {share:.2f}"
            self._say(text, style="dim")

    def planned(self, game_id: str, plan: Plan) -> None:
        """Print the resolved book, failures of the search, and the likeliest candidates."""
        result = plan.result
        if book := result.book_description:
            self._say(f"The book{':' if result.tier == 'none' else ' is'} {book}.")
        for failure in result.failures:
            self._say(str(failure), style="red")

        if result.answered_by == COURSE:
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
            f"{len(plan.prior)} candidates, found in {search_ms:.0f} ms. Belief that it is this one:"
        )
        shown = np.argsort(-plan.prior, kind="stable")[:N_CANDIDATES_SHOWN]
        for candidate in shown.tolist():
            self._candidate(f"{plan.prior[candidate]:.3f}", plan, candidate)

    def answered(
        self, game_id: str, plan: Plan, answers: Answers, decision: Decision
    ) -> None:
        """Print the questions with their answers, the change of the belief, and the guess."""
        self._questions(plan.questions, answers)
        self._say(" before and after the answers:", label="\nbelief")
        shown = np.argsort(-decision.belief, kind="stable")[:N_SHOWN_AFTER_ANSWERS]
        for candidate in shown.tolist():
            change = f"{plan.prior[candidate]:.3f} -> {decision.belief[candidate]:.3f}"
            self._candidate(change, plan, candidate)

        self._guess(decision.guess)

    def _questions(self, questions: Sequence[Question], answers: Answers) -> None:
        """Print questions with their answers, grouped by kind."""
        label = f"\n{len(questions)} questions"
        self._say(", all sent at once, and the answers:", label=label)
        by_stem = defaultdict(list)
        pairs = zip_longest(questions, answers)
        for number, (question, answer) in enumerate(pairs, 1):
            row = letter_row(answer)
            option = "" if row is None else question.options[row]
            line = (f"  {number:2}.", f"{answer or 'no answer'}  {option}")
            by_stem[question_stem(question)].append(line)
        for stem, lines in by_stem.items():
            self._say(f"  {stem}", style="italic")
            self._rows(*lines)

    def _guess(self, guess: Guess) -> None:
        self._say(guess.opening_sentence, label="\nguess  ")
        self._say(f"       {guess.sentence_justification}", style="dim")
        self._say(guess.associative_word, label="word   ")
        self._say(f"       {guess.word_justification}", style="dim")
        self._say(percent(guess.confidence), label="sure   ")
        self._console.print()

    def scored(self, game_id: str, score: Score) -> None:
        """Print WON or LOST, the score and its parts."""
        if outcome := score.outcome:
            self._say(outcome, style="bold green" if outcome == "WON" else "bold red")
        self._say(
            f"score {score.private_score:.1f} of 100, league points {score.league_points}",
            style="bold",
        )
        for part, points in score.breakdown.items():
            self._say(f"  {part.replace('_', ' ')}: {points:.1f}")
        for part, remark in score.feedback.items():
            self._say(f"  {part.replace('_', ' ')}: {remark}")

    def show(self, game: GameRecord) -> None:
        """Print a finished game, without beliefs."""
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
        """Print the explanation of a label."""
        for line in label.explanation:
            self._say(line)


def question_stem(question: Question) -> str:
    """Return the text of a question with an ellipsis for its options; it is the same for all questions of a kind."""
    return question.text.replace("; ".join(question.options[:-1]), "…")


def summary(scores: Sequence[Score]) -> str:
    """Return a line with the number, the mean and the league points of scores."""
    mean = sum(score.private_score for score in scores) / len(scores)
    points = sum(score.league_points for score in scores)
    return f"{len(scores)} games scored, mean private score {mean:.1f}, {points} league points"
