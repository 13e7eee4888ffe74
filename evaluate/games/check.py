"""Check labelled games: the rule of the game, paragraphs that the store does not hold, duplicate hints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from quarry.evaluate.games.labelled import LabelledGame
from quarry.evaluate.games.locating import locate_games
from quarry.evaluate.games.text import tokens
from quarry.ingest.paragraph import Paragraph
from quarry.player.words import canonical

MAX_HINT_WORDS = 15


def check_games(games: Sequence[LabelledGame], paragraphs: Sequence[Paragraph]) -> list[tuple[str, str]]:
    """Return (game_id, error) for every error, in the order of the games; an empty list if nothing is wrong.

    Args:
        paragraphs: the passages of the store.
    """
    located = locate_games(games, paragraphs)
    found: list[tuple[str, str]] = []
    hints: dict[str, str] = {}
    for game in games:
        paragraph = located.get(game.game_id)
        text = game.paragraph or (paragraph.text if paragraph else "")
        errors = list(hint_errors(game.hint, text if game.answerable else ""))
        if game.answerable and paragraph is None:
            errors.append(
                "no place in the store begins with its opening sentence; ingest its PDF, or mend the sentence"
            )
        errors += shared_word_errors("associative_word", game.associative_word, text if game.answerable else "")
        hint = canonical(game.hint)
        if hint in hints:
            errors.append(f"hint must be unique, got that of {hints[hint]} again; write another")
        hints.setdefault(hint, game.game_id)
        found += [(game.game_id, error) for error in errors]
    return found


def hint_errors(hint: str, text: str) -> Iterator[str]:
    """Yield the errors of a hint about a text: too many words, or words that occur in the text."""
    if (n_words := len(hint.split())) > MAX_HINT_WORDS:
        yield f"hint must have at most {MAX_HINT_WORDS} words, got {n_words}; shorten it"
    yield from shared_word_errors("hint", hint, text)


def shared_word_errors(key: str, value: str, text: str) -> Iterator[str]:
    """Yield an error if words of a value occur in the text of the paragraph."""
    if words := shared_words(value, text):
        yield f"{key} must share no word with the paragraph, got {', '.join(words)}; say it in other words"


def shared_words(hint: str, text: str) -> list[str]:
    """Return the words that occur in both texts, sorted; the rule of the game allows none."""
    return sorted(set(tokens(hint)) & set(tokens(text)))
