"""Labelled games -> the ingested passages that they are about, found by id or by their opening sentence."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from quarry.evaluate.errors import GamesError
from quarry.evaluate.games.labelled import LabelledGame
from quarry.evaluate.games.text import WON_F1, token_f1, tokens
from quarry.ingest.paragraph import Paragraph
from quarry.ingest.paragraphs.sentence import opening_sentence
from quarry.player.questions.places import Places, places_of

MIN_SHARED = 0.7
"""Share of a sentence's words that another one must hold to be compared with it."""


def locate_games(games: Sequence[LabelledGame], paragraphs: Sequence[Paragraph]) -> dict[str, Paragraph | None]:
    """The ingested passage of each answerable game, None where no place of the course begins with its sentence.

    A game with a known paragraph_id is found by it, any other by its opening sentence: the places that begin with it,
    else those whose sentence has a token F1 of at least 0.9 with it. Of several the one whose text is most like the
    labelled one comes first, then the one in the game's own document, then the smallest paragraph_id.

    Returns:
        The passage with the opening sentence of the place, which may stand inside the passage.
    """
    by_id = {paragraph.paragraph_id: paragraph for paragraph in paragraphs}
    finder: _PlaceFinder | None = None
    located: dict[str, Paragraph | None] = {}
    for game in games:
        if not game.answerable:
            continue
        located[game.game_id] = by_id.get(game.paragraph_id)
        if located[game.game_id] is None and (game.opening_sentence or game.paragraph):
            finder = finder or _PlaceFinder(places_of(paragraphs))
            located[game.game_id] = finder.best(game)
    return located


def nearest_place(game: LabelledGame, paragraphs: Sequence[Paragraph]) -> Paragraph | None:
    """The passage with the place whose opening sentence is most like a game's, None where they share no word."""
    return _PlaceFinder(places_of(paragraphs)).nearest(game)


def require_of_store(located: Mapping[str, Paragraph | None], location: str, where: str) -> None:
    """Pass if any of the answerable games is about a paragraph of the store, or none is answerable.

    Args:
        located: as `locate_games` gives it.
        location: of the store, where: of the games, as the user named them.

    Raises:
        GamesError: the games are another corpus's.
    """
    if located and not any(located.values()):
        raise GamesError(
            f"{where}: at least one game must be about a paragraph of {location}, got none of {len(located)}; "
            "name the games that belong to the store"
        )


class _PlaceFinder:
    """Finds places by their opening sentence.

    Args:
        places: of the course.
    """

    def __init__(self, places: Places) -> None:
        self._places = places
        self._holders: dict[str, list[int]] = defaultdict(list)
        for place, start in enumerate(places.starts):
            for token in set(tokens(start.sentence)):
                self._holders[token].append(place)

    def best(self, game: LabelledGame) -> Paragraph | None:
        """The passage of a game."""
        sentence = game.opening_sentence or opening_sentence(game.paragraph)
        found = self._places.find(sentence).tolist()
        if not found:
            found = [place for place, f1 in self._alike(sentence, MIN_SHARED) if f1 >= WON_F1]
        return self._passage(min(found, key=lambda place: self._misfit(place, game))) if found else None

    def nearest(self, game: LabelledGame) -> Paragraph | None:
        """The passage with the most similar sentence."""
        alike = self._alike(game.opening_sentence, 0.0)
        return self._passage(max(alike, key=lambda item: (item[1], -item[0]))[0]) if alike else None

    def _alike(self, sentence: str, least: float) -> list[tuple[int, float]]:
        """The places that share a part of a sentence's words, each with the token F1 of its sentence."""
        held = set(tokens(sentence))
        counts = np.zeros(len(self._places), dtype=np.int64)
        for token in held:
            counts[self._holders.get(token, [])] += 1
        rows = np.flatnonzero(counts > least * len(held)).tolist()
        return [(row, token_f1(self._places.starts[row].sentence, sentence)) for row in rows]

    def _misfit(self, place: int, game: LabelledGame) -> tuple[float, bool, str, int]:
        paragraph = self._places.paragraph(place)
        f1 = round(token_f1(paragraph.text, game.paragraph), 2)
        return -f1, paragraph.doc_id != game.document, paragraph.paragraph_id, place

    def _passage(self, place: int) -> Paragraph:
        passage = self._places.paragraphs[int(self._places.rows[place])]
        return replace(passage, opening_sentence=self._places.starts[place].sentence)
