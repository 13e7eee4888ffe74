"""A game with a person at the terminal as the referee, who types a hint and answers 20 questions."""

from __future__ import annotations

from evaluate.games.labeller import Ask
from ingest.console.terminal import visible
from player.game.game import Spectator
from player.player import Player
from player.protocol.messages import RoundStart
from player.questions.answer import LETTERS, NOT_RELEVANT, letter_row
from player.questions.question import Question

ME = "me"
"""Referee SPEC of `run_game.py` that asks a person."""
DOMAIN = "things"
"""Domain of the associative word if the person names none."""


def play_with_person(
    player: Player, spectator: Spectator, ask: Ask, game_id: str
) -> None:
    """Play one game with a person as the referee, and print whether the person said that the guess was right.

    Raises:
        QueryError: neither a hint nor a lecture was typed.
        EOFError: the input has ended.
    """
    print("Think of a paragraph. The player knows only what you type.")
    book = ask("lecture, as loosely as you like (Enter: not said): ").strip()
    hint = ask(
        "hint, at most 15 words, none of which occurs in the paragraph: "
    ).strip()
    domain = ask("domain of an associative word (Enter: none): ").strip() or DOMAIN

    start = RoundStart(game_id, book, hint, domain, "")
    spectator.started(game_id, start)

    plan = player.plan(start)
    print(
        f"{len(plan.questions)} questions about your paragraph; Enter answers {NOT_RELEVANT}."
    )
    answers = [
        _answer(number, question, ask)
        for number, question in enumerate(plan.questions, 1)
    ]

    decision = player.decide(plan, answers)
    spectator.answered(game_id, plan, answers, decision)

    said = (
        ask("Is that the first sentence of your paragraph? y, n or Enter: ")
        .strip()
        .casefold()[:1]
    )
    ending = {"y": "right", "n": "wrong"}.get(said)
    print(
        f"The guess was {ending}."
        if ending
        else "Whether the guess was right is not known."
    )


def _answer(number: int, question: Question, ask: Ask) -> str:
    """Ask a question until the person types a letter, or Enter for "Not Relevant"; return the answer."""
    print(visible(f"\n{number}. {question.text}"))
    for letter, option in zip(LETTERS, question.options, strict=True):
        print(visible(f"   {letter}  {option}"))
    while True:
        typed = ask("   A, B, C, D or Enter: ").strip().upper()
        if not typed:
            return NOT_RELEVANT
        if letter_row(typed) is not None:
            return typed
