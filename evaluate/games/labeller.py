"""Writing labelled games with a person, paragraph by paragraph; each game is on disk before the next one."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from quarry.configs.settings import SettingsError
from quarry.configs.terminal import visible
from quarry.evaluate.errors import GamesError
from quarry.evaluate.games.check import MAX_HINT_WORDS, shared_words
from quarry.evaluate.games.labelled import load_games
from quarry.evaluate.games.locating import locate_games
from quarry.ingest.paragraph import Paragraph

ENOUGH = ":q"
"""Ends the session, as the end of the input does."""
Ask = Callable[[str], str]
"""Shows a prompt and returns the line that was typed; raises EOFError at the end of the input."""


def label_games(paragraphs: Sequence[Paragraph], out: Path, ask: Ask, n_games: int | None = None) -> int:
    """Ask for a game about each paragraph without one, and append each game to a file; return the games in the file.

    Args:
        paragraphs: in the order in which they are shown.
        out: the games file; what it holds stays.
        ask: asks the person.
        n_games: stop after this many; None goes on until the paragraphs or the answers end.

    Raises:
        GamesError: the file exists and is no games file.
        SettingsError: the file cannot be written.
    """
    games = load_games(out) if out.is_file() and out.read_bytes().strip() else []
    taken = {game.game_id for game in games}
    located = {found.paragraph_id for found in locate_games(games, paragraphs).values() if found}
    left = [paragraph for paragraph in paragraphs if paragraph.paragraph_id not in located]
    n_written = 0
    try:
        for number, paragraph in enumerate(left, 1):
            if n_games is not None and n_written >= n_games:
                break
            print(
                f"\n[{number} of {len(left)}] {paragraph.doc_id}, page {paragraph.page}  {visible(paragraph.heading)}"
            )
            print(f"\n{visible(paragraph.text)}\n")
            if game := _ask_for_game(paragraph, ask):
                game_id = next(name for n in range(len(taken) + 1, 10**9) if (name := f"game-{n:03d}") not in taken)
                taken.add(game_id)
                _append(out, {"game_id": game_id, **game})
                n_written += 1
                print(f"{game_id} written to {out}")
    except (EOFError, KeyboardInterrupt):
        print()
    return len(games) + n_written


def _ask_for_game(paragraph: Paragraph, ask: Ask) -> dict[str, Any] | None:
    """Return a game about a paragraph as it was typed; None if the paragraph is passed over."""
    limit = f"hint, at most {MAX_HINT_WORDS} words, none of them in the paragraph"
    hint = _answer(ask, f"{limit} (empty: next paragraph)", "", lambda typed: hint_wrong(typed, paragraph.text))
    if not hint:
        return None
    book_name = _answer(ask, "the lecture's name, as somebody might write it", paragraph.doc_id)
    sentence = _answer(ask, "its opening sentence", paragraph.opening_sentence)
    word = _answer(
        ask, "a word it brings to mind (may be empty)", "", lambda typed: _shared(shared_words(typed, paragraph.text))
    )
    return {
        "book_name": book_name,
        "hint": hint,
        "association_domain": _answer(ask, "the broad field of that word", "") if word else "",
        "associative_word": word,
        "paragraph_id": paragraph.paragraph_id,
        "opening_sentence": sentence,
        "paragraph": paragraph.text,
        "pdf": f"{paragraph.doc_id}.pdf",
        "page": paragraph.page,
    }


def _answer(ask: Ask, question: str, default: str, check: Callable[[str], str] = lambda typed: "") -> str:
    """Ask until nothing is wrong with the answer; return `default` for an empty line."""
    while True:
        typed = " ".join(ask(f"{question} [{visible(default)}]: " if default else f"{question}: ").split())
        if typed == ENOUGH:
            raise EOFError
        if not (wrong := check(typed)):
            return typed or default
        print(wrong)


def hint_wrong(hint: str, text: str) -> str:
    """Return what is wrong with a hint by the rule of the game, "" if nothing."""
    n_words = len(hint.split())
    too_many = f"{n_words} words, at most {MAX_HINT_WORDS} are allowed" if n_words > MAX_HINT_WORDS else ""
    return "; ".join(filter(None, (too_many, _shared(shared_words(hint, text)))))


def _shared(words: Sequence[str]) -> str:
    return f"in the paragraph: {', '.join(words)}" if words else ""


def _append(out: Path, game: Mapping[str, Any]) -> None:
    line = json.dumps(game, ensure_ascii=False) + "\n"
    try:
        whole = not out.is_file() or out.read_bytes()[-1:] in (b"", b"\n")
        with out.open("a", encoding="utf-8") as file:
            file.write(line if whole else f"\n{line}")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        print(line)
        raise SettingsError(
            f"--out must be a file that can be written, got {out}: {error.strerror}; the last game is printed above"
        ) from error


def in_order(paragraphs: Sequence[Paragraph], document: str | None, seed: int | None) -> list[Paragraph]:
    """Return the paragraphs of one document or of all; shuffled, or in their own order for seed None.

    Raises:
        GamesError: there is no such document.
    """
    if document is not None:
        names = sorted({paragraph.doc_id for paragraph in paragraphs})
        if document not in names:
            raise GamesError(f"--document must be one of {', '.join(names)}, got {document!r}")
        paragraphs = [paragraph for paragraph in paragraphs if paragraph.doc_id == document]
    if seed is None:
        return list(paragraphs)
    return [paragraphs[row] for row in np.random.default_rng(seed).permutation(len(paragraphs))]
