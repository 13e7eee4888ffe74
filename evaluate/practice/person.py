"""A game whose referee is a person at the terminal, who types a hint and answers 20 questions."""

from dataclasses import replace
from pathlib import Path

from evaluate.games.labeller import AskPerson, add_game
from evaluate.games.locating import MAX_HINT_WORDS, find_label_errors
from player.answer import LETTERS, NOT_RELEVANT, letter_row
from player.game.game import Spectator
from player.player import Player
from player.question import Question
from player.round import RoundStart
from quarry.terminal import visible

PERSON = "me"
"""Value of `play --referee` that asks a person; it is no SPEC of a simulated referee."""
UNDO = "U"
"""Input that goes back to the question before."""
HINT_PROMPT = (
    f"hint, at most {MAX_HINT_WORDS} words, none of which occurs in the paragraph: "
)
"""Question for the hint."""
DOMAIN = "things"
"""Domain of the associative word if the person names none."""


def play_with_person(
    player: Player,
    spectator: Spectator,
    ask: AskPerson,
    game_id: str,
    games: Path | None = None,
) -> None:
    """Play one game with a person as the referee, and print whether the guess was right.

    Args:
        player: the player.
        spectator: receives the events of the game.
        ask: asks the person.
        game_id: id of the game.
        games: file to which the person may add a game with a right guess, unless the guess is of another edition; None
            does not ask.

    Raises:
        EOFError: the input has ended.
    """
    print("Think of a paragraph. The player knows only what you type.")
    book = ask("lecture, as loosely as you like (Enter: not said): ").strip()
    hint = ask(HINT_PROMPT).strip()
    while errors := " ".join(find_label_errors("", hint)):
        print(errors)
        hint = ask(HINT_PROMPT).strip()
    domain = ask("domain of an associative word (Enter: none): ").strip() or DOMAIN
    start = RoundStart(game_id, book, hint, domain, "")
    spectator.started(game_id, start)

    plan = player.plan(start)
    print(
        f"{len(plan.questions)} questions about your paragraph; Enter answers {NOT_RELEVANT}, "
        f"{UNDO} goes back to the question before."
    )
    answers: list[str] = []
    while len(answers) < len(plan.questions):
        answer = _answer(len(answers) + 1, plan.questions[len(answers)], ask)
        if answer == UNDO:
            del answers[-1:]
        else:
            answers.append(answer)
    decision = player.decide(plan, answers)
    spectator.answered(game_id, plan, answers, decision)

    verdict = ask("Is that the first sentence of your paragraph? y, n or Enter: ")
    endings = {"y": "The guess was right.", "n": "The guess was wrong."}
    letter = verdict.strip().casefold()[:1]
    print(endings.get(letter, "Whether the guess was right is not known."))
    is_printed = plan.piece(decision.best) is None
    if letter != "y" or games is None or not hint or not is_printed:
        return

    sentence = decision.guess.opening_sentence
    paragraph = replace(plan.as_paragraph(decision.best), opening_sentence=sentence)
    if errors := " ".join(find_label_errors(paragraph.text, hint)):
        print(errors)
        return
    if ask(f"Keep it as a labelled game in {games}? y or Enter: ").strip()[:1] == "y":
        game_id = add_game(
            games, paragraph, hint=hint, book_name=book, association_domain=domain
        )
        print(f"{game_id} written to {games}")


def _answer(number: int, question: Question, ask: AskPerson) -> str:
    """Ask a question until the person types a letter, UNDO, or Enter for "Not Relevant"; return the answer."""
    print(visible(f"\n{number}. {question.text}"))
    for letter, option in zip(LETTERS, question.options, strict=True):
        print(visible(f"   {letter}  {option}"))
    while True:
        typed = ask("   A, B, C, D or Enter: ").strip().upper()
        if not typed:
            return NOT_RELEVANT
        if typed == UNDO or letter_row(typed) is not None:
            return typed
        print(f"   {visible(typed[:20])} is no answer.")
