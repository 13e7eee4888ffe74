"""Writing labelled games with a person, paragraph by paragraph; each game is on disk before the next question."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from quarry.configs.terminal import visible
from quarry.evaluate.errors import writing
from quarry.evaluate.games.labelled import load_games
from quarry.evaluate.games.locating import MAX_HINT_WORDS, hint_errors, locate_games, shared_word_errors
from quarry.ingest.paragraph import Paragraph

ENOUGH = ":q"
"""Typing this ends the session, as the end of the input does."""
Ask = Callable[[str], str]
"""Shows a prompt and returns the line that was typed; raises EOFError at the end of the input."""


def label_games(paragraphs: Sequence[Paragraph], out: Path, ask: Ask) -> int:
    """Ask for a game about each paragraph without one, and append each game to a file; return the games in the file.

    Args:
        paragraphs: in the order in which they are shown.
        out: the games file; its games stay.
        ask: asks the person.

    Raises:
        GamesError: the file exists and is no games file.
        SettingsError: the file cannot be written.
    """
    games = load_games(out) if out.is_file() and out.read_bytes().strip() else []
    taken = {game.game_id for game in games}
    located = {found.paragraph_id for found in locate_games(games, paragraphs).values() if found}
    left = [paragraph for paragraph in paragraphs if paragraph.paragraph_id not in located]
    try:
        for number, paragraph in enumerate(left, 1):
            where = f"{paragraph.doc_id}, page {paragraph.page}"
            print(f"\n[{number} of {len(left)}] {where}  {visible(paragraph.heading)}\n\n{visible(paragraph.text)}\n")
            if game := _ask_for_game(paragraph, ask):
                numbers = itertools.count(len(taken) + 1)
                game_id = next(name for name in (f"game-{n:03d}" for n in numbers) if name not in taken)
                _append(out, {"game_id": game_id, **game})
                taken.add(game_id)
                print(f"{game_id} written to {out}")
    except (EOFError, KeyboardInterrupt):
        print()
    return len(taken)


def _ask_for_game(paragraph: Paragraph, ask: Ask) -> dict[str, Any] | None:
    """Return a game about a paragraph as it was typed; None if the person passes the paragraph over."""
    text = paragraph.text
    question = f"hint, at most {MAX_HINT_WORDS} words, none of them in the paragraph (empty: next paragraph)"
    hint = _answer(ask, question, errors=lambda typed: hint_errors(typed, text))
    if not hint:
        return None
    book_name = _answer(ask, "the lecture's name, as somebody might write it", paragraph.doc_id)
    sentence = _answer(ask, "its opening sentence", paragraph.opening_sentence)
    question = "a word it brings to mind (may be empty)"
    word = _answer(ask, question, errors=lambda typed: shared_word_errors("the word", typed, text))
    return {
        "book_name": book_name,
        "hint": hint,
        "association_domain": _answer(ask, "the broad field of that word") if word else "",
        "associative_word": word,
        "paragraph_id": paragraph.paragraph_id,
        "opening_sentence": sentence,
        "paragraph": text,
        "pdf": f"{paragraph.doc_id}.pdf",
        "page": paragraph.page,
    }


def _answer(ask: Ask, question: str, default: str = "", errors: Callable[[str], Iterable[str]] = lambda _: ()) -> str:
    """Ask until an answer has no errors; return `default` for an empty line."""
    while True:
        try:
            typed = " ".join(ask(f"{question} [{visible(default)}]: " if default else f"{question}: ").split())
            typed.encode()
            wrong = " ".join(errors(typed))
        except UnicodeError:
            typed, wrong = "", "the line must be UTF-8, got other bytes; type it again"
        if typed == ENOUGH:
            raise EOFError
        if not wrong:
            return typed or default
        print(wrong)


def _append(out: Path, game: dict[str, Any]) -> None:
    line = json.dumps(game, ensure_ascii=False)
    is_whole = not out.is_file() or out.read_bytes()[-1:] in (b"", b"\n")
    with writing(out), out.open("a", encoding="utf-8") as file:
        file.write(f"{line}\n" if is_whole else f"\n{line}\n")
