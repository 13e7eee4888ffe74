"""Writing labelled games with a person, paragraph by paragraph; each game is on disk before the next question."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluate.errors import GamesError, writing
from evaluate.games.labelled import load_games
from evaluate.games.locating import (
    MAX_HINT_WORDS,
    hint_errors,
    locate_games,
    shared_word_errors,
)
from ingest.console.terminal import pluralize, visible
from ingest.paragraph import Paragraph
from player.protocol.messages import RoundStart

QUIT, BACK = ":q", ":b"
"""Typing these ends the session, as the end of the input does, or goes back by one question or paragraph."""
SKIPPED_KINDS = frozenset({"heading", "other"})
"""Kinds that are not shown unless the user names them: few referees choose them."""
Ask = Callable[[str], str]
"""Shows a prompt and returns the line that was typed; raises EOFError at the end of the input."""


class _BackError(Exception):
    """The person goes back."""


@dataclass(frozen=True)
class _Prompt:
    """A question to the person; an empty line gives the default."""

    text: str
    default: str = ""
    errors: Callable[[str], Iterable[str]] = lambda _: ()

    def __str__(self) -> str:
        shown = f" [{visible(self.default)}]" if self.default else ""
        return f"{self.text}{shown}: "


def choose_paragraphs(
    paragraphs: Sequence[Paragraph], lecture: str = "", kinds: Collection[str] = ()
) -> list[Paragraph]:
    """Return the paragraphs of one lecture and of some kinds.

    Args:
        lecture: name of its file, or a part of the name, in any case; "" for all lectures.
        kinds: () for all but `SKIPPED_KINDS`.

    Raises:
        GamesError: no paragraph is left.
    """
    if not kinds:
        kinds = {paragraph.kind for paragraph in paragraphs} - SKIPPED_KINDS
    chosen = [
        paragraph
        for paragraph in paragraphs
        if lecture.casefold() in paragraph.doc_id.casefold() and paragraph.kind in kinds
    ]
    if not chosen:
        lectures = ", ".join(sorted({paragraph.doc_id for paragraph in paragraphs}))
        names = ", ".join(sorted({paragraph.kind for paragraph in paragraphs}))
        raise GamesError(
            f"No paragraph is of this lecture and kind. Lectures: {lectures}. Kinds: {names}."
        )
    return chosen


def label_games(paragraphs: Sequence[Paragraph], out: Path, ask: Ask) -> int:
    """Ask for a game about each paragraph without one, and write each game to a file; return the games in the file.

    Args:
        paragraphs: in the order in which they are shown.
        out: the games file; its games stay.
        ask: asks the person.

    Raises:
        GamesError: the file exists and is no games file.
        SettingsError: the file cannot be written.
    """
    games = _games_of(out)
    located = locate_games(games, paragraphs).values()
    labelled_ids = {paragraph.paragraph_id for paragraph in located if paragraph}
    remaining = [item for item in paragraphs if item.paragraph_id not in labelled_ids]

    game_ids: list[str] = []  # of the paragraphs so far, "" for one without a game
    while len(game_ids) < len(remaining):
        paragraph = remaining[len(game_ids)]
        print(f"\n[{len(game_ids) + 1} of {len(remaining)}] {_where(paragraph)}")
        print(f"\n{visible(paragraph.text)}\n")
        try:
            game = _ask_for_game(paragraph, ask)
        except _BackError:
            if game_ids and game_ids.pop():
                _remove_last(out)
            continue
        except EOFError:
            print()
            break
        game_ids.append(add_game(out, game) if game else "")
        if game:
            n_games = len(games) + sum(map(bool, game_ids))
            print(f"{game_ids[-1]} written to {out}, {pluralize(n_games, 'game')}")
    return len(games) + sum(map(bool, game_ids))


def labelled(paragraph: Paragraph, start: RoundStart, word: str) -> dict[str, Any]:
    """Return a labelled game about a paragraph, without an id.

    Args:
        word: the associative word, "" if there is none.
    """
    return {
        "book_name": start.book_name or paragraph.doc_id,
        "hint": start.hint,
        "association_domain": start.association_domain,
        "associative_word": word.strip(),
        "paragraph_id": paragraph.paragraph_id,
        "opening_sentence": paragraph.opening_sentence,
        "paragraph": paragraph.text,
        "pdf": f"{paragraph.doc_id}.pdf",
        "page": paragraph.page,
    }


def add_game(out: Path, game: dict[str, Any]) -> str:
    """Append a labelled game to a file under a new id, and return the id.

    Raises:
        GamesError: the file exists and is no games file.
        SettingsError: the file cannot be written.
    """
    taken = {game.game_id for game in _games_of(out)}
    number = len(taken) + 1
    while f"game-{number:03d}" in taken:
        number += 1
    game_id = f"game-{number:03d}"

    line = json.dumps({"game_id": game_id, **game}, ensure_ascii=False)
    is_whole = not out.is_file() or out.read_bytes()[-1:] in (b"", b"\n")
    with writing(out), out.open("a", encoding="utf-8") as file:
        file.write(f"{line}\n" if is_whole else f"\n{line}\n")
    return game_id


def _games_of(out: Path) -> list[Any]:
    """Return the games of a file, none if it is empty or does not exist."""
    return load_games(out) if out.is_file() and out.read_bytes().strip() else []


def _remove_last(out: Path) -> None:
    """Remove the last game of a file."""
    with writing(out):
        lines = out.read_text(encoding="utf-8").rstrip("\n").split("\n")
        out.write_text("".join(f"{line}\n" for line in lines[:-1]), encoding="utf-8")


def _where(paragraph: Paragraph) -> str:
    where = f"{paragraph.doc_id}, page {paragraph.page}, {paragraph.kind}"
    return f"{where}  {visible(paragraph.heading)}".rstrip()


def _ask_for_game(paragraph: Paragraph, ask: Ask) -> dict[str, Any] | None:
    """Return a game about a paragraph as it was typed; None if the person skips the paragraph."""
    text = paragraph.text
    prompts = (
        _Prompt(
            f"hint, at most {MAX_HINT_WORDS} words, none of them in the paragraph\n"
            f"(Enter: next paragraph; {BACK} goes back, {QUIT} ends)",
            errors=lambda typed: hint_errors(typed, text),
        ),
        _Prompt("the lecture's name, as somebody might write it", paragraph.doc_id),
        _Prompt("its opening sentence", paragraph.opening_sentence),
        _Prompt(
            "a word it brings to mind (may be empty)",
            errors=lambda typed: shared_word_errors("the word", typed, text),
        ),
        _Prompt("the broad field of that word"),
    )
    answers: list[str] = []
    while len(answers) < len(prompts):
        try:
            answers.append(_answer(ask, prompts[len(answers)]))
        except _BackError:
            if not answers:
                raise
            answers.pop()
            continue
        if answers == [""]:
            return None
        if len(answers) == 4 and not answers[3]:
            answers.append("")

    hint, book_name, sentence, word, domain = answers
    start = RoundStart("", book_name, hint, domain)
    return {**labelled(paragraph, start, word), "opening_sentence": sentence}


def _answer(ask: Ask, prompt: _Prompt) -> str:
    """Ask until an answer has no errors.

    Raises:
        _BackError: the person goes back.
        EOFError: the person ends, or the input does.
    """
    while True:
        try:
            typed = " ".join(ask(str(prompt)).split())
            typed.encode()
            errors = " ".join(prompt.errors(typed))
        except UnicodeError:
            typed, errors = "", "The line is not UTF-8. Type it again."
        if typed == QUIT:
            raise EOFError
        if typed == BACK:
            raise _BackError
        if not errors:
            return typed or prompt.default
        print(errors)
