"""Logged answers of respondents -> the share of wrong answers to each kind of question."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from quarry.evaluate.answers.batches import AskedBatch
from quarry.ingest.arrays import AnyFloatArray
from quarry.player.player import Player
from quarry.player.questions.answer import Answers, letter_row
from quarry.player.questions.batch import fit_questions
from quarry.player.questions.rates import Counts, channel, learned
from quarry.player.questions.views import VIEWS, View
from quarry.player.questions.word_index import Candidates

MAX_ROUNDS = 200
TOLERANCE = 1e-6
"""Largest change of a rate at which the counts are final."""


@dataclass(frozen=True, slots=True)
class LoggedAnswer:
    """One letter in answer to a question about a known paragraph.

    Attributes:
        view: what the respondent saw of the paragraph.
        kind: of the question.
        fits: (4,) probability that a careful referee of that view finds each option fitting, summing to 1.
        answer: a letter.
    """

    view: View
    kind: str
    fits: AnyFloatArray
    answer: str


def logged_answers(
    batches: Mapping[str, AskedBatch],
    answers: Mapping[str, Answers],
    sentences: Mapping[str, str],
    player: Player,
    view: View,
) -> Iterator[LoggedAnswer]:
    """Yield the answers about each paragraph, with the options that fit it.

    Args:
        sentences: opening sentences of the ingested passages, by game_id.
        view: what the respondents saw of the paragraph.
    """
    for game_id, sentence in sentences.items():
        row = player.index.places.find(sentence)[:1]
        questions = batches[game_id].questions
        fits = fit_questions(questions, Candidates(player.index, row, np.ones(1)))[VIEWS.index(view)]
        for question, fit, answer in zip(questions, fits, answers[game_id], strict=True):
            if answer is not None:
                yield LoggedAnswer(view, question.kind, fit[0], answer)


def count_answers(logged: Iterable[LoggedAnswer], priors: Mapping[str, float]) -> dict[tuple[View, str], Counts]:
    """Return expected counts by view and kind, without kinds that have no prior, such as fillers, and declined answers.

    Args:
        priors: by kind, the assumed share of wrong letters before any answer was logged.
    """
    by_key: dict[tuple[View, str], list[LoggedAnswer]] = defaultdict(list)
    for item in logged:
        if item.kind in priors and letter_row(item.answer) is not None:
            by_key[item.view, item.kind].append(item)
    return {key: _settle(items, priors[key[1]]) for key, items in sorted(by_key.items())}


def _settle(logged: Sequence[LoggedAnswer], prior: float) -> Counts:
    """Return the expected counts, from the rate that they give.

    Which option fits is not always certain, and the answer itself is evidence of it: counts and rates are computed from
    each other in turns until they settle.

    Reference:
        Dempster, Laird and Rubin, Maximum Likelihood from Incomplete Data via the EM Algorithm, 1977.
    """
    rows = [row for item in logged if (row := letter_row(item.answer)) is not None]
    fits, games = np.array([item.fits for item in logged], dtype=np.float64), np.arange(len(logged))
    rate = prior
    for _ in range(MAX_ROUNDS):
        fitting = fits * channel(rate)[rows]
        right = fitting[games, rows] / fitting.sum(axis=1)
        counts = Counts(float(len(logged)), float((1.0 - right).sum()))
        last, rate = rate, learned(prior, counts)
        if abs(last - rate) <= TOLERANCE:
            break
    return counts
