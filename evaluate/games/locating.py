"""Labelled games -> the ingested paragraphs that they are about, found by id or by text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from quarry.evaluate.errors import GamesError
from quarry.evaluate.games.labelled import LabelledGame
from quarry.evaluate.games.text import canonical, same_text, tokens
from quarry.ingest.paragraph import Paragraph

SURE_F1 = 0.9
"""Token F1 from which a paragraph with the labelled opening sentence needs no rival."""
MATCH_F1 = 0.6
"""Token F1 from which an ingested paragraph is taken for the labelled one."""


def locate_games(games: Sequence[LabelledGame], paragraphs: Sequence[Paragraph]) -> dict[str, Paragraph | None]:
    """The ingested paragraph of each answerable game, None where it was lost at ingest.

    A game with a known paragraph_id is found by it, one with text by the highest token F1 with the ingested
    paragraphs, at least 0.6: first among those with the labelled opening sentence, where 0.9 settles it, then among
    all. Ties go to the game's own document, then to the equal opening sentence, then to the smaller paragraph_id. A
    game that gives its opening sentence alone is found by that.
    """
    by_id = {paragraph.paragraph_id: paragraph for paragraph in paragraphs}
    by_text = [game for game in games if game.answerable and game.paragraph and game.paragraph_id not in by_id]
    matcher = _TextMatcher(paragraphs) if by_text else None
    located: dict[str, Paragraph | None] = {}
    for game in games:
        if not game.answerable:
            continue
        located[game.game_id] = by_id.get(game.paragraph_id)
        if located[game.game_id] is None and matcher is not None and game.paragraph:
            located[game.game_id] = matcher.best(game)
    return located


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


class _TextMatcher:
    """Finds paragraphs by their text; those that open with the labelled sentence are looked at before all others."""

    def __init__(self, paragraphs: Sequence[Paragraph]) -> None:
        self._paragraphs = sorted(paragraphs, key=lambda paragraph: paragraph.paragraph_id, reverse=True)
        self._bags = [Counter(tokens(paragraph.text)) for paragraph in self._paragraphs]
        self._opening: dict[str, list[int]] = {}
        for row, paragraph in enumerate(self._paragraphs):
            self._opening.setdefault(canonical(paragraph.opening_sentence), []).append(row)

    def best(self, game: LabelledGame) -> Paragraph | None:
        bag = Counter(tokens(game.paragraph))
        f1, paragraph = self._best_of(self._opening.get(canonical(game.opening_sentence), []), bag, game)
        if game.paragraph == game.opening_sentence and paragraph is not None:
            return paragraph
        if f1 < SURE_F1:
            f1, paragraph = self._best_of(range(len(self._paragraphs)), bag, game)
        return paragraph if f1 >= MATCH_F1 else None

    def _best_of(self, rows: Sequence[int], bag: Counter[str], game: LabelledGame) -> tuple[float, Paragraph | None]:
        best: tuple[float, bool, bool, int] = (0.0, False, False, -1)
        for row in rows:
            paragraph = self._paragraphs[row]
            shared = sum(min(count, self._bags[row][token]) for token, count in bag.items() if token in self._bags[row])
            f1 = 2.0 * shared / max(bag.total() + self._bags[row].total(), 1)
            same_sentence = same_text(paragraph.opening_sentence, game.opening_sentence)
            best = max(best, (f1, paragraph.doc_id == game.document, same_sentence, row))
        return best[0], self._paragraphs[best[3]] if best[3] >= 0 else None
