"""A person at the terminal as the referee: thinks of a paragraph of any store, types a hint, answers 20 questions."""

from __future__ import annotations

from collections.abc import Callable

from quarry.configs.terminal import visible
from quarry.player.game.game import Spectator
from quarry.player.player import Decision, Player
from quarry.player.protocol.payloads import RoundStart
from quarry.player.questions.answer import LETTERS, NOT_RELEVANT, letter_row
from quarry.player.questions.question import Question

ME = "me"
"""The referee SPEC of `run_game.py` for a person."""
DOMAIN = "things"
"""Of the associative word, where none is named."""
Ask = Callable[[str], str]
"""Shows a prompt and returns the line that was typed."""


def play_with_person(player: Player, spectator: Spectator, ask: Ask, game_id: str) -> Decision:
    """One game: what the player guessed.

    Raises:
        QueryError: neither a hint nor a lecture was typed.
        EOFError: the input has ended.
    """
    print("Think of a paragraph. The player is told no more than what you type.")
    book = ask("lecture, as loosely as you like (Enter: not said): ").strip()
    hint = ask("hint, at most 15 words, none of which occurs in the paragraph: ").strip()
    domain = ask("domain of an associative word (Enter: none): ").strip() or DOMAIN
    start = RoundStart(game_id, book, hint, domain, "")
    spectator.started(game_id, start)
    plan = player.plan(start)
    print(f"{len(plan.questions)} questions about your paragraph; Enter answers {NOT_RELEVANT}.")
    answers = [_answer(number, question, ask) for number, question in enumerate(plan.questions, 1)]
    decision = player.decide(plan, answers)
    spectator.answered(plan, answers, decision)
    return decision


def _answer(number: int, question: Question, ask: Ask) -> str:
    """The letter that was typed, or "Not Relevant"."""
    print(visible(f"\n{number}. {question.text}"))
    for letter, option in zip(LETTERS, question.options, strict=True):
        print(visible(f"   {letter}  {option}"))
    while True:
        typed = ask("   A, B, C, D or Enter: ").strip().upper()
        if not typed:
            return NOT_RELEVANT
        if letter_row(typed) is not None:
            return typed
