"""LabelledCourse: a store with labelled games about it, to fit on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from quarry.evaluate.games.labelled import LabelledGame
from quarry.evaluate.games.locating import locate_games
from quarry.ingest.embed import Embedder
from quarry.ingest.embed.hint_bank import Hints, as_asked, hints_of
from quarry.ingest.store import Course
from quarry.player.search.late_interaction import WordByWord


@dataclass(frozen=True, slots=True)
class LabelledCourse:
    """A store with labelled games about it.

    Attributes:
        games: answerable and not.
        rows: row in the store's paragraphs of each game's, None where it is not there.
        scorers: what compares word by word in the store.
        hubs: whether a paragraph's nearness to hints in general is weighed.
    """

    store: Course
    embedder: Embedder
    games: Sequence[LabelledGame]
    rows: Sequence[int | None]
    scorers: Sequence[WordByWord] = ()
    hubs: bool = True

    @property
    def found(self) -> Iterator[tuple[LabelledGame, int]]:
        """The games whose paragraph the store holds, with its row."""
        return ((game, row) for game, row in zip(self.games, self.rows, strict=True) if row is not None)


def labelled_course(store: Course, embedder: Embedder, games: Sequence[LabelledGame]) -> LabelledCourse:
    """The store with its games located."""
    row_of = {paragraph.paragraph_id: row for row, paragraph in enumerate(store.paragraphs)}
    located = locate_games(games, store.paragraphs)
    found = [located.get(game.game_id) for game in games]
    return LabelledCourse(store, embedder, games, [row_of[item.paragraph_id] if item else None for item in found])


def hints_about(course: LabelledCourse, others: Hints) -> Hints:
    """A bank for fitting on a course: its own hints, each known to be for its document, where they are most of it.

    A paragraph is then weighed against the hints for other documents, as in a course that the bank is not about.

    Args:
        course: whose games are fitted on.
        others: the bank in use.
    """
    paragraphs = course.store.paragraphs
    if others.course.isdisjoint(paragraph.doc_id for paragraph in paragraphs):
        return others
    documents = {as_asked(game.hint): "" for game in course.games}
    documents |= {as_asked(game.hint): paragraphs[row].doc_id for game, row in course.found}
    return hints_of(documents)
