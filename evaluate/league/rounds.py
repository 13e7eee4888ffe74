"""What a referee sets for each game: a paragraph of middling difficulty, a hint, and an associative word."""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from quarry.evaluate.errors import GamesError
from quarry.evaluate.games.check import shared_words
from quarry.evaluate.games.labelled import LabelledGame
from quarry.evaluate.games.locating import locate_games
from quarry.evaluate.league.hints import drafted, edited, keeps_the_rule
from quarry.evaluate.referee import Secret
from quarry.ingest.paragraph import Paragraph
from quarry.player.answer.guess import associative_words
from quarry.player.player import Player
from quarry.player.words import stems

Rank = Callable[[LabelledGame, Paragraph], int | None]
"""From 0, at what place a player's search finds the paragraph by what the game tells; None where it does not."""
MIDDLING = 5.0
"""Place at which the hint alone leaves a game open."""
FAIR = (1, 30)
"""Places, from 0, that are good enough."""
MOST_DRAWN = 12
"""Paragraphs that are looked at for one game."""
STRIDE = 97
"""From one to the next of them, so that games that follow each other begin with different ones."""
DOMAINS = ("nature", "music", "travel", "the kitchen", "sports", "the theatre", "tools", "weather", "trade", "the body")
N_WORDS = 20
MATCH_PREFIX = "set-"


@dataclass(frozen=True, slots=True)
class Round:
    """One game, set.

    Attributes:
        label: what is told and what is right.
        secret: what the referee answers from.
        place: where the search found it, from 0; None if it did not.
    """

    label: LabelledGame
    secret: Secret
    place: int | None


class RoundSetter:
    """Sets rounds over a course; the same seed and number give the same round.

    Args:
        paragraphs: of the course.
        games: labelled ones, whose hints are edited; a paragraph without any gets a draft.
        rank: how hard a round is.
        seed: another seed sets others.

    Raises:
        GamesError: the course has no paragraph.
    """

    def __init__(self, paragraphs: Sequence[Paragraph], games: Sequence[LabelledGame], rank: Rank, seed: int) -> None:
        if not paragraphs:
            raise GamesError("--store must hold at least one paragraph to set rounds about, got none; ingest lectures")
        self._paragraphs = paragraphs
        self._rank = rank
        self._seed = seed
        self._labels: dict[str, list[LabelledGame]] = {}
        for game_id, paragraph in locate_games(games, paragraphs).items():
            if paragraph is not None:
                label = next(game for game in games if game.game_id == game_id)
                self._labels.setdefault(paragraph.paragraph_id, []).append(label)
        self._order = np.random.default_rng(seed).permutation(len(paragraphs))

    def set(self, number: int) -> Round:
        """The round of the number-th game of a season: of a few paragraphs the one that is found at a middling place.

        Raises:
            GamesError: for none of them is there a hint that keeps the rule.
        """
        best: Round | None = None
        for draw in range(MOST_DRAWN):
            row = int(self._order[(number + draw * STRIDE) % len(self._order)])
            found = self._set_about(self._paragraphs[row], number)
            if found is None:
                continue
            if found.place is not None and FAIR[0] <= found.place <= FAIR[1]:
                return found
            if best is None or _hardness(found) < _hardness(best):
                best = found
        if best is None:
            raise GamesError(
                f"--store must hold paragraphs that hints can be written about, got none of {MOST_DRAWN} drawn; "
                "name labelled --games"
            )
        return best

    def _set_about(self, paragraph: Paragraph, number: int) -> Round | None:
        chance = np.random.default_rng([self._seed, number])
        labels = self._labels.get(paragraph.paragraph_id, [])
        if labels:
            label = labels[int(chance.integers(len(labels)))]
            hint = edited(label.hint, paragraph.text, int(chance.integers(2**31)))
            hint = hint or (label.hint if keeps_the_rule(label.hint, paragraph.text) else "")
        else:
            label, hint = _unlabelled(paragraph), ""
        hint = hint or drafted(paragraph, self._document(paragraph.doc_id), *self._counts)
        if not hint:
            return None
        if not label.associative_word or not label.association_domain:
            domain = DOMAINS[int(chance.integers(len(DOMAINS)))]
            word = _word_of(paragraph, domain, hint, chance)
            label = replace(label, association_domain=domain, associative_word=word)
        label = replace(label, game_id=f"{MATCH_PREFIX}{number}", hint=hint, paragraph_id=paragraph.paragraph_id)
        text, opening = label.paragraph or paragraph.text, label.opening_sentence or paragraph.opening_sentence
        secret = Secret(text, opening, label.book_name, hint)
        return Round(label, secret, self._rank(label, paragraph))

    @functools.cached_property
    def _counts(self) -> tuple[Counter[str], int]:
        counts = Counter(stem for paragraph in self._paragraphs for stem in set(stems(paragraph.text)))
        return counts, len(self._paragraphs)

    def _document(self, doc_id: str) -> list[Paragraph]:
        return [paragraph for paragraph in self._paragraphs if paragraph.doc_id == doc_id]


def rank_by(player: Player) -> Rank:
    """How hard a round is for a player: where its search finds the paragraph."""

    def rank(label: LabelledGame, paragraph: Paragraph) -> int | None:
        return player.candidates(label.told()).row_of(paragraph)

    return rank


def _hardness(found: Round) -> float:
    """How far a round is from middling."""
    return math.inf if found.place is None else abs(math.log((found.place + 1.0) / MIDDLING))


def _word_of(paragraph: Paragraph, domain: str, hint: str, chance: np.random.Generator) -> str:
    """A word of the domain that fits and does not occur in the paragraph."""
    known = [word for word in associative_words(paragraph, domain, hint) if not shared_words(word, paragraph.text)]
    return known[int(chance.integers(min(N_WORDS, len(known))))] if known else domain


def _unlabelled(paragraph: Paragraph) -> LabelledGame:
    return LabelledGame(
        game_id="",
        book_name=paragraph.doc_id,
        hint="",
        association_domain="",
        associative_word="",
        paragraph_id=paragraph.paragraph_id,
        opening_sentence="",
        paragraph="",
        document=paragraph.doc_id,
        in_text_layer=True,
        answerable=True,
        split=None,
    )
