"""What there is to know about a labelled game's paragraph."""

from __future__ import annotations

from quarry.evaluate.games.labelled import LabelledGame
from quarry.evaluate.referee.types import Secret
from quarry.ingest.paragraph import Paragraph


def secret_of(game: LabelledGame, paragraph: Paragraph | None) -> Secret | None:
    """The labelled texts, and as ingested what the label leaves out; None where neither says what the paragraph is."""
    labelled = game.paragraph if game.paragraph != game.opening_sentence else ""
    text = labelled or (paragraph.text if paragraph else "")
    opening = game.opening_sentence or (paragraph.opening_sentence if paragraph else "")
    return Secret(text, opening, game.book_name, game.hint) if text else None
