"""What is wrong with a games file: the rule of the game, unknown paragraphs, duplicates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from quarry.evaluate.games.labelled import LabelledGame
from quarry.evaluate.games.text import canonical, tokens
from quarry.ingest.paragraph import Paragraph

MAX_HINT_WORDS = 15


def check_games(games: Sequence[LabelledGame], located: Mapping[str, Paragraph | None]) -> list[tuple[str, str]]:
    """(game_id, what is wrong) for every finding, in the order of the games; nothing wrong is an empty list.

    Args:
        located: the ingested paragraph of each answerable game, as `locate_games` gives it.
    """
    findings: list[tuple[str, str]] = []
    hints: dict[str, str] = {}
    for game in games:
        findings += [(game.game_id, wrong) for wrong in _wrong(game, located)]
        hint = canonical(game.hint)
        if hint in hints:
            findings.append((game.game_id, f"hint must be its own, got that of {hints[hint]} again; write another"))
        hints.setdefault(hint, game.game_id)
    return findings


def _wrong(game: LabelledGame, located: Mapping[str, Paragraph | None]) -> Iterator[str]:
    n_words = len(game.hint.split())
    if n_words > MAX_HINT_WORDS:
        yield f"hint must have at most {MAX_HINT_WORDS} words, got {n_words}; shorten it"
    if not game.answerable:
        return
    paragraph = located[game.game_id]
    text = game.paragraph or (paragraph.text if paragraph else "")
    if paragraph is None:
        yield "its paragraph must be in the store, it is not; ingest its PDF, or mend its text"
    if shared := shared_words(game.hint, text):
        yield f"hint must share no word with the paragraph, got {', '.join(shared)}; say it in other words"
    if game.associative_word and (shared := shared_words(game.associative_word, text)):
        yield f"associative_word must not occur in the paragraph, got {', '.join(shared)}; choose another"


def shared_words(hint: str, text: str) -> list[str]:
    """The hint's words that occur in the text, sorted; the game's rule allows none."""
    return sorted(set(tokens(hint)) & set(tokens(text)))
