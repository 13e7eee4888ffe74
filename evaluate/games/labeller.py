"""Writing labelled games with a person, paragraph by paragraph; what was written is on disk before the next one."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from quarry.configs.settings import SettingsError
from quarry.evaluate.errors import GamesError
from quarry.evaluate.games.check import MAX_HINT_WORDS, shared_words
from quarry.evaluate.games.labelled import LabelledGame, load_games
from quarry.evaluate.games.locating import locate_games
from quarry.ingest.paragraph import Paragraph
from quarry.player.words import stems, words

Check = Callable[[str], str]
"""What is wrong with what was typed so far, "" if nothing."""


class Asker(Protocol):
    """Asks a person; the terminal and a pipe each have one."""

    def show(self, text: str) -> None:
        """Print a text."""

    def ask(self, question: str, default: str, check: Check) -> str:
        """What was typed, `default` for an empty line; `check` is shown while they type where that can be.

        Raises:
            EOFError: there is no more, or they have had enough.
        """


@dataclass(slots=True)
class Draft:
    """What was said about paragraphs without a finished game; kept beside the games file.

    Attributes:
        paragraph_id: of the paragraph that is being labelled, "" between paragraphs.
        answers: to the questions about it that were answered.
        skipped: paragraphs that were passed over.
    """

    paragraph_id: str = ""
    answers: dict[str, str] = field(default_factory=dict)
    skipped: list[str] = field(default_factory=list)


class Labeller:
    """Leads a person through paragraphs and writes a game for each.

    Args:
        paragraphs: in the order in which they are shown.
        out: the games file; what it holds stays.
        asker: asks.

    Attributes:
        n_games: in the file.

    Raises:
        GamesError: the file is there and is no games file.
    """

    def __init__(self, paragraphs: Sequence[Paragraph], out: Path, asker: Asker) -> None:
        self._out = out
        self._asker = asker
        self._draft_path = out.with_name(f"{out.name}.draft")
        games = load_games(out) if out.is_file() and out.read_bytes().strip() else []
        self.n_games = len(games)
        self._taken = {game.game_id for game in games}
        self._draft = self._read_draft()
        self._left = self._unlabelled(paragraphs, games)

    def run(self, n_games: int | None = None) -> None:
        """Ask until `n_games` more are written, the paragraphs are used up, or the person has had enough."""
        goal = None if n_games is None else self.n_games + n_games
        for number, paragraph in enumerate(self._left, 1):
            if goal is not None and self.n_games >= goal:
                return
            self._asker.show(_shown(paragraph, number, len(self._left)))
            if not self._label(paragraph):
                self._draft.skipped.append(paragraph.paragraph_id)
            self._draft.paragraph_id, self._draft.answers = "", {}
            self._write_draft()

    def _label(self, paragraph: Paragraph) -> bool:
        """Ask about a paragraph and write its game; False if it is passed over."""
        if self._draft.paragraph_id != paragraph.paragraph_id:
            self._draft.paragraph_id, self._draft.answers = paragraph.paragraph_id, {}
        hint = self._hint(paragraph)
        if not hint:
            return False
        book_name = self._ask("book_name", "the lecture's name, as somebody might write it", paragraph.doc_id, _fine)
        sentence = self._ask("opening_sentence", "its opening sentence", paragraph.opening_sentence, _fine)
        word = self._ask("associative_word", "a word it brings to mind (may be empty)", "", _word_check(paragraph))
        domain = self._ask("association_domain", "the broad field of that word", "", _fine) if word else ""
        self._append(
            {
                "game_id": self._new_id(),
                "book_name": book_name,
                "hint": hint,
                "association_domain": domain,
                "associative_word": word,
                "paragraph_id": paragraph.paragraph_id,
                "opening_sentence": sentence,
                "paragraph": paragraph.text,
                "pdf": f"{paragraph.doc_id}.pdf",
                "page": paragraph.page,
            }
        )
        return True

    def _hint(self, paragraph: Paragraph) -> str:
        """A hint that keeps the rule; one that shares a stem passes when it is given twice."""
        if "hint" in self._draft.answers:
            self._asker.show(f"hint so far: {self._draft.answers['hint']}")
            return self._draft.answers["hint"]
        doubted = ""
        while True:
            hint = self._asker.ask(
                f"hint, at most {MAX_HINT_WORDS} words, none of them in the paragraph (empty: next paragraph)",
                "",
                lambda typed: hint_wrong(typed, paragraph.text),
            )
            if not hint:
                return ""
            if wrong := hint_wrong(hint, paragraph.text):
                self._asker.show(wrong)
                continue
            kin = shared_stems(hint, paragraph.text)
            if kin and hint != doubted:
                self._asker.show(
                    f"{', '.join(kin)}: the paragraph has another form of it; give the same hint again to keep it"
                )
                doubted = hint
                continue
            self._keep("hint", hint)
            return hint

    def _ask(self, key: str, question: str, default: str, check: Check) -> str:
        if key in self._draft.answers:
            return self._draft.answers[key]
        while True:
            answer = self._asker.ask(question, default, check)
            if wrong := check(answer):
                self._asker.show(wrong)
                continue
            self._keep(key, answer)
            return answer

    def _keep(self, key: str, answer: str) -> None:
        self._draft.answers[key] = answer
        self._write_draft()

    def _append(self, game: Mapping[str, Any]) -> None:
        line = json.dumps(game, ensure_ascii=False) + "\n"
        try:
            whole = not self._out.is_file() or self._out.read_bytes()[-1:] in (b"", b"\n")
            with self._out.open("a", encoding="utf-8") as file:
                file.write(line if whole else f"\n{line}")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise SettingsError(
                f"--out must be a file that can be written, got {self._out}: {error.strerror}; the game is kept in "
                f"{self._draft_path}"
            ) from error
        self._taken.add(game["game_id"])
        self.n_games += 1
        self._asker.show(f"{game['game_id']} written to {self._out}")

    def _new_id(self) -> str:
        number = self.n_games + 1
        while f"game-{number:03d}" in self._taken:
            number += 1
        return f"game-{number:03d}"

    def _unlabelled(self, paragraphs: Sequence[Paragraph], games: Sequence[LabelledGame]) -> list[Paragraph]:
        """The paragraphs without a game that were not passed over; the one of the draft first."""
        located = locate_games(games, paragraphs)
        done = {found.paragraph_id for found in located.values() if found} | set(self._draft.skipped)
        left = [paragraph for paragraph in paragraphs if paragraph.paragraph_id not in done]
        return sorted(left, key=lambda paragraph: paragraph.paragraph_id != self._draft.paragraph_id)

    def _read_draft(self) -> Draft:
        try:
            found = json.loads(self._draft_path.read_text(encoding="utf-8"))
            return Draft(str(found["paragraph_id"]), dict(found["answers"]), list(found["skipped"]))
        except FileNotFoundError:
            return Draft()
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise GamesError(
                f"{self._draft_path}: must be a draft that label left, got {type(error).__name__}; delete it"
            ) from error

    def _write_draft(self) -> None:
        text = json.dumps(
            {
                "paragraph_id": self._draft.paragraph_id,
                "answers": self._draft.answers,
                "skipped": self._draft.skipped,
            },
            ensure_ascii=False,
        )
        fresh = self._draft_path.with_name(f"{self._draft_path.name}.new")
        try:
            fresh.write_text(text, encoding="utf-8")
            os.replace(fresh, self._draft_path)
        except OSError as error:
            raise SettingsError(
                f"--out must be in a folder that can be written, got {self._out}: {error.strerror}"
            ) from error


def hint_wrong(hint: str, text: str) -> str:
    """What is wrong with a hint by the rule of the game, "" if nothing."""
    wrong = []
    n_words = len(hint.split())
    if n_words > MAX_HINT_WORDS:
        wrong.append(f"{n_words} words, at most {MAX_HINT_WORDS} are allowed")
    if shared := shared_words(hint, text):
        wrong.append(f"in the paragraph: {', '.join(shared)}")
    return "; ".join(wrong)


def shared_stems(hint: str, text: str) -> list[str]:
    """The hint's words of which the text has another form, sorted: allowed by the rule, and often not meant."""
    found = set(stems(text))
    return sorted({word for word in words(hint) if found & set(stems(word))} - set(shared_words(hint, text)))


def in_order(paragraphs: Sequence[Paragraph], document: str | None, seed: int | None) -> list[Paragraph]:
    """The paragraphs to label: of one document or all, by chance, or as they stand for seed None.

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


def _fine(_: str) -> str:
    return ""


def _word_check(paragraph: Paragraph) -> Check:
    def check(word: str) -> str:
        shared = shared_words(word, paragraph.text)
        return f"in the paragraph: {', '.join(shared)}" if shared else ""

    return check


def _shown(paragraph: Paragraph, number: int, n_left: int) -> str:
    heading = f", {paragraph.heading}" if paragraph.heading else ""
    return f"\n[{number} of {n_left}] {paragraph.doc_id}, page {paragraph.page}{heading}\n\n{paragraph.text}\n"
