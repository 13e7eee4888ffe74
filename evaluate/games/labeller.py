"""Writes labelled games with a person, paragraph by paragraph; each game is on disk before the next question."""

import contextlib
import json
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from configs.surrogates import is_unicode
from evaluate.errors import GamesError, writing
from evaluate.games.labelled import LabelledGame, load_games
from evaluate.games.locating import (
    MAX_HINT_WORDS,
    find_label_errors,
    locate_games,
)
from quarry.course.paragraph import Paragraph
from quarry.files import append_whole, write_named
from quarry.locks import WAIT_S, locked
from quarry.terminal import pluralize, visible, wrap_lines

QUIT = ":q"
"""Input that ends the session."""
BACK = ":b"
"""Input that goes back by one question or paragraph."""
SKIPPED_KINDS = frozenset({"heading", "other"})
"""Kinds that are only shown if the user names them, since few referees choose them."""
AskPerson = Callable[[str], str]
"""A function that shows a prompt and returns the line that the user types; it raises EOFError at the end of the
input."""


PROMPTS = {
    "hint": f"hint, at most {MAX_HINT_WORDS} words, none of them in the paragraph\n"
    f"(Enter: next paragraph; {BACK} goes back, {QUIT} ends)",
    "book_name": "the lecture's name, as somebody might write it",
    "opening_sentence": "its opening sentence",
    "associative_word": "a word it brings to mind (may be empty)",
    "association_domain": "the broad field of that word",
}
"""Questions to the person, by the field of the game, in order."""


class _BackError(Exception):
    """The person goes back."""


def choose_paragraphs(
    paragraphs: Sequence[Paragraph], lecture: str = "", kinds: Collection[str] = ()
) -> list[Paragraph]:
    """Return the paragraphs of some lectures and kinds.

    Args:
        paragraphs: paragraphs of the course.
        lecture: name of a file, or a part of names, in any case; "" for all lectures.
        kinds: kinds of paragraphs; () for all except `SKIPPED_KINDS`.

    Raises:
        GamesError: there is no such paragraph.
    """
    if not kinds:
        kinds = {paragraph.kind for paragraph in paragraphs} - SKIPPED_KINDS
    selected = []
    for paragraph in paragraphs:
        is_of_lecture = lecture.casefold() in paragraph.doc_id.casefold()
        if is_of_lecture and paragraph.kind in kinds:
            selected.append(paragraph)
    if not selected:
        lectures = ", ".join(sorted({paragraph.doc_id for paragraph in paragraphs}))
        names = ", ".join(sorted({paragraph.kind for paragraph in paragraphs}))
        raise GamesError(
            f"No paragraph is of this lecture and kind. Lectures: {lectures}. Kinds: {names}."
        )
    return selected


def label_games(paragraphs: Sequence[Paragraph], out: Path, ask: AskPerson) -> int:
    """Ask for a game about each paragraph without one, and add it to a file; return the number of games in the file.

    Args:
        paragraphs: the paragraphs in the order in which they are shown.
        out: the games file; its games are kept.
        ask: asks the person.

    Raises:
        GamesError: the file exists and is not a games file.
        SettingsError: the file cannot be written.
    """
    with contextlib.suppress(ImportError):  # Windows
        import readline  # noqa: F401 - lets the person edit a line

    located = locate_games(load_existing_games(out), paragraphs).values()
    labelled_ids = {paragraph.paragraph_id for paragraph in located if paragraph}
    remaining = [item for item in paragraphs if item.paragraph_id not in labelled_ids]

    game_ids: list[str] = []  # one for each paragraph so far; "" without a game
    while len(game_ids) < len(remaining):
        paragraph = remaining[len(game_ids)]
        _show(paragraph, f"[{len(game_ids) + 1} of {len(remaining)}]")
        try:
            typed = _ask_for_game(paragraph, ask)
        except _BackError:
            if game_ids and (game_id := game_ids.pop()):
                _remove_game(out, game_id)
            continue
        except EOFError:
            print()
            break
        game_ids.append(add_game(out, paragraph, **typed) if typed else "")
        if typed:
            n_games = pluralize(len(load_existing_games(out)), "game")
            print(f"{game_ids[-1]} written to {out}, {n_games}")
    return len(load_existing_games(out))


def _show(paragraph: Paragraph, progress: str) -> None:
    """Print a paragraph with its place in the course."""
    where = f"{paragraph.doc_id}, page {paragraph.page}, {paragraph.kind}"
    print()
    print(visible(f"{progress} {where}  {paragraph.heading}".rstrip()))
    print(f"\n{wrap_lines(paragraph.text)}\n")


def _remove_game(out: Path, game_id: str) -> None:
    """Remove a game that `add_game` has appended to a file; another program may have appended games after it."""
    start = json.dumps({"game_id": game_id}).removesuffix("}")
    with writing(out), locked(out, timeout_s=WAIT_S):
        lines = out.read_text(encoding="utf-8").split("\n")
        others = [line for line in lines if not line.startswith(f"{start},")]
        write_named(out, "\n".join(others).encode())


def add_game(out: Path, paragraph: Paragraph, **typed: str) -> str:
    """Append a labelled game about a paragraph to a file under a new id, and return the id.

    Args:
        out: the games file.
        paragraph: the secret paragraph.
        typed: fields of the game; blank ones keep their default.

    Raises:
        GamesError: the file exists and is not a games file.
        SettingsError: the file cannot be written.
    """
    ingested = {
        "book_name": paragraph.doc_id,
        "paragraph_id": paragraph.paragraph_id,
        "opening_sentence": paragraph.opening_sentence,
        "paragraph": paragraph.text,
        "pdf": f"{paragraph.doc_id}.pdf",
        "page": paragraph.page,
    }
    written = {key: value.strip() for key, value in typed.items() if value.strip()}

    with writing(out), locked(out, timeout_s=WAIT_S):
        game_id = _free_game_id(out)
        line = json.dumps(
            {"game_id": game_id, **ingested, **written}, ensure_ascii=False
        )
        is_whole = not out.is_file() or out.read_bytes()[-1:] in (b"", b"\n")
        append_whole(out, (f"{line}\n" if is_whole else f"\n{line}\n").encode())
    return game_id


def _free_game_id(out: Path) -> str:
    """Return an id that no game of a file has."""
    existing_ids = {game.game_id for game in load_existing_games(out)}
    number = len(existing_ids) + 1
    while (game_id := f"game-{number:03d}") in existing_ids:
        number += 1
    return game_id


def load_existing_games(out: Path) -> list[LabelledGame]:
    """Load the games of a file; return [] if it is empty or does not exist."""
    return load_games(out) if out.is_file() and out.read_bytes().strip() else []


def _ask_for_game(paragraph: Paragraph, ask: AskPerson) -> dict[str, str]:
    """Ask for the fields of a game, and return them; {} if the person skips the paragraph."""
    typed: dict[str, str] = {}
    while len(typed) < len(PROMPTS):
        key = [*PROMPTS][len(typed)]
        try:
            typed[key] = _answer(key, paragraph, ask)
        except _BackError:
            if not typed:
                raise
            typed.popitem()
            continue

        if not typed["hint"]:
            return {}
        if typed.get("associative_word") == "":
            break
    return typed


def _answer(key: str, paragraph: Paragraph, ask: AskPerson) -> str:
    """Ask for a field until the answer keeps the rule of the game.

    Raises:
        _BackError: the person goes back.
        EOFError: the person ends the session, or the input ends.
    """
    defaults = {
        "book_name": paragraph.doc_id,
        "opening_sentence": paragraph.opening_sentence,
    }
    default = visible(defaults.get(key, ""))
    prompt = f"{PROMPTS[key]} [{default}]: " if default else f"{PROMPTS[key]}: "
    while True:
        typed = " ".join(ask(prompt).split())
        if typed == QUIT:
            raise EOFError
        if typed == BACK:
            raise _BackError

        errors = find_label_errors(
            paragraph.text,
            typed if key == "hint" else "",
            typed if key == "associative_word" else "",
            typed if key == "opening_sentence" else "",
        )
        refusal = " ".join(errors)
        if not is_unicode(typed):
            refusal = "The line is not UTF-8. Type it again."
        if not refusal:
            return typed
        print(refusal)
